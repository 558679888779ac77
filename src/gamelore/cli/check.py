"""`gamelore check`: report every problem in rule sheets."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from gamelore.cli.options import counted
from gamelore.gdl import Problem
from gamelore.gdl.checks import check_text
from gamelore.gdl.reader import read_text


@click.command(
    "check",
    epilog="""\b
Examples:
  gamelore check my-game.kif
  gamelore check --strict rules/*.kif
  gamelore check --json my-game.kif

\b
Exit status: 0 if the rules are fit to play, 1 if they are not, 2 for a wrong command.
""",
)
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option("--strict", is_flag=True, help="Take warnings for errors.")
@click.option("--json", "as_json", is_flag=True, help="Print a list of problems.")
@click.pass_context
def command(
    ctx: click.Context, files: tuple[Path, ...], strict: bool, as_json: bool
) -> None:
    """Report every problem in rule sheets.

    Each comes with its line and column, and with a caret under the culprit.
    """
    problems = [p for file in files for p in check_text(read_text(file), str(file))]
    errors = sum(problem.severity == "error" for problem in problems)
    if as_json:
        click.echo(json.dumps([as_record(problem) for problem in problems], indent=2))
    else:
        for problem in problems:
            click.echo(str(problem))
        warnings = len(problems) - errors
        totals = (len(files), "file"), (errors, "error"), (warnings, "warning")
        click.echo(", ".join(counted(*total) for total in totals))
    ctx.exit(1 if errors or (strict and problems) else 0)


def as_record(problem: Problem) -> dict[str, Any]:
    """A problem as JSON: its place in fields of its own, without the source line."""
    return {
        "file": problem.source,
        **asdict(problem.span),
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
    }
