"""Players of benchmarks, named by texts, and the pace at which they play.

monte-carlo                    any spec of the registry of agents
mcts decisive=off nodes=1000   tree search with settings: `TreeSettings`
mcts:FILE mix=0.2              the same over the values of a training run's file,
trained mix=0.2                and over the weights that come with gamelore
openspiel uct_c=1.4            OpenSpiel's MCTSBot: `MCTSBotSettings`
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec
import numpy as np

from gamelore.adapters.open_spiel_bots import MCTSBotPlayer, MCTSBotSettings
from gamelore.agents import make_agent
from gamelore.agents.agent import MatchEntry
from gamelore.agents.fallback import FallbackPlayer
from gamelore.agents.registry import TRAINED, TREE, AgentSpec
from gamelore.engine import CircuitSimulator
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError
from gamelore.gdl import Move, Role
from gamelore.learn.learned_player import SnapshotTreePlayer
from gamelore.learn.snapshots import Snapshot
from gamelore.player import RESERVE, RESERVED_SHARE, Briefing, Clock, Player
from gamelore.search.mcts import TreePlayer, TreeSettings
from gamelore.settings import SettingError, from_json
from gamelore.values.shipped import shipped_evaluator

PlayerMaker: TypeAlias = Callable[[int], Player]
"""Makes a player from a seed."""

PEER = "openspiel"
_WARM_UP = 0.05  # seconds
_SWITCHES = {"on": True, "off": False}


def parse_player(text: str) -> PlayerMaker:
    """Return what makes the player of a text; `GameloreError` if there is none."""
    name, *words = text.split()
    given = dict(map(_parse_setting, words))
    try:
        if name == PEER:
            bot = from_json(MCTSBotSettings, given)
            return lambda seed: MCTSBotPlayer(seed, bot)
        if name == "mcts" and given:
            tree = from_json(TreeSettings, given)
            return lambda seed: TreePlayer(seed, tree)
        if name == TRAINED and given:
            over = from_json(TreeSettings, given)
            return lambda seed: _ShippedTreePlayer(seed, over)
        if name.startswith(f"{TREE}:") and given:
            settings = from_json(TreeSettings, given)
            snapshot = Snapshot.load(name.removeprefix(f"{TREE}:"))
            return lambda seed: SnapshotTreePlayer(snapshot, seed, settings)
    except SettingError as error:
        raise GameloreError(f"{text}: {error}") from None
    if given:
        raise GameloreError(f"{text}: {name} has no settings here")
    spec = AgentSpec.parse(name)
    return lambda seed: _EnteredPlayer(spec, seed)


def _parse_setting(word: str) -> tuple[str, Any]:
    name, equals, value = word.partition("=")
    if not equals:
        raise GameloreError(f"a setting is NAME=VALUE, got {word!r}")
    if value in _SWITCHES:
        return name, _SWITCHES[value]
    try:
        return name, msgspec.json.decode(value)
    except msgspec.DecodeError:
        raise GameloreError(f"{name} is a number, on or off, got {value!r}") from None


def warm_up(make: PlayerMaker, simulator: Simulator) -> None:
    """Have kernels compiled and loaded that the player needs, by a short decision."""
    player = make(0)
    player.start(Briefing(simulator, simulator.roles[0]), Clock())
    player.choose(Position(simulator), Clock(with_reserve(_WARM_UP)))


def count_playouts(player: Player) -> int | None:
    """Return the playouts of the latest decision of a player that has made one only;
    none where it does not tell."""
    if isinstance(player, MCTSBotPlayer):
        return player.simulations[-1] if player.simulations else 0
    if isinstance(player, TreePlayer):
        return player.last.playouts if player.last is not None else 0
    if isinstance(player, FallbackPlayer):
        return count_playouts(player.player)
    if isinstance(player, _ShippedTreePlayer):
        return None if player.tree is None else count_playouts(player.tree)
    if isinstance(player, _EnteredPlayer) and player.player is not None:
        return count_playouts(player.player)
    return None


@dataclass(frozen=True)
class Opening:
    """Random moves at the start of a match, the same whoever has which role."""

    moves: int
    """So many joint moves."""
    seed: tuple[int, ...]

    def draw(self, position: Position, role: Role, step: int) -> Move:
        """Return the move of a role in a step."""
        place = position.simulator.roles.index(role)
        legal = sorted(position.legal_moves(role), key=str)
        rng = np.random.default_rng((*self.seed, step, place))
        return legal[int(rng.integers(len(legal)))]


class PacedPlayer:
    """Gives a player the same time for every decision, and measures what it takes."""

    def __init__(
        self, player: Player, seconds: float = math.inf, opening: Opening | None = None
    ) -> None:
        """`opening`: what comes before its own decisions."""
        self.player = player
        self.times: list[float] = []
        """Seconds of each decision between several moves."""
        self._seconds = seconds
        self._opening = opening
        self._steps = 0
        self._role = ""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Start the player, with no time to search."""
        self._role = briefing.role
        self._steps = 0
        self.times = []
        self.player.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the player's move, or the opening's; its clock is the pace's."""
        self._steps += 1
        if self._opening is not None and self._steps <= self._opening.moves:
            return self._opening.draw(position, self._role, self._steps)
        began = time.perf_counter()
        move = self.player.choose(position, Clock(with_reserve(self._seconds)))
        if len(position.legal_moves(self._role)) > 1:
            self.times.append(time.perf_counter() - began)
        return move


def with_reserve(seconds: float) -> float:
    """Return the clock of which a search may use so many seconds."""
    return min(seconds + RESERVE, seconds / (1 - RESERVED_SHARE))


class _EnteredPlayer:
    """The player of an agent that is made anew for every match."""

    def __init__(self, spec: AgentSpec, seed: int) -> None:
        self._spec = spec
        self._seed = seed
        self.player: Player | None = None

    def start(self, briefing: Briefing, clock: Clock) -> None:
        game = briefing.simulator.game
        agent = make_agent(self._spec, seed=self._seed, games=(game,))
        entry = MatchEntry("benchmark", briefing.simulator, briefing.role)
        self.player = agent.enter(entry, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        assert self.player is not None, "start comes first"
        return self.player.choose(position, clock)


class _ShippedTreePlayer:
    """Tree search with settings over the weights that come with gamelore."""

    def __init__(self, seed: int, settings: TreeSettings) -> None:
        self._seed = seed
        self._settings = settings
        self.tree: TreePlayer | None = None

    def start(self, briefing: Briefing, clock: Clock) -> None:
        engine = briefing.simulator
        assert isinstance(engine, CircuitSimulator), "its weights are of compiled games"
        evaluator = shipped_evaluator(engine)
        if evaluator is None:
            raise GameloreError(f"no weights come with {engine.game.name!r}")
        self.tree = TreePlayer(self._seed, self._settings, evaluator=evaluator)
        self.tree.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        assert self.tree is not None, "start comes first"
        return self.tree.choose(position, clock)
