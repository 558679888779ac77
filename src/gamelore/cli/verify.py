"""`gamelore verify`: recorded matches against what the engine says."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import cast

import click

from gamelore.cli.options import engine_option, json_option
from gamelore.cli.progress import progress
from gamelore.engine.choose import Engine
from gamelore.engine.verify.runner import VerifyReport, VerifyTotals, verify_files


def count_engines(reports: list[VerifyReport]) -> str:
    """How many games each engine played."""
    played = Counter(report.engine or "no engine" for report in reports)
    return ", ".join(f"{number} on {engine}" for engine, number in played.most_common())


@click.command(
    "verify",
    epilog="""\b
Examples:
  gamelore verify records/tictactoe.jsonl.gz
  gamelore verify records/*.jsonl.gz --jobs 2
  gamelore verify old.jsonl --games rules --engine interpreter --json

\b
Exit status: 0 if there is no difference, 1 if there is any, 2 for a wrong command.
""",
)
@click.argument(
    "records",
    metavar="RECORD...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--games",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder that records name their rule sheets from; by default the parent of"
    " each record's folder.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    help="How many processes to use; by default one for each core.",
)
@engine_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    records: tuple[Path, ...],
    games: Path | None,
    jobs: int | None,
    engine: str,
    as_json: bool,
) -> None:
    """Compare playout records with what the engine says.

    A game that fails is reported, and the others go on.
    """
    reports: list[VerifyReport] = []
    with progress("verifying", len(records)) as advance:
        for report in verify_files(records, games, cast(Engine, engine), jobs):
            reports.append(report)
            advance(1)
            if not as_json:
                for difference in report.differences:
                    click.echo(str(difference))
    totals = VerifyTotals.of(reports)
    if as_json:
        record = {**asdict(totals), "reports": [asdict(report) for report in reports]}
        click.echo(json.dumps(record, indent=2))
    else:
        click.echo(count_engines(reports))
        click.echo(str(totals))
    ctx.exit(1 if totals.differences else 0)
