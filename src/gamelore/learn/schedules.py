"""Schedules: exploration and step size as functions of the matches played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gamelore.settings import SettingError, check, setting


class Schedule(Protocol):
    """Epsilon as a function of the number of matches played."""

    def __call__(self, matches: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]: ...


@dataclass(frozen=True)
class Fixed:
    """The same epsilon in all matches, or in all up to one."""

    epsilon: float = setting(0.01, least=0, most=1)
    """Share of moves that explore, at first or always."""
    until: int | None = setting(None, least=0)
    """No exploration after this match."""

    def __post_init__(self) -> None:
        check(self)

    def __call__(self, matches: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        epsilons = np.full(len(matches), self.epsilon)
        if self.until is not None:
            epsilons[matches > self.until] = 0.0
        return epsilons


@dataclass(frozen=True)
class Cosine:
    """Equation 3 of Wang, Emmerich and Plaat (2018): a·cos(mπ / 2l) + b, then 0."""

    length: int = setting(30_000, option="until", least=1)
    """No exploration after this match, l."""
    a: float = setting(0.5, option="epsilon", least=0, most=1)
    """Share of moves that explore at first, without b."""
    b: float = setting(0.0, option="epsilon-offset", least=0, most=1)
    """What is added to epsilon in all matches of a cosine schedule, b."""

    def __post_init__(self) -> None:
        check(self)
        if self.a + self.b > 1:
            raise SettingError("a", f"and b must add up to at most 1, got {self.a}")

    def __call__(self, matches: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        angle = matches * np.pi / (2 * self.length)
        return np.where(matches <= self.length, self.a * np.cos(angle) + self.b, 0.0)


@dataclass(frozen=True)
class Geometric:
    """Abalearn's: epsilon is multiplied by the same factor after every match."""

    start: float = setting(0.9, option="epsilon", least=0, most=1)
    """Share of moves that explore in the first match."""
    factor: float = setting(0.99, option="epsilon-factor", least=0, most=1)
    """What epsilon is multiplied by after each match of a geometric schedule."""

    def __post_init__(self) -> None:
        check(self)

    def __call__(self, matches: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return np.asarray(self.start * self.factor ** matches.astype(np.float64))


@dataclass(frozen=True)
class StepDecay:
    """The step size is multiplied by `factor` after every `every` matches."""

    every: int = setting(400_000, least=1)
    """Make the step size smaller after every so many matches."""
    factor: float = setting(0.3, above=0, most=1)
    """What the step size is then multiplied by."""

    def __post_init__(self) -> None:
        check(self)

    def share(self, match: int) -> float:
        """Return the share of the first step size that is left at a match."""
        return float(self.factor ** (match // self.every))

    def next_change(self, match: int) -> int:
        """Return the first match after this one with a smaller step."""
        return self.every * (match // self.every + 1)
