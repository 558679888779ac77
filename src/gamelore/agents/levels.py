"""Levels of strength, for people: the tree search with few playouts, and with slips."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gamelore.engine.position import Position
from gamelore.gdl import Move, Role
from gamelore.player import Briefing, Clock, let_rest
from gamelore.search.mcts import Analysis, TreePlayer, TreeSettings


@dataclass(frozen=True)
class Level:
    """How a level chooses its moves."""

    playouts: int | None
    """Playouts of a decision; without a number, as many as the clock allows."""
    slips: float = 0.0
    """The share of moves that are drawn in proportion to their visits; the others are
    the best that was found."""
    lookahead: bool = True
    """Whether playouts see wins and losses one move ahead, where they can."""


LEVELS = (
    Level(16, slips=1.0, lookahead=False),
    Level(16, slips=0.3, lookahead=False),
    Level(40, lookahead=False),
    Level(100, lookahead=False),
    Level(250, lookahead=False),
    Level(800, lookahead=False),
    Level(1600),
    Level(5000),
    Level(16_000),
    Level(None),
)
"""Levels 1 to 10; docs/strength.md has their ratings."""

_NODES = 100_000  # of the tree of a level with a budget


class LevelPlayer:
    """Plays as well as its level, in its tenth match as in its first."""

    def __init__(self, level: Level, seed: int = 0) -> None:
        self.level = level
        self._seeds = np.random.SeedSequence(seed)
        self._random = np.random.default_rng(seed)
        self._tree: TreePlayer | None = None
        self._role: Role = ""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Begin with an empty tree; only the highest level keeps what it knows."""
        self._role = briefing.role
        limited = self.level.playouts is not None
        if limited or self._tree is None:
            self.rest()
            seed = int(self._seeds.spawn(1)[0].generate_state(1)[0])
            settings = TreeSettings(
                playouts=self.level.playouts, decisive=self.level.lookahead
            )
            if limited:
                settings = replace(settings, nodes=_NODES)
                # Neither a long start clock nor the others' time makes it stronger.
                briefing, clock = replace(briefing, ponders=False), Clock()
            self._tree = TreePlayer(seed, settings)
        self._tree.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the best move that was found, or one by chance."""
        if self._tree is None:
            raise RuntimeError("start must be called before choose")
        move = self._tree.choose(position, clock)
        slips = self._random.random() < self.level.slips
        if slips and len(position.legal_moves(self._role)) > 1:
            assert self._tree.last is not None
            return self._draw(self._tree.last)
        return move

    def rest(self) -> None:
        """Stop thinking on the others' time."""
        let_rest(self._tree)

    def _draw(self, analysis: Analysis) -> Move:
        """Return a candidate in proportion to its visits; each has one more."""
        visits = np.array([one.visits + 1.0 for one in analysis.candidates])
        number = self._random.choice(len(visits), p=visits / visits.sum())
        return analysis.candidates[int(number)].move
