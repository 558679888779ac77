"""What the runs say of the paper's claims: numbers only, no words about the outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamelore.experiments.banerjee2007.run import BEYOND, LEARNERS, Case, Rewards
from gamelore.experiments.banerjee2007.settings import FAVOURED, Settings
from gamelore.experiments.banerjee2007.table1 import Fit
from gamelore.experiments.statistics import (
    Band,
    Interval,
    cumulative_average,
    difference_interval,
    judge_above,
    mean_band,
    mean_interval,
)

Floats = npt.NDArray[np.float64]
Played = Mapping[Case, Rewards]
"""Per case, uint8 [runs, matches]"""

LEVEL = 95.0
"""Per cent of the greatest reward that learners are said to cross early …"""
CROSSED_BY = 100
"""… within this many matches."""
WINDOW = 25
"""Matches around one that tell how well it is played there."""
CURVE_STEP = 20
"""Matches between points of a curve."""

FIGURES = {
    3: ("connect-3", "novice"),
    4: ("othello-4x4", "novice"),
    5: ("capture-go", "novice"),
    6: ("othello-4x4", "weak"),
    7: ("othello-4x4", "random"),
}
"""The paper's figures: game and opponent."""

TITLES = {
    "connect-3": "5 × 5 Connect-3",
    "othello-4x4": "4 × 4 Othello",
    "capture-go": "3 × 3 Capture Go",
}


class Claim(NamedTuple):
    """That one learner earns more than another."""

    text: str
    above: Case
    below: Case
    strictly: bool = True


@dataclass(frozen=True)
class Finding:
    """A claim, and what was measured of it."""

    claim: str
    measured: str
    few: Interval
    """Over as many runs as the paper has."""
    all: Interval
    verdict_few: str
    verdict: str


@dataclass(frozen=True)
class Curve:
    """One line of a figure."""

    case: Case
    matches: npt.NDArray[np.int64]
    band: Band


@dataclass(frozen=True)
class Table:
    """What is known of the source game's features."""

    patterns: tuple[str, ...]
    """All of them."""
    draws: Mapping[str, Interval]
    """The value of the all-draws feature against each opponent."""
    fits: Sequence[Fit]
    """Best first."""


@dataclass(frozen=True)
class Results:
    """Everything the report and the figures are made of."""

    settings: Settings
    averages: Mapping[Case, Interval]
    findings: Sequence[Finding]
    levels: Sequence[Finding]
    """Of the claim that 95 % are crossed early, per learner."""
    curves: Mapping[int, Sequence[Curve]]
    """By the number of the paper's figure."""
    table: Table
    readings: Mapping[str, Sequence[Finding]]
    beyond: Sequence[Finding]


def claims() -> list[Claim]:
    """The paper's claims about who earns more."""
    found = []
    for game in FAVOURED:
        base, transfer, lookahead = (
            Case(game, "novice", learner)
            for learner in ("baseline", "transfer", "minimax")
        )
        place = f"{TITLES[game]}, novice"
        found.append(Claim(f"transfer above baseline ({place})", transfer, base))
        text = f"lookahead at or above transfer ({place})"
        found.append(Claim(text, lookahead, transfer, False))
    found.sort(key=lambda claim: claim.strictly, reverse=True)
    for opponent, rule in (("weak", "maxmax"), ("random", "avgmax")):
        transfer, minimax, better = (
            Case("othello-4x4", opponent, learner)
            for learner in ("transfer", "minimax", rule)
        )
        place = f"{TITLES['othello-4x4']}, {opponent}"
        found.append(Claim(f"transfer above lookahead ({place})", transfer, minimax))
        text = f"{rule} would learn faster than minimax ({place})"
        found.append(Claim(text, better, minimax))
    return found


def averages_of(rewards: Rewards, settings: Settings) -> Floats:
    """float64 [runs]: the average reward of the matches that count."""
    return np.asarray(rewards[:, settings.skipped :].mean(axis=1, dtype=float))


