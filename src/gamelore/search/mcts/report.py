"""What a tree search found: candidate moves with visits, values and lines of play."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gamelore.gdl import Move, Role, to_kif

_Z = 1.96  # 95% intervals
_OFTEN = 0.1  # of the visits of the move with most of them


@dataclass(frozen=True)
class Candidate:
    """A move of one role at the root."""

    move: Move
    visits: int
    """Playouts below it."""
    value: float
    """The mean goal of the role; the exact one where it is proven."""
    proven: bool = False
    probability: float = 0.0
    """Of choosing it: its share of the visits, or of a mixed strategy."""
    line: tuple[tuple[Move, ...], ...] = ()
    """The principal variation: joint moves, this one first."""
    spread: float = 50.0
    """Half the range of the role's goals: no mean has a larger standard deviation."""

    @property
    def interval(self) -> tuple[float, float]:
        """95% of what playouts alone leave open; the tree itself may still change."""
        if self.proven:
            return self.value, self.value
        error = _Z * self.spread / math.sqrt(max(1, self.visits))
        return self.value - error, self.value + error


def promise(one: Candidate, most: int) -> tuple[float, float]:
    """Return a key by which the best of the candidates without a proof is the greatest.

    Those that were visited often are compared by the lower ends of their intervals: a
    move that was found late has fewer visits than the one that it is better than. The
    others follow by visits. `most`: visits of the one with most of them.
    """
    if one.visits >= _OFTEN * most:
        return 1.0, one.interval[0]
    return 0.0, float(one.visits)


@dataclass(frozen=True)
class Analysis:
    """The state of a search, for one role."""

    role: Role
    candidates: tuple[Candidate, ...]
    """The best first."""
    playouts: int
    """Of this tree so far, those kept from earlier positions included."""
    nodes: int
    solved: bool
    """Whether the value of the position is proven."""
    value: float
    """The role's mean goal, or its exact one."""
    mixed: bool = False
    """Whether several roles choose at once: probabilities are a mixed strategy."""
    moves_left: int | None = None
    """In a game of one player, the moves of the best path; its goal is the value."""

    @property
    def best(self) -> Candidate:
        """The candidate to play."""
        return self.candidates[0]

    def to_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "role": self.role,
            "playouts": self.playouts,
            "nodes": self.nodes,
            "solved": self.solved,
            "value": round(self.value, 3),
            "candidates": [
                {
                    "move": to_kif(one.move),
                    "visits": one.visits,
                    "value": round(one.value, 3),
                    "interval": [round(end, 3) for end in one.interval],
                    "proven": one.proven,
                    "probability": round(one.probability, 4),
                    "line": [[to_kif(move) for move in joint] for joint in one.line],
                }
                for one in self.candidates
            ],
        }


def merge(found: Sequence[Analysis]) -> Analysis:
    """Return the analyses of several trees of one position as one."""
    first = found[0]
    if len(found) == 1:
        return first
    total = sum(one.visits for analysis in found for one in analysis.candidates)
    merged = []
    for candidate in first.candidates:
        same = [
            one
            for analysis in found
            for one in analysis.candidates
            if one.move == candidate.move
        ]
        visits = sum(one.visits for one in same)
        weights = [max(1, one.visits) for one in same]
        mean = sum(w * one.value for w, one in zip(weights, same, strict=True))
        proven = next((one for one in same if one.proven), None)
        share = sum(one.probability for one in same) / len(found)
        merged.append(
            replace(
                max(same, key=lambda one: one.visits),
                visits=visits,
                value=mean / sum(weights) if proven is None else proven.value,
                proven=proven is not None,
                probability=share if first.mixed else visits / max(1, total),
            )
        )
    most = max(one.visits for one in merged)
    best = sorted(
        merged,
        key=lambda one: (one.probability,) if first.mixed else promise(one, most),
        reverse=True,
    )
    exact = [one for one in best if one.proven]
    if exact and not first.mixed:
        assured = max(exact, key=lambda one: one.value)
        if assured.value >= best[0].value:
            best.remove(assured)
            best.insert(0, assured)
        elif best[0].proven:  # and worse than another
            best.append(best.pop(0))
    return replace(
        first,
        candidates=tuple(best),
        playouts=sum(one.playouts for one in found),
        nodes=sum(one.nodes for one in found),
        value=sum(one.value for one in found) / len(found),
    )
