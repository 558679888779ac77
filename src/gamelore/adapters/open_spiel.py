"""GDL games as games of OpenSpiel, by the name `gamelore` once this is imported.

    >>> import pyspiel, gamelore.adapters.open_spiel
    >>> game = pyspiel.load_game("gamelore(game=breakthrough-6x6)")
    >>> state = game.new_initial_state()
    >>> state.action_to_string(state.legal_actions()[0])
    '(move 2 1 3 1)'

Parameters of the game, in brackets after its name or as a dict:

    game                      a library name, or the path of a rule sheet
    utility                   `auto`: goals scaled to -1 … 1, their constant sum to 0;
                              `general`: the same, and no sum is claimed;
                              `goals`: goals as they are, 0 to 100
    dynamics                  `auto`, or `simultaneous` where random play did not show
                              that players choose at once
    max_game_length           moves of a match at most; by default what is proven, else
                              10,000
    information_state_tensor  whether to have tensors of whole histories, too
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gamelore.adapters.decisions import (
    ALL_DECIDE,
    CHANCE_DECIDES,
    ENDED,
    Decision,
    Decisions,
    PositionKey,
    compiled_simulator,
)
from gamelore.adapters.open_spiel_observers import FactObserver, HistoryObserver
from gamelore.adapters.survey import survey_game
from gamelore.engine.position import Position
from gamelore.errors import ArgumentError, GameloreError, PositionError
from gamelore.games import load
from gamelore.gdl import Game, to_kif

try:
    import pyspiel
except ImportError as error:
    raise ImportError(
        "OpenSpiel is not installed; `pip install 'gamelore[openspiel]'` brings it"
    ) from error

NAME = "gamelore"

PARAMETERS: dict[str, Any] = {
    "game": "tictactoe",
    "utility": "auto",
    "dynamics": "auto",
    "max_game_length": 0,
    "information_state_tensor": False,
}
"""The parameters of a game, with their defaults."""

_CHOICES = {
    "utility": ("auto", "general", "goals"),
    "dynamics": ("auto", "simultaneous"),
}
_LONGEST = 10_000  # moves of a match where nothing is proven
_UNSAFE = set("(),=")  # in a path: the text of a game could not be read back
_LARGEST_HISTORY = 1 << 20  # numbers in a tensor of a history

_PLAYERS = {
    ENDED: pyspiel.PlayerId.TERMINAL,
    CHANCE_DECIDES: pyspiel.PlayerId.CHANCE,
    ALL_DECIDE: pyspiel.PlayerId.SIMULTANEOUS,
}


class UtilityScale(NamedTuple):
    """Maps goals to utilities: a goal g is worth factor · (g - zero)."""

    factor: float
    zero: float

    def utility(self, goal: float) -> float:
        return self.factor * (goal - self.zero)


class GameloreGame(pyspiel.Game):  # type: ignore[misc]
    """A GDL game, from which states and observers can be made."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = PARAMETERS | dict(params or {})
        _check_parameters(given)
        self.decisions = _decisions(given["game"], given["dynamics"])
        self.scale, utility, total = self._utilities(given["utility"])
        self.layout = self.decisions.layout
        longest = given["max_game_length"] or self.decisions.survey.longest
        self.longest = longest or _LONGEST
        with_history = bool(given["information_state_tensor"])
        self.history_shape = self._history_shape() if with_history else None
        lowest, highest = self._goal_range()
        super().__init__(
            _game_type(self.decisions, utility, with_history),
            pyspiel.GameInfo(
                num_distinct_actions=len(self.decisions.actions),
                max_chance_outcomes=len(self.decisions.outcomes),
                num_players=len(self.decisions.players),
                min_utility=self.scale.utility(lowest),
                max_utility=self.scale.utility(highest),
                utility_sum=total,
                max_game_length=self.longest,
            ),
            {key: given[key] for key in given if given[key] != PARAMETERS.get(key)}
            | {"game": given["game"]},
        )

    def new_initial_state(self) -> GameloreState:
        """Return the state a match starts from."""
        return GameloreState(self)

    def make_state(self, position: Position) -> GameloreState:
        """Return the state with the facts of a position, without a history."""
        state = self.new_initial_state()
        engine = self.decisions.engine
        same = position.simulator is engine
        row = position.row if same else engine.encode(position.facts)
        state.position = row.tobytes()
        return state

    def action_to_string(self, player: int, action: int) -> str:
        """Return the move that an action, or an outcome of chance, stands for."""
        chance = player == pyspiel.PlayerId.CHANCE
        decisions = self.decisions
        return (decisions.outcomes if chance else decisions.actions)[action]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_game, (self.get_parameters(),)

    def max_chance_nodes_in_history(self) -> int:
        """Return how often chance decides in a match at most."""
        return self.longest if self.decisions.chance is not None else 0

    def make_py_observer(
        self,
        iig_obs_type: Any = None,
        params: Mapping[str, Any] | None = None,
    ) -> FactObserver | HistoryObserver:
        """Return what observes states: their facts, or, with recall, their history."""
        if isinstance(iig_obs_type, Mapping):  # C++ leaves out what it has not
            iig_obs_type, params = None, iig_obs_type
        if params:
            raise ArgumentError(f"observers take no parameters, got {dict(params)}")
        if iig_obs_type is None or not iig_obs_type.perfect_recall:
            return FactObserver(self, iig_obs_type)
        return HistoryObserver(self, iig_obs_type)

    def _utilities(self, wanted: str) -> tuple[UtilityScale, Any, float | None]:
        """Return how goals are scaled, the kind of utility, and its sum."""
        survey, count = self.decisions.survey, len(self.decisions.players)
        kinds = pyspiel.GameType.Utility
        if wanted == "goals":
            scale = UtilityScale(1.0, 0.0)
            if survey.goal_sum is not None:
                return scale, kinds.CONSTANT_SUM, float(survey.goal_sum)
        elif wanted == "auto" and survey.goal_sum is not None:
            return UtilityScale(0.02, survey.goal_sum / count), kinds.ZERO_SUM, 0.0
        else:
            scale = UtilityScale(0.02, 50.0)
        if wanted != "general" and survey.same_goals:
            return scale, kinds.IDENTICAL, None
        return scale, kinds.GENERAL_SUM, None

    def _goal_range(self) -> tuple[int, int]:
        """Return the lowest and the highest goal that the rules give a player."""
        values = self.decisions.engine.goal_values
        found = {goal for role in self.decisions.players for goal in values[role]}
        lowest, highest = min(found, default=0), max(found, default=100)
        return (lowest, highest) if lowest < highest else (0, 100)

    def _history_shape(self) -> tuple[int, int]:
        decisions = self.decisions
        own = 1 if decisions.in_turns else len(decisions.players)
        steps = self.longest * (own + (decisions.chance is not None))
        width = len(decisions.actions) + len(decisions.outcomes)
        if steps * width > _LARGEST_HISTORY:
            raise ArgumentError(
                f"information_state_tensor: a history of {decisions.engine.game.name}"
                f" is {steps:,} steps of {width:,} numbers, which is too large;"
                " max_game_length makes it shorter"
            )
        return steps, width


