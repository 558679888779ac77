"""One position as an object: print it, compare it, ask it, advance it.

>>> position = Position("tictactoe")
>>> position.mover
'x'
>>> position = position.advance("(mark 2 2)").advance("(mark 1 1)")
>>> len(position.legal_moves("x"))
7
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np

from gamelore.board import Board
from gamelore.engine.checks import check_row
from gamelore.engine.choose import simulator as choose_simulator
from gamelore.engine.simulator import Row, Simulator, StateView
from gamelore.errors import IllegalMoveError
from gamelore.games import load
from gamelore.gdl import Compound, Fact, Game, Move, Role, read_term, to_kif

Playable: TypeAlias = str | Path | Game | Simulator
"""A library name, the path of a rule sheet, a game, or what simulates it."""

MoveLike: TypeAlias = Move | str
"""A move, or its KIF text."""

LISTED = 12
"""Legal moves that an error message lists."""

_REMEMBERED = 16_384  # successors in one game: 1 to 3 KB each, all of tic-tac-toe


class Position:
    """A point in the play of a game; immutable, equal if game and facts are."""

    def __init__(
        self, game: Playable, facts: str | Iterable[Fact] | None = None
    ) -> None:
        """The position with these facts, given as KIF text or terms; the initial one
        without any."""
        self._simulator = _find_simulator(game)
        if facts is None:
            row = self._simulator.initial_row()
        else:
            terms = _read_facts(facts) if isinstance(facts, str) else facts
            row = self._simulator.encode(terms)
        self._data = row.tobytes()

    @classmethod
    def initial(cls, game: Playable) -> Position:
        """The position a match starts from."""
        return cls(game)

    @classmethod
    def from_row(cls, simulator: Simulator, row: Row) -> Position:
        """Return the position that a simulator's row stands for."""
        check_row(row, simulator.width)
        position = cls.__new__(cls)
        position._simulator = simulator
        position._data = row.tobytes()
        return position

    @property
    def simulator(self) -> Simulator:
        """What answers for this position."""
        return self._simulator

    @property
    def game(self) -> Game:
        return self._simulator.game

    @property
    def roles(self) -> tuple[Role, ...]:
        return self._simulator.roles

    @property
    def board(self) -> Board:
        """What draws the positions of this game."""
        return self._simulator.board

    @cached_property
    def row(self) -> Row:
        """uint64 [K], read only: the position in the simulator's arrays."""
        return np.frombuffer(self._data, np.uint64)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """What is true, sorted by KIF text."""
        return tuple(sorted(self._simulator.facts(self.row), key=to_kif))

    @property
    def is_terminal(self) -> bool:
        """Whether the match has ended."""
        return self._view.terminal

    @cached_property
    def goals(self) -> dict[Role, int | None]:
        """Each role's goal; None where the rules derive none, or more than one."""
        return dict(zip(self.roles, self._view.goals, strict=True))

    def goal(self, role: Role) -> int | None:
        """A role's goal; None where the rules derive none, or more than one."""
        return self.goals[self.roles[self._index(role)]]

    def legal_moves(self, role: Role) -> tuple[Move, ...]:
        """What a role may do, sorted by KIF text."""
        return self._view.legal[self._index(role)]

    @property
    def mover(self) -> Role | None:
        """The only role with more than one legal move.

        None where there is no such role, as at forced moves and at the end, and where
        there are several, as in simultaneous play.
        """
        deciding = [r for r, moves in enumerate(self._legal) if len(moves) > 1]
        return self.roles[deciding[0]] if len(deciding) == 1 else None

    def advance(
        self, *moves: MoveLike | Sequence[MoveLike] | Mapping[Role, MoveLike]
    ) -> Position:
        """The position after a joint move.

        Moves are terms or KIF text: one for each role in order, or as one sequence, or
        as a mapping from roles; or one single move, where at most one role has a
        choice.
        """
        # Matches meet again: what moves lead to is remembered, with all that was seen
        # of it, and terms in order need no other look.
        remembered = self._simulator.known_successors
        if len(moves) == 1 and type(moves[0]) is tuple:
            known = remembered.get((self._data, moves[0]))
            if known is not None:
                return known
        joint = self._legal_joint_move(moves)
        numbers = [self._simulator.move_number(r, move) for r, move in enumerate(joint)]
        row = self._simulator.advance_one(self.row, numbers)
        following = Position.from_row(self._simulator, row)
        if len(remembered) >= _REMEMBERED:
            remembered.clear()
        remembered[self._data, joint] = following
        return following

    def successors(self) -> Iterator[tuple[tuple[Move, ...], Position]]:
        """Every legal joint move, with the position it leads to."""
        expansion = self._simulator.expand(self.row[None])
        names = self._simulator.moves
        for numbers, row in zip(expansion.moves, expansion.successors, strict=True):
            joint = tuple(names[r][number] for r, number in enumerate(numbers))
            yield joint, Position.from_row(self._simulator, row)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        if self._simulator is other._simulator:
            return self._data == other._data
        same_game = self.game.fingerprint == other.game.fingerprint
        return same_game and self.facts == other.facts

    def __hash__(self) -> int:
        return hash((self.game.fingerprint, self.facts))

    def __reduce__(self) -> tuple[object, ...]:
        if self._simulator.portable:
            return Position.from_row, (self._simulator, self.row)
        return Position, (self._simulator, self.facts)

    def __str__(self) -> str:
        return self.board.draw_text(self.facts)

    def _repr_svg_(self) -> str:
        """Return a picture of the position, which notebooks show."""
        return self.board.draw_svg(self.facts, over=self.is_terminal)

    def __repr__(self) -> str:
        game = self.game
        source = repr(game.source) if game.source else _game_repr(game)
        return f"Position({source}, {' '.join(map(to_kif, self.facts))!r})"

    @cached_property
    def _view(self) -> StateView:
        return self._simulator.observe(self.row)

    @property
    def _legal(self) -> tuple[tuple[Move, ...], ...]:
        """Per role, its legal moves sorted by KIF text."""
        return self._view.legal

    def _index(self, role: Role) -> int:
        try:
            return self._simulator.roles.index(role)
        except ValueError:
            raise ValueError(
                f"no role {role!r} in {self.game.name}: it has {', '.join(self.roles)}"
            ) from None

    def _legal_joint_move(
        self, given: Sequence[MoveLike | Sequence[MoveLike] | Mapping[Role, MoveLike]]
    ) -> tuple[Move, ...]:
        """What was given to `advance`, checked."""
        if self.is_terminal:
            name = self.game.name
            raise IllegalMoveError(f"the match of {name} has ended: no move is legal")
        joint = self._joint_move(given)
        for role, move in enumerate(joint):
            if move not in self._legal[role]:
                raise self._illegal(role, move)
        return tuple(joint)

    def _joint_move(
        self, given: Sequence[MoveLike | Sequence[MoveLike] | Mapping[Role, MoveLike]]
    ) -> list[Move]:
        """What was given to `advance` as one term for each role."""
        if len(given) == 1:
            only = given[0]
            if isinstance(only, Mapping):
                return self._ordered(only)
            if isinstance(only, str | Compound):
                move = _read_move(only)
                return [move] if len(self.roles) == 1 else self._completed(move)
            given = only
        if len(given) != len(self.roles):
            raise IllegalMoveError(
                f"{self.game.name} needs a move for each of {', '.join(self.roles)};"
                f" {len(given)} given"
            )
        if all(move in legal for move, legal in zip(given, self._legal, strict=True)):
            return [*given]  # type: ignore[list-item]  # terms already
        return [_read_move(move) for move in given]

    def _ordered(self, moves: Mapping[Role, MoveLike]) -> list[Move]:
        """A mapping's moves in the order of the roles; forced ones may be left out."""
        for role in moves:
            self._index(role)
        joint: list[Move] = []
        for role, legal in zip(self.roles, self._legal, strict=True):
            if role in moves:
                joint.append(_read_move(moves[role]))
            elif len(legal) == 1:
                joint.append(legal[0])
            else:
                raise IllegalMoveError(f"no move given for {role} in {self.game.name}")
        return joint

    def _completed(self, move: Move) -> list[Move]:
        """One role's move, with the moves that the others are forced to make."""
        deciding = [r for r, legal in enumerate(self._legal) if len(legal) > 1]
        holders = [r for r, legal in enumerate(self._legal) if move in legal]
        if len(deciding) > 1:
            names = ", ".join(self.roles[r] for r in deciding)
            raise IllegalMoveError(
                f"{to_kif(move)} alone does not tell what to do in {self.game.name}:"
                f" {names} move at once"
            )
        role = (deciding or holders or [0])[0]
        if move not in self._legal[role]:
            raise self._illegal(role, move)
        return [move if r == role else legal[0] for r, legal in enumerate(self._legal)]

    def _illegal(self, role: int, move: Move) -> IllegalMoveError:
        """An error that says what was wrong, and what would be right."""
        text = to_kif(move)
        legal = [to_kif(option) for option in self._legal[role]]
        message = (
            f"{text} is not a legal move of {self.roles[role]} in {self.game.name}"
        )
        close = get_close_matches(text, legal, n=1, cutoff=0.75)
        if close:
            message += f"; did you mean {close[0]}?"
        if not legal:
            return IllegalMoveError(f"{message}; there is none")
        shown = ", ".join(legal[:LISTED])
        more = len(legal) - LISTED
        return IllegalMoveError(
            f"{message}; legal: {shown}" + (f" and {more} more" if more > 0 else "")
        )


def _find_simulator(game: Playable) -> Simulator:
    if isinstance(game, Simulator):
        return game
    return choose_simulator(game if isinstance(game, Game) else load(game))


def _read_facts(text: str) -> tuple[Fact, ...]:
    if not text.strip():
        return ()
    term = read_term(f"(facts {text})")
    return term.arguments if isinstance(term, Compound) else ()


def _read_move(move: MoveLike | Sequence[MoveLike] | Mapping[Role, MoveLike]) -> Move:
    if isinstance(move, Compound):
        return move
    if isinstance(move, str):
        return read_term(move)
    raise TypeError(f"a move is a term or KIF text, not {move!r}")


def _game_repr(game: Game) -> str:
    return f"Game.from_kif({game.to_kif()!r}, {game.name!r})"
