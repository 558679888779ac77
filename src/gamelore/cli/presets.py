"""Presets on the command line: a list of them, and what goes with one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from gamelore.cli.learn_files import LearnFiles
from gamelore.learn.presets import PRESETS, Preset
from gamelore.settings import Options, spell_option, to_options

Command = TypeVar("Command", bound=Callable[..., object])

_SHOWN = ("values", "hidden", "against", "learner", "alpha", "lambda")


def check_preset(typed: Options, files: LearnFiles) -> None:
    """Refuse settings beside a preset, which is all of its settings together."""
    names = [name for name in typed if name != "seed"]
    names += ["features"] if files.features else []
    names += ["from"] if files.sources else []
    for name in names:
        raise click.UsageError(
            f"{spell_option(name)} is part of --preset: leave one of them out"
        )


def presets_option(command: Command) -> Command:
    """`--presets`, which lists the presets and ends."""
    return click.option(
        "--presets",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show_presets,
        help="List the games that have a preset, and end.",
    )(command)


def show_presets(context: click.Context, param: click.Parameter, given: Any) -> None:
    """List the presets, and end."""
    if given and not context.resilient_parsing:
        width = max(map(len, PRESETS))
        for game, preset in PRESETS.items():
            click.echo(f"{game:<{width}}  {describe_preset(preset)}")
        context.exit()


def describe_preset(preset: Preset) -> str:
    """Return the main settings of a preset, as options."""
    options = to_options(preset.config)
    parts = [f"--{name} {options[name]}" for name in _SHOWN if name in options]
    if preset.features is not None:
        parts.append(f"--features {preset.features}")
    if preset.matches is not None:
        parts.append(f"--matches {preset.matches}")
    if preset.minutes is not None:
        parts.append(f"--minutes {preset.minutes:g}")
    return " ".join(parts) + f", search depth {preset.depth}"
