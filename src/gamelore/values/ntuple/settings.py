"""Settings of n-tuple networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from gamelore.settings import SettingError, check, setting


@dataclass(frozen=True)
class NTupleSettings:
    """Tables of weights, each indexed by what is true in a tuple of facts.

    V is the logistic function of the sum of one weight of every table and symmetry.
    """

    tuples: int = setting(60, least=1, most=10_000)
    """How many tuples are drawn from the rules."""
    tuple_length: int = setting(8, least=1, most=32)
    """Groups of facts in a tuple; the facts of one cell are one group."""
    tuple_entries: int = setting(1 << 18, least=2, most=1 << 24)
    """Entries of a tuple's table at most; tuples that would need more are shorter."""
    walk: Literal["auto", "rules", "board"] = "auto"
    """What tuples are drawn along: facts that occur together in ground rules, cells
    side by side on the board, or both (auto)."""
    symmetries: bool = True
    """Whether weights are shared by rotations and reflections of the board that the
    rules allow."""
    exchange: bool = False
    """Whether weights are also shared by positions with the two players exchanged,
    where the rules are the same for both. Without it, each player to move has tables
    of its own."""
    coherence: bool = False
    """Whether each weight has a step size of its own, by temporal coherence (Beal and
    Smith 1999): smaller where its changes cancel each other out."""

    best_after_random: bool = False
    """Whether a position after which the match went on by a random move is updated
    towards its best move; else it is not updated."""

    search_depth: int = setting(1, least=1, most=8)
    """How many moves ahead targets are searched by alpha-beta; 1 takes the value of the
    move that was made. Deeper targets take time, and a state graph of all positions so
    many moves away from a match."""
    tree_updates: bool = False
    """Whether all successors of the positions of a match are learned from too, each
    towards its own value in that search. For a search depth of 2 or more."""

    # What other value functions can be told, and n-tuple networks cannot.
    updates: ClassVar[str] = "online"
    terminal_target: ClassVar[str] = "reward"
    terminal_lookahead: ClassVar[bool] = True
    reward_in_selection: ClassVar[bool] = False
    trace_includes: ClassVar[str] = "current"
    perspective: ClassVar[str] = "first"
    risk_side: ClassVar[str] = "values"
    lowest_reward: ClassVar[float] = 0.0
    highest_reward: ClassVar[float] = 1.0
    fluents: ClassVar[bool] = True
    scaling: ClassVar[tuple[tuple[str, float], ...]] = ()

    def __post_init__(self) -> None:
        check(self)
        if self.tree_updates and self.search_depth == 1:
            raise SettingError("tree_updates", "is for a search_depth of 2 or more")
