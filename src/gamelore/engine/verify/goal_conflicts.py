"""Random matches on the circuit: warnings of goals that conflict, or are missing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamelore.circuit import compile_game
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.engine.interpreter.prover import Prover
from gamelore.engine.simulator import NO_GOAL, Rows
from gamelore.errors import GroundingError
from gamelore.gdl import Game, Role, Term, to_kif
from gamelore.gdl.problems import Span
from gamelore.gdl.source import ProblemReport
from gamelore.ground import GroundLimits

MATCHES = 4096
"""So many matches are played."""
MOST_MOVES = 1000
"""Moves after which matches are left undecided."""
SECONDS = 5.0
"""The time after which no more moves are made."""

_AT_ONCE = 512
_GROUNDING = GroundLimits(seconds=10.0, rules=1_000_000)


class GoalConflict(NamedTuple):
    """A terminal position in which a role has several goals, or none."""

    role: Role
    goals: tuple[Term, ...]
    moves: int
    """That led to it."""


def check_goals(
    game: Game,
    report: ProblemReport,
    seconds: float = SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Play matches at random, and warn where one ends with several goals, or none.

    Rules that do not ground at once are left unchecked.
    """
    try:
        compiled = compile_game(game, _GROUNDING, effort="quick")
    except GroundingError:
        return
    deadline = clock() + seconds
    conflict = find_goal_conflict(
        CircuitSimulator(game, compiled), lambda: clock() < deadline
    )
    if conflict is None:
        return
    several = " and ".join(map(to_kif, conflict.goals))
    what = f"the goals {several}" if conflict.goals else "no goal"
    message = (
        f"`{conflict.role}` has {what} at the end of a random match"
        f" of {conflict.moves} moves"
    )
    report.warning("goals", message, _find_goal_head(game, conflict))


def find_goal_conflict(
    simulator: CircuitSimulator, goes_on: Callable[[], bool] = lambda: True
) -> GoalConflict | None:
    """Return a terminal position of random play without exactly one goal per role."""
    random = np.random.default_rng(0)
    for _ in range(MATCHES // _AT_ONCE):
        rows = np.repeat(simulator.initial_row()[None], _AT_ONCE, axis=0)
        for moves in range(MOST_MOVES):
            terminal = simulator.terminal(rows, checked=False)
            conflict = _find_in(simulator, rows[terminal], moves)
            if conflict is not None or not goes_on():
                return conflict
            rows = rows[~terminal]
            if not len(rows):
                break
            legal = simulator.legal(rows, checked=False)
            stuck = np.any([~per_role.any(axis=1) for per_role in legal], axis=0)
            chosen = [_choose(per_role[~stuck], random) for per_role in legal]
            rows = simulator.advance(
                rows[~stuck], np.stack(chosen, axis=1), checked=False
            )
    return None


def _choose(
    legal: npt.NDArray[np.bool_], random: np.random.Generator
) -> npt.NDArray[np.int32]:
    """Return int32 [n]: one of the legal moves of each position, which has some."""
    counts = np.count_nonzero(legal, axis=1)
    first = np.cumsum(counts) - counts
    # of flat arrays, numpy finds what is true several times as fast
    numbers = np.flatnonzero(legal)[first + random.integers(counts)]
    chosen: npt.NDArray[np.int32] = (numbers % legal.shape[1]).astype(np.int32)
    return chosen


def _find_in(
    simulator: CircuitSimulator, ended: Rows, moves: int
) -> GoalConflict | None:
    if not len(ended):
        return None
    goals = simulator.goals(ended, checked=False)
    wrong = np.argwhere(goals == NO_GOAL)
    for position, role in wrong.tolist():
        prover = Prover(simulator.game.rules)
        prover.set_position(simulator.facts(ended[position]))
        name = simulator.roles[role]
        values = sorted(prover.values("goal", name), key=to_kif)
        if len(values) != 1:
            return GoalConflict(name, tuple(values), moves)
    return None


def _find_goal_head(game: Game, conflict: GoalConflict) -> Span:
    """Return where the first goal rule for the role stands, with one of the values."""
    heads = [rule.head for rule in game.rules if rule.head.relation == "goal"]
    own = [head for head in heads if head.arguments[0] == conflict.role]
    exact = [head for head in own if head.arguments[1] in conflict.goals]
    return (exact or own or heads or [game.rules[0].head])[0].span
