"""Settings of the learners; every default is the one its paper gives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from gamelore.graph import LOOKAHEAD_RULES


@dataclass(frozen=True)
class TDSettings:
    """TD(λ) over afterstates; defaults are those of Banerjee and Stone (2007)."""

    step_size: float = 0.3
    """Alpha."""
    discount: float = 1.0
    """Gamma."""
    trace_decay: float = 0.7
    """Lambda: 0 is one-step TD, 1 is Monte Carlo."""
    default_value: float | None = None
    """Of an afterstate not met yet; the middle of the role's goals if not given."""
    initialise: Literal["visited", "candidates"] = "visited"
    """Which afterstates get an entry with an initial value: those *visited*, or all
    *candidates* that a move was chosen from."""
    terminal_lookahead: bool | None = None
    """Whether a terminal afterstate has its true value before its first visit, so that
    a winning move is known one step ahead. By default only where initial values come
    from a search or from tree patterns."""
    terminal_afterstate: bool = True
    """Whether the terminal position is the last afterstate of a match also when the
    other player's move led to it."""
    risk: float = 0.0
    """Kappa: above 0, what turns out worse than expected weighs more, and the learner
    avoids risk; below 0 it seeks it (Mihatsch and Neuneier 2002)."""

    def __post_init__(self) -> None:
        _check_rates(self.step_size, self.discount)
        _check_risk(self.risk)
        if self.initialise not in ("visited", "candidates"):
            raise ValueError(
                f"initialise must be visited or candidates, got {self.initialise!r}"
            )
        if not 0 <= self.trace_decay <= 1:
            raise ValueError(f"trace_decay must be in [0, 1], got {self.trace_decay}")


@dataclass(frozen=True)
class QSettings:
    """Q-learning over moves; defaults are those of Wang, Emmerich and Plaat (2018).

    A table has a cell for each move in each position. A value function has a move worth
    what it says of the position the move leads to, or the reward if that is an end.
    """

    step_size: float = 0.1
    """Alpha."""
    discount: float = 0.9
    """Gamma."""
    playouts: int = 0
    """Playouts per move where the table knows nothing of the position: QM-learning.
    With 0 the move is drawn by lot."""
    search_time: float | None = None
    """Milliseconds of playouts per decision instead, so that what is chosen depends on
    the machine's speed."""
    level: int = 1
    """Of the search: 1 plays out at random, 2 searches inside its playouts too."""
    risk: float = 0.0
    """Kappa, as for TD(λ)."""

    def __post_init__(self) -> None:
        _check_rates(self.step_size, self.discount)
        _check_risk(self.risk)
        if self.playouts < 0:
            raise ValueError(f"playouts must not be negative, got {self.playouts}")
        if self.search_time is not None and not self.search_time > 0:
            raise ValueError(f"search_time must be positive, got {self.search_time}")
        if self.search_time is not None and self.playouts:
            raise ValueError("search_time takes the place of playouts: give one only")
        if self.level not in (1, 2):
            raise ValueError(f"level must be 1 or 2, got {self.level}")
        if self.level > 1 and not self.searches:
            raise ValueError(f"level {self.level} needs playouts or search_time")

    @property
    def searches(self) -> bool:
        """Whether it searches where the table knows nothing."""
        return self.playouts > 0 or self.search_time is not None

    @property
    def search_seconds(self) -> float:
        """How long a search may take."""
        return math.inf if self.search_time is None else self.search_time / 1000


def _check_rates(step_size: float, discount: float) -> None:
    if not 0 < step_size <= 1:
        raise ValueError(f"step_size must be in (0, 1], got {step_size}")
    if not 0 <= discount <= 1:
        raise ValueError(f"discount must be in [0, 1], got {discount}")


def _check_risk(risk: float) -> None:
    if not -1 <= risk <= 1:
        raise ValueError(f"risk must be in [-1, 1], got {risk}")


@dataclass(frozen=True)
class Lookahead:
    """Initial values by searching ahead; terminals at their true value."""

    depth: int = 2
    rule: str = "minimax"
    """What the other is taken to do: minimax (its best), maxmax (our best), avgmax
    (anything)."""

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise ValueError(f"depth must be at least 1, got {self.depth}")
        if self.rule not in LOOKAHEAD_RULES:
            known = ", ".join(LOOKAHEAD_RULES)
            raise ValueError(f"rule must be one of {known}, got {self.rule!r}")
