"""Settings of the tree search."""

from __future__ import annotations

from dataclasses import dataclass

from gamelore.errors import ArgumentError

LANES = 512
"""Playouts that are under way at once."""

LONGEST_PLAYOUT = 2000
"""Moves of a playout at most, where nothing else limits it."""

_EXPLORATION = 0.8
_SHARED_EXPLORATION = 0.1
_EVALUATOR_EXPLORATION = 0.4
_PRIOR_EXPLORATION = 1.0


@dataclass(frozen=True)
class TreeSettings:
    """How a tree is searched, and how much a decision may cost."""

    exploration: float | None = None
    """c of UCT, for values from 0 to 1; by default 0.8 over playouts, 0.1 where moves
    share them (`rave`), and 0.4 over an evaluator, whose values vary less. Over one
    with priors, c of PUCT: 1."""
    first_play: float = 0.0
    """How much less than its parent a move is worth before its first visit."""
    mix: float = 0.5
    """The share of the evaluator in the value of a leaf, where a search has one; the
    rest is the playouts'. With 1 there are none: a playout is then one evaluation."""
    rave: int | None = None
    """Visits of a move at which its own playouts count as much as all that ended with
    the fact that it adds; 0 for its own alone. By default 1000 in games of two players
    with a constant sum, many moves, and facts that last, such as stones that stay; else
    0."""
    playouts_per_leaf: int | None = None
    """Playouts from each leaf that is selected; by default 1 to 16, more where they are
    cheap beside the steps in the tree; with a budget of playouts, 4 at most."""
    decisive: bool = True
    """Whether playouts see wins and losses one move ahead, where a small circuit tells
    them."""
    expand_after: int | None = None
    """Playouts from a leaf before its moves are added to the tree; by default as many
    as computing all its successors costs."""
    playout_limit: int | None = None
    """Moves of a playout at most; then the goals of the position count, or the mean of
    the lowest and the highest goal where it has none. By default 2000, and 16 in long
    games in which goals midway foretell those at the end, such as points."""
    nodes: int | None = None
    """Nodes of a tree at most: beyond, those that were visited least are forgotten. By
    default as many as fit into a gigabyte, or an eighth of the machine's memory."""
    playouts: int | None = None
    """Playouts of a decision at most; by default, as many as the clock allows."""
    seconds: float | None = None
    """Seconds of a decision at most; by default, as many as the clock allows."""
    threads: int | None = None
    """Trees that are searched at once; their counts are added up. By default as many as
    the player may use threads (`Briefing.threads`); with a budget of playouts or an
    evaluator, one."""

    def __post_init__(self) -> None:
        limits = (
            ("exploration", 100),
            ("first_play", 100),
            ("mix", 1),
            ("rave", 1_000_000_000),
        )
        for name, most in limits:
            value = getattr(self, name)
            if value is not None and not 0 <= value <= most:
                raise ArgumentError(f"{name} must be from 0 to {most}, got {value}")
        if self.playouts_per_leaf is not None and not (
            1 <= self.playouts_per_leaf <= LANES // 4
        ):
            raise ArgumentError(
                f"playouts_per_leaf must be in 1 to {LANES // 4}, got"
                f" {self.playouts_per_leaf}"
            )
        if self.expand_after is not None and self.expand_after < 0:
            raise ArgumentError(
                f"expand_after must be 0 or more, got {self.expand_after}"
            )
        for name, least in (("playout_limit", 1), ("nodes", 1000), ("threads", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ArgumentError(
                    f"{name} must be {least} or more, got {getattr(self, name)}"
                )
        for name in ("playouts", "seconds"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ArgumentError(f"{name} must be positive, got {value}")

    def exploration_over(
        self, evaluator: object, expects: bool = False, shared: bool = False
    ) -> float:
        """Return c: as it is set, or what suits what leaves are valued by.

        `expects`: whether the evaluator has priors, so that it is that of PUCT;
        `shared`: whether moves share playouts, which tells good ones from the start.
        """
        if self.exploration is not None:
            return self.exploration
        if expects:
            return _PRIOR_EXPLORATION
        if shared:
            return _SHARED_EXPLORATION
        pure = evaluator is not None and self.mix == 1
        return _EVALUATOR_EXPLORATION if pure else _EXPLORATION
