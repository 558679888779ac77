"""How often a learner explores, and how far it steps, match by match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt


class Schedule(Protocol):
    """Epsilon as a function of the number of matches played."""

    def __call__(self, matches: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]: ...


@dataclass(frozen=True)
class Fixed:
    """The same epsilon always, or until a match after which there is no exploration."""

    epsilon: float = 0.01
    until: int | None = None

    def __post_init__(self) -> None:
        _check("epsilon", self.epsilon)

    def __call__(self, matches: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        epsilons = np.full(len(matches), self.epsilon)
        if self.until is not None:
            epsilons[matches > self.until] = 0.0
        return epsilons


@dataclass(frozen=True)
class Cosine:
    """Equation 3 of Wang, Emmerich and Plaat (2018): a·cos(mπ / 2l) + b, then 0."""

    length: int = 30_000
    """l: no exploration after this match."""
    a: float = 0.5
    b: float = 0.0

    def __post_init__(self) -> None:
        if self.length < 1:
            raise ValueError(f"length must be positive, got {self.length}")
        _check("a", self.a)
        _check("b", self.b)
        _check("a + b", self.a + self.b)

    def __call__(self, matches: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        angle = matches * np.pi / (2 * self.length)
        return np.where(matches <= self.length, self.a * np.cos(angle) + self.b, 0.0)


@dataclass(frozen=True)
class Geometric:
    """Abalearn's: epsilon shrinks by the same factor after every match."""

    start: float = 0.9
    factor: float = 0.99

    def __post_init__(self) -> None:
        _check("start", self.start)
        _check("factor", self.factor)

    def __call__(self, matches: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return np.asarray(self.start * self.factor ** matches.astype(np.float64))


@dataclass(frozen=True)
class StepDecay:
    """The step size is multiplied by `factor` after every `every` matches."""

    every: int = 400_000
    factor: float = 0.3

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"every must be positive, got {self.every}")
        if not 0 < self.factor <= 1:
            raise ValueError(f"factor must be in (0, 1], got {self.factor}")

    def share(self, match: int) -> float:
        """The share of the first step size that is left at a match."""
        return float(self.factor ** (match // self.every))

    def next_change(self, match: int) -> int:
        """The first match after this one with a smaller step."""
        return self.every * (match // self.every + 1)


def _check(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be in [0, 1], got {value}")
