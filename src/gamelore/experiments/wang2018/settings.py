"""What Wang, Emmerich and Plaat (2018) ran: every training run, by figure."""

from __future__ import annotations

from dataclasses import dataclass

from gamelore.learn.schedules import Cosine, Fixed, Schedule
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.settings import check, setting

FIGURES = range(1, 8)

LENGTHS = (5_000, 10_000, 20_000, 30_000, 40_000, 50_000)
"""l in Figures 6 and 7: the match at which exploration ends."""

EPSILON_LENGTH = 30_000
"""l in Figures 2 and 3."""

BOARD_LENGTH = 50_000
"""l in Figure 5."""

WINDOWS = 20
"""Windows up to match l; half as many follow it. A window is what is averaged over."""

GAMES = {"hex-3x3": 50_000, "connect-four-4x4": 80_000}
"""The games of Figure 4, each with its l."""

BOARDS = ("tictactoe", "tictactoe-4x4", "tictactoe-5x5")
"""The games of Figure 5."""


@dataclass(frozen=True)
class Wang2018Settings:
    """How to rerun the experiment; the defaults are the paper's."""

    runs: int = setting(5, least=2, most=10_000)
    """Independent runs of every learner; the paper has 5."""
    scale: float = setting(1.0, above=0, most=100)
    """All numbers of matches as a multiple of the paper's."""
    figure: int | None = setting(None, least=FIGURES[0], most=FIGURES[-1])
    """Only this figure, 1 to 7."""
    extensions: bool = False
    """Also what it takes to play perfectly, and what explains differences from the
    paper."""
    playouts: int = setting(10, least=1, most=1_000_000)
    """Playouts per move of QMPlayer where its table has no entry."""
    seed: int = setting(0, least=0)
    """Where random numbers start; the same seed repeats the same experiment."""

    def __post_init__(self) -> None:
        check(self)

    @property
    def figures(self) -> list[int]:
        """The figures to draw."""
        return list(FIGURES) if self.figure is None else [self.figure]


@dataclass(frozen=True)
class WangCase:
    """A learner that meets the random player, moving first in every other match."""

    name: str
    game: str
    length: int
    """l, after which there is no exploration; matches go on to 1.5 l."""
    learner: TDSettings | QSettings
    schedule: Schedule

    @property
    def window(self) -> int:
        """Matches in a window."""
        return self.length // WINDOWS

    @property
    def matches(self) -> int:
        """Matches of a training run."""
        return self.window * (WINDOWS + WINDOWS // 2)


class WangCases:
    """The cases, by what figures call their learners."""

    def __init__(self, settings: Wang2018Settings) -> None:
        self.settings = settings

    def scale_length(self, length: int) -> int:
        """Return a length at the scale of the settings, in whole windows."""
        return max(1, round(length * self.settings.scale / WINDOWS)) * WINDOWS

    def q_player(self, length: int, game: str = "tictactoe") -> WangCase:
        """Return QPlayer with dynamic ε."""
        end = self.scale_length(length)
        return WangCase(f"q {game} {length}", game, end, QSettings(), Cosine(end))

    def qm_player(self, length: int) -> WangCase:
        """Return QMPlayer with dynamic ε."""
        end = self.scale_length(length)
        learner = QSettings(playouts=self.settings.playouts)
        return WangCase(
            f"qm tictactoe {length}", "tictactoe", end, learner, Cosine(end)
        )

    def fixed(self, epsilon: float) -> WangCase:
        """Return QPlayer with the same ε until match l."""
        end = self.scale_length(EPSILON_LENGTH)
        name = f"q fixed {epsilon}"
        return WangCase(name, "tictactoe", end, QSettings(), Fixed(epsilon, until=end))

    def td_player(self, default: float | None = None) -> WangCase:
        """Return the baseline of Banerjee and Stone; `default` is its initial value."""
        end = self.scale_length(EPSILON_LENGTH)
        name = "td" if default is None else f"td from {default:g}"
        learner = TDSettings(default_value=default)
        return WangCase(name, "tictactoe", end, learner, Fixed(0.01))

    def list_figure(self, figure: int) -> list[WangCase]:
        """Return what a figure shows."""
        dynamic = self.q_player(EPSILON_LENGTH)
        if figure == 2:
            return [dynamic, self.fixed(0.1), self.fixed(0.2)]
        if figure == 3:
            return [dynamic, self.td_player(), self.td_player(0.0)]
        if figure == 4:
            return [self.q_player(length, game) for game, length in GAMES.items()]
        if figure == 5:
            return [self.q_player(BOARD_LENGTH, board) for board in BOARDS]
        if figure in (6, 7):
            players = (self.q_player, self.qm_player)
            return [player(length) for length in LENGTHS for player in players]
        return []

    def list_all(self) -> list[WangCase]:
        """Return all that the settings ask for, each once, the longest first."""
        figures = self.settings.figures
        cases = dict.fromkeys(case for f in figures for case in self.list_figure(f))
        return sorted(cases, key=lambda case: -case.matches)
