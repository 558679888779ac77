"""Settings of the learners; every default is the one its paper gives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from gamelore.graph import LOOKAHEAD_RULES
from gamelore.settings import SettingError, check, setting

_SEARCH = "Search of --learner qm"
_INITIAL = "Initial values and transfer"


@dataclass(frozen=True)
class TDSettings:
    """TD(λ) over afterstates; defaults are those of Banerjee and Stone (2007)."""

    step_size: float = setting(0.3, option="alpha", above=0, most=1)
    """Step size α."""
    discount: float = setting(1.0, option="gamma", least=0, most=1)
    """Discount γ."""
    trace_decay: float = setting(0.7, option="lambda", least=0, most=1)
    """Trace decay λ: 0 is one-step TD, 1 is Monte Carlo."""
    default_value: float | None = setting(None, group=_INITIAL)
    """The value of an afterstate that has not been met. By default the middle of the
    role's goals."""
    initialise: Literal["visited", "candidates"] = setting("visited", group=_INITIAL)
    """Which afterstates get an entry with an initial value: those visited, or all
    candidates that a move was chosen from."""
    terminal_lookahead: bool | None = None
    """Whether a terminal afterstate has its true value before its first visit, so that
    a winning move is known one step ahead. By default only where initial values come
    from a search or from tree patterns."""
    terminal_afterstate: bool = True
    """Whether the terminal position is the last afterstate of a match also when the
    other player's move led to it."""
    risk: float = setting(0.0, least=-1, most=1)
    """Risk κ: above 0, what turns out worse than expected weighs more, and the learner
    avoids risk; below 0 it seeks it (Mihatsch and Neuneier 2002)."""

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class QSettings:
    """Q-learning over moves; defaults are those of Wang, Emmerich and Plaat (2018).

    A table has a cell for each move in each position. With a value function, the value
    of a move is that of the position it leads to, or the reward if that is terminal.
    """

    step_size: float = setting(0.1, option="alpha", above=0, most=1)
    """Step size α."""
    discount: float = setting(0.9, option="gamma", least=0, most=1)
    """Discount γ."""
    playouts: int = setting(0, least=0, most=1_000_000, group=_SEARCH)
    """Playouts per move where the table knows nothing of the position. With 0 the move
    is chosen at random."""
    search_time: float | None = setting(None, above=0, most=1e6, group=_SEARCH)
    """Milliseconds of playouts per decision instead, so that what is chosen depends on
    the machine's speed."""
    level: int = setting(1, option="search-level", least=1, most=2, group=_SEARCH)
    """Level of the search: 1 plays out at random, 2 searches inside its playouts."""
    risk: float = setting(0.0, least=-1, most=1)
    """Risk κ, as for TD(λ)."""

    def __post_init__(self) -> None:
        check(self)
        if self.search_time is not None and self.playouts:
            raise SettingError("search_time", "takes the place of playouts: give one")
        if self.level > 1 and not self.searches:
            raise SettingError("level", f"{self.level} needs playouts or search_time")

    @property
    def searches(self) -> bool:
        """Whether it searches where the table knows nothing."""
        return self.playouts > 0 or self.search_time is not None

    @property
    def search_seconds(self) -> float:
        """The time limit of a search."""
        return math.inf if self.search_time is None else self.search_time / 1000


def make_qm_settings(**fields: Any) -> QSettings:
    """Return Q-learning that searches, with the playouts of its paper if not said."""
    if fields.get("playouts") == 0:
        raise SettingError("playouts", "must be positive for --learner qm, got 0")
    if not fields.keys() & {"playouts", "search_time"}:
        fields["playouts"] = 20 if fields.get("level") == 2 else 100
    return QSettings(**fields)


@dataclass(frozen=True)
class SearchedPlay:
    """Self-play whose moves are chosen by alpha-beta over the values that are learned,
    and whose targets are the values that it finds; for n-tuple networks."""

    nodes: int = setting(300, least=1, most=10_000_000)
    """Choose moves of self-play by alpha-beta over the values, which expands so many
    nodes, and learn from what it finds."""
    after: int = setting(0, least=0, most=1_000_000_000)
    """Play so many matches without search first."""

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Lookahead:
    """Initial values by searching ahead; terminal positions at their true value."""

    depth: int = setting(2, least=1, most=60)
    """Take initial values of positions from a search of so many moves."""
    rule: str = setting("minimax", words=tuple(LOOKAHEAD_RULES))
    """What that search takes the opponent to do: its best (minimax), our best (maxmax),
    or anything (avgmax)."""

    def __post_init__(self) -> None:
        check(self)
