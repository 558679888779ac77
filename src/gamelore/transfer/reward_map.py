"""Which rewards of one game stand for which rewards of another.

Features name outcomes, and outcomes stand for rewards. Where two games have the same
rewards there is nothing to say; elsewhere a reward map says, for each reward of the
target, the source's reward that means the same:

    -10=0,0=0,20=100        our -10 and 0 are what 0 was there, our 20 what 100 was
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from gamelore.errors import KnowledgeError

_PAIR = re.compile(r"\s*(-?[0-9]{1,9})\s*=\s*(-?[0-9]{1,9})\s*")


@dataclass(frozen=True)
class RewardMap:
    """Pairs of a target's reward and the source's that it stands for."""

    pairs: tuple[tuple[int, int], ...]
    """Ascending by target; each target once."""

    def __post_init__(self) -> None:
        if not self.pairs:
            raise KnowledgeError("a reward map needs at least one pair")
        ordered = tuple(sorted(self.pairs))
        targets = [target for target, _ in ordered]
        for target, following in pairwise(targets):
            if target == following:
                raise KnowledgeError(f"a reward map has two pairs for {target}")
        object.__setattr__(self, "pairs", ordered)

    @classmethod
    def parse(cls, text: str) -> RewardMap:
        """Read `-10=0,20=100`."""
        pairs = []
        for part in text.split(","):
            pair = _PAIR.fullmatch(part)
            if pair is None:
                raise KnowledgeError(
                    f"a reward map is written TARGET=SOURCE,…, not {part.strip()!r}"
                )
            pairs.append((int(pair[1]), int(pair[2])))
        return cls(tuple(pairs))

    @classmethod
    def by_rank(cls, targets: Iterable[int], sources: Iterable[int]) -> RewardMap:
        """Highest stands for highest, lowest for lowest, and between for between.

        The rewards between are spread evenly over the source's; where the source has
        none between, they stand for nothing.
        """
        targets, sources = sorted(set(targets)), sorted(set(sources))
        if not targets or not sources:
            raise KnowledgeError("a game without rewards has nothing to map")
        if len(targets) == 1 or len(sources) == 1:
            return cls(((targets[0], sources[0]),))
        pairs = [(targets[0], sources[0]), (targets[-1], sources[-1])]
        inner, theirs = targets[1:-1], sources[1:-1]
        if theirs:
            pairs += [
                (target, theirs[(2 * rank + 1) * len(theirs) // (2 * len(inner))])
                for rank, target in enumerate(inner)
            ]
        return cls(tuple(pairs))

    def __str__(self) -> str:
        return ",".join(f"{target}={source}" for target, source in self.pairs)

    def describe(self) -> str:
        """The map for people: what each of our rewards was there."""
        return ", ".join(f"{target} as {source}" for target, source in self.pairs)

    def outcomes(
        self, targets: Iterable[int], sources: Mapping[int, str]
    ) -> dict[int, str]:
        """A name for each of the target's goals: the one its equivalent had.

        Goals that stand for nothing get names that no feature has.
        """
        equivalent = dict(self.pairs)
        names = {}
        for target in targets:
            if target not in equivalent:
                names[target] = f"?{target}"
                continue
            source = equivalent[target]
            if source not in sources:
                known = ", ".join(map(str, sorted(sources)))
                raise KnowledgeError(
                    f"the reward map has {target}={source}, but the rewards learned"
                    f" from are {known}"
                )
            names[target] = sources[source]
        return names

    def scale(self, value: float) -> float:
        """A value learned there, on our scale.

        Values are expected rewards, so only a straight line maps them: the one through
        the lowest and the highest pair.
        """
        lowest = min(source for _, source in self.pairs)
        highest = max(source for _, source in self.pairs)
        low = fmean(target for target, source in self.pairs if source == lowest)
        if lowest == highest:
            return value - lowest + low
        high = fmean(target for target, source in self.pairs if source == highest)
        return low + (value - lowest) * (high - low) / (highest - lowest)
