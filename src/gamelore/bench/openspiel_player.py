"""OpenSpiel's MCTSBot as a player of our matches, and our moves as its actions.

Our simulator is the referee. A state of OpenSpiel's follows the match: every position
that the player is shown is a successor of the one before. Roles in order are
OpenSpiel's players in order; where it has the board the other way round, moves are
turned.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gamelore.bench import openspiel
from gamelore.bench.openspiel import MCTSBotSettings
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError
from gamelore.gdl import Move, to_kif
from gamelore.player import Briefing, Clock

_OTHELLO_PASS = 64


def _drop(move: Move, state: Any) -> int:
    (column,) = _numbers(move)
    return column - 1


def _place(width: int, move: Move, state: Any) -> int:
    row, column = _numbers(move)
    return width * (row - 1) + column - 1


def _place_or_pass(move: Move, state: Any) -> int:
    return _OTHELLO_PASS if move == "pass" else _place(8, move, state)


def _advance_piece(move: Move, state: Any) -> int:
    """In OpenSpiel's breakthrough who moves first starts at the top."""
    row, column, row2, column2 = _numbers(move)
    return _find_action(_square(column, 9 - row) + _square(column2, 9 - row2), state)


def _move_draught(move: Move, state: Any) -> int:
    """In OpenSpiel's checkers who moves first starts at the bottom."""
    return _find_action("".join(map(_dark_square, _numbers(move))), state)


def _dark_square(number: int) -> str:
    """Return OpenSpiel's name of a square, 1 to 32 from the first player's side."""
    row, place = divmod(number - 1, 4)
    column = 2 * place + 1 - row % 2  # from 0, on a board that starts with black
    return _square(8 - column, row + 1)


def _square(column: int, row: int) -> str:
    return f"{chr(ord('a') + column - 1)}{row}"


def _find_action(text: str, state: Any) -> int:
    """Return the legal action of this text; captures have a mark after it."""
    for action in state.legal_actions():
        if state.action_to_string(action).removesuffix("*") == text:
            return int(action)
    raise GameloreError(f"{text} is no legal action of OpenSpiel's in\n{state}")


def _numbers(move: Move) -> list[int]:
    """Return the arguments of a move."""
    return [int(word) for word in to_kif(move).strip("()").split()[1:]]


ACTIONS: dict[str, Callable[[Move, Any], int]] = {
    "connect-four": _drop,
    "othello": _place_or_pass,
    "breakthrough": _advance_piece,
    "english-draughts": _move_draught,
    "hex-7x7": partial(_place, 7),
    "hex-11x11": partial(_place, 11),
    "gomoku": partial(_place, 15),
}
"""By our names of games: OpenSpiel's action for a move of ours in one of its states."""


class FollowedState:
    """A state of OpenSpiel's that follows a match of ours from its first position."""

    def __init__(self, simulator: Simulator) -> None:
        name = simulator.game.name
        self.game = openspiel.load(name)
        if name not in ACTIONS:
            raise GameloreError(f"moves of {name!r} are not known as OpenSpiel's")
        self.state: Any = self.game.new_initial_state()
        self.position = Position(simulator)
        self._to_action = ACTIONS[name]

    def action_of(self, move: Move) -> int:
        """Return OpenSpiel's action for a move of the role whose turn it is."""
        return self._to_action(move, self.state)

    def follow(self, position: Position) -> None:
        """Go on to a successor of the latest position; stay, if it is the same."""
        if position == self.position:
            return
        simulator = position.simulator
        expansion = simulator.expand(self.position.row[None])
        same = (expansion.successors == position.row).all(axis=1)
        if not same.any():
            raise GameloreError("the position is no successor of the one before")
        joint = expansion.moves[int(np.argmax(same))]
        player = self.state.current_player()
        move = simulator.moves[player][int(joint[player])]
        self.state.apply_action(self.action_of(move))
        self.position = position


class MCTSBotPlayer:
    """Chooses as OpenSpiel's MCTSBot does; a new search for each decision."""

    def __init__(self, seed: int = 0, settings: MCTSBotSettings | None = None) -> None:
        self.settings = settings or MCTSBotSettings()
        self.simulations: list[int] = []
        """Of each decision since the start."""
        self._random = np.random.default_rng(seed)
        self._followed: FollowedState | None = None
        self._role = 0

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Begin a match at its first position."""
        self._followed = FollowedState(briefing.simulator)
        self._role = briefing.simulator.roles.index(briefing.role)
        self.simulations = []

    def follow(self, position: Position) -> None:
        """Take note of the next position of the match."""
        if self._followed is None:
            raise RuntimeError("start must be called before follow")
        self._followed.follow(position)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the move that a search finds in the time it has."""
        self.follow(position)
        followed = self._followed
        assert followed is not None
        legal = position.legal_moves(position.roles[self._role])
        if len(legal) == 1:
            return legal[0]
        seed = int(self._random.integers(1 << 30))
        seconds = clock.budget if clock.seconds < math.inf else None
        bot = openspiel.make_bot(followed.game, self.settings, seed, seconds=seconds)
        root = bot.mcts_search(followed.state)
        self.simulations.append(int(root.explore_count))
        action = root.best_child().action
        for move in legal:
            if followed.action_of(move) == action:
                return move
        raise GameloreError(f"OpenSpiel's action {action} is no legal move of ours")
