"""`gamelore reproduce`: rerun a published experiment."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from gamelore.cli.cluster import CLUSTER, CLUSTER_HELP, WORKERS, opened_cluster
from gamelore.cli.progress import progress
from gamelore.cli.setting_options import (
    MAIN,
    GroupedCommand,
    GroupedOption,
    setting_options,
)
from gamelore.experiments import EXPERIMENTS, Experiment, find_experiment
from gamelore.experiments.output import check_folder
from gamelore.experiments.report import (
    ExperimentReport,
    Findings,
    ReportTable,
    claims_record,
    tabulate_claims,
)
from gamelore.experiments.sweep import Sweep
from gamelore.processors import count_cores
from gamelore.settings import SettingError, from_options

FIRST = (
    "runs",
    "all_runs",
    "scale",
    "figure",
    "learners",
    "variants",
    "extensions",
    "seed",
)
"""The settings that most people change, in the order of the help."""

_WIDTH = 160  # of tables that go to a file or a pipe


class Reproductions(click.Group):
    """One subcommand per experiment, its options made from its settings."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(EXPERIMENTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return make_command(cmd_name, find_experiment(cmd_name))

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section("Experiments"):
            formatter.write_dl(list(EXPERIMENTS.items()))


def make_command(name: str, experiment: Experiment[Any, Any]) -> click.Command:
    """Return the subcommand that reruns an experiment."""
    options = setting_options([experiment.settings], FIRST)
    return GroupedCommand(
        name,
        callback=_runner(name, experiment),
        params=[*_common_options(name), *options],
        help=f"Rerun {EXPERIMENTS[name]}\n\nWrites a folder with report.md (each claim "
        "beside what was measured), figures (PNG and SVG) and their data (CSV). The "
        "folder is written when all is done, or not at all.",
        short_help=EXPERIMENTS[name],
    )


def _runner(name: str, experiment: Experiment[Any, Any]) -> Callable[..., None]:
    def run(
        out: Path,
        jobs: int | None,
        cluster: str | None,
        workers: int | None,
        quick: bool,
        as_json: bool,
        **given: Any,
    ) -> None:
        check_folder(out)
        if cluster is not None and jobs is not None:
            raise click.UsageError("--jobs is for this machine: use --workers")
        # Where there is little to do, other processes would not be ready in time.
        jobs = jobs or (1 if quick else count_cores())
        asked = {key: value for key, value in given.items() if value is not None}
        changes = {**experiment.quick, **asked} if quick else asked
        try:
            settings = from_options(experiment.settings, changes)
        except SettingError as error:
            raise click.UsageError(str(error)) from error
        matches = experiment.count_matches(settings)
        with (
            _stop_on_sigterm(),
            opened_cluster(cluster, workers) as executor,
            progress(name, matches) as advance,
        ):
            findings, report = experiment.reproduce(
                settings, out, Sweep(jobs, advance, executor), smoke_test=quick
            )
        if as_json:
            record = {"experiment": name, "folder": str(out), "smoke_test": quick}
            record["settings"] = asdict(settings)
            record["claims"] = claims_record(findings.claims)
            click.echo(json.dumps(record, indent=2, ensure_ascii=False))
        else:
            _print_summary(findings, report)
            click.echo(f"wrote {out}/report.md")

    return run


@contextmanager
def _stop_on_sigterm() -> Iterator[None]:
    """Have a request to end act as Ctrl-C does, so that other processes end too."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _print_summary(findings: Findings[Any], report: ExperimentReport) -> None:
    """Print the tables that sum an experiment up."""
    console = Console(
        width=None if sys.stdout.isatty() else _WIDTH, highlight=False, soft_wrap=False
    )
    console.print(report.title, style="bold")
    if report.notice:
        console.print(report.notice, style="bold red")
    for section in report.sections:
        if section.in_summary:
            for part in section.parts:
                if isinstance(part, ReportTable):
                    _print_table(console, section.title, part)
                elif part.startswith("```"):
                    console.print(f"\n{part.strip('`').removeprefix('text')}", end="")
    for title, found in (
        ("Published numbers", findings.numbers),
        ("Claims", findings.statements),
    ):
        if found:
            _print_table(console, title, tabulate_claims(found, brief=True))


def _print_table(console: Console, title: str, table: ReportTable) -> None:
    shown = Table(title=title, box=SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for name in table.header:
        shown.add_column(name, overflow="fold")
    for row in table.rows:
        shown.add_row(*(str(cell).replace("[", "\\[") for cell in row))
    console.print(shown)


def _common_options(name: str) -> Iterator[click.Option]:
    yield GroupedOption(
        ["--quick"],
        is_flag=True,
        group=MAIN,
        help="A smoke test of a few seconds: small sizes, no verdicts.",
    )
    yield GroupedOption(
        ["--out"],
        type=click.Path(file_okay=False, path_type=Path),
        default=Path(name),
        show_default=True,
        group=MAIN,
        help="The folder to write; an older one with results is replaced.",
    )
    yield GroupedOption(
        ["--jobs"],
        type=click.IntRange(1, 256),
        group=MAIN,
        help="Processes at once; by default one per core, and one with --quick. "
        "Results do not depend on it.",
    )
    yield GroupedOption(["--cluster"], group=MAIN, help=CLUSTER_HELP, **CLUSTER)
    yield GroupedOption(["--workers"], group=MAIN, **WORKERS)
    yield GroupedOption(
        ["--json", "as_json"],
        is_flag=True,
        group=MAIN,
        help="Print settings, measurements and verdicts as JSON instead of tables.",
    )


command = Reproductions(
    "reproduce",
    help="Rerun a published experiment.\n\nPlays what the paper describes, and writes "
    "its tables and figures, and each claim beside what was measured.",
    epilog="""\b
Examples:
  gamelore reproduce banerjee2007 --quick
  gamelore reproduce banerjee2007 --all-runs 500 --out results
  gamelore reproduce wang2018 --figure 6 --json
  gamelore reproduce banerjee2007 --all-runs 500 --cluster 10.0.0.1:6379
""",
)
