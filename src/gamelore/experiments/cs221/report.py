"""The report: the lecture's table, and how the ways to learn compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from gamelore.experiments.cs221.run import Course
from gamelore.experiments.cs221.settings import TITLES, Case, CS221Settings, Output
from gamelore.experiments.cs221.worked import DISCOUNT, STEP_SIZE, Step
from gamelore.experiments.output import markdown_table, write_csv
from gamelore.experiments.statistics import (
    Interval,
    difference_interval,
    judge_above,
    mean_interval,
)


@dataclass(frozen=True)
class Findings:
    """All that a run found."""

    settings: CS221Settings
    steps: Sequence[Step]
    courses: Mapping[Case, Course]


@dataclass(frozen=True)
class Comparison:
    """Two ways to learn one game, run by run, by the score against Monte Carlo."""

    game: str
    what: str
    gap: Interval
    """In points."""

    @property
    def verdict(self) -> str:
        return judge_above(self.gap)


def compare(courses: Mapping[Case, Course]) -> list[Comparison]:
    """The network against the linear function, and TD against Q, in each game."""
    return list(_comparisons(courses))


def _comparisons(courses: Mapping[Case, Course]) -> Iterator[Comparison]:
    ends = {(c.game, c.method, c.model): courses[c].against_playouts for c in courses}
    for game, method, model in ends:
        ours = ends[game, method, model]
        if model == "network" and (game, method, "linear") in ends:
            what = f"the network is above the linear function, by {method.upper()}"
            gap = difference_interval(ours, ends[game, method, "linear"])
            yield Comparison(game, what, gap)
        if method == "td" and (game, "q", model) in ends:
            gap = difference_interval(ours, ends[game, "q", model])
            yield Comparison(game, f"TD is above Q, {model}", gap)


def write_tables(findings: Findings, folder: Path) -> None:
    """The worked example, all curves and their ends, as files of numbers."""
    write_csv(
        folder / "worked-example.csv",
        ["episode", "state", "phi", "w", "reward", "prediction", "target"],
        (
            [
                step.episode,
                step.state,
                _vector(step.inputs),
                _vector(step.weights),
                *("" if x is None else x for x in _numbers(step)),
            ]
            for step in findings.steps
        ),
    )
    write_csv(
        folder / "curves.csv",
        ["game", "learner", "run", "matches", "score against random"],
        (
            [case.game, case.name, run, case.step * point, float(score)]
            for case, course in findings.courses.items()
            for run, curve in enumerate(course.against_random)
            for point, score in enumerate(curve)
        ),
    )
    write_csv(
        folder / "ends.csv",
        ["game", "learner", "run", "score against monte carlo"],
        (
            [case.game, case.name, run, float(score)]
            for case, course in findings.courses.items()
            for run, score in enumerate(course.against_playouts)
        ),
    )


def write_report(findings: Findings) -> str:
    """The report as Markdown."""
    parts = [_head(findings.settings), _worked(findings.steps), _UPDATES]
    parts += [_ends(findings), _verdicts(findings), _figures(findings.settings)]
    return "\n\n".join(parts) + "\n"


def summarise(findings: Findings) -> str:
    """The lecture's table and the verdicts, for the terminal."""
    lines = [worked_table(findings.steps), ""]
    for case, course in findings.courses.items():
        random = mean_interval(course.against_random[:, -1])
        lines.append(
            f"{TITLES[case.game]}, {case.name}: {random} % against random,"
            f" {mean_interval(course.against_playouts)} % against playouts"
        )
    lines += [
        f"{TITLES[found.game]}: {found.what}: {found.verdict}"
        for found in compare(findings.courses)
    ]
    return "\n".join(lines)


def worked_table(steps: Sequence[Step]) -> str:
    """The worked example as the lecture sets it: states across, one row a quantity."""
    blocks = []
    for _, group in groupby(steps, key=lambda step: step.episode):
        own = list(group)
        columns = [["", "phi", "w", "r", "p", "t", "p-t"]]
        columns += [_column(step) for step in own]
        widths = [max(map(len, column)) for column in columns]
        lines = [
            "  ".join(
                cell.ljust(width) for cell, width in zip(row, widths, strict=True)
            )
            for row in zip(*columns, strict=True)
        ]
        blocks.append("\n".join(line.rstrip() for line in lines))
    return "\n\n".join(blocks)


def _column(step: Step) -> list[str]:
    reward, prediction, target = _numbers(step)
    gap = None
    if prediction is not None and target is not None:
        gap = prediction - target
    numbers = ["" if x is None else f"{x:g}" for x in (reward, prediction, target, gap)]
    return [step.state.upper(), _vector(step.inputs), _vector(step.weights), *numbers]


def _numbers(step: Step) -> tuple[float | None, float | None, float | None]:
    return step.reward, step.prediction, step.target


def _vector(numbers: Sequence[float]) -> str:
    return f"({', '.join(f'{x:g}' for x in numbers)})"


_OUTPUTS: dict[Output, str] = {
    "identity": "the sum itself, as in the lecture",
    "tanh": "the tanh of the sum",
}

# ── sections ────────────────────────────────────────────────────────────────────────

_UPDATES = """## How they learn

Both learn one function V of the positions after moves, and choose by it: the first
player the highest, the second the lowest, and any move with probability ε. Q(s, a) is V
of the position that a leads to. After a move to y, both change the weights by

    w ← w − η [V(y; w) − (r + γ V(y′; w))] ∇V(y; w)

where y′ is the position after the next move: for TD the move that was played, for Q the
best of whoever moves, whatever was played. An end is worth its reward, r, alone."""


def _head(settings: CS221Settings) -> str:
    scale = "" if settings.scale == 1 else f", at {settings.scale:g} of the usual size"
    return f"""# TD-learning (CS221), rerun

{settings.runs} runs of every way to learn{scale}; {settings.tests} test matches at
each point, half from each seat; networks of {settings.hidden} hidden units; the output
is {_OUTPUTS[settings.output]}; ε = {settings.epsilon:g}; seed {settings.seed}.

Scores are in per cent, a draw counting half. Intervals are 95% bootstrap intervals over
runs; with as few as five runs they are somewhat too narrow."""


def _worked(steps: Sequence[Step]) -> str:
    return f"""## The worked example

η = {STEP_SIZE:g}, γ = {DISCOUNT:g}. Each column is a state: its inputs φ, the weights w
before it teaches, the reward r on the way to the next, prediction p and target t.

```text
{worked_table(steps)}
```"""


def _ends(findings: Findings) -> str:
    header = ["game", "learner", "matches", "random", "Monte Carlo"]
    rows = [
        [
            TITLES[case.game],
            case.name,
            f"{case.matches:,}",
            mean_interval(course.against_random[:, -1]),
            mean_interval(course.against_playouts),
        ]
        for case, course in findings.courses.items()
    ]
    return f"""## Where they end

The score against the random player, and against Monte Carlo with
{findings.settings.playouts} random playouts for each move.

{markdown_table(header, rows)}"""


def _verdicts(findings: Findings) -> str:
    rows = [
        [TITLES[found.game], found.what, f"{found.gap} points", f"**{found.verdict}**"]
        for found in compare(findings.courses)
    ]
    return f"""## What is better

By the score against Monte Carlo at the end; runs with the same seed make pairs.

{markdown_table(["game", "statement", "difference", "verdict"], rows)}"""


def _figures(settings: CS221Settings) -> str:
    return f"""## Figures

![Scores against the random player](curves.png)

Scores against the random player while learning.

![Scores against Monte Carlo](ends.png)

Scores against Monte Carlo, {settings.playouts} playouts a move, at the end."""
