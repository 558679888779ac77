"""A player by a network of policy and value, without a tree."""

from __future__ import annotations

import numpy as np

from gamelore.engine.position import Position
from gamelore.gdl import Move
from gamelore.player import Briefing, Clock
from gamelore.values.policy_value import PolicyValueNetwork


class PolicyValuePlayer:
    """Takes the most probable move; draws one by the policy where others choose too.

    A move that ends the match with the best goal is taken at once.
    """

    def __init__(self, network: PolicyValueNetwork, seed: int = 0) -> None:
        self.network = network
        self._random = np.random.default_rng(seed)
        self._role = 0

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Note the role."""
        self._role = briefing.simulator.roles.index(briefing.role)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the move that the network prefers."""
        engine, role = self.network.simulator, self._role
        row = position.row
        if position.simulator is not engine:
            row = engine.encode(position.facts)
        legal = engine.legal(row[None])
        flags = legal[role][0]
        if flags.sum() > 1:
            shares = self.network.policy(row[None], legal)[role][0]
            alone = all(one.sum() == 1 for r, one in enumerate(legal) if r != role)
            if alone:
                number = self._best(row, shares, flags)
            else:
                shares = shares.astype(float)
                number = int(self._random.choice(len(shares), p=shares / shares.sum()))
        else:
            number = int(np.flatnonzero(flags)[0])
        return engine.moves[role][number]

    def _best(
        self,
        row: np.ndarray[tuple[int, ...], np.dtype[np.uint64]],
        shares: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
        flags: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    ) -> int:
        """Return a move that wins at once, or else the most probable one."""
        engine, role = self.network.simulator, self._role
        found = engine.expand(row[None])
        ended = engine.terminal(found.successors)
        if ended.any():
            goals = engine.goals(found.successors)[:, role]
            wins = ended & (goals == max(engine.goal_values[role]))
            if wins.any():
                return int(found.moves[np.flatnonzero(wins)[0], role])
        return int(np.argmax(np.where(flags, shares, -1.0)))
