"""What a few random playouts show of a game, before it is searched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamelore.engine import CircuitSimulator, Row

_SAMPLED = 256  # playouts
_SAMPLE_LIMIT = 2000  # moves of each
_WATCHED = 16  # matches in which choices are counted
_MOST_STEPS = 40  # of them


@dataclass(frozen=True)
class GameProfile:
    """What random playouts show of a game."""

    length: float
    """Mean moves of a playout."""
    constant_sum: tuple[int, int, int] | None
    """The sum of two players' goals, if it is constant, and these two roles."""
    in_turns: bool
    """Whether one role at most has a choice in every position that was seen."""
    choices: float
    """Mean number of joint moves."""


def profile_game(engine: CircuitSimulator, row: Row, seed: int) -> GameProfile:
    """Return what playouts from a position show of the game."""
    rows = np.repeat(row[np.newaxis], _SAMPLED, axis=0)
    played = engine.playouts(rows, 1, seed=seed, move_limit=_SAMPLE_LIMIT)
    length = max(1.0, float(played.lengths.mean()))
    in_turns, choices = _sample_choices(engine, row, seed, int(length))
    players = [i for i, role in enumerate(engine.roles) if role != "random"]
    constant = None
    if len(players) == 2 and not played.cut_off:
        first, second = players
        sums = played.goal_sums[:, first] + played.goal_sums[:, second]
        if sums.min() == sums.max():
            constant = int(sums[0]), first, second
    return GameProfile(length, constant, in_turns, choices)


def _sample_choices(
    engine: CircuitSimulator, row: Row, seed: int, steps: int
) -> tuple[bool, float]:
    """Play some matches at random; return whether roles choose one at a time, and the
    mean number of joint moves."""
    random = np.random.default_rng(seed)
    rows = np.repeat(row[np.newaxis], _WATCHED, axis=0)
    in_turns, found = True, [1.0]
    for _ in range(min(steps, _MOST_STEPS)):
        rows = rows[~engine.terminal(rows, checked=False)]
        if not len(rows):
            break
        legal = engine.legal(rows, checked=False)
        counts = np.stack([one.sum(axis=1) for one in legal], axis=1)
        if (counts == 0).any():
            break
        in_turns = in_turns and bool(((counts > 1).sum(axis=1) <= 1).all())
        found += counts.prod(axis=1).tolist()
        moves = [
            [random.choice(np.flatnonzero(flags)) for flags in one] for one in legal
        ]
        rows = engine.advance(rows, np.array(moves, np.int32).T.copy(), checked=False)
    return in_turns, float(np.mean(found))
