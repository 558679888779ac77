"""The report: the lecture's table, and how the learners compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from gamelore.experiments.cs221.run import CS221CaseResult
from gamelore.experiments.cs221.settings import TITLES, CS221Settings, Output
from gamelore.experiments.cs221.worked_example import DISCOUNT, STEP_SIZE, Step
from gamelore.experiments.output import write_csv
from gamelore.experiments.report import (
    ExperimentReport,
    Findings,
    ReportTable,
    Section,
    claims_section,
)
from gamelore.experiments.statistics import mean_interval


@dataclass(frozen=True)
class CS221Findings(Findings[CS221Settings]):
    """The worked example, and the scores of all learners."""

    steps: Sequence[Step]
    results: Sequence[CS221CaseResult]

    @property
    def games(self) -> list[str]:
        """The games that were learned."""
        return list(dict.fromkeys(result.case.game for result in self.results))


def write_data(findings: CS221Findings, folder: Path) -> None:
    """Write the worked example, all curves and their ends."""
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
            [result.case.game, result.case.name, run, result.case.step * point, score]
            for result in findings.results
            for run, curve in enumerate(result.against_random.tolist())
            for point, score in enumerate(curve)
        ),
    )
    write_csv(
        folder / "ends.csv",
        ["game", "learner", "run", "score against monte carlo"],
        (
            [result.case.game, result.case.name, run, score]
            for result in findings.results
            for run, score in enumerate(result.against_playouts.tolist())
        ),
    )


def make_report(findings: CS221Findings) -> ExperimentReport:
    """Return the report of the comparison."""
    settings = findings.settings
    scale = "" if settings.scale == 1 else f", at {settings.scale:g} of the usual size"
    return ExperimentReport(
        title="TD-learning (CS221), rerun",
        introduction=f"{settings.runs} runs of every learner{scale}; {settings.tests} "
        "test matches at each point, in half of which the learner moves first; "
        f"networks of {settings.hidden} hidden units; the output is "
        f"{_OUTPUTS[settings.output]}; ε = {settings.epsilon:g}; seed {settings.seed}."
        "\n\nScores are in per cent, a draw counting half. Intervals are 95% bootstrap "
        "intervals over runs; with as few as five runs they are somewhat too short.",
        sections=[
            Section("The worked example", _worked(findings.steps), in_summary=True),
            Section("How they learn", [_UPDATES]),
            Section("Where they end", _ends(findings), in_summary=True),
            *claims_section(
                "What is better",
                findings.group(),
                "In points of the score against Monte Carlo at the end; runs with the "
                "same seed make pairs.",
            ),
        ],
        smoke_test=findings.smoke_test,
    )


def format_example(steps: Sequence[Step]) -> str:
    """Return the worked example as the lecture sets it: one column a state."""
    blocks = []
    for _, group in groupby(steps, key=lambda step: step.episode):
        columns = [["", "phi", "w", "r", "p", "t", "p-t"], *map(_column, group)]
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

_UPDATES = """\
Both learn one function V of the positions after moves, and choose by it: the first
player the highest, the second the lowest, and any move with probability ε. Q(s, a) is V
of the position that a leads to. After a move to y, both change the weights by

    w ← w − η [V(y; w) − (r + γ V(y′; w))] ∇V(y; w)

where y′ is the position after the next move: for TD the move that was played, for Q the
best of whoever moves, whatever was played. The target of a terminal position is its
reward r alone."""


def _worked(steps: Sequence[Step]) -> list[str]:
    return [
        f"η = {STEP_SIZE:g}, γ = {DISCOUNT:g}. Each column is a state: its inputs φ, "
        "the weights w before its update, the reward r of the step to the next, "
        "prediction p and target t.",
        f"```text\n{format_example(steps)}\n```",
    ]


def _ends(findings: CS221Findings) -> list[str | ReportTable]:
    rows = [
        [
            TITLES[result.case.game],
            result.case.name,
            f"{result.case.matches:,}",
            mean_interval(result.against_random[:, -1]),
            mean_interval(result.against_playouts),
        ]
        for result in findings.results
    ]
    return [
        "The score against the random player, and against Monte Carlo with "
        f"{findings.settings.playouts} random playouts for each move.",
        ReportTable(["game", "learner", "matches", "random", "Monte Carlo"], rows),
    ]
