"""What a few random playouts show of a game, before it is searched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamelore.engine import CircuitSimulator, Row

_SAMPLED = 256  # playouts
_SAMPLE_LIMIT = 2000  # moves of each
_WATCHED = 16  # matches in which choices are counted
_MOST_STEPS = 40  # of them
_MIDWAY = 0.3  # of the length of a playout: where goals may foretell those at its end
_FORETELLING = 64  # positions midway, and playouts from each
_FORETOLD = 8
_FEWEST = 16  # of these positions must be left, since some matches end before


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
    foretold: float = 0.0
    """How well goals that positions have midway foretell those at the end: the lowest
    correlation of a player's, 0 where positions midway have none or all the same."""


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
    foretold = _foretell(engine, row, seed, int(_MIDWAY * length))
    return GameProfile(length, constant, in_turns, choices, foretold)


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


def _foretell(engine: CircuitSimulator, row: Row, seed: int, steps: int) -> float:
    """Return how well goals after so many random moves foretell those at the end."""
    random = np.random.default_rng(seed)
    rows = np.repeat(row[np.newaxis], _FORETELLING, axis=0)
    for _ in range(max(1, steps)):
        rows = rows[~engine.terminal(rows, checked=False)]
        legal = engine.legal(rows, checked=False)
        if len(rows) < _FEWEST or not all(one.any(axis=1).all() for one in legal):
            return 0.0
        moves = [(random.random(one.shape) * one).argmax(axis=1) for one in legal]
        rows = engine.advance(rows, np.array(moves, np.int32).T.copy(), checked=False)
    rows = rows[~engine.terminal(rows, checked=False)]
    players = [i for i, role in enumerate(engine.roles) if role != "random"]
    if len(rows) < _FEWEST or not players:
        return 0.0
    midway = engine.goals(rows, checked=False)[:, players]
    if (midway < 0).any() or (midway == midway[0]).all(axis=0).any():
        return 0.0
    played = engine.playouts(
        rows, _FORETOLD, seed=seed, move_limit=_SAMPLE_LIMIT, checked=False
    )
    ends = played.goal_sums[:, players]
    if played.cut_off or (ends == ends[0]).all(axis=0).any():
        return 0.0
    pairs = zip(midway.T, ends.T, strict=True)
    return float(min(np.corrcoef(one, other)[0, 1] for one, other in pairs))
