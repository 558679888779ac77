"""`gamelore check`: report every problem in rule sheets and features files."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from gamelore.cli.options import counted
from gamelore.errors import UnknownGameError
from gamelore.games import features_text, rules_text
from gamelore.gdl import Game, Problem
from gamelore.gdl.checks.feature_file import check_features
from gamelore.gdl.checks.rule_sheet import check_text, in_order
from gamelore.gdl.reader import read_rules, read_text
from gamelore.gdl.source import ProblemReport, Source

FEATURES = ".features.kif"


@click.command(
    "check",
    epilog="""\b
Examples:
  gamelore check my-game.kif
  gamelore check my-game.kif --features my-game.features.kif
  gamelore check --strict rules/*.kif
  gamelore check --no-play my-game.kif
  gamelore check --json my-game.kif

\b
Exit status: 0 if the rules are fit to play, 1 if they are not, 2 for a wrong command.
""",
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--features",
    metavar="FILE",
    multiple=True,
    help="Check this features file of the game, too; may be given again.",
)
@click.option(
    "--no-play",
    is_flag=True,
    help="Only read the rules, which takes a fraction of a second.",
)
@click.option("--strict", is_flag=True, help="Take warnings for errors.")
@click.option("--json", "as_json", is_flag=True, help="Print a list of problems.")
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[str, ...],
    features: tuple[str, ...],
    no_play: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Report every problem in rule sheets, and in features files.

    Each comes with its line and column, and with a caret under the culprit. Rules
    without an error are played at random, for seven seconds at most, to see whether
    somebody cannot move, nothing ends a match, or a role has several goals at the end.
    With --no-play they are not. A file
    whose name ends in .features.kif is checked beside the rules of its game, which is
    looked for in the same folder, or is the one given with --features.
    """
    if features and len(files) > 1:
        raise click.UsageError("--features takes one game", ctx)
    # Features come last but are read first: a wrong name need not wait for matches.
    beside = [p for which in features for p in problems_beside(files[0], which, ctx)]
    problems = [
        problem for file in files for problem in problems_in(file, ctx, no_play)
    ]
    problems += beside
    errors = sum(problem.severity == "error" for problem in problems)
    if as_json:
        click.echo(json.dumps([as_record(problem) for problem in problems], indent=2))
    else:
        for problem in problems:
            click.echo(str(problem))
        warnings = len(problems) - errors
        checked = len(files) + len(features)
        totals = (checked, "file"), (errors, "error"), (warnings, "warning")
        click.echo(", ".join(counted(*total) for total in totals))
    ctx.exit(1 if errors or (strict and problems) else 0)


def problems_in(file: str, ctx: click.Context, no_play: bool) -> list[Problem]:
    """Return the problems of a rule sheet, or of a features file beside its game's."""
    if not file.endswith(FEATURES):
        text = read_sheet(file, ctx)
        return check_text(text, file) if no_play else problems_in_rules(text, file)
    sheet = sheet_beside(Path(file))
    if sheet is None:
        raise click.UsageError(
            f"no rule sheet stands beside {file}: give the game and --features {file}",
            ctx,
        )
    return problems_beside(str(sheet), file, ctx)


def problems_in_rules(text: str, file: str) -> list[Problem]:
    """Return the problems of rules, and of matches played by them if there is none."""
    problems = check_text(text, file)
    if any(problem.severity == "error" for problem in problems):
        return problems
    from gamelore.engine.verify.first_match import check_first_match  # heavy
    from gamelore.engine.verify.goal_conflicts import check_goals

    report = ProblemReport(Source(text, file))
    game = Game.from_kif(text, file)
    check_first_match(game, report)
    if not report.problems:
        check_goals(game, report)
    return in_order(problems + report.problems)


def problems_beside(game: str, which: str, ctx: click.Context) -> list[Problem]:
    """Return the problems of a game's features, as far as its rules can be read."""
    rules, _ = read_rules(read_sheet(game, ctx))
    if which.endswith(".kif"):
        return check_features(read_sheet(which, ctx), rules, which)
    return check_features(features_text(game, which), rules, which)


def sheet_beside(features: Path) -> Path | None:
    """Return the rules of a features file: `a.kif` for `a.b.features.kif`."""
    stem = features.name.removesuffix(FEATURES)
    while stem:
        sheet = features.with_name(f"{stem}.kif")
        if sheet.exists():
            return sheet
        stem = stem.rpartition(".")[0]
    return None


def read_sheet(file: str, ctx: click.Context) -> str:
    """Return the text of a file, or of the library's sheet of that name."""
    path = Path(file)
    if path.is_file():
        return read_text(path)
    if path.is_dir():
        raise click.UsageError(f"{file} is a folder", ctx)
    if path.suffix == ".kif" or len(path.parts) > 1:
        raise click.UsageError(f"no such file: {file}", ctx)
    try:
        return rules_text(file)
    except UnknownGameError as error:
        raise click.UsageError(f"no such file: {file}, and {error}", ctx) from None


def as_record(problem: Problem) -> dict[str, Any]:
    """Return a problem as JSON, its place in fields of its own."""
    return {
        "file": problem.source,
        **asdict(problem.span),
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
    }
