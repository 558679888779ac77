"""What every engine can do: one interface, in arrays and in objects.

Shapes: n positions, R roles, K words per position, M[r] moves of role r.

    positions   uint64 [n, K]   one row per position: identity, hash key, what is stored
    moves       int32  [n, R]   one move number per role; `moves[r][i]` names number i
    legal       bool   [n, M[r]], one array per role
    goals       int16  [n, R]   the goal value, `NO_GOAL` where the rules derive none,
                                or more than one
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine.joint import joint_moves
from gamelore.gdl import Fact, Game, Move, Role, Term, Variable, to_kif
from gamelore.gdl.features import FeatureRules

if TYPE_CHECKING:
    from gamelore.engine.position import Position

Rows: TypeAlias = npt.NDArray[np.uint64]
Row: TypeAlias = npt.NDArray[np.uint64]

NO_GOAL = -1


@dataclass(frozen=True)
class Expansion:
    """Every successor of every position: m successors of n positions."""

    successors: Rows
    """uint64 [m, K]"""
    parents: npt.NDArray[np.int32]
    """int32 [m]: which of the n positions each successor comes from, in order"""
    moves: npt.NDArray[np.int32]
    """int32 [m, R]: the joint move that leads to it"""


@dataclass(frozen=True)
class Playouts:
    """Statistics of random playouts: `count` from each of n positions."""

    count: int
    """Playouts started, and ended, per position."""
    goal_sums: npt.NDArray[np.float64]
    """float64 [n, R]: sum of the goals reached"""
    goal_squares: npt.NDArray[np.float64]
    """float64 [n, R]: sum of their squares"""
    lengths: npt.NDArray[np.int64]
    """int64 [n]: sum of the playouts' lengths, in joint moves"""
    goal_counts: tuple[Mapping[int, int], ...]
    """Per role, over all positions: how often each goal value was reached."""
    length_counts: Mapping[int, int]
    """Over all positions: how many playouts had each length."""
    cut_off: int
    """Playouts ended by the move limit rather than by the rules; they count as length
    but add no goal."""

    @property
    def mean_goals(self) -> npt.NDArray[np.float64]:
        """float64 [n, R]"""
        return self.goal_sums / self.count


class Sight:
    """What there is to see of one position, worked out when it is asked for."""

    def __init__(self, simulator: Simulator, row: Row) -> None:
        self.simulator = simulator
        self.row = row

    @cached_property
    def terminal(self) -> bool:
        """Whether the match has ended."""
        return bool(self.simulator.terminal(self.row[None])[0])

    @cached_property
    def goals(self) -> tuple[int | None, ...]:
        """Per role its goal; `None` where the rules derive none, or more than one."""
        values = self.simulator.goals(self.row[None])[0].tolist()
        return tuple(None if value == NO_GOAL else value for value in values)

    @cached_property
    def legal(self) -> tuple[tuple[Move, ...], ...]:
        """Per role its legal moves, sorted by KIF text."""
        flags = self.simulator.legal(self.row[None])
        return tuple(
            tuple(sorted((names[i] for i in of_role[0].nonzero()[0]), key=to_kif))
            for names, of_role in zip(self.simulator.moves, flags, strict=True)
        )


class Simulator(ABC):
    """Plays one game: positions in, legal moves, successors and goals out."""

    engine: ClassVar[str]
    """`"circuit"` or `"interpreter"`."""

    def __init__(self, game: Game, features: FeatureRules | None = None) -> None:
        self.game = game
        self.features = features
        """The rules of the features that are counted, if any are."""
        self.roles: tuple[Role, ...] = game.roles
        self.known_successors: dict[tuple[bytes, tuple[Move, ...]], Position] = {}
        """What `Position.advance` remembers: by row and joint move, where it led to."""

    # ── arrays ──────────────────────────────────────────────────────────────────────

    @property
    @abstractmethod
    def width(self) -> int:
        """K: words per position."""

    @property
    @abstractmethod
    def moves(self) -> Sequence[Sequence[Move]]:
        """Per role, its moves by number."""

    @property
    def goal_values(self) -> tuple[tuple[int, ...], ...]:
        """Per role, the goals the rules let it reach, ascending; perhaps more."""
        return tuple(_written_goals(self.game, role) for role in self.roles)

    @abstractmethod
    def move_number(self, role: int, move: Move) -> int:
        """The number of a role's move; `IllegalMoveError` if it has none such."""

    @abstractmethod
    def initial_row(self) -> Row:
        """uint64 [K]: the position a match starts from."""

    @abstractmethod
    def facts(self, row: Row) -> frozenset[Fact]:
        """The facts that are true in a position."""

    @abstractmethod
    def encode(self, facts: Iterable[Fact]) -> Row:
        """uint64 [K]: the position with these facts, or `PositionError`."""

    @abstractmethod
    def legal(self, positions: Rows) -> tuple[npt.NDArray[np.bool_], ...]:
        """Per role, bool [n, M[r]]: which moves are legal."""

    @abstractmethod
    def terminal(self, positions: Rows) -> npt.NDArray[np.bool_]:
        """bool [n]: which positions end the match."""

    @abstractmethod
    def goals(self, positions: Rows) -> npt.NDArray[np.int16]:
        """int16 [n, R]: each role's goal, or `NO_GOAL`."""

    @abstractmethod
    def advance(self, positions: Rows, moves: npt.NDArray[np.int32]) -> Rows:
        """uint64 [n, K]: the positions after one joint move each.

        The moves are taken as they are; `Position.advance` checks that they are legal.
        """

    @property
    @abstractmethod
    def feature_names(self) -> Sequence[Term]:
        """The features, F of them, in order; `ValueError` where there are none."""

    @abstractmethod
    def feature_counts(self, positions: Rows, role: int = 0) -> npt.NDArray[np.float32]:
        """float32 [n, F]: the value of every feature, from the side of a role."""

    def look(self, row: Row) -> Sight:
        """What there is to see of one position."""
        return Sight(self, row)

    def follow(self, row: Row, moves: Sequence[int]) -> Row:
        """uint64 [K]: the position after a joint move, by the moves' numbers."""
        following: Row = self.advance(row[None], np.array([moves], np.int32))[0]
        return following

    @abstractmethod
    def playouts(
        self,
        positions: Rows | None = None,
        count: int = 1,
        *,
        seed: int = 0,
        threads: int = 1,
        move_limit: int = 10_000,
    ) -> Playouts:
        """Play uniformly random matches to their ends, `count` from each position.

        Every role (`random` too) chooses uniformly among its legal moves. Without
        positions, matches start from the initial one. The same seed gives the same
        playouts whatever the number of threads. `StuckError` where a role has no legal
        move before the end.
        """

    def expand(self, positions: Rows) -> Expansion:
        """All successors of the positions that are not terminal."""
        going = np.flatnonzero(~self.terminal(positions))
        parents, moves = joint_moves(self.legal(positions[going]))
        origin = going[parents].astype(np.int32)
        return Expansion(self.advance(positions[origin], moves), origin, moves)


def _written_goals(game: Game, role: Role) -> tuple[int, ...]:
    """The goals that rules write down for a role; all numbers where they compute."""
    values: set[int] = set()
    for rule in game.rules:
        if rule.head.relation == "goal":
            who, value = rule.head.arguments
            if isinstance(value, Variable):
                return tuple(range(101))
            if who == role or isinstance(who, Variable):
                values.add(int(str(value)))
    return tuple(sorted(values))