class GameloreState(pyspiel.State):  # type: ignore[misc]
    """A point in the play of a GDL game.

    Cloning and storing copy what is in its `__dict__`, so only what changes is there.
    """

    __slots__ = ("__dict__", "_game")

    def __init__(self, game: GameloreGame) -> None:
        """Called by the game."""
        super().__init__(game)
        self._game = game
        self.position: PositionKey = game.decisions.initial
        self.joint: tuple[int, ...] = ()
        """The players' moves while chance has yet to decide."""
        self.layout = game.layout

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_state, (pyspiel.serialize_game_and_state(self._game, self),)

    @property
    def _decision(self) -> Decision:
        if self.layout != self._game.layout:
            raise PositionError(
                f"a state of {self._game} was stored by another version of gamelore or"
                " for other rules: its bits mean something else here"
            )
        return self._game.decisions.decision(self.position)

    def current_player(self) -> int:
        """Return who decides, or one of OpenSpiel's constants."""
        if self.joint:
            return int(pyspiel.PlayerId.CHANCE)
        who = self._decision.who
        return who if who >= 0 else int(_PLAYERS[who])

    def _legal_actions(self, player: int) -> list[int]:
        return list(self._decision.actions[player])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the moves of `random`, which are equally likely."""
        outcomes = self._decision.outcomes
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def _apply_action(self, action: int) -> None:
        decision = self._decision
        decisions = self._game.decisions
        if self.joint or decision.who == CHANCE_DECIDES:
            self._go_on(decisions.with_outcome(self.joint or decision.forced, action))
        else:
            self._apply_actions([action] * len(decisions.players))

    def _apply_actions(self, actions: list[int]) -> None:
        decision = self._decision
        joint = self._game.decisions.joint_move(decision, actions)
        if decision.outcomes:
            self.joint = joint
        else:
            self._go_on(joint)

    def _go_on(self, joint: tuple[int, ...]) -> None:
        self.position = self._game.decisions.advance(self.position, joint)
        self.joint = ()

    def _action_to_string(self, player: int, action: int) -> str:
        return self._game.action_to_string(player, action)

    def is_terminal(self) -> bool:
        """Return whether the match has ended."""
        return self._decision.who == ENDED

    def returns(self) -> list[float]:
        """Return each player's utility at the end, 0 before it."""
        decision = self._decision
        if decision.who != ENDED:
            return [0.0] * len(decision.actions)
        game = self._game
        constant = game.decisions.survey.goal_sum
        claimed = game.utility_sum() is not None
        if claimed and constant is not None and sum(decision.goals) != constant:
            raise GameloreError(
                f"goals of {game.decisions.engine.game.name} do not always add up to"
                f" {constant}, which random play did not show: load it with"
                " utility=general"
            )
        return [game.scale.utility(goal) for goal in decision.goals]

    def gdl_position(self) -> Position:
        """Return the position of the GDL game."""
        row = np.frombuffer(self.position, np.uint64)
        return Position.from_row(self._game.decisions.engine, row)

    def facts_text(self) -> str:
        """Return all facts of the position, sorted."""
        return " ".join(map(to_kif, self.gdl_position().facts))

    def __str__(self) -> str:
        lines = [self.facts_text()]
        engine = self._game.decisions.engine
        if engine.game.renderer is not None:
            lines.insert(0, str(self.gdl_position()))
        if self.joint:
            moves = zip(engine.moves, self.joint, strict=True)
            chosen = " ".join(to_kif(names[move]) for names, move in moves)
            lines.append(f"chosen: {chosen}")
        return "\n".join(lines)


