"""Players by what was learned: of a snapshot, and of an agent that goes on learning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.fallback import FallbackPlayer, NotNowError
from gamelore.agents.renamed import RenamedPlayer
from gamelore.engine.position import Position
from gamelore.errors import CheckpointError
from gamelore.gdl import Game, Move, Role
from gamelore.graph import StateGraph
from gamelore.learn.snapshots import Snapshot
from gamelore.match.record import CHANCE
from gamelore.player import Briefing, Clock, Player, let_rest
from gamelore.search.alpha_beta import SearchLimits
from gamelore.search.mcts import TreePlayer, TreeSettings
from gamelore.search.playouts import MonteCarloPlayer
from gamelore.values.policy_value_evaluator import PolicyValueEvaluator

_PATIENCE = 0.5  # the share of a clock to wait for others who use the same state graph


class SnapshotPlayer:
    """Plays by a snapshot, under any names; `CheckpointError` in any other game."""

    def __init__(
        self, snapshot: Snapshot, seed: int = 0, limits: SearchLimits | None = None
    ) -> None:
        self._snapshot = snapshot
        self._engine = snapshot.engine()
        self._players = self._make_players(seed, limits)
        self._player: Player | None = None

    def _make_players(
        self, seed: int, limits: SearchLimits | None
    ) -> Mapping[Role, Player]:
        """Return the players of the roles that were learned."""
        return self._snapshot.players(StateGraph(self._engine), seed, limits)

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Start in a game and a role that were learned."""
        self._player = None
        played, own = briefing.simulator, self._engine
        renaming = self._snapshot.renaming(played.game)
        role = own.roles[played.roles.index(briefing.role)]
        if role not in self._players:
            known = ", ".join(self._players)
            raise CheckpointError(
                f"{self._snapshot.name} has learned {known} only, not {role}"
            )
        player = RenamedPlayer(self._players[role], own, renaming)
        player.start(briefing, clock)
        self._player = player

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the move with the best learned value."""
        if self._player is None:
            raise RuntimeError("start must be called before choose")
        return self._player.choose(position, clock)

    def rest(self) -> None:
        """Stop thinking on the others' time."""
        let_rest(self._player)


class SnapshotTreePlayer(SnapshotPlayer):
    """Searches a tree whose leaves are valued by a snapshot, under any names."""

    def __init__(
        self, snapshot: Snapshot, seed: int = 0, settings: TreeSettings | None = None
    ) -> None:
        self._settings = settings
        super().__init__(snapshot, seed)

    def _make_players(
        self, seed: int, limits: SearchLimits | None
    ) -> Mapping[Role, Player]:
        evaluator = self._snapshot.evaluator()
        player = TreePlayer(seed, self._settings, evaluator=evaluator)
        return {role: player for role in self._engine.roles if role != CHANCE}


class LockedPlayer:
    """Has another player choose while it holds a lock.

    Players of several matches share one state graph. `NotNowError` if the lock is not
    free for half of the time left.
    """

    def __init__(self, player: Player, lock: Lock) -> None:
        self.player = player
        self._lock = lock

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Start the player."""
        self.player.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the player's move."""
        patience = -1 if clock.left == math.inf else max(0.0, _PATIENCE * clock.left)
        if not self._lock.acquire(timeout=patience):
            raise NotNowError("another match uses the state graph")
        try:
            return self.player.choose(position, clock)
        finally:
            self._lock.release()


def make_tree_agent(
    path: Path, playouts: int | None = None, seed: int = 0, games: Sequence[Game] = ()
) -> PlayerAgent:
    """Return an agent that searches a tree over the values of a snapshot's file.

    `playouts`: leaves of a decision, as many as the clock allows by default. In games
    that were not learned it searches by playouts. `games`: what it is going to play, if
    that is known; `CheckpointError` if it does not know one of them.
    """
    snapshot = _load(path, games)
    evaluator = snapshot.evaluator()  # or an error, before there is a match
    settings = TreeSettings(playouts=playouts)
    if isinstance(evaluator, PolicyValueEvaluator):
        settings = replace(settings, mix=1.0)  # its values need no playouts
    return PlayerAgent(
        lambda own: FallbackPlayer(
            SnapshotTreePlayer(snapshot, own, settings), TreePlayer(own, settings)
        ),
        seed,
        game=snapshot.game,
    )


def make_snapshot_agent(
    path: Path, depth: int | None = None, seed: int = 0, games: Sequence[Game] = ()
) -> PlayerAgent:
    """Return the agent of a snapshot's file; it is ready before any clock runs.

    In games that were not learned it plays by playouts. `games`: what it is going to
    play, if that is known; `CheckpointError` if it does not know one of them.
    """
    snapshot = _load(path, games)
    limits = snapshot.limits(depth)
    return PlayerAgent(
        lambda own: FallbackPlayer(
            SnapshotPlayer(snapshot, own, limits), MonteCarloPlayer(own)
        ),
        seed,
        game=snapshot.game,
    )


def _load(path: Path, games: Sequence[Game]) -> Snapshot:
    """Return the snapshot of a file, with its engine made, if it knows the games."""
    snapshot = Snapshot.load(path)
    for game in games or [snapshot.form.game]:
        snapshot.renaming(game)
    snapshot.engine()
    return snapshot
