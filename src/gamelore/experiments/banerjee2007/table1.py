"""Table 1 of the paper, and which of our tree patterns its twelve rows may be.

The paper calls them features. It draws them in Figure 2, but its text describes few of
them: (h) has the value of a draw whatever the opponent, (j), (k) and (l) are forks, and
the outcome of (g) depends on the opponent. The others are matched by their values, by
least squares, for each number of source matches: the paper does not give that either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import inf, sqrt

import numpy as np

from gamelore.experiments.statistics import Floats
from gamelore.transfer import PatternEstimate, SourceResult, TreePattern

OPPONENTS = ("novice", "random", "weak")
"""The columns of the table; the paper calls the novice ε-greedy."""

TABLE_1: dict[str, tuple[float, float, float]] = {
    "a": (41.08, 46.31, 51.62),
    "b": (43.75, 48.81, 57.55),
    "c": (54.36, 53.75, 54.63),
    "d": (61.5, 60.11, 59.63),
    "e": (43.03, 50.41, 59.62),
    "f": (38.0, 43.5, 40.77),
    "g": (40.18, 49.43, 58.16),
    "h": (50.0, 50.0, 50.0),
    "i": (44.64, 42.98, 48.93),
    "j": (57.13, 58.9, 57.48),
    "k": (58.42, 54.84, 58.28),
    "l": (63.36, 54.26, 57.45),
}
"""The paper's value of each pattern, against each opponent."""

FORKS = "jkl"
DRAWS = "h"
TORN = "g"

GRID = (10, 20, 30, 50, 100, 300, 1000, 3000, 10000)
"""Numbers of source matches to compare with Table 1."""

MATCHED = {
    "a": "L (N)",
    "b": "L (N) (N W)",
    "c": "(N) (N W)",
    "d": "(D) (W)",
    "e": "L (W)",
    "f": "L",
    "g": "L (N W)",
    "h": "(D)",
    "i": "L (D)",
    "j": "(W)",
    "k": "(N W)",
    "l": "(N W) (W)",
}
"""The match to use where the printed values are transferred: that of the best fit."""


@dataclass(frozen=True)
class PatternSample:
    """The values of tree patterns in the source game at some point of one run."""

    variant: str
    matches: int
    opponent: str
    values: Mapping[TreePattern, float]


@dataclass(frozen=True)
class TableFit:
    """How our patterns may be those of the paper."""

    variant: str
    matches: int
    letters: dict[str, TreePattern]
    """For each of the paper's letters, our pattern."""
    values: dict[str, tuple[float, ...]]
    """Our values for each letter, against each of `OPPONENTS`."""
    error: float
    """Root mean square difference between the two tables."""
    correlation: float
    """Of the two tables' values."""
    met: float
    """How many patterns a run had met by then, on average."""


def read_table(opponent: str) -> SourceResult:
    """Return the paper's own source result against an opponent, as in Table 1."""
    column = OPPONENTS.index(opponent)
    return SourceResult(
        game="tictactoe",
        rules="",
        role="x",
        opponent=opponent,
        matches=0,
        outcomes={0: "L", 50: "D", 100: "W"},
        patterns={
            TreePattern.parse(text): PatternEstimate(TABLE_1[letter][column], 1, 1)
            for letter, text in MATCHED.items()
        },
    )


def classify_pattern(pattern: TreePattern) -> str:
    """Return what the paper's text says of a pattern: draws, fork, torn, or nothing."""
    if all(part == frozenset("D") for part in pattern.tree):
        return "draws"
    if all(not isinstance(part, str) and "W" in part for part in pattern.tree):
        return "fork"
    return "torn" if pattern.outcomes() >= {"L", "W"} else ""


def fit_table(samples: Iterable[PatternSample]) -> list[TableFit]:
    """Return the best match for each variant and number of matches, the best first."""
    groups: dict[tuple[str, int], dict[TreePattern, dict[str, list[float]]]] = {}
    met: dict[tuple[str, int], list[int]] = {}
    for one in samples:
        met.setdefault((one.variant, one.matches), []).append(len(one.values))
        group = groups.setdefault((one.variant, one.matches), {})
        for pattern, value in one.values.items():
            group.setdefault(pattern, {}).setdefault(one.opponent, []).append(value)
    complete = {
        key: _averages(group)
        for key, group in groups.items()
        if len(group) == len(TABLE_1)
        and all(len(found) == len(OPPONENTS) for found in group.values())
    }
    fits = [
        fit_letters(*key, values, float(np.mean(met[key])))
        for key, values in complete.items()
    ]
    return sorted(fits, key=lambda fit: fit.error)


def _averages(
    group: Mapping[TreePattern, Mapping[str, Sequence[float]]],
) -> dict[TreePattern, Floats]:
    return {
        pattern: np.array([np.mean(found[opponent]) for opponent in OPPONENTS])
        for pattern, found in group.items()
    }


def fit_letters(
    variant: str, matches: int, values: Mapping[TreePattern, Floats], met: float
) -> TableFit:
    """Return the match of patterns and letters with the least squares.

    values: per pattern float64 [3], against each of `OPPONENTS`
    """
    known: dict[str, list[TreePattern]] = {DRAWS: [], FORKS: []}
    free: list[TreePattern] = []
    for pattern in sorted(values):
        kind = {"draws": DRAWS, "fork": FORKS}.get(classify_pattern(pattern))
        (known[kind] if kind else free).append(pattern)
    known["".join(sorted(TABLE_1.keys() - set(DRAWS + FORKS)))] = free
    letters: dict[str, TreePattern] = {}
    for names, patterns in known.items():
        letters |= _assign(names, patterns, values)
    letters = dict(sorted(letters.items()))
    ours = np.array([values[pattern] for pattern in letters.values()])
    paper = np.array([TABLE_1[letter] for letter in letters])
    return TableFit(
        variant,
        matches,
        letters,
        {letter: tuple(map(float, values[f])) for letter, f in letters.items()},
        sqrt(float(((ours - paper) ** 2).mean())),
        float(np.corrcoef(ours.ravel(), paper.ravel())[0, 1]),
        met,
    )


def _assign(
    letters: str, patterns: list[TreePattern], values: Mapping[TreePattern, Floats]
) -> dict[str, TreePattern]:
    """Return a pattern for each letter, with the least sum of squares."""
    if len(letters) != len(patterns):
        raise ValueError(f"{len(patterns)} patterns do not match letters {letters!r}")
    costs = np.array([[_cost(x, f, values[f]) for f in patterns] for x in letters])
    orders = np.array(list(permutations(range(len(patterns)))))
    sums = costs[np.arange(len(letters)), orders].sum(axis=1)
    best = orders[sums.argmin()]
    return {letter: patterns[n] for letter, n in zip(letters, best, strict=True)}


def _cost(letter: str, pattern: TreePattern, values: Floats) -> float:
    if letter == TORN and classify_pattern(pattern) != "torn":
        return inf
    return float(((values - np.array(TABLE_1[letter])) ** 2).sum())