def adapt(game: Game) -> GameloreGame:
    """Return OpenSpiel's game for one that may have been read from anywhere.

    Only this process can load it by its text, unless it is a library game or a file.
    """
    name = game.source
    if not name or _UNSAFE & set(name):
        name = f"rules-{game.fingerprint[:16]}"
        _ADAPTED[name] = game
    adapted: GameloreGame = pyspiel.load_game(NAME, {"game": name})
    return adapted


_ADAPTED: dict[str, Game] = {}
"""Games without a name or path, by the name that they have in this process."""


def _restore_game(parameters: Mapping[str, Any]) -> Any:
    """Return a pickled game; its module has registered the name by then."""
    return pyspiel.load_game(NAME, dict(parameters))


def _restore_state(text: str) -> Any:
    return pyspiel.deserialize_game_and_state(text)[1]


@lru_cache(maxsize=32)
def _decisions(game: str, dynamics: str) -> Decisions:
    """Return the decisions of a game; the same when asked again."""
    rules = _ADAPTED[game] if game in _ADAPTED else load(game)
    engine = compiled_simulator(rules, "OpenSpiel")
    survey = survey_game(engine)
    if dynamics == "simultaneous":
        survey = replace(survey, in_turns=False)
    return Decisions(engine, survey)


def _check_parameters(given: Mapping[str, Any]) -> None:
    for key, words in _CHOICES.items():
        if given[key] not in words:
            raise ArgumentError(f"{key} must be {' or '.join(words)}, got {given[key]}")
    if given["max_game_length"] < 0:
        raise ArgumentError(
            f"max_game_length must not be negative, got {given['max_game_length']}"
        )
    if _UNSAFE & set(given["game"]):
        raise ArgumentError(
            f"game: a path with brackets, commas or = cannot be part of the text of a"
            f" game, got {given['game']}"
        )


def _game_type(decisions: Decisions, utility: Any, with_history: bool) -> Any:
    """Return OpenSpiel's description of a game."""
    dynamics = pyspiel.GameType.Dynamics
    chance = pyspiel.GameType.ChanceMode
    players = len(decisions.players)
    return pyspiel.GameType(
        dynamics=dynamics.SEQUENTIAL if decisions.in_turns else dynamics.SIMULTANEOUS,
        chance_mode=(
            chance.DETERMINISTIC
            if decisions.chance is None
            else chance.EXPLICIT_STOCHASTIC
        ),
        utility=utility,
        max_num_players=players,
        min_num_players=players,
        provides_information_state_tensor=with_history,
        **_COMMON,
    )


_COMMON: dict[str, Any] = {
    "short_name": NAME,
    "long_name": "A game of gamelore, by rules in GDL",
    "information": pyspiel.GameType.Information.PERFECT_INFORMATION,
    "reward_model": pyspiel.GameType.RewardModel.TERMINAL,
    "provides_information_state_string": True,
    "provides_observation_string": True,
    "provides_observation_tensor": True,
    "parameter_specification": PARAMETERS,
}
"""What the descriptions of all our games have in common."""

_REGISTERED = pyspiel.GameType(
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    max_num_players=16,
    min_num_players=1,
    provides_information_state_tensor=False,
    **_COMMON,
)
"""As the default game is; each game that is loaded has a description of its own."""

pyspiel.register_game(_REGISTERED, GameloreGame)
