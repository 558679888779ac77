"""What the paper says, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gamelore.experiments.banerjee2007.run import (
    EXTENSIONS,
    LEARNERS,
    BanerjeeCase,
    Rewards,
)
from gamelore.experiments.banerjee2007.settings import FAVOURED, Banerjee2007Settings
from gamelore.experiments.claims import FAILS, HOLDS, Claim, decide_above
from gamelore.experiments.statistics import Floats, Interval, mean_interval

Played = Mapping[BanerjeeCase, Rewards]
"""Per case, uint8 [runs, matches]"""

LEVEL = 95.0
"""Per cent of the greatest reward that learners are said to cross early …"""
CROSSED_BY = 100
"""… within this many matches."""
WINDOW = 25
"""Matches that are averaged to tell how well a learner plays at the last of them."""
PATTERNS_IN_PAPER = 12
"""That Figure 2 shows."""
DRAW = 50.0

FIGURES = {
    3: ("connect-3", "novice"),
    4: ("othello-4x4", "novice"),
    5: ("capture-go", "novice"),
    6: ("othello-4x4", "weak"),
    7: ("othello-4x4", "random"),
}
"""The paper's figures: game and opponent."""

TITLES = {
    "connect-3": "5×5 Connect-3",
    "othello-4x4": "4×4 Othello",
    "capture-go": "3×3 Capture Go",
}

LEVELS, EXTENSION = "level", "extension"
"""Groups of claims; the others are the names of variants."""


class Comparison(NamedTuple):
    """The claim that one learner earns more than another."""

    statement: str
    above: BanerjeeCase
    below: BanerjeeCase
    strictly: bool = True


def list_comparisons() -> list[Comparison]:
    """Return the paper's claims about who earns more."""
    found = []
    for game in FAVOURED:
        base, transfer, lookahead = (
            BanerjeeCase(game, "novice", learner)
            for learner in ("baseline", "transfer", "minimax")
        )
        found.append(Comparison("transfer above baseline", transfer, base))
        text = "lookahead at or above transfer"
        found.append(Comparison(text, lookahead, transfer, False))
    found.sort(key=lambda comparison: comparison.strictly, reverse=True)
    for opponent, rule in (("weak", "maxmax"), ("random", "avgmax")):
        transfer, minimax, better = (
            BanerjeeCase("othello-4x4", opponent, learner)
            for learner in ("transfer", "minimax", rule)
        )
        found.append(Comparison("transfer above lookahead", transfer, minimax))
        text = f"{rule} above minimax"
        found.append(Comparison(text, better, minimax))
    return found


def describe_place(case: BanerjeeCase) -> str:
    """Return where a case is played, as reports write it."""
    return f"{TITLES[case.game]}, {case.opponent}"


def average_rewards(rewards: Rewards, settings: Banerjee2007Settings) -> Floats:
    """Return the average reward of the matches that are not skipped: float64 [runs]."""
    return np.asarray(rewards[:, settings.skipped :].mean(axis=1, dtype=float))


def compare_learners(
    comparison: Comparison,
    played: Played,
    settings: Banerjee2007Settings,
    group: str = "",
) -> Claim:
    """Return a comparison of two learners, run by run."""
    statement, above, below, strictly = comparison
    ours = average_rewards(played[above], settings)
    theirs = average_rewards(played[below], settings)
    measured = _summarise(ours - theirs, settings)
    verdict = decide_above(measured[name_runs(settings.total)], strictly)
    difference = {"difference": f"{above.learner} − {below.learner}"}
    place = describe_place(above)
    return Claim(place, statement, {**measured, **difference}, verdict, group)


def compare_extensions(
    played: Played, settings: Banerjee2007Settings
) -> Iterator[Claim]:
    """Yield the learners beyond the paper, each beside its transfer learner."""
    for game, opponent in FIGURES.values():
        paper = BanerjeeCase(game, opponent, "transfer")
        for learner in EXTENSIONS:
            ours = BanerjeeCase(game, opponent, learner)
            if ours in played:
                comparison = Comparison(LEARNERS[learner].label, ours, paper)
                yield compare_learners(comparison, played, settings, EXTENSION)


