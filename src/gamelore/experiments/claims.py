"""What a paper says beside what was measured, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from gamelore.experiments.statistics import Floats, Interval, difference_interval

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "not decided"
NO_VERDICT = ""
"""Of what a smoke test measured."""

ClaimT = TypeVar("ClaimT", bound="Claim")


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, what was measured of it, and the verdict."""

    where: str
    """The figure, table or section, or the game."""
    statement: str
    measured: Mapping[str, Interval | str]
    """By column of the report; the first decides."""
    verdict: str
    group: str = ""
    """Set apart from the claims of the paper's own experiment, if not empty."""

    @property
    def decisive(self) -> Interval | str:
        """What the verdict goes by."""
        return next(iter(self.measured.values()))

    @property
    def interval(self) -> Interval:
        """What the verdict goes by, where that is an interval."""
        assert isinstance(self.decisive, Interval)
        return self.decisive


@dataclass(frozen=True)
class PublishedNumber(Claim):
    """A claim with a number of the paper."""

    paper: float = 0.0

    @classmethod
    def compare(
        cls,
        where: str,
        statement: str,
        paper: float,
        measured: Mapping[str, Interval],
        *,
        tolerance: float,
        at_least: bool = False,
    ) -> PublishedNumber:
        """Compare a number of the paper with the first of ours."""
        ours = next(iter(measured.values()))
        verdict = decide_number(paper, ours, tolerance, at_least)
        return cls(where, statement, measured, verdict, paper=paper)


def compare_runs(where: str, statement: str, ours: Floats, theirs: Floats) -> Claim:
    """Return the claim that ours is above theirs, run by run: float64 [n] each."""
    gap = difference_interval(ours, theirs)
    return Claim(where, statement, {"measured": gap}, decide_above(gap))


def decide_above(interval: Interval, strictly: bool = True) -> str:
    """Return what an interval says of the claim that a difference is above zero.

    If not strictly, the claim is that it is not below zero: no difference agrees with
    that without showing it.
    """
    if interval.low > 0:
        return HOLDS
    if interval.high < 0:
        return f"{FAILS}: the opposite does"
    return UNDECIDED if strictly else "not contradicted"


def decide_number(
    paper: float, ours: Interval, tolerance: float, at_least: bool = False
) -> str:
    """Return what our interval says of a published number.

    It agrees if it is near enough. Farther away, an interval that includes the number
    decides nothing.
    """
    gap = ours.mean - paper
    if abs(gap) <= tolerance:
        return "agrees"
    if at_least and gap > 0:
        return f"agrees: ours is {gap:.1f} higher"
    if ours.low <= paper <= ours.high:
        return UNDECIDED
    return f"ours is {abs(gap):.1f} {'higher' if gap > 0 else 'lower'}"
