"""Presets on the command line: what there is, and what goes with one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from gamelore.cli.given import Options, option
from gamelore.learn.presets import PRESETS, Preset
from gamelore.learn.settings import TDSettings
from gamelore.values.settings import NetworkSettings

_FREE = frozenset(
    (
        "preset",
        "matches",
        "minutes",
        "seed",
        "save",
        "resume",
        "force",
        "snapshots",
        "snapshot_every",
        "plot",
        "quiet",
    )
)
"""Options that a preset leaves open."""


def check_preset(asked: Options) -> None:
    """Refuse what a preset has settled: it is all of its settings together."""
    for name in sorted(asked.keys() - _FREE):
        raise click.UsageError(
            f"{option(name)} is settled by --preset: leave one of them out"
        )


def show_presets(context: click.Context, param: click.Parameter, given: Any) -> None:
    """List the presets, and end."""
    if given and not context.resilient_parsing:
        width = max(map(len, PRESETS))
        for game, preset in PRESETS.items():
            click.echo(f"{game:<{width}}  {', '.join(_described(preset))}")
        context.exit()


def _described(preset: Preset) -> Iterator[str]:
    """The parts of a preset, in words."""
    config, learner = preset.config, preset.config.learner
    if config.function is None:
        yield "table"
    elif isinstance(config.function, NetworkSettings):
        yield f"network of {config.function.hidden}"
    else:
        yield "linear"
    yield f"against {config.opponent.name}"
    yield f"alpha {learner.step_size:g}"
    if isinstance(learner, TDSettings):
        yield f"lambda {learner.trace_decay:g}"
    if preset.features is not None:
        yield f"features {preset.features}"
    if preset.matches is not None:
        yield f"{preset.matches:,} matches"
    if preset.minutes is not None:
        yield f"at most {preset.minutes:g} minutes"
    yield f"depth {preset.depth}"
