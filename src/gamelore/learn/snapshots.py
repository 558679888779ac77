"""What a course had learned when it was saved, and players who play by it.

A snapshot is of one game, whatever its symbols are called in a match: names are
translated by the canonical forms of both games. It brings its rules along, and the
features that its value function sees.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gamelore.engine import Engine, Simulator, simulator
from gamelore.engine.position import Position
from gamelore.errors import CheckpointError, GameloreError, NotTurnTakingError
from gamelore.games import load
from gamelore.gdl import CanonicalForm, Game, Move, Role, Term
from gamelore.gdl.canonical import canonical_form, is_canonical
from gamelore.gdl.features import FeatureRules
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.files import load_checkpoint
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.match.match import CHANCE
from gamelore.player import Briefing, Clock, Player
from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.values.evaluator import ValueFunctionEvaluator

log = logging.getLogger(__name__)

_DEEPEST = 60  # moves ahead, while a clock leaves time for it


@dataclass(frozen=True)
class Translation:
    """Between the names of a match and those that were learned."""

    match: CanonicalForm | None
    """Nothing if the match is in canonical names."""
    own: CanonicalForm | None
    """Nothing if no name differs."""

    def to_own(self, term: Term) -> Term:
        """A term of the match in the names that were learned."""
        if self.own is None:
            return term
        return self.own.to_original(
            term if self.match is None else self.match.to_canonical(term)
        )

    def to_match(self, term: Term) -> Term:
        """A term in the names that were learned in those of the match."""
        if self.own is None:
            return term
        canonical = self.own.to_canonical(term)
        return canonical if self.match is None else self.match.to_original(canonical)


class Snapshot:
    """A checkpoint with its game and engine, ready to play."""

    def __init__(
        self, checkpoint: Checkpoint, name: str = "", game: Game | None = None
    ) -> None:
        """`game`: in the place of the rules that the checkpoint brings along."""
        self.checkpoint = checkpoint
        self.name = name or checkpoint.game
        self.game = game or game_of(checkpoint, self.name)
        self._check(self.game)

    @classmethod
    def load(cls, path: str | Path) -> Snapshot:
        """The snapshot of a file."""
        return cls(load_checkpoint(path), Path(path).name)

    @cached_property
    def form(self) -> CanonicalForm:
        """The canonical form of the game that was learned."""
        return canonical_form(self.game)

    def engine(self, kind: Engine = "auto") -> Simulator:
        """A simulator with the features that the value function sees."""
        return simulator(self.game, kind, features=self.features)

    @cached_property
    def features(self) -> FeatureRules | None:
        """The features that the value function sees, if it sees any."""
        return features_of(self.checkpoint, self.game)

    def translation(self, game: Game) -> Translation:
        """How a match of a game is understood; `CheckpointError` if it is another."""
        if game.fingerprint == self.checkpoint.rules:
            return Translation(None, None)
        form = None if is_canonical(game) else canonical_form(game)
        canonical = game if form is None else form.game
        if canonical.fingerprint != self.form.game.fingerprint:
            self._check(game)
        return Translation(form, self.form)

    def limits(self, depth: int | None = None) -> SearchLimits:
        """How to search: to a depth, or as deep as a clock allows."""
        if depth is None:
            return SearchLimits(self.checkpoint.depth, _DEEPEST)
        if not self.checkpoint.weights:
            raise GameloreError(
                f"{self.name} holds a table, which says nothing of most positions some"
                " moves ahead: a depth is for value functions"
            )
        return SearchLimits(depth)

    def players(
        self, graph: StateGraph, seed: int = 0, limits: SearchLimits | None = None
    ) -> dict[Role, Player]:
        """Players for the roles that were learned; the limits are for functions."""
        try:
            trainer = self.checkpoint.trainer(graph)
        except CheckpointError as error:
            raise CheckpointError(f"{self.name}: {error}") from error
        roles = graph.simulator.roles
        if trainer.function is not None:
            evaluator = ValueFunctionEvaluator(trainer.function)
            searcher: Player = AlphaBetaPlayer(
                evaluator, seed=seed, limits=limits or self.limits()
            )
            return {role: searcher for role in roles if role != CHANCE}
        shared = trainer.side is not None
        return {
            role: GreedyPlayer(trainer.values(number), seed=seed)
            for number, role in enumerate(roles)
            if role != CHANCE and (shared or number in trainer.tables)
        }

    def _check(self, game: Game) -> None:
        try:
            self.checkpoint.check_game(game)
        except CheckpointError as error:
            raise CheckpointError(f"{self.name}: {error}") from None


class SnapshotPlayer:
    """Plays by a snapshot, under any names; elsewhere another player does, if any."""

    def __init__(
        self,
        snapshot: Snapshot,
        seed: int = 0,
        limits: SearchLimits | None = None,
        spare: Player | None = None,
    ) -> None:
        """`spare`: who plays what the snapshot does not know."""
        self._snapshot = snapshot
        self._spare = spare
        self._graph = StateGraph(snapshot.engine())
        self._players = snapshot.players(self._graph, seed, limits)
        self._player: Player | None = None
        self._translation = Translation(None, None)

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Find out whether it is the game and the role that were learned."""
        self._player = None
        if self._spare is not None:
            self._spare.start(briefing, clock)
        try:
            self._begin(briefing, clock)
        except CheckpointError as error:
            if self._spare is None:
                raise
            log.warning("another player takes over: %s", error)

    def choose(self, position: Position, clock: Clock) -> Move:
        """What the snapshot speaks for."""
        if self._player is not None:
            try:
                return self._own_choice(self._player, position, clock)
            except NotTurnTakingError as error:
                if self._spare is None:
                    raise
                log.warning("another player takes over: %s", error)
                self._player = None
        if self._spare is None:
            raise RuntimeError("start must be called before choose")
        return self._spare.choose(position, clock)

    def _begin(self, briefing: Briefing, clock: Clock) -> None:
        played, own = briefing.simulator, self._graph.simulator
        self._translation = self._snapshot.translation(played.game)
        role = own.roles[played.roles.index(briefing.role)]
        if role not in self._players:
            known = ", ".join(self._players)
            raise CheckpointError(
                f"{self._snapshot.name} has learned {known} only, not {role}"
            )
        player = self._players[role]
        clocks = briefing.start_clock, briefing.play_clock
        player.start(Briefing(own, role, *clocks), clock)
        self._player = player

    def _own_choice(self, player: Player, position: Position, clock: Clock) -> Move:
        own = self._graph.simulator
        if position.simulator is not own:
            facts = map(self._translation.to_own, position.facts)
            position = Position(own, facts)
        to_match = self._translation.to_match
        return to_match(player.choose(position, clock.translated(to_match)))


def game_of(checkpoint: Checkpoint, name: str) -> Game:
    """The game that was learned: the library's if it is that, or the rules kept."""
    try:
        game = load(checkpoint.game)
    except GameloreError:
        game = None
    if game is not None and game.fingerprint == checkpoint.rules:
        return game
    if not checkpoint.sheet:
        raise CheckpointError(
            f"{name} is about {checkpoint.game} and does not bring its rules along;"
            " learn it again to have them in it"
        )
    return Game.from_kif(checkpoint.sheet, checkpoint.game)


def features_of(checkpoint: Checkpoint, game: Game) -> FeatureRules | None:
    """The features that a course was learned with, if there were any."""
    if checkpoint.inputs is None:
        return None
    name, text = checkpoint.inputs
    return FeatureRules.from_kif(text, game, name=name, source=name)
