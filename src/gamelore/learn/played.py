"""Matches that were played in one place, to be learned from in another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class PlayedMatches:
    """Matches as they are sent: the numbers of the moves that were made."""

    first: int
    """The number of the first match in the training run."""
    choices: npt.NDArray[np.uint16]
    """uint16 [M]: at each position, the place of the move among the moves there; with
    the highest bit set where it was made at random"""
    starts: npt.NDArray[np.int64]
    """int64 [n + 1]: where each match begins, and where the last one ends"""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def end(self) -> int:
        """The number of the match after the last one."""
        return self.first + len(self)

    def after(self, match: int) -> PlayedMatches:
        """Return the matches from a number on."""
        starts = self.starts[match - self.first :]
        return PlayedMatches(match, self.choices[starts[0] :], starts - starts[0])

    @classmethod
    def none(cls, first: int) -> PlayedMatches:
        """Return no matches, before a number."""
        return cls(first, np.zeros(0, np.uint16), np.zeros(1, np.int64))

    @classmethod
    def join(cls, parts: Sequence[PlayedMatches]) -> PlayedMatches:
        """Return parts that follow one another as one."""
        offsets = np.cumsum([0, *(one.starts[-1] for one in parts)])
        starts = [
            one.starts[:-1] + offset
            for one, offset in zip(parts, offsets[:-1], strict=True)
        ]
        return cls(
            parts[0].first,
            np.concatenate([one.choices for one in parts]),
            np.concatenate([*starts, offsets[-1:]]).astype(np.int64),
        )