def judge(claim: Claim, played: Played, settings: Settings) -> Finding:
    """Compare two learners, run by run."""
    ours = averages_of(played[claim.above], settings)
    theirs = averages_of(played[claim.below], settings)
    return _finding(
        claim.text,
        f"{claim.above.learner} − {claim.below.learner}",
        ours - theirs,
        settings,
        claim.strictly,
    )


def _finding(
    text: str, measured: str, differences: Floats, settings: Settings, strictly: bool
) -> Finding:
    zeros = np.zeros(len(differences))
    few = difference_interval(differences[: settings.runs], zeros[: settings.runs])
    every = difference_interval(differences, zeros)
    return Finding(
        text,
        measured,
        few,
        every,
        judge_above(few, strictly),
        judge_above(every, strictly),
    )


def level_findings(played: Played, settings: Settings) -> list[Finding]:
    """How well each learner plays around the hundredth match, beside 95 %."""
    middle = min(CROSSED_BY, settings.matches)
    span = slice(max(0, middle - WINDOW), middle)
    found = []
    for case in played:
        if case.learner not in ("baseline", "transfer", "minimax"):
            continue
        values = played[case][:, span].mean(axis=1, dtype=float)
        few, every = mean_interval(values[: settings.runs]), mean_interval(values)
        found.append(
            Finding(
                f"{TITLES[case.game]}, {case.opponent}: {case.learner}",
                crossing(played[case]),
                few,
                every,
                judge_above(_beyond(few, LEVEL)),
                judge_above(_beyond(every, LEVEL)),
            )
        )
    return found


def crossing(rewards: Rewards) -> str:
    """The match around which the average over runs first is at 95 %."""
    window = min(WINDOW, rewards.shape[1])
    means = rewards.mean(axis=0, dtype=float)
    smooth = np.convolve(means, np.ones(window) / window, "valid")
    reached = np.flatnonzero(smooth >= LEVEL)
    return str(int(reached[0]) + window) if len(reached) else "never"


def _beyond(interval: Interval, level: float) -> Interval:
    return Interval(*(part - level for part in interval))


def convergence(played: Played, settings: Settings) -> Finding:
    """Whether learners still improve in Othello at the end."""
    part = max(1, settings.matches // 6)
    gains = [
        played[case][:, -part:].mean(axis=1, dtype=float)
        - played[case][:, -2 * part : -part].mean(axis=1, dtype=float)
        for case in played
        if (case.game, case.opponent) == FIGURES[4]
        and case.learner in ("baseline", "transfer", "minimax")
    ]
    return _finding(
        f"still learning after {settings.matches} matches ({TITLES['othello-4x4']}, "
        "novice)",
        f"last {part} matches − the {part} before",
        np.mean(gains, axis=0),
        settings,
        True,
    )


def curves_of(played: Played, settings: Settings) -> dict[int, list[Curve]]:
    """The lines of the paper's figures, over all runs."""
    curves = {}
    for number, place in FIGURES.items():
        lines = [case for case in played if (case.game, case.opponent) == place]
        curves[number] = [_curve(case, played[case], settings) for case in lines]
    return curves


def _curve(case: Case, rewards: Rewards, settings: Settings) -> Curve:
    averages = cumulative_average(rewards.astype(float), settings.skipped)
    last = averages.shape[1] - 1
    # The first averages are of a match or two, and would hide the rest.
    points = np.append(np.arange(CURVE_STEP - 1, last, CURVE_STEP), last)
    return Curve(case, points + settings.skipped + 1, mean_band(averages[:, points]))


def beyond_findings(played: Played, settings: Settings) -> list[Finding]:
    """Learners beyond the paper, each against the paper's transfer learner."""
    found = []
    for game, opponent in FIGURES.values():
        paper = Case(game, opponent, "transfer")
        for learner in BEYOND:
            ours = Case(game, opponent, learner)
            if ours in played:
                text = f"{TITLES[game]}, {opponent}: {LEARNERS[learner].label}"
                found.append(judge(Claim(text, ours, paper), played, settings))
    return found
