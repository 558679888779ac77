"""What Wang, Emmerich and Plaat (2018) ran: every course of learning, by figure."""

from __future__ import annotations

from dataclasses import dataclass

from gamelore.learn.schedules import Cosine, Fixed, Schedule
from gamelore.learn.settings import QSettings, TDSettings

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

    figure: int | None = None
    """Only this figure, 1 to 7."""
    rounds: int = 5
    """Independent repetitions of every course of learning."""
    scale: float = 1.0
    """All numbers of matches as a multiple of the paper's."""
    playouts: int = 10
    """Playouts per move of the QM player where its table knows nothing."""
    seed: int = 0
    """All that is drawn at random follows from it."""
    beyond: bool = False
    """Also what it takes to play perfectly, and what explains the differences."""

    def __post_init__(self) -> None:
        if self.figure is not None and self.figure not in FIGURES:
            raise ValueError(f"figure must be from 1 to 7, got {self.figure}")
        if self.rounds < 2:
            raise ValueError(f"rounds must be at least 2, got {self.rounds}")
        if not 0 < self.scale <= 100:
            raise ValueError(f"scale must be in (0, 100], got {self.scale}")
        if self.playouts < 1:
            raise ValueError(f"playouts must be at least 1, got {self.playouts}")


@dataclass(frozen=True)
class Case:
    """One course of learning against the random player, from both seats in turn."""

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
        return self.window * (WINDOWS + WINDOWS // 2)


class Cases:
    """The courses of learning, by what they are called in the figures."""

    def __init__(self, settings: Wang2018Settings) -> None:
        self.settings = settings

    def scaled(self, length: int) -> int:
        """A length at the scale asked for, in whole windows."""
        return max(1, round(length * self.settings.scale / WINDOWS)) * WINDOWS

    def q_player(self, length: int, game: str = "tictactoe") -> Case:
        """QPlayer with dynamic ε."""
        end = self.scaled(length)
        return Case(f"q {game} {length}", game, end, QSettings(), Cosine(end))

    def qm_player(self, length: int) -> Case:
        """QMPlayer with dynamic ε."""
        end = self.scaled(length)
        learner = QSettings(playouts=self.settings.playouts)
        return Case(f"qm tictactoe {length}", "tictactoe", end, learner, Cosine(end))

    def fixed(self, epsilon: float) -> Case:
        """QPlayer with the same ε until match l."""
        end = self.scaled(EPSILON_LENGTH)
        name = f"q fixed {epsilon}"
        return Case(name, "tictactoe", end, QSettings(), Fixed(epsilon, until=end))

    def td_player(self, default: float | None = None) -> Case:
        """The baseline of Banerjee and Stone; `default`: what its table begins with."""
        end = self.scaled(EPSILON_LENGTH)
        name = "td" if default is None else f"td from {default:g}"
        learner = TDSettings(default_value=default)
        return Case(name, "tictactoe", end, learner, Fixed(0.01))

    def of_figure(self, figure: int) -> list[Case]:
        """What a figure shows."""
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

    def wanted(self) -> list[Case]:
        """All that the settings ask for, each once, the longest first."""
        figure = self.settings.figure
        figures = FIGURES if figure is None else [figure]
        cases = dict.fromkeys(case for f in figures for case in self.of_figure(f))
        return sorted(cases, key=lambda case: -case.matches)
