"""Settings of the experiment; every choice the paper leaves open is one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from gamelore.learn.settings import TDSettings
from gamelore.settings import SettingError, check, setting

PAPER_RUNS = 10

FAVOURED = {"connect-3": "first", "othello-4x4": "second", "capture-go": "first"}
"""The target games, each with the role that can win."""

OTHER = {"first": "second", "second": "first"}


@dataclass(frozen=True)
class Banerjee2007Settings:
    """Banerjee and Stone (2007), Section 4."""

    runs: int = setting(PAPER_RUNS, least=1, most=1_000_000)
    """Runs as many as the paper has; reported beside all runs."""
    all_runs: int = setting(100, least=1, most=1_000_000)
    """Runs in all, --runs included; the more, the shorter the intervals."""
    variants: bool = False
    """Also run every other choice that the paper leaves open, one change at a time."""
    extensions: bool = False
    """Also run learners beyond the paper: deeper patterns, several source games,
    initial values for all candidates."""
    matches: int = setting(3000, least=1, most=10_000_000)
    """Matches of a run in a target game."""
    skipped: int = setting(300, least=0)
    """Matches at the start of a run that curves and averages leave out."""
    source_matches: int = setting(30, least=1, most=10_000_000)
    """Matches of tic-tac-toe before its tree patterns are evaluated."""
    seed: int = setting(0, least=0)
    """Where random numbers start; the same seed repeats the same experiment."""
    role: Literal["favoured", "other"] = "favoured"
    """The learner's role in target games: the one that can win, or the other."""
    opponent_epsilon: float = setting(0.01, least=0, most=1)
    """How often novice and weak opponents move at random."""
    initialise: Literal["visited", "candidates"] = "visited"
    """Which afterstates get an initial value: those visited, or all candidates that a
    move was chosen from."""
    terminal_lookahead: Literal["default", "all", "none"] = "default"
    """Who knows a terminal afterstate one step ahead, before its first visit: by
    default the learners whose initial values come from patterns or a search; all, or
    none."""
    terminal_afterstate: bool = True
    """Count the terminal position as an afterstate though the opponent moved there."""
    weights: Literal["visits", "equal"] = "visits"
    """How afterstates are weighted in the value of a tree pattern."""
    knowledge: Literal["own", "paper"] = "own"
    """Transfer what was learned here, or the values printed in Table 1."""

    def __post_init__(self) -> None:
        check(self)
        if self.skipped >= self.matches:
            requirement = f"must be below {self.matches:,}, got {self.skipped}"
            raise SettingError("skipped", requirement)

    @property
    def total(self) -> int:
        """Runs to play."""
        return max(self.runs, self.all_runs)

    def choose_role(self, game: str) -> str:
        """Return the learner's role in a target game."""
        favoured = FAVOURED[game]
        return favoured if self.role == "favoured" else OTHER[favoured]

    def make_learner(self, candidates: bool = False) -> TDSettings:
        """Return the TD(λ) learner of these settings, with the paper's parameters."""
        lookahead = {"default": None, "all": True, "none": False}
        return TDSettings(
            initialise="candidates" if candidates else self.initialise,
            terminal_lookahead=lookahead[self.terminal_lookahead],
            terminal_afterstate=self.terminal_afterstate,
        )


QUICK: dict[str, Any] = {"runs": 2, "all_runs": 4, "matches": 600, "skipped": 60}
"""What `--quick` changes."""

VARIANTS: dict[str, dict[str, Any]] = {
    "candidates initialised": {"initialise": "candidates"},
    "3000 source matches": {"source_matches": 3000},
    "3000 source matches, candidates": {
        "source_matches": 3000,
        "initialise": "candidates",
    },
    "the values printed in Table 1": {"knowledge": "paper"},
    "Table 1, candidates": {"knowledge": "paper", "initialise": "candidates"},
    "all have terminal lookahead": {"terminal_lookahead": "all"},
    "all, candidates": {"terminal_lookahead": "all", "initialise": "candidates"},
    "all, candidates, Table 1": {
        "terminal_lookahead": "all",
        "initialise": "candidates",
        "knowledge": "paper",
    },
    "none has terminal lookahead": {"terminal_lookahead": "none"},
    "no terminal afterstate": {"terminal_afterstate": False},
    "equal weights": {"weights": "equal"},
    "opponents explore 10 times as often": {"opponent_epsilon": 0.1},
    "the other role": {"role": "other"},
}
"""Other choices where the paper leaves one open, each with what it changes."""
