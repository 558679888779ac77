"""`gamelore reproduce`: rerun a published experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import click

from gamelore.cli.progress import progress
from gamelore.experiments import EXPERIMENTS, Experiment, find_experiment
from gamelore.experiments.output import check_folder
from gamelore.experiments.settings import Setting, settings_of
from gamelore.experiments.sweep import cores


class Reproductions(click.Group):
    """One subcommand per experiment, its options made from its settings."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(EXPERIMENTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_of(cmd_name, find_experiment(cmd_name))

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section("Experiments"):
            formatter.write_dl(list(EXPERIMENTS.items()))


def command_of(name: str, experiment: Experiment) -> click.Command:
    """The subcommand that reruns an experiment."""
    return click.Command(
        name,
        callback=_runner(name, experiment),
        params=[*_settings_options(experiment), *_common_options(name)],
        help=f"Rerun {EXPERIMENTS[name]}\n\nWrites figures, data and report.md.",
        short_help=EXPERIMENTS[name],
    )


def _runner(name: str, experiment: Experiment) -> Callable[..., None]:
    def run(out: Path, jobs: int | None, quick: bool, **given: Any) -> None:
        check_folder(out)
        # Where there is little to do, other processes would not be ready in time.
        jobs = jobs or (1 if quick else cores())
        asked = {key: value for key, value in given.items() if value is not None}
        changes = {**experiment.quick, **asked} if quick else asked
        try:
            settings = replace(experiment.settings(), **changes)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        with progress(name, experiment.matches(settings)) as advance:
            summary = experiment.reproduce(settings, out, jobs, advance)
        click.echo(summary)
        click.echo(f"\nwrote {out}/report.md")

    return run


def _common_options(name: str) -> Iterator[click.Option]:
    yield click.Option(
        ["--out"],
        type=click.Path(file_okay=False, path_type=Path),
        default=Path(name),
        show_default=True,
        help="The folder to write; an older one with results is replaced.",
    )
    yield click.Option(
        ["--jobs"],
        type=click.IntRange(1, 256),
        help="Processes at once; by default one per core, and one with --quick. "
        "Results do not depend on it.",
    )
    yield click.Option(["--quick"], is_flag=True, help="Small sizes: a few seconds.")


def _settings_options(experiment: Experiment) -> Iterator[click.Option]:
    for setting in settings_of(experiment.settings):
        yield _option_of(setting)


def _option_of(setting: Setting) -> click.Option:
    """An option without a default of its own: what is not given stays as it is."""
    flag = setting.name.replace("_", "-")
    names = [f"--{flag}", setting.name]
    if setting.kind is bool:
        names = [f"--{flag}/--no-{flag}" if setting.default else f"--{flag}"]
        return click.Option(names, default=None, help=setting.text, is_flag=True)
    shown = f"  [default: {setting.default}]" if setting.default is not None else ""
    return click.Option(names, type=_type_of(setting.kind), help=setting.text + shown)


def _type_of(kind: Any) -> Any:
    """What click makes of an annotation: a choice of texts, or a plain type."""
    if get_origin(kind) in (Union, UnionType):
        (kind,) = (part for part in get_args(kind) if part is not type(None))
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    return kind


command = Reproductions(
    "reproduce",
    help="Rerun a published experiment.\n\nIts tables, its figures, and each claim "
    "beside what was measured.",
    epilog="""\b
Examples:
  gamelore reproduce banerjee2007 --quick
  gamelore reproduce banerjee2007 --runs 1000 --out results
""",
)
