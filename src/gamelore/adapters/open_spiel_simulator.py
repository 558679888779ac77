"""Games of OpenSpiel, played by our players: a simulator over its states.

    >>> engine = OpenSpielSimulator("tic_tac_toe")
    >>> engine.roles
    ('player-0', 'player-1')

Roles are OpenSpiel's players, and `random` is chance. A move is `(play 4)` for the
action 4, and `noop` for whoever does not decide. Utilities become goals from 0 to 100,
rounded. A position is a history: rows hold its number in a table of this simulator, as
with the interpreter, and facts name the actions that led to it.

Every player sees the whole position, so only games of perfect information are played,
and only those in which all outcomes of chance are equally likely, as in GDL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gamelore.adapters.open_spiel_games import import_pyspiel
from gamelore.adapters.survey import CHANCE
from gamelore.engine.checks import check_row
from gamelore.engine.one_by_one import make_fact_matrix, tally_playouts
from gamelore.engine.simulator import NO_GOAL, Playouts, Row, Rows, Simulator
from gamelore.errors import (
    ArgumentError,
    GameloreError,
    IllegalMoveError,
    PositionError,
)
from gamelore.gdl import Compound, Fact, Game, Move, Term, to_kif
from gamelore.gdl.reader import read_rules

WAIT = "noop"
_SEEN = {"PERFECT_INFORMATION", "ONE_SHOT"}


class OpenSpielSimulator(Simulator):
    """Plays a game of OpenSpiel, state by state."""

    engine: ClassVar[str] = "openspiel"
    portable: ClassVar[bool] = False

    def __init__(self, game: str | Any) -> None:
        """`game`: the text that loads it, as in `hex(board_size=5)`, or the game."""
        pyspiel = import_pyspiel()
        if isinstance(game, str):
            try:
                game = pyspiel.load_game(game)
            except pyspiel.SpielError as error:
                reason = str(error).partition("\n")[0]
                raise GameloreError(f"OpenSpiel cannot load {game}: {reason}") from None
        self.spiel: Any = game
        self._refuse_hidden()
        chance = game.get_type().chance_mode.name != "DETERMINISTIC"
        self._players = int(game.num_players())
        roles = [f"player-{n}" for n in range(self._players)] + [CHANCE] * chance
        super().__init__(_describe(str(game), roles))
        counts = [game.num_distinct_actions()] * self._players
        counts += [game.max_chance_outcomes()] * chance
        self._moves: tuple[tuple[Move, ...], ...] = tuple(
            (WAIT, *(Compound("play", (str(n),)) for n in range(count)))
            for count in counts
        )
        self._states: list[Any] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._fluent_numbers: dict[Fact, int] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return OpenSpielSimulator, (str(self.spiel),)

    @property
    def width(self) -> int:
        return 1

    @property
    def moves(self) -> Sequence[Sequence[Move]]:
        return self._moves

    @property
    def fluents(self) -> Sequence[Fact]:
        return tuple(self._fluent_numbers)

    @property
    def feature_names(self) -> Sequence[Term]:
        raise ValueError(f"{self.game.name!r} is played without features")

    @property
    def goal_values(self) -> tuple[tuple[int, ...], ...]:
        return (tuple(range(101)),) * len(self.roles)

    def move_number(self, role: int, move: Move) -> int:
        try:
            return self._moves[role].index(move)
        except ValueError:
            raise IllegalMoveError(
                f"{to_kif(move)} is no move of {self.roles[role]} in {self.game.name}"
            ) from None

    def initial_row(self) -> Row:
        return self._row(self.spiel.new_initial_state())

    def state(self, row: Row) -> Any:
        """Return OpenSpiel's state of a position; it must not be changed."""
        row = check_row(row, self.width)
        self._check_range(row[None])
        return self._states[int(row[0])]

    def facts(self, row: Row) -> frozenset[Fact]:
        history = self.state(row).full_history()
        return frozenset(
            Compound(
                "made", (str(n + 1), self._name_role(made.player), str(made.action))
            )
            for n, made in enumerate(history)
        )

    def encode(self, facts: Iterable[Fact]) -> Row:
        state, made = self.spiel.new_initial_state(), {}
        for fact in facts:
            text = re.fullmatch(r"\(made (\d+) \S+ (\d+)\)", to_kif(fact))
            if not text:
                raise PositionError(f"{to_kif(fact)} is no fact of {self.game.name}")
            made[int(text[1])] = int(text[2])
        actions = [made[n] for n in sorted(made)]
        if sorted(made) != [*range(1, len(made) + 1)]:
            raise PositionError(f"actions of {self.game.name} are missing")
        while actions:
            together = self._players if state.is_simultaneous_node() else 1
            now, actions = actions[:together], actions[together:]
            self._apply(state, now)
        return self._row(state)

    # ── many positions ──────────────────────────────────────────────────────────────

    def _check_range(self, positions: Rows) -> None:
        known = len(self._states)
        if len(positions) and positions.max() >= known:
            raise ArgumentError(
                f"positions must be numbers of positions that this simulator has met,"
                f" below {known:,}, got {positions.max()}"
            )

    def _legal(self, positions: Rows) -> tuple[npt.NDArray[np.bool_], ...]:
        arrays = tuple(
            np.zeros((len(positions), len(moves)), np.bool_) for moves in self._moves
        )
        for n, row in enumerate(positions):
            for role, legal in enumerate(
                self._legal_numbers(self._states[int(row[0])])
            ):
                arrays[role][n, legal] = True
        return arrays

    def _terminal(self, positions: Rows) -> npt.NDArray[np.bool_]:
        ended = [self._states[int(row[0])].is_terminal() for row in positions]
        return np.array(ended, np.bool_)

    def _goals(self, positions: Rows) -> npt.NDArray[np.int16]:
        goals = [self._read_goals(self._states[int(row[0])]) for row in positions]
        return np.array(goals, np.int16).reshape(len(goals), len(self.roles))

    def _advance(
        self, positions: Rows, moves: npt.NDArray[np.int32]
    ) -> tuple[Rows, int]:
        after = np.empty((len(positions), 1), np.uint64)
        illegal = -1
        for n, (row, numbers) in enumerate(zip(positions, moves.tolist(), strict=True)):
            state = self._states[int(row[0])]
            legal = self._legal_numbers(state)
            fits = all(m in own for m, own in zip(numbers, legal, strict=True))
            if state.is_terminal() or not fits:
                return after, n if illegal < 0 else illegal
            after[n] = self._row(self._follow(state, numbers))
        return after, illegal

    def _fact_matrix(self, positions: Rows) -> npt.NDArray[np.bool_]:
        return make_fact_matrix(
            [self.facts(row) for row in positions], self._fluent_numbers
        )

    def _feature_counts(self, positions: Rows, role: int) -> npt.NDArray[np.float32]:
        raise ValueError(f"{self.game.name!r} is played without features")

    def _playouts(
        self, positions: Rows, count: int, seed: int, threads: int, move_limit: int
    ) -> Playouts:
        starts = [self._states[int(row[0])] for row in positions]

        def play_out(n: int, random: Random) -> tuple[Sequence[int] | None, int]:
            state = starts[n].clone()
            length = self._play_out(state, random, move_limit)
            return self._read_goals(state) if state.is_terminal() else None, length

        return tally_playouts(play_out, (len(starts), len(self.roles)), count, seed)

    # ── single states ───────────────────────────────────────────────────────────────

    def _legal_numbers(self, state: Any) -> list[list[int]]:
        """Return per role the numbers of its legal moves; none at the end."""
        if state.is_terminal():
            return [[] for _ in self.roles]
        legal = [[0] for _ in self.roles]
        if state.is_chance_node():
            legal[-1] = [1 + outcome for outcome in self._outcomes(state)]
        elif state.is_simultaneous_node():
            for player in range(self._players):
                actions = state.legal_actions(player)
                legal[player] = [1 + action for action in actions] or [0]
        else:
            actions = state.legal_actions()
            legal[state.current_player()] = [1 + action for action in actions]
        return legal

    def _outcomes(self, state: Any) -> list[int]:
        outcomes, likely = zip(*state.chance_outcomes(), strict=True)
        if max(likely) - min(likely) > 1e-9:
            raise GameloreError(
                f"outcomes of chance in {self.game.name} are not equally likely, which"
                " GDL cannot say"
            )
        return [int(outcome) for outcome in outcomes]

    def _read_goals(self, state: Any) -> tuple[int, ...]:
        if not state.is_terminal():
            return (NO_GOAL,) * len(self.roles)
        lowest = self.spiel.min_utility()
        span = self.spiel.max_utility() - lowest
        returns = state.returns() + [lowest] * (len(self.roles) - self._players)
        return tuple(round(100 * (value - lowest) / span) for value in returns)

    def _follow(self, state: Any, numbers: Sequence[int]) -> Any:
        """Return a new state, after a joint move."""
        following = state.clone()
        if state.is_simultaneous_node():
            actions = [max(0, number - 1) for number in numbers[: self._players]]
        else:
            chance = state.is_chance_node()
            actions = [numbers[-1 if chance else state.current_player()] - 1]
        self._apply(following, actions)
        return following

    def _apply(self, state: Any, actions: list[int]) -> None:
        if state.is_simultaneous_node():
            state.apply_actions(actions)
        else:
            state.apply_action(actions[0])

    def _play_out(self, state: Any, random: Random, move_limit: int) -> int:
        """Play on at random to the end; return the number of moves."""
        for length in range(move_limit):
            if state.is_terminal():
                return length
            if state.is_simultaneous_node():
                players = range(self._players)
                options = [state.legal_actions(p) or [0] for p in players]
                state.apply_actions([random.choice(own) for own in options])
            elif state.is_chance_node():
                state.apply_action(random.choice(self._outcomes(state)))
            else:
                state.apply_action(random.choice(state.legal_actions()))
        return move_limit

    def _row(self, state: Any) -> Row:
        """Return the row of a state, which gets a number if it has none."""
        key = tuple(state.history())
        number = self._numbers.setdefault(key, len(self._states))
        if number == len(self._states):
            self._states.append(state)
        return np.array([number], np.uint64)

    def _name_role(self, player: int) -> str:
        return self.roles[player] if player >= 0 else CHANCE

    def _refuse_hidden(self) -> None:
        kind = self.spiel.get_type()
        if kind.information.name not in _SEEN:
            raise GameloreError(
                f"{kind.short_name} hides something from its players, and ours see all"
            )
        if kind.dynamics.name == "MEAN_FIELD":
            raise GameloreError(f"{kind.short_name} is a mean field game")
        if kind.chance_mode.name == "SAMPLED_STOCHASTIC":
            raise GameloreError(f"{kind.short_name} does not say what chance may do")


def _describe(name: str, roles: Sequence[str]) -> Game:
    """Return a game with roles and no other rules than its name."""
    word = re.sub(r"[^0-9a-z]+", "-", name.lower()).strip("-")
    lines = [f"(role {role})" for role in roles] + [f"(open-spiel {word})"]
    rules, _ = read_rules("\n".join(lines))
    return Game(name, tuple(roles), tuple(rules))
