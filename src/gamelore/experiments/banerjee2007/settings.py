"""Settings of the experiment; every reading the paper leaves open is one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from gamelore.learn.settings import TDSettings

FAVOURED = {"connect-3": "first", "othello-4x4": "second", "capture-go": "first"}
"""The target games, each with the seat that can win."""

OTHER = {"first": "second", "second": "first"}


@dataclass(frozen=True)
class Settings:
    """Banerjee and Stone (2007), Section 4."""

    runs: int = 10
    """Runs as the paper has them; reported beside all runs."""
    all_runs: int = 100
    """Runs in all, those of the paper's size included; intervals narrow with it."""
    matches: int = 3000
    """Matches of a run in a target game."""
    skipped: int = 300
    """Matches at the start of a run that curves and averages leave out."""
    seed: int = 0
    """Where random numbers start; the same seed repeats the same experiment."""
    source_matches: int = 30
    """Matches of tic-tac-toe before its features are valued."""
    seat: Literal["favoured", "other"] = "favoured"
    """The learner's seat in target games: the one that can win, or the other."""
    opponent_epsilon: float = 0.01
    """How often novice and weak opponents move at random."""
    on_sight: bool = False
    """Give afterstates their initial value when merely considered, not once visited."""
    sees_ends: Literal["lookers", "all", "none"] = "lookers"
    """Who knows a terminal afterstate one step ahead, before it was ever visited: those
    that look ahead (transfer, lookahead), all learners, or none."""
    keeps_end: bool = True
    """Count the terminal position as an afterstate though the opponent moved there."""
    weights: Literal["visits", "equal"] = "visits"
    """How afterstates weigh in a feature's value."""
    knowledge: Literal["own", "paper"] = "own"
    """Transfer what was learned here, or the values printed in Table 1."""
    readings: bool = False
    """Also run every other reading of the paper, one change at a time."""
    beyond: bool = False
    """Also run learners beyond the paper: deeper features, several sources, values on
    sight."""

    def __post_init__(self) -> None:
        for name in ("runs", "all_runs", "matches", "source_matches"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not 0 <= self.skipped < self.matches:
            raise ValueError(
                f"skipped must be from 0 to {self.matches - 1}, got {self.skipped}"
            )
        if not 0 <= self.opponent_epsilon <= 1:
            raise ValueError(
                f"opponent_epsilon must be in [0, 1], got {self.opponent_epsilon}"
            )
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, got {self.seed}")

    @property
    def total(self) -> int:
        """Runs to play."""
        return max(self.runs, self.all_runs)

    def seat_in(self, game: str) -> str:
        """The learner's seat in a target game."""
        favoured = FAVOURED[game]
        return favoured if self.seat == "favoured" else OTHER[favoured]

    def learner(self, on_sight: bool = False) -> TDSettings:
        """The TD(λ) learner these settings describe, with the paper's parameters."""
        sees = {"lookers": None, "all": True, "none": False}[self.sees_ends]
        return TDSettings(
            initialise="candidates" if self.on_sight or on_sight else "visited",
            terminal_lookahead=sees,
            terminal_afterstate=self.keeps_end,
        )


QUICK: dict[str, Any] = {"runs": 2, "all_runs": 4, "matches": 600, "skipped": 60}
"""What `--quick` changes."""

READINGS: dict[str, dict[str, Any]] = {
    "initial values on sight": {"on_sight": True},
    "3000 source matches": {"source_matches": 3000},
    "3000 source matches, on sight": {"source_matches": 3000, "on_sight": True},
    "the values printed in Table 1": {"knowledge": "paper"},
    "Table 1, on sight": {"knowledge": "paper", "on_sight": True},
    "all learners see ends one step ahead": {"sees_ends": "all"},
    "all see ends, values on sight": {"sees_ends": "all", "on_sight": True},
    "all see ends, Table 1 on sight": {
        "sees_ends": "all",
        "on_sight": True,
        "knowledge": "paper",
    },
    "no learner sees ends one step ahead": {"sees_ends": "none"},
    "the opponent's last move is not kept": {"keeps_end": False},
    "afterstates weigh the same": {"weights": "equal"},
    "opponents explore 10 times as often": {"opponent_epsilon": 0.1},
    "the other seat": {"seat": "other"},
}
"""Other ways to read the paper, each with what it changes."""
