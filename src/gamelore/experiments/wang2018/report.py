"""The report: each of the paper's numbers and statements beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gamelore.experiments.output import markdown_table, write_csv
from gamelore.experiments.statistics import mean_interval
from gamelore.experiments.wang2018.analysis import Measure, finals, read
from gamelore.experiments.wang2018.best_response import Outcome
from gamelore.experiments.wang2018.claims import CLOSE, Claim, Number, best_fit
from gamelore.experiments.wang2018.extensions import ROUNDS, Beyond
from gamelore.experiments.wang2018.run import Course
from gamelore.experiments.wang2018.settings import Case, Wang2018Settings

CAPTIONS = {
    1: "Exploration by match: Equation 3 for the paper's l, and other schedules",
    2: "Fixed and dynamic ε against the random player",
    3: "QPlayer and the TD(λ) baseline",
    4: "QPlayer in other games",
    5: "QPlayer on larger boards",
    6: "QPlayer and QMPlayer for each l",
    7: "Where QPlayer and QMPlayer level off",
}


@dataclass(frozen=True)
class Findings:
    """All that a run found."""

    settings: Wang2018Settings
    figures: Sequence[int]
    courses: Mapping[Case, Course]
    numbers: list[Number]
    claims: list[Claim]
    optima: Mapping[str, Outcome]
    """By game, the best response to the random player, over both seats."""
    beyond: Beyond | None = None


def write_tables(findings: Findings, folder: Path) -> None:
    """All curves, and all ends of curves, as files of numbers."""
    write_csv(
        folder / "curves.csv",
        ["case", "game", "l", "match", "measure", "mean", "standard deviation"],
        _curve_rows(findings.courses),
    )
    write_csv(
        folder / "levels.csv",
        ["case", "game", "l", "measure", "mean", "low", "high"],
        (
            [case.name, case.game, case.length, measure.value, *interval]
            for case, intervals in finals(findings.courses)
            for measure, interval in zip(Measure, intervals, strict=True)
        ),
    )


def _curve_rows(courses: Mapping[Case, Course]) -> Iterator[list[object]]:
    for case, course in courses.items():
        for measure in Measure:
            curves = read(course, measure).curves
            means, spread = curves.mean(axis=0), curves.std(axis=0, ddof=1)
            for i, (mean, deviation) in enumerate(zip(means, spread, strict=True)):
                match = (i + 1) * case.window
                name = [case.name, case.game, case.length, match, measure.value]
                yield [*name, float(mean), float(deviation)]


def write_report(findings: Findings) -> str:
    """The report as Markdown."""
    parts = [_head(findings)]
    if findings.numbers:
        parts += [_numbers(findings.numbers), _fit(findings.numbers)]
    if findings.claims:
        parts.append(_claims(findings.claims))
    if findings.optima:
        parts.append(_optima(findings.optima))
    if findings.beyond:
        parts += [_reach(findings.beyond), _variants(findings.beyond)]
        parts.append(_budgets(findings.beyond))
    parts += [
        f"## Figure {figure}\n\n![{CAPTIONS[figure]}](figure-{figure}.png)\n\n"
        f"{CAPTIONS[figure]}."
        for figure in findings.figures
    ]
    return "\n\n".join(parts) + "\n"


def summarise(findings: Findings) -> str:
    """A few lines for the terminal."""
    verdicts = [number.verdict for number in findings.numbers]
    lines = [
        f"{number.what} {number.paper:g}: ours {number.ours[0]} ({number.verdict})"
        for number in findings.numbers
    ]
    lines += [f"{claim.text}: {claim.verdict}" for claim in findings.claims]
    if verdicts:
        agreeing = sum(verdict.startswith("agrees") for verdict in verdicts)
        lines.append(f"{agreeing} of {len(verdicts)} numbers agree")
    if findings.settings.scale != 1:
        lines.append("the paper's numbers are for its own size: verdicts mean little")
    return "\n".join(lines) or "drawn"


# ── sections ────────────────────────────────────────────────────────────────────────


def _head(findings: Findings) -> str:
    settings = findings.settings
    scale = "" if settings.scale == 1 else f", at {settings.scale:g} of its size"
    return f"""# Wang, Emmerich and Plaat (2018), rerun

