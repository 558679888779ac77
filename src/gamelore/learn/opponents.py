"""Opponents of a learner besides the policies that kernels know."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gamelore.agents.agent import MatchEntry
from gamelore.agents.builtin import PARAMETERS
from gamelore.agents.registry import AgentSpec, make_agent
from gamelore.engine import Simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.gdl import Move
from gamelore.graph import StateGraph
from gamelore.player import Briefing, Clock, Player
from gamelore.search.evaluator import STAKES, FeatureEvaluator
from gamelore.search.policies import KINDS, PlayerSettings
from gamelore.settings import SettingError, check, setting
from gamelore.values.functions import ValueFunction
from gamelore.values.settings import LinearSettings


@dataclass(frozen=True)
class FeaturePlayer:
    """Takes the move that leads to the highest sum of features.

    It plays as alpha-beta of depth 1 over these features does, with random numbers of
    its own.
    """

    features: str = "heuristic"
    """Features that the opponent `features` goes by: by name, or a features file."""
    epsilon: float = setting(0.0, least=0, most=1)
    """Share of its moves that are random."""

    def __post_init__(self) -> None:
        check(self)

    @property
    def name(self) -> str:
        """The name of such an opponent."""
        return "features"


@dataclass(frozen=True)
class AgentOpponent:
    """Any player that a spec names. It decides in Python, match by match.

    Every match has a new player, made from a seed of its own, so that a run that was
    resumed plays the same matches.
    """

    agent: str = "mcts-100"
    """The player of the opponent `agent`, as gamelore match takes it."""
    epsilon: float = setting(0.0, least=0, most=1)
    """Share of its moves that are random."""

    def __post_init__(self) -> None:
        check(self)
        try:
            AgentSpec.parse(self.agent)
        except GameloreError as error:
            raise SettingError("agent", f"must be a player: {error}") from None

    @property
    def name(self) -> str:
        """The player's name."""
        return self.agent


def find_opponent(text: str) -> PlayerSettings | AgentOpponent:
    """Return the opponent that a spec names: one in kernels where these know it."""
    spec = AgentSpec.parse(text)
    if spec.name not in KINDS:
        return AgentOpponent(text)
    usual = PlayerSettings(spec.name)
    if spec.number is None:
        return usual
    if PARAMETERS[spec.name] == "depth":
        return replace(usual, depth=spec.number)
    return replace(usual, playouts=spec.number)


class AgentPlayer:
    """Plays one match as the agent of a spec, with some random moves."""

    def __init__(self, opponent: AgentOpponent, seed: tuple[int, ...]) -> None:
        self._opponent = opponent
        self._random = np.random.default_rng(seed)
        self._role = ""
        self._player: Player | None = None

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Make the agent, and have it enter the match."""
        seed, game = int(self._random.integers(1 << 31)), briefing.simulator.game
        agent = make_agent(self._opponent.agent, seed=seed, games=[game])
        entry = MatchEntry("training", briefing.simulator, briefing.role)
        self._role = briefing.role
        self._player = agent.enter(entry, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the agent's move, or a random one."""
        if self._player is None:
            raise RuntimeError("start must be called before choose")
        if self._random.random() < self._opponent.epsilon:
            legal = position.legal_moves(self._role)
            return legal[int(self._random.integers(len(legal)))]
        return self._player.choose(position, clock)


def make_function(player: FeaturePlayer, played: Simulator) -> ValueFunction:
    """Return the sum of features of such a player, for the game of a simulator."""
    settings = LinearSettings(
        perspective="current-player",
        fluents=False,
        bias=False,
        initial_value=1.0,
        lowest_reward=-STAKES,
        highest_reward=STAKES,
    )
    engine = FeatureEvaluator(player.features).prepare(played)
    return ValueFunction(StateGraph(engine), settings, longest_match=1)
