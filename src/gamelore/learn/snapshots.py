"""Snapshots: what a training run had learned when it was saved, ready to be used.

A snapshot is about one game, under any names: the symbols of a match are renamed by the
canonical forms of both games. It brings along its rules, and the features that are
inputs of its value function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gamelore.engine import Engine, Rows, Simulator, simulator
from gamelore.engine.position import Position
from gamelore.errors import CheckpointError, GameloreError
from gamelore.games import load
from gamelore.gdl import CanonicalForm, Game, Role
from gamelore.gdl.canonical import Renaming, canonical_form, is_canonical
from gamelore.gdl.features import FeatureRules
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.files import load_checkpoint
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.in_match import LIMITS
from gamelore.learn.position_values import LearnedValues
from gamelore.learn.zero.player import PolicyValuePlayer
from gamelore.match.record import CHANCE
from gamelore.player import Player
from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.search.evaluator import Evaluator, Floats
from gamelore.values.evaluator import ValueFunctionEvaluator


class Snapshot:
    """A checkpoint with its game, ready to play and to evaluate positions.

    It can be pickled: another process rebuilds the engine from the rules.
    """

    def __init__(
        self, checkpoint: Checkpoint, name: str = "", game: Game | None = None
    ) -> None:
        """`game`: in the place of the rules that the checkpoint brings along."""
        self.checkpoint = checkpoint
        self.name = name or checkpoint.game
        self.game = game or read_game(checkpoint, self.name)
        self._check(self.game)

    @classmethod
    def load(cls, path: str | Path) -> Snapshot:
        """Return the snapshot of a file."""
        return cls(load_checkpoint(path), Path(path).name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Snapshot, (self.checkpoint, self.name, self.game)

    @cached_property
    def form(self) -> CanonicalForm:
        """The canonical form of the game that was learned."""
        return canonical_form(self.game)

    def engine(self, kind: Engine = "auto") -> Simulator:
        """Return a simulator with the features that are inputs of the function."""
        return simulator(self.game, kind, features=self.features)

    @cached_property
    def features(self) -> FeatureRules | None:
        """The features that the value function has as inputs, if there are any."""
        return read_input_features(self.checkpoint, self.game)

    def renaming(self, game: Game) -> Renaming | None:
        """Return the renaming from a game's symbols to those that were learned.

        Nothing if they are the same; `CheckpointError` if it is another game.
        """
        if game.fingerprint == self.checkpoint.rules:
            return None
        form = None if is_canonical(game) else canonical_form(game)
        canonical = game if form is None else form.game
        if canonical.fingerprint != self.form.game.fingerprint:
            self._check(game)
        back = self.form.renaming.inverse
        return back if form is None else form.renaming.then(back)

    # ── values ──────────────────────────────────────────────────────────────────────

    def evaluator(self) -> Evaluator:
        """Return the learned values as an evaluator, for searches and batches.

        `GameloreError` if values of actions were learned, or of one role's table only.
        """
        return self._values.evaluator()

    def evaluate(
        self, positions: Position | Rows | Sequence[Position], role: Role
    ) -> Floats:
        """Return the goals that `role` is estimated to get, float64 [n].

        `positions`: one position, several, or rows, uint64 [n, K], of the simulator
        that `engine()` returns. Positions of other simulators and under other names are
        understood; the role is named as in the positions, or, of rows, as in the game
        that was learned. Terminal positions have their goals. Where a table has no
        entry, the value is nan.
        """
        if isinstance(positions, np.ndarray):
            return self._values.evaluate(positions, self._role_number(role))
        if isinstance(positions, Position):
            positions = [positions]
        if not positions:
            return np.zeros(0)
        first = positions[0].simulator
        renaming = self.renaming(first.game)
        own = self._values.simulator
        rows = [
            own.encode(
                position.facts
                if renaming is None
                else map(renaming.rename, position.facts)
            )
            for position in positions
        ]
        if renaming is not None:
            role = renaming.rename_role(role)
        return self._values.evaluate(np.array(rows, np.uint64), self._role_number(role))

    @cached_property
    def _values(self) -> LearnedValues:
        return LearnedValues(self.checkpoint.trainer(StateGraph(self.engine())))

    def _role_number(self, role: Role) -> int:
        if role not in self.game.roles:
            known = ", ".join(self.game.roles)
            raise GameloreError(f"{self.name} knows the roles {known}, not {role}")
        return self.game.roles.index(role)

    # ── players ─────────────────────────────────────────────────────────────────────

    def limits(self, depth: int | None = None) -> SearchLimits:
        """Return how deep to search: to a depth, or as deep as a clock allows."""
        if depth is None:
            return replace(LIMITS, depth=self.checkpoint.depth)
        if not self.checkpoint.weights:
            raise GameloreError(
                f"{self.name} holds a table, which has no entries for most positions"
                " some moves ahead: a depth is for value functions"
            )
        return SearchLimits(depth)

    def players(
        self, graph: StateGraph, seed: int = 0, limits: SearchLimits | None = None
    ) -> dict[Role, Player]:
        """Return players for the roles that were learned; limits are for functions."""
        try:
            trainer = self.checkpoint.trainer(graph)
        except CheckpointError as error:
            raise CheckpointError(f"{self.name}: {error}") from error
        roles = graph.simulator.roles
        if trainer.network is not None:
            player = PolicyValuePlayer(trainer.network, seed)
            return {role: player for role in roles if role != CHANCE}
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


def read_game(checkpoint: Checkpoint, name: str) -> Game:
    """Return the game that was learned: the library's, or from the rules stored."""
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


def read_input_features(checkpoint: Checkpoint, game: Game) -> FeatureRules | None:
    """Return the features that a training run had as inputs, if there were any."""
    if checkpoint.inputs is None:
        return None
    name, text = checkpoint.inputs
    return FeatureRules.from_kif(text, game, name=name, source=name)
