"""Standings: the results of many matches, added up for each player.

Intervals of shares are Wilson's. A goal counts as that part of a win: values between 0
and 100 never have a larger variance than 0 and 100 themselves, so the intervals hold at
least 95%, and they have a width even where every match ended alike.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from gamelore.match.ratings import BEST_GOAL, DEVIATIONS, Estimate, Result, rate

Outcome: TypeAlias = Literal["win", "draw", "loss"]

HEADING = (
    "player",
    "rating",
    "95%",
    "goal",
    "95%",
    "wins",
    "draws",
    "losses",
    "faults",
    "matches",
)
"""Over the columns of a table for people."""


@dataclass(frozen=True)
class Standing:
    """One player's row of the table."""

    player: str
    matches: int
    goal: Estimate
    """The mean goal, 0 to 100."""
    wins: int
    draws: int
    losses: int
    score: Estimate
    """Wins and half of the draws, as a share of the matches."""
    faults: int
    """Moves that were missing, late, illegal or garbled."""
    rating: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return plain values, estimates as objects; `None` where nothing is known."""
        return {name: _plain(value) for name, value in vars(self).items()}


def standings(
    results: Iterable[Result], players: Iterable[str] = (), prior: float = 1.0
) -> tuple[Standing, ...]:
    """Return a row for everybody who took part, the best rating first.

    `players`: who has a row even without a match; `prior`: that of the ratings.
    """
    results = list(results)
    ratings = rate(results, players, prior)
    played: dict[str, list[tuple[Result, int]]] = defaultdict(list)
    for result in results:
        for place, player in enumerate(result.players):
            played[player].append((result, place))
    rows = [_standing(name, played[name], rating) for name, rating in ratings.items()]
    return tuple(sorted(rows, key=lambda row: (-row.rating.value, -row.goal.value)))


def _standing(
    player: str, played: Sequence[tuple[Result, int]], rating: Estimate
) -> Standing:
    outcomes = [outcome(result, place) for result, place in played]
    wins, draws = outcomes.count("win"), outcomes.count("draw")
    return Standing(
        player=player,
        matches=len(played),
        goal=mean_goal(result.goals[place] for result, place in played),
        wins=wins,
        draws=draws,
        losses=outcomes.count("loss"),
        score=share(wins + draws / 2, len(played)),
        faults=sum(result.faults[place] for result, place in played if result.faults),
        rating=rating,
    )


def outcome(result: Result, place: int) -> Outcome:
    """Return how the player at a place of a result did.

    The highest goal alone is a win, shared it is a draw. A single player wins with the
    best goal that rules can give, and loses with less.
    """
    scores = result.scores
    if len(scores) == 1:
        return "win" if result.goals[0] == BEST_GOAL else "loss"
    best = max(scores)
    if scores[place] < best:
        return "loss"
    return "draw" if scores.count(best) > 1 else "win"


def mean_goal(goals: Iterable[int | None]) -> Estimate:
    """Return the mean of goals with its interval; no goal counts as 0."""
    counted = [goal or 0 for goal in goals]
    part = share(sum(counted) / BEST_GOAL, len(counted))
    return Estimate(*(BEST_GOAL * bound for bound in part))


def table(rows: Sequence[Standing]) -> str:
    """Return standings as text in columns, one line each under a heading."""
    cells = [
        (
            row.player,
            f"{row.rating.value:+.0f}",
            f"{row.rating.low:+.0f}…{row.rating.high:+.0f}",
            f"{row.goal.value:.1f}",
            f"{row.goal.low:.1f}…{row.goal.high:.1f}",
            str(row.wins),
            str(row.draws),
            str(row.losses),
            str(row.faults),
            str(row.matches),
        )
        for row in rows
    ]
    return in_columns([HEADING, *cells])


def in_columns(lines: Sequence[Sequence[str]]) -> str:
    """Return cells in columns, the first set to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def flat(row: Standing) -> dict[str, object]:
    """Return a row with one plain value per column, for tables that programs read."""
    columns: dict[str, object] = {}
    for name, value in row.to_json().items():
        if isinstance(value, dict):
            columns[name] = value["value"]
            columns |= {f"{name}_{bound}": value[bound] for bound in ("low", "high")}
        else:
            columns[name] = value
    return columns


def share(successes: float, trials: int) -> Estimate:
    """Return the share of successes with Wilson's interval; of no trials, 0 to 1."""
    if not trials:
        return Estimate(math.nan, 0.0, 1.0)
    part = successes / trials
    doubt = DEVIATIONS**2 / trials
    centre = (part + doubt / 2) / (1 + doubt)
    margin = math.sqrt(part * (1 - part) * doubt + doubt**2 / 4) / (1 + doubt)
    return Estimate(part, max(0.0, centre - margin), min(1.0, centre + margin))


def _plain(value: Any) -> Any:
    if isinstance(value, Estimate):
        return {name: _plain(part) for name, part in value._asdict().items()}
    return None if isinstance(value, float) and math.isnan(value) else value
