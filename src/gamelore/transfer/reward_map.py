"""Which rewards of a target game correspond to which rewards of a source game.

Tree patterns name outcomes, and outcomes stand for rewards. Where two games have the
same rewards nothing needs to be said. Elsewhere a reward map gives, for each reward of
the target, the reward of the source that corresponds to it:

    -10=0,0=0,20=100        -10 and 0 in the target are 0 in the source, 20 is 100
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
    """Pairs of a reward of the target and the corresponding one of the source."""

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
        """Map highest to highest, lowest to lowest, and those between by their order.

        The rewards between are spread evenly over the source's; where the source has
        none between, they are left out.
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
        """Return the map in words, such as `20 as 100`."""
        return ", ".join(f"{target} as {source}" for target, source in self.pairs)

    def outcomes(
        self, targets: Iterable[int], sources: Mapping[int, str]
    ) -> dict[int, str]:
        """Return a name for each of the target's goals: that of the corresponding one.

        Goals that correspond to nothing get names that no pattern has.
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
        """Return a value of the source on the target's scale.

        Values are expected rewards, so the map is linear: it goes through the lowest
        and the highest pair.
        """
        lowest = min(source for _, source in self.pairs)
        highest = max(source for _, source in self.pairs)
        low = fmean(target for target, source in self.pairs if source == lowest)
        if lowest == highest:
            return value - lowest + low
        high = fmean(target for target, source in self.pairs if source == highest)
        return low + (value - lowest) * (high - low) / (highest - lowest)
