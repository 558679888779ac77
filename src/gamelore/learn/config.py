"""Settings of training: the learner, its role, and its opponent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from gamelore.engine import CircuitSimulator, Simulator
from gamelore.errors import GameloreError
from gamelore.learn.opponents import AgentOpponent, FeaturePlayer, find_opponent
from gamelore.learn.schedules import Cosine, Fixed, Geometric, Schedule, StepDecay
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import (
    Lookahead,
    QSettings,
    SearchedPlay,
    TDSettings,
    make_qm_settings,
)
from gamelore.learn.zero.settings import ZeroSettings
from gamelore.search.policies import KINDS, PlayerSettings
from gamelore.settings import (
    Choice,
    Options,
    SettingError,
    check,
    setting,
    spell_option,
)
from gamelore.values.by_feature import ByFeature
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.policy_value_settings import PolicyValueSettings
from gamelore.values.settings import FunctionSettings, LinearSettings, NetworkSettings

RoleChoice: TypeAlias = Literal["first", "second", "alternate"]

_LEARNERS = {
    "td": TDSettings,
    "zero": ZeroSettings,
    "qm": Choice(QSettings, make=make_qm_settings, applies=lambda one: one.searches),
    "q": Choice(QSettings, without=("playouts", "search_time", "level")),
}
_OPPONENTS = {
    **dict.fromkeys(KINDS, PlayerSettings),
    "features": FeaturePlayer,
    "self": SelfPlay,
    "agent": AgentOpponent,
}
_SCHEDULES = {"fixed": Fixed, "cosine": Cosine, "geometric": Geometric}
_FUNCTIONS = {
    "table": None,
    "linear": LinearSettings,
    "network": NetworkSettings,
    "ntuple": NTupleSettings,
    "policy-value": PolicyValueSettings,
}


@dataclass(frozen=True)
class TrainConfig:
    """How a training run learns, in which role, against which opponent."""

    learner: TDSettings | QSettings | ZeroSettings = setting(
        factory=TDSettings, choices=_LEARNERS, group="Learning"
    )
    """TD(λ) over afterstates; Q-learning, or Q-learning that searches by playouts where
    its table knows nothing (qm); policy and value from tree search (zero)."""
    opponent: PlayerSettings | SelfPlay | FeaturePlayer | AgentOpponent = setting(
        factory=PlayerSettings,
        choices=_OPPONENTS,
        other="agent",
        option="against",
        prefix="opponent-",
        group="Opponent",
    )
    """The opponent; with self, the learner plays both roles; features takes the move
    with the highest sum of --opponent-features. Any other player of gamelore match may
    be named, such as mcts-100, level-3 or learned:FILE: it is --opponent-agent of the
    opponent agent, and plays without kernels, so matches take longer."""
    role: RoleChoice = setting("first", group="Learning")
    """Which player learns: the first, the second, or both in turn."""
    schedule: Schedule = setting(factory=Fixed, choices=_SCHEDULES, group="Exploration")
    """How the share of exploring moves changes: not at all, along a cosine until a
    match, or by a factor per match."""
    opening: int = setting(0, least=0, most=1_000_000, group="Exploration")
    """Begin each match with random moves, from none to so many; for value functions."""
    step_decay: StepDecay | None = setting(None, prefix="alpha-", group="Learning")
    """How the step size decays; it is constant if not given."""
    search: SearchedPlay | None = setting(
        None, prefix="search-", group="Value function"
    )
    """How matches of self-play are searched, if they are."""
    lookahead: Lookahead | None = setting(
        None, prefix="lookahead-", group="Initial values and transfer"
    )
    """Initial values by searching ahead; tree patterns are given to the trainer."""
    seed: int = setting(0, least=0, most=2**64 - 1)
    """Where random numbers start; the same seed repeats the same run."""
    longest_match: int = setting(2000, least=1, most=1_000_000)
    """Moves after which a match is taken never to end."""
    function: FunctionSettings | PolicyValueSettings | None = setting(
        None, choices=_FUNCTIONS, option="values", group="Value function"
    )
    """What values are kept in: a table of positions, a linear function, a network
    with one hidden layer, tables of tuples of facts (ntuple), or a network of policy
    and value, for the learner zero."""
    shaping: ByFeature = setting((), group="Learning")
    """A shaping reward for each 1 that a feature goes up; may be repeated. In tables it
    is added to goals as it is, and in functions to what goals count."""

    def __post_init__(self) -> None:
        check(self)
        searches = isinstance(self.learner, ZeroSettings)
        if searches != isinstance(self.function, PolicyValueSettings):
            raise SettingError(
                "function",
                "must be a network of policy and value for the learner zero, and for"
                " no other",
            )
        if searches and not isinstance(self.opponent, SelfPlay):
            raise SettingError("opponent", "must be self for the learner zero")
        if searches and self.shaping:
            raise SettingError("shaping", "has no meaning for the learner zero")

        if self.search is not None:
            self._check_search()

    def _check_search(self) -> None:
        """Refuse searched self-play where it has no meaning."""
        function, learner, against = self.function, self.learner, self.opponent
        if not isinstance(function, NTupleSettings):
            raise SettingError("search", "is for n-tuple networks")
        if not isinstance(learner, TDSettings):
            raise SettingError("search", "is for TD(λ)")
        if not isinstance(against, SelfPlay) or against.opponent_refresh:
            raise SettingError("search", "is for self-play without copies")
        if learner.discount != 1.0 or learner.risk:
            raise SettingError("search", "is for a discount of 1 and a risk of 0")
        if function.search_depth > 1 or function.coherence:
            raise SettingError(
                "search_nodes",
                "goes with neither a search depth nor temporal coherence",
            )

    @property
    def value_function(self) -> FunctionSettings | None:
        """The settings of a function that TD or Q-learning learns, if there is one."""
        assert not isinstance(self.function, PolicyValueSettings)
        return self.function

    @property
    def value_learner(self) -> TDSettings | QSettings:
        """The settings of TD or Q-learning."""
        assert not isinstance(self.learner, ZeroSettings)
        return self.learner


DEFAULT_OPPONENT = "novice"
"""The opponent on the command line, if none is given."""

_LOOKAHEAD = ("lookahead_depth", "lookahead_rule")

_MODES: tuple[tuple[dict[str, tuple[str, ...]], dict[str, Any]], ...] = (
    (
        {"against": ("self",), "schedule": ("fixed",), "learner": ("td", "q", "qm")},
        {"epsilon": 0.1},
    ),
    (
        {"against": ("self",), "values": ("table",), "learner": ("q", "qm")},
        {"self_values": "own"},
    ),
    ({"values": ("network",)}, {"alpha": 0.1, "initial_range": None}),
    ({"values": ("ntuple",), "learner": ("td",)}, {"alpha": 0.5, "lambda": 0.5}),
    ({"against": ("self",), "values": ("ntuple",)}, {"opening": 12}),
)
"""Defaults that depend on the kind of training: where all options on the left are one
of what is listed, those on the right."""

DEFAULT_TEXTS = {
    "against": DEFAULT_OPPONENT,
    "alpha": "0.3; with --learner q or --values network 0.1, --values ntuple 0.5,"
    " --learner zero 0.005",
    "alpha_every": "never",
    "hidden": "40; with --learner zero 128",
    "epsilon": "0.01; in self-play 0.1; cosine 0.5; geometric 0.9",
    "initial_range": "scaled",
    "lambda": "0.7; with --values ntuple 0.5, --learner zero 0.9",
    "lookahead_depth": "no search",
    "matches": "3000",
    "opening": "0; with --values ntuple in self-play 12",
    "playouts": "100; with --search-level 2 20",
    "search_after": "0",
    "search_nodes": "no search; with --search-after 300",
    "self_values": "shared; with --learner q own",
}
"""Defaults on the command line that depend on other options, in words."""


def name_opponent(given: Options) -> dict[str, Any]:
    """Return options in which `against` is a choice, if it is the spec of a player.

    `minimax-4` is `minimax` with a depth of 4; what kernels do not know is an `agent`.
    """
    against = given.get("against")
    if against is None or against in _OPPONENTS:
        return dict(given)
    found = find_opponent(against)
    if isinstance(found, AgentOpponent):
        return {**given, "against": "agent", "opponent_agent": against}
    usual = PlayerSettings(found.name)
    numbers = {
        f"opponent_{name}": value
        for name in ("depth", "playouts")
        if (value := getattr(found, name)) != getattr(usual, name)
    }
    return {**given, "against": found.name, **numbers}


def complete_options(given: Options) -> dict[str, Any]:
    """Return options with the defaults that depend on the kind of training.

    Self-play explores more, since nobody else shows it new positions; networks take
    smaller steps.
    """
    given = _complete_zero(given)
    chosen = {
        "against": DEFAULT_OPPONENT,
        "schedule": "fixed",
        "values": "table",
        "learner": "td",
        **given,
    }
    _check_combination(given, chosen)
    found = {"against": chosen["against"], **given}
    for conditions, defaults in _MODES:
        if all(chosen[name] in among for name, among in conditions.items()):
            found = {**defaults, **found}
    return found


def _complete_zero(given: Options) -> Options:
    """Return options with what the learner zero implies, if it is asked for."""
    asked = given.get("learner") == "zero" or given.get("values") == "policy-value"
    if not asked:
        return given
    implied = {"learner": "zero", "values": "policy-value", "against": "self"}
    for name, value in implied.items():
        if given.get(name, value) != value:
            requirement = f"must be {value} for --learner zero, got {given[name]}"
            raise SettingError(spell_option(name), requirement)
    for name in _NOT_ZERO:
        if name in given:
            raise SettingError(spell_option(name), "has no meaning for --learner zero")
    return {**implied, **given}


_NOT_ZERO = (
    "role",
    "schedule",
    "epsilon",
    "shaping",
    "opponent_refresh",
    "opponent_epsilon",
)

_TABLE_ONLY = ("default_value", "initialise", "self_values", *_LOOKAHEAD)


def _check_combination(given: Options, chosen: Options) -> None:
    """Refuse options that would change nothing beside others."""
    if chosen["values"] != "table":
        for name in _TABLE_ONLY:
            if name in given:
                requirement = f"has no meaning for --values {chosen['values']}"
                raise SettingError(spell_option(name), requirement)
    if chosen["learner"] != "td":
        for name in _LOOKAHEAD:
            if name in given:
                requirement = "is for --learner td: the others start from nothing"
                raise SettingError(spell_option(name), requirement)
    if chosen["values"] == "table" and given.get("opening"):
        raise SettingError("--opening", "has no meaning for --values table")
    if given.get("reward_in_selection") and not given.get("shaping"):
        raise SettingError("--reward-in-selection", "has no meaning without --shaping")
    without_copy = chosen["against"] == "self" and not given.get("opponent_refresh")
    if without_copy and "opponent_epsilon" in given:
        requirement = "has no meaning for --against self without --opponent-refresh"
        raise SettingError("--opponent-epsilon", requirement)


def check_self_play(config: TrainConfig, game: str, players: int) -> None:
    """Refuse self-play where it has no meaning."""
    against = config.opponent
    if not isinstance(against, SelfPlay):
        return
    if players != 2:
        raise GameloreError(f"{game!r} has {players} players; self-play needs two")
    if config.function is not None:
        return
    if against.values == "shared" and isinstance(config.learner, QSettings):
        raise GameloreError(
            "values of moves in a table are each role's own: use SelfPlay('own')"
        )
    if (
        against.values == "own"
        and against.opponent_refresh
        and config.role != "alternate"
    ):
        raise GameloreError(
            "copies of each role's own values need both roles to learn: use"
            " role='alternate'"
        )


def check_during_play(config: TrainConfig) -> None:
    """Refuse updates during play where there are none."""
    function = config.value_function
    if function is None or function.updates != "during-play":
        return
    if isinstance(config.learner, QSettings):
        raise GameloreError(
            "Q-learning updates no weights during play: use `updates` online"
        )
    if function.terminal_target != "reward" or function.trace_includes != "current":
        raise GameloreError(
            "updates during play are for the terminal target `reward` and traces that"
            " include the `current` position"
        )


def check_engine(config: TrainConfig, simulator: Simulator) -> None:
    """Refuse what kernels cannot play."""
    learner = config.learner
    searches = isinstance(learner, QSettings) and learner.playouts > 0
    searches = searches or config.opponent.name == "monte-carlo"
    if searches and not isinstance(simulator, CircuitSimulator):
        raise GameloreError(
            f"training with Monte Carlo search needs {simulator.game.name!r} compiled;"
            " on the interpreter, let players play match by match"
        )


def check_function(config: TrainConfig, simulator: Simulator) -> None:
    """Refuse what n-tuple networks cannot do."""
    if not isinstance(config.function, NTupleSettings):
        return
    if isinstance(config.learner, QSettings):
        raise GameloreError("n-tuple networks learn by TD: leave Q-learning out")
    if config.function.search_depth > 1 and config.learner.discount != 1:
        raise GameloreError("searched targets are for a discount of 1")
    if config.shaping or simulator.features is not None:
        raise GameloreError(
            "n-tuple networks see facts only: leave features and shaping out"
        )


def learning_roles(role: RoleChoice, players: list[int], game: str) -> list[int]:
    """Return the numbers of the roles that learn, in turn."""
    if len(players) < 2 and role != "first":
        raise GameloreError(f"{game!r} has one player only, so no {role!r} role")
    return {"first": players[:1], "second": players[1:2], "alternate": players[:2]}[
        role
    ]
