"""The interface of both engines, in arrays.

Shapes: n positions, R roles, K words per position, M[r] moves of role r.

    positions   uint64 [n, K]   one row per position: identity, hash key, what is stored
    moves       int32  [n, R]   one move number per role; `moves[r][i]` names number i
    legal       bool   [n, M[r]], one array per role
    facts       bool   [n, F]   F facts, which `fluents` names
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

from gamelore.board import Board, infer_board
from gamelore.engine.checks import (
    MOST_MOVES,
    MOST_PLAYOUTS,
    MOST_THREADS,
    check_integer,
    check_moves,
    check_rows,
)
from gamelore.engine.joint import joint_moves
from gamelore.errors import ArgumentError, GameloreError, IllegalMoveError
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


class StateView:
    """What the rules say of one position, computed when it is asked for."""

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
    """Plays one game: positions in, legal moves, successors and goals out.

    Every call that takes arrays checks their shape, type and range, and raises
    `ArgumentError`. With `checked=False` it does not: then positions must be contiguous
    uint64 [n, K] and moves contiguous int32 [n, R] in range, or anything may happen.

    Simulators can be pickled: another process makes its own from the same rules.
    """

    engine: ClassVar[str]
    """`"circuit"` or `"interpreter"`."""
    portable: ClassVar[bool]
    """Whether a row means the same to the simulator of another process."""

    def __init__(self, game: Game, features: FeatureRules | None = None) -> None:
        self.game = game
        self.features = features
        """The rules of the features that are counted, if any are."""
        self.roles: tuple[Role, ...] = game.roles
        self.known_successors: dict[tuple[bytes, tuple[Move, ...]], Position] = {}
        """What `Position.advance` remembers: by row and joint move, where it led to."""

    # ── names of what arrays hold ───────────────────────────────────────────────────

    @property
    @abstractmethod
    def width(self) -> int:
        """K: words per position."""

    @property
    @abstractmethod
    def moves(self) -> Sequence[Sequence[Move]]:
        """Per role, its moves by number."""

    @property
    @abstractmethod
    def fluents(self) -> Sequence[Fact]:
        """The facts of `fact_matrix`, F of them, in order."""

    @property
    @abstractmethod
    def feature_names(self) -> Sequence[Term]:
        """The features, F of them, in order; `ValueError` where there are none."""

    @property
    def goal_values(self) -> tuple[tuple[int, ...], ...]:
        """Per role, the goals the rules let it reach, ascending; perhaps more."""
        return tuple(_written_goals(self.game, role) for role in self.roles)

    @abstractmethod
    def move_number(self, role: int, move: Move) -> int:
        """Return the number of a role's move; `IllegalMoveError` if it has none."""

    @cached_property
    def board(self) -> Board:
        """How positions are drawn: the game's own plan, or a board that is inferred."""
        if self.engine == "circuit":
            moves = [move for of_role in self.moves for move in of_role]
            return infer_board(self.game, self.fluents, moves)
        return infer_board(self.game)

    # ── single positions ────────────────────────────────────────────────────────────

    @abstractmethod
    def initial_row(self) -> Row:
        """Return uint64 [K]: the position a match starts from."""

    @abstractmethod
    def facts(self, row: Row) -> frozenset[Fact]:
        """Return the facts that are true in a position."""

    @abstractmethod
    def encode(self, facts: Iterable[Fact]) -> Row:
        """Return uint64 [K]: the position with these facts, or `PositionError`."""

    def observe(self, row: Row) -> StateView:
        """Return what the rules say of one position."""
        return StateView(self, row)

    def advance_one(self, row: Row, moves: Sequence[int]) -> Row:
        """Return uint64 [K]: the position after a legal joint move, given by number."""
        joint = np.array([moves], np.int32)
        following: Row = self.advance(row[None], joint, checked=False)[0]
        return following

    # ── many positions ──────────────────────────────────────────────────────────────

    def legal(
        self, positions: Rows, *, checked: bool = True
    ) -> tuple[npt.NDArray[np.bool_], ...]:
        """Return per role, bool [n, M[r]]: which moves are legal."""
        return self._legal(self._check(positions) if checked else positions)

    def terminal(
        self, positions: Rows, *, checked: bool = True
    ) -> npt.NDArray[np.bool_]:
        """Return bool [n]: which positions end the match."""
        return self._terminal(self._check(positions) if checked else positions)

    def goals(self, positions: Rows, *, checked: bool = True) -> npt.NDArray[np.int16]:
        """Return int16 [n, R]: each role's goal, or `NO_GOAL`."""
        return self._goals(self._check(positions) if checked else positions)

    def advance(
        self, positions: Rows, moves: npt.NDArray[np.int32], *, checked: bool = True
    ) -> Rows:
        """Return uint64 [n, K]: the positions after one joint move each.

        `IllegalMoveError` where a move is not legal. Whether a position is terminal is
        not asked: the rules may have legal moves there.
        """
        if not checked:
            return self._advance(positions, moves)[0]
        positions = self._check(positions)
        joint = check_moves(moves, len(positions), len(self.roles))
        following, illegal = self._advance(positions, joint)
        if illegal >= 0:
            raise self._illegal(illegal, positions[illegal], moves[illegal].tolist())
        return following

    def expand(self, positions: Rows, *, checked: bool = True) -> Expansion:
        """Return all successors of the positions that are not terminal."""
        positions = self._check(positions) if checked else positions
        going = np.flatnonzero(~self._terminal(positions))
        parents, moves = joint_moves(self._legal(positions[going]))
        origin = going[parents].astype(np.int32)
        following, _ = self._advance(positions[origin], moves)
        return Expansion(following, origin, moves)

    def fact_matrix(
        self, positions: Rows, *, checked: bool = True
    ) -> npt.NDArray[np.bool_]:
        """Return bool [n, F]: which facts are true; `fluents` names the columns."""
        return self._fact_matrix(self._check(positions) if checked else positions)

    def feature_counts(
        self, positions: Rows, role: int = 0, *, checked: bool = True
    ) -> npt.NDArray[np.float32]:
        """Return float32 [n, F]: the value of every feature, from the side of a role.

        `feature_names` names the columns.
        """
        if checked:
            positions = self._check(positions)
            role = check_integer("role", role, 0, len(self.roles) - 1)
        return self._feature_counts(positions, role)

    def playouts(
        self,
        positions: Rows | None = None,
        count: int = 1,
        *,
        seed: int = 0,
        threads: int = 1,
        move_limit: int = 10_000,
        checked: bool = True,
    ) -> Playouts:
        """Play uniformly random matches to their ends, `count` from each position.

        Every role (`random` too) chooses uniformly among its legal moves. Without
        positions, matches start from the initial one. The same seed gives the same
        playouts whatever the number of threads. `StuckError` where a role has no legal
        move before the end.
        """
        if positions is None:
            positions = self.initial_row()[None]
        elif checked:
            positions = self._check(positions)
        if checked:
            count = check_integer("count", count, 1, MOST_PLAYOUTS)
            seed = check_integer("seed", seed, 0, 2**64 - 1)
            threads = check_integer("threads", threads, 1, MOST_THREADS)
            move_limit = check_integer("move_limit", move_limit, 0, MOST_MOVES)
        return self._playouts(positions, count, seed, threads, move_limit)

    # ── what an engine does, given arrays that are fine ─────────────────────────────

    def _check(self, positions: Rows) -> Rows:
        rows = check_rows(positions, self.width)
        self._check_range(rows)
        return rows

    def _illegal(self, place: int, row: Row, moves: Sequence[int]) -> GameloreError:
        """The error for a joint move that is not legal, or no move at all."""
        legal = self._legal(row[None])
        for role, number in enumerate(moves):
            name, count = self.roles[role], legal[role].shape[1]
            if not 0 <= number < count:
                return ArgumentError(
                    f"moves[{place}, {role}] must be the number of a move of {name},"
                    f" from 0 to {count - 1}, got {number}"
                )
            if not legal[role][0, number]:
                break
        return IllegalMoveError(
            f"moves[{place}, {role}] is {number}, {to_kif(self.moves[role][number])},"
            f" which is not a legal move of {name} in positions[{place}] of"
            f" {self.game.name}"
        )

    @abstractmethod
    def _check_range(self, positions: Rows) -> None:
        """Raise `ArgumentError` where a row is no position of the game."""

    @abstractmethod
    def _legal(self, positions: Rows) -> tuple[npt.NDArray[np.bool_], ...]: ...

    @abstractmethod
    def _terminal(self, positions: Rows) -> npt.NDArray[np.bool_]: ...

    @abstractmethod
    def _goals(self, positions: Rows) -> npt.NDArray[np.int16]: ...

    @abstractmethod
    def _advance(
        self, positions: Rows, moves: npt.NDArray[np.int32]
    ) -> tuple[Rows, int]:
        """The positions after a move, and the first row with an illegal one or -1.

        Numbers that are no move are illegal, too.
        """

    @abstractmethod
    def _fact_matrix(self, positions: Rows) -> npt.NDArray[np.bool_]: ...

    @abstractmethod
    def _feature_counts(
        self, positions: Rows, role: int
    ) -> npt.NDArray[np.float32]: ...

    @abstractmethod
    def _playouts(
        self, positions: Rows, count: int, seed: int, threads: int, move_limit: int
    ) -> Playouts: ...


def _written_goals(game: Game, role: Role) -> tuple[int, ...]:
    """Return the goals in the rules of a role, or all numbers where rules compute."""
    values: set[int] = set()
    for rule in game.rules:
        if rule.head.relation == "goal":
            who, value = rule.head.arguments
            if isinstance(value, Variable):
                return tuple(range(101))
            if who == role or isinstance(who, Variable):
                values.add(int(str(value)))
    return tuple(sorted(values))