def measure_levels(played: Played, settings: Banerjee2007Settings) -> Iterator[Claim]:
    """Yield how well each learner plays around the hundredth match, beside 95 %."""
    middle = min(CROSSED_BY, settings.matches)
    span = slice(max(0, middle - WINDOW), middle)
    for case, rewards in played.items():
        if case.learner in ("baseline", "transfer", "minimax"):
            values = rewards[:, span].mean(axis=1, dtype=float)
            measured = _summarise(values, settings)
            reached = {f"{LEVEL:.0f} reached by match": find_crossing(rewards)}
            verdict = _decide_level(measured[name_runs(settings.total)])
            place = describe_place(case)
            yield Claim(place, case.learner, {**measured, **reached}, verdict, LEVELS)


def count_levels(levels: list[Claim], settings: Banerjee2007Settings) -> Claim:
    """Return the claim that learners typically reach the level early."""
    counts = {}
    for runs in (settings.total, settings.runs):
        found = (level.measured[name_runs(runs)] for level in levels)
        crossed = sum(isinstance(i, Interval) and i.low > LEVEL for i in found)
        counts[name_runs(runs)] = f"{crossed} of {len(levels)}"
    holds = 2 * int(counts[name_runs(settings.total)].split()[0]) > len(levels)
    text = f"{LEVEL:.0f} % crossed within {CROSSED_BY} matches, typically"
    detail: dict[str, Interval | str] = {"difference": "learners that do"}
    verdict = HOLDS if holds else FAILS
    return Claim("all games", text, {**counts, **detail}, verdict)


def find_crossing(rewards: Rewards) -> str:
    """Return the match by which the average over runs first is at the level."""
    window = min(WINDOW, rewards.shape[1])
    means = rewards.mean(axis=0, dtype=float)
    smooth = np.convolve(means, np.ones(window) / window, "valid")
    reached = np.flatnonzero(smooth >= LEVEL)
    return str(int(reached[0]) + window) if len(reached) else "never"


def measure_convergence(played: Played, settings: Banerjee2007Settings) -> Claim:
    """Return whether learners still improve in Othello at the end."""
    part = max(1, settings.matches // 6)
    cases = [
        case
        for case in played
        if (case.game, case.opponent) == FIGURES[4]
        and case.learner in ("baseline", "transfer", "minimax")
    ]
    gains = [
        played[case][:, -part:].mean(axis=1, dtype=float)
        - played[case][:, -2 * part : -part].mean(axis=1, dtype=float)
        for case in cases
    ]
    measured = _summarise(np.mean(gains, axis=0), settings)
    verdict = decide_above(measured[name_runs(settings.total)])
    difference = {"difference": f"last {part} matches − the {part} before"}
    return Claim(
        describe_place(cases[0]),
        f"still learning after {settings.matches} matches",
        {**measured, **difference},
        verdict,
    )


def compare_patterns(
    patterns: int, draws: Mapping[str, Interval], settings: Banerjee2007Settings
) -> Iterator[Claim]:
    """Yield the claims on the tree patterns of tic-tac-toe.

    `draws`: the value of the all-draws pattern against each opponent
    """
    runs = name_runs(settings.total)
    yield Claim(
        "Figure 2",
        f"{PATTERNS_IN_PAPER} features of tic-tac-toe",
        {runs: str(patterns)},
        HOLDS if patterns == PATTERNS_IN_PAPER else FAILS,
    )
    exact = all(interval == (DRAW, DRAW, DRAW) for interval in draws.values())
    values = ", ".join(f"{name} {i.mean:g}" for name, i in draws.items())
    yield Claim(
        "Table 1",
        "feature (h) is 50 for every opponent",
        {runs: values, "difference": "value of `(D)`"},
        HOLDS if exact else FAILS,
    )


def drop_detail(claim: Claim) -> Claim:
    """Return a claim without the columns that are not measurements."""
    kept = {k: v for k, v in claim.measured.items() if isinstance(v, Interval)}
    return replace(claim, measured=kept)


def name_runs(runs: int) -> str:
    """Return the column of so many runs."""
    return f"{runs} runs"


def _summarise(values: Floats, settings: Banerjee2007Settings) -> dict[str, Interval]:
    """Return the mean of all runs, and of as many as the paper has."""
    return {
        name_runs(runs): mean_interval(values[:runs])
        for runs in (settings.total, settings.runs)
    }


def _decide_level(interval: Interval) -> str:
    return decide_above(Interval(*(part - LEVEL for part in interval)))
