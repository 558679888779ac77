"""Decisive positions of Connect Four: some move keeps the result, another does not.

Positions come from random play and are labelled by `bitbully`, which solves Connect
Four.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError
from gamelore.files import write_atomic
from gamelore.gdl import Move, to_kif

GAME = "connect-four"
LATEST = 30
"""The most moves before a position."""

Solver: TypeAlias = Callable[[Sequence[int]], Mapping[int, int]]
"""From the columns played to a score of every legal one: above 0 is a win of the player
to move, 0 a draw."""


@dataclass(frozen=True)
class DecisivePosition:
    """A position in which some moves give the game-theoretic result away."""

    moves: tuple[int, ...]
    """The columns played so far, from 0."""
    keep: tuple[int, ...]
    """The columns that keep the result."""
    best: int
    """The result for the player to move: 1, 0 or -1."""

    def line(self, simulator: Simulator) -> list[Position]:
        """Return the positions from the initial one to this one."""
        found = [Position(simulator)]
        for column in self.moves:
            found.append(found[-1].advance(write_move(column)))
        return found

    def to_json(self) -> dict[str, Any]:
        """As a plain dictionary."""
        return asdict(self)


def sample_decisive(
    simulator: Simulator, solver: Solver, seed: int
) -> Iterator[DecisivePosition]:
    """Yield decisive positions without end, none of them twice.

    The number of random moves before a position is itself random, 0 to `LATEST`.
    """
    rng = random.Random(seed)
    met = set()
    while True:
        position, moves = _play_at_random(simulator, rng)
        key = position.row.tobytes()
        if position.is_terminal or key in met:
            continue
        met.add(key)
        labelled = label(tuple(moves), solver(moves))
        if labelled is not None:
            yield labelled


def label(moves: tuple[int, ...], scores: Mapping[int, int]) -> DecisivePosition | None:
    """Return a position with the moves that keep its result; none if all moves do."""
    results = {move: (score > 0) - (score < 0) for move, score in scores.items()}
    best = max(results.values())
    keep = tuple(sorted(move for move, result in results.items() if result == best))
    return None if len(keep) == len(results) else DecisivePosition(moves, keep, best)


def _play_at_random(
    simulator: Simulator, rng: random.Random
) -> tuple[Position, list[int]]:
    position, moves = Position(simulator), []
    for ply in range(rng.randint(0, LATEST)):
        if position.is_terminal:
            break
        legal = position.legal_moves(position.roles[ply % 2])
        moves.append(rng.choice(sorted(map(find_column, legal))))
        position = position.advance(write_move(moves[-1]))
    return position, moves


def find_column(move: Move) -> int:
    """Return the column of a move, from 0."""
    return int(to_kif(move).strip("()").split()[1]) - 1


def write_move(column: int) -> str:
    """Return the move into a column, from 0, as KIF text."""
    return f"(drop {column + 1})"


def load_bitbully() -> Solver:
    """Return the solver that `bitbully` is; `GameloreError` if it is not installed."""
    try:
        from bitbully import BitBully, Board
    except ImportError:
        raise GameloreError(
            "bitbully is not installed; `pip install 'gamelore[solvers]'` brings it"
        ) from None
    solver = BitBully()

    def score(moves: Sequence[int]) -> Mapping[int, int]:
        board = Board()
        for column in moves:
            board.play(column)
        return {int(c): int(s) for c, s in solver.score_all_moves(board).items()}

    return score


def save_positions(path: Path, positions: Sequence[DecisivePosition]) -> None:
    """Write positions as JSON."""
    write_atomic(path, msgspec.json.encode(positions))


def load_positions(path: Path) -> list[DecisivePosition]:
    """Return the positions of a file; `GameloreError` if it has none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[DecisivePosition])
    except (OSError, msgspec.DecodeError) as error:
        raise GameloreError(f"{path} has no labelled positions: {error}") from None
