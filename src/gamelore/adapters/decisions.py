"""A game as a tree of decisions: one player's, all players' at once, or chance's.

In GDL all roles move at once, `random` among them. Interfaces that ask one player at a
time see this of a position:

- in a game of turns, the only player with a choice decides; where nobody has one, the
  player whose move is not one of waiting makes it;
- in other games, all players decide at once;
- then chance decides, where `random` has a choice.

Actions are numbers: those of the moves of all players, sorted by their text, numbers in
it by their size. The same move has the same number for all of them. Moves of waiting
come last, and are left out where it is proven that no player ever decides on them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from gamelore.adapters.survey import CHANCE, Survey, survey_game
from gamelore.engine import NO_GOAL, CircuitSimulator, Simulator
from gamelore.engine import simulator as make_simulator
from gamelore.errors import (
    GameloreError,
    GroundingError,
    NotTurnTakingError,
    StuckError,
)
from gamelore.gdl import Game, to_kif

ENDED, CHANCE_DECIDES, ALL_DECIDE = -1, -2, -3
"""In the place of the player who decides."""

_REMEMBERED = 16_384  # decisions

PositionKey: TypeAlias = bytes
"""The bytes of a row."""


class Decision(NamedTuple):
    """Who decides in a position, on what."""

    who: int
    """The number of a player, or one of the constants above."""
    actions: tuple[tuple[int, ...], ...]
    """Per player, its legal actions in order; empty for those who do not decide."""
    outcomes: tuple[int, ...]
    """The legal outcomes of chance, perhaps after the players' moves; empty if chance
    has no choice."""
    forced: tuple[int, ...]
    """Per role, the number of its first legal move."""
    goals: tuple[int, ...]
    """Per player, at the end; 0 where the rules give none."""


class Decisions:
    """The decisions of one game, by position."""

    def __init__(self, engine: CircuitSimulator, survey: Survey | None = None) -> None:
        self.engine = engine
        self.survey = survey or survey_game(engine)
        self.in_turns = self.survey.in_turns
        roles = engine.roles
        self.players = tuple(r for r, role in enumerate(roles) if role != CHANCE)
        """The roles of the players, by number."""
        self.chance = roles.index(CHANCE) if CHANCE in roles else None
        self.initial: PositionKey = engine.initial_row().tobytes()
        self.actions: tuple[str, ...] = self._list_actions()
        """The texts of all actions."""
        self.outcomes: tuple[str, ...] = self._list_outcomes()
        """The texts of all outcomes of chance."""
        self._action_numbers = [
            self._number_moves(r, self.actions) for r in self.players
        ]
        self._moves = [
            {action: move for move, action in numbers.items()}
            for numbers in self._action_numbers
        ]
        self._outcome_numbers: dict[int, int] = {}
        if self.chance is not None:
            self._outcome_numbers = self._number_moves(self.chance, self.outcomes)
        self._outcome_moves = {o: m for m, o in self._outcome_numbers.items()}
        self._known: dict[PositionKey, Decision] = {}

    @property
    def layout(self) -> str:
        """A hash of what bits of positions and numbers of actions mean."""
        lines = [" ".join(map(to_kif, self.engine.fluents)), " ".join(self.actions)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    def decision(self, position: PositionKey) -> Decision:
        """Return who decides in a position."""
        known = self._known.get(position)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[position] = self._find(position)
        return known

    def joint_move(self, decision: Decision, actions: Sequence[int]) -> tuple[int, ...]:
        """Return the numbers of the moves of all roles, one action per player given.

        Actions count for those who decide; chance has its first move.
        """
        joint = list(decision.forced)
        for player, role in enumerate(self.players):
            if decision.actions[player]:
                joint[role] = self._moves[player][actions[player]]
        return tuple(joint)

    def with_outcome(self, joint: Sequence[int], outcome: int) -> tuple[int, ...]:
        """Return a joint move in which chance has another outcome."""
        assert self.chance is not None
        moves = list(joint)
        moves[self.chance] = self._outcome_moves[outcome]
        return tuple(moves)

    def advance(self, position: PositionKey, joint: Sequence[int]) -> PositionKey:
        """Return the position after a joint move."""
        row = np.frombuffer(position, np.uint64)
        return self.engine.advance_one(row, joint).tobytes()

    def action(self, player: int, move: int) -> int:
        """Return the action for the number of a move."""
        return self._action_numbers[player][move]

    def outcome(self, move: int) -> int:
        """Return the outcome of chance for the number of a move of `random`."""
        return self._outcome_numbers[move]

    def move(self, player: int, action: int) -> int:
        """Return the number of a move for an action of a player."""
        return self._moves[player][action]

    # ── what a position asks for ────────────────────────────────────────────────────

    def _find(self, position: PositionKey) -> Decision:
        rows = np.frombuffer(position, np.uint64)[None]
        nothing: tuple[tuple[int, ...], ...] = ((),) * len(self.players)
        if self.engine.terminal(rows)[0]:
            goals = self.engine.goals(rows)[0]
            ends = tuple(max(0, int(goals[role])) for role in self.players)
            assert NO_GOAL < 0
            return Decision(ENDED, nothing, (), (), ends)
        legal = [flags[0].nonzero()[0].tolist() for flags in self.engine.legal(rows)]
        for role, moves in zip(self.engine.roles, legal, strict=True):
            if not moves:
                name = self.engine.game.name
                raise StuckError(f"{role} has no legal move in {name}")
        forced = tuple(moves[0] for moves in legal)
        outcomes: tuple[int, ...] = ()
        if self.chance is not None and len(legal[self.chance]) > 1:
            outcomes = tuple(sorted(map(self.outcome, legal[self.chance])))
        deciding = [
            player for player, role in enumerate(self.players) if len(legal[role]) > 1
        ]
        zeros = (0,) * len(self.players)
        if not deciding and outcomes:
            return Decision(CHANCE_DECIDES, nothing, outcomes, forced, zeros)
        if self.in_turns:
            who = self._whose_turn(deciding, forced)
            asked = [who]
        else:
            who, asked = ALL_DECIDE, list(range(len(self.players)))
        actions = tuple(
            tuple(sorted(self.action(player, move) for move in legal[role]))
            if player in asked
            else ()
            for player, role in enumerate(self.players)
        )
        return Decision(who, actions, outcomes, forced, zeros)

    def _whose_turn(self, deciding: Sequence[int], forced: Sequence[int]) -> int:
        if len(deciding) > 1:
            names = " and ".join(self.engine.roles[self.players[p]] for p in deciding)
            raise NotTurnTakingError(
                f"{names} have a choice at once in {self.engine.game.name}, which"
                " random play did not show: load it with dynamics=simultaneous"
            )
        if deciding:
            return deciding[0]
        for player, role in enumerate(self.players):
            if forced[role] not in self.survey.waiting[role]:
                return player
        return 0

    # ── numbers of actions ──────────────────────────────────────────────────────────

    def _list_actions(self) -> tuple[str, ...]:
        moves = self.engine.moves
        everything = {to_kif(moves[r][m]) for r in self.players for m in _all(moves[r])}
        if not self.in_turns:
            return tuple(sorted(everything, key=_natural))
        used = {to_kif(moves[r][m]) for r, m in self._decided_moves()}
        waiting = {
            to_kif(moves[r][m]) for r in self.players for m in self.survey.waiting[r]
        }
        if self.survey.complete:
            return tuple(sorted(used, key=_natural))
        last = waiting - used
        return (
            *sorted(everything - last, key=_natural),
            *sorted(last, key=_natural),
        )

    def _decided_moves(self) -> set[tuple[int, int]]:
        """Return roles and moves that some player was seen to decide on."""
        found = {(r, move) for r in self.players for move in self.survey.chosen[r]}
        for forced in self.survey.forced:
            role = self.players[self._whose_turn((), forced)]
            found.add((role, forced[role]))
        return found

    def _list_outcomes(self) -> tuple[str, ...]:
        if self.chance is None:
            return ()
        return tuple(sorted(map(to_kif, self.engine.moves[self.chance]), key=_natural))

    def _number_moves(self, role: int, texts: Sequence[str]) -> dict[int, int]:
        """Return, by the number of a role's move, that of its text."""
        places = {text: number for number, text in enumerate(texts)}
        named = enumerate(map(to_kif, self.engine.moves[role]))
        return {move: places[text] for move, text in named if text in places}


def compiled_simulator(game: Game, user: str) -> CircuitSimulator:
    """Return a simulator with a fixed list of moves; `user` needs it, says the error.

    `GameloreError` for games that only the interpreter plays.
    """
    try:
        engine: Simulator = make_simulator(game, "circuit")
    except GroundingError as error:
        raise GameloreError(
            f"{user} needs a list of all moves, which {game.name} does not have since"
            f" only the interpreter plays it: {error}"
        ) from error
    assert isinstance(engine, CircuitSimulator)
    return engine


def _all(moves: Sequence[object]) -> range:
    return range(len(moves))


def _natural(text: str) -> tuple[tuple[int, str], ...]:
    """Return a key to sort by in which numbers count by their size."""
    parts = re.split(r"([0-9]+)", text)
    return tuple(
        (int(part), "") if i % 2 else (0, part) for i, part in enumerate(parts)
    )