{settings.rounds} rounds of 1.5 l matches each{scale}, against the random player, from
both seats in turn with a table for each; seed {settings.seed}; {settings.playouts}
playouts per move for the QM player. Intervals are 95% bootstrap intervals over rounds;
with as few as five rounds they are somewhat too narrow.

A window is l/20 matches; a level is the average over all matches after match l. In the
figures, solid lines are win rates in windows, dotted ones count from the first match;
exploration has ended in the grey part.{_warning(settings)}"""


def _warning(settings: Wang2018Settings) -> str:
    if settings.scale == 1:
        return ""
    return (
        "\n\n**The paper's numbers are for its own size: verdicts mean little here.**"
    )


def _numbers(numbers: list[Number]) -> str:
    header = ["figure", "", "paper", *(measure.value for measure in Measure), "verdict"]
    rows = [
        [n.figure, n.what, f"{n.paper:g}", *n.ours, f"**{n.verdict}**"] for n in numbers
    ]
    return f"""## Numbers

Per cent of matches, or points. The verdict goes by the win rate in windows: a number
agrees if it is within {CLOSE:g} points, or within the interval.

{markdown_table(header, rows)}"""


def _fit(numbers: list[Number]) -> str:
    fits = best_fit(numbers)
    if not fits:
        return ""
    rows = [[measure.value, f"{gap:.1f}"] for measure, gap in fits]
    header = ["measure", "mean distance from the paper's levels, points"]
    return f"""## Which win rate the paper means

The measure that fits its levels best is the **{fits[0][0].value}**.

{markdown_table(header, rows)}"""


def _claims(claims: list[Claim]) -> str:
    header = ["figure", "statement", "found", "verdict"]
    rows = [[c.figure, c.text, c.found, f"**{c.verdict}**"] for c in claims]
    return f"## Statements\n\n{markdown_table(header, rows)}"


def _optima(optima: Mapping[str, Outcome]) -> str:
    header = ["game", "wins, %", "mean goal, %"]
    rows = [[game, f"{o.wins:.2f}", f"{o.goal:.2f}"] for game, o in optima.items()]
    return f"""## The best there is

The best response to the random player, worked out exactly over all positions, for the
mean goal (a draw counts half), averaged over both seats.

{markdown_table(header, rows)}"""


def _reach(beyond: Beyond) -> str:
    lengths = sorted({reached.matches for reached in beyond.reached})
    ways = list(dict.fromkeys(reached.way for reached in beyond.reached))
    found = {
        (r.way, r.matches): mean_interval(np.array([o.goal for o in r.outcomes]))
        for r in beyond.reached
    }
    header = ["mean goal after … matches", *(f"{length:,}" for length in lengths)]
    rows = [[way.name, *(found[way, n] for n in lengths)] for way in ways]
    return f"""## Beyond: reaching it

The exact mean goal of the greedy policy after learning, in {ROUNDS} rounds.

{markdown_table(header, rows)}

![How near learners come to the best response](beyond-reach.png)"""


def _variants(beyond: Beyond) -> str:
    columns = list(dict.fromkeys(variant.schedule for variant in beyond.variants))
    names = list(dict.fromkeys(variant.departures for variant in beyond.variants))
    found = {(v.departures, v.schedule): str(v.level) for v in beyond.variants}
    rows = [
        [str(name), *(found.get((name, column), "") for column in columns)]
        for name in names
    ]
    return f"""## Beyond: what the authors' program does otherwise

Win rate after match l of QPlayer in tic-tac-toe, in {ROUNDS} rounds, with departures of
the published program from Algorithm 1 added bit by bit. The paper has 55, 80, 86.5 and
86.5 for l = 5,000, 10,000, 30,000 and 50,000.

{markdown_table(["program", *columns], rows)}"""


def _budgets(beyond: Beyond) -> str:
    header = ["playouts per move", "search", "first window", "level after match l"]
    rows = [
        [
            budget.learner.playouts,
            "nested" if budget.learner.level > 1 else "flat",
            budget.start,
            budget.level,
        ]
        for budget in beyond.budgets
    ]
    return f"""## Beyond: how many playouts

The win rate of the QM player in tic-tac-toe, l = 5,000, in {ROUNDS} rounds; the paper
has 67 and 85. Nested playouts search at each of their moves, by one random playout of
every move there: what the paper leaves to future work.

{markdown_table(header, rows)}"""
