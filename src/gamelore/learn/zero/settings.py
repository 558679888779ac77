"""Settings of learning policy and value from search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gamelore.settings import SettingError, check, setting

_SEARCH = "Search of --learner zero"


@dataclass(frozen=True)
class ZeroSettings:
    """Policy and value from tree search in self-play, as AlphaZero learns."""

    step_size: float = setting(0.005, option="alpha", above=0, most=1)
    """Step size α."""
    trace_decay: float = setting(0.9, option="lambda", least=0, most=1)
    """Trace decay λ: of value targets, 0 is the value of the next search, 1 the result
    of the match."""
    weight_decay: float = setting(1e-4, least=0, most=1)
    """By how much of themselves and the step size weights shrink at each step."""
    batch: int = setting(256, least=1, most=65_536)
    """Positions of a training step."""
    reuse: float = setting(4.0, above=0, most=1000)
    """How often each position is learned from."""
    window: int = setting(100_000, least=256, most=10_000_000)
    """Latest positions that are learned from."""
    value_weight: float = setting(1.0, least=0, most=100)
    """The weight of the loss of values beside that of policies."""
    lanes: int = setting(256, least=1, most=65_536, group=_SEARCH)
    """Matches that are played at once."""
    search: Literal["gumbel", "puct"] = setting("gumbel", group=_SEARCH)
    """How moves are searched: gumbel tries candidates drawn at random and halves them
    (Danihelka et al. 2022), puct goes by upper bounds, with noise at the root."""
    simulations: int = setting(32, least=2, most=100_000, group=_SEARCH)
    """Leaves of the search of a move."""
    candidates: int = setting(16, least=2, most=10_000, group=_SEARCH)
    """Moves that gumbel tries at the root at most."""
    value_scale: float = setting(1.0, above=0, most=100, group=_SEARCH)
    """How much values weigh beside the policy in gumbel."""
    exploration: float = setting(
        1.25, option="puct-exploration", least=0, most=100, group=_SEARCH
    )
    """c of puct."""
    temperature_moves: int = setting(12, least=0, most=100_000, group=_SEARCH)
    """First moves of a match that puct draws by visits."""
    fast_share: float = setting(0.0, least=0, most=1, group=_SEARCH)
    """The share of moves that are searched for a quarter of the simulations only, and
    whose policies are not learned (playout-cap randomisation)."""
    forced_playouts: bool = setting(False, group=_SEARCH)
    """Whether puct visits each move that it tries a few times, and leaves these visits
    out of the policy that is learned."""
    opening_share: float = setting(0.7, least=0, most=1, group=_SEARCH)
    """The share of matches that begin with random moves."""
    opening_moves: int | None = setting(None, least=0, most=100_000, group=_SEARCH)
    """How many of these there are at most; by default four fifths of a random match."""
    threads: int = setting(1, least=1, most=256, group=_SEARCH)
    """Threads that search; the result does not depend on it."""

    def __post_init__(self) -> None:
        check(self)
        if self.window < self.batch:
            raise SettingError(
                "window",
                f"must be at least the batch of {self.batch}, got {self.window}",
            )
        if self.forced_playouts and self.search != "puct":
            raise SettingError("forced_playouts", "is for the search puct")

    @property
    def discount(self) -> float:
        """What later rewards count: results count in full."""
        return 1.0
