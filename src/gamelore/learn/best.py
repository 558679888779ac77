"""The best evaluation of a training run, and how long ago it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import fmean

from gamelore.learn.references import ITSELF, ReferenceResult

_EVEN = 0.5


@dataclass
class Best:
    """The best of some evaluations: the mean of scores against reference players.

    Where the learner plays itself, that decides: it is better than the best before if
    the lower end of the interval of its score is above one half.
    """

    score: float = -1.0
    matches: int = 0
    """Matches of training before it."""
    since: int = 0
    """Evaluations after it."""

    @classmethod
    def of(cls, evaluations: Iterable[ReferenceResult]) -> Best:
        """Return the best of evaluations, in the order they were made."""
        best = cls()
        for _, results in groupby(evaluations, key=lambda one: one.trained):
            best.add(list(results))
        return best

    def add(self, results: Sequence[ReferenceResult]) -> bool:
        """Take in one evaluation; return whether it is better than all before."""
        if not results:
            return False
        score = fmean(one.score for one in results)
        better = score > self.score
        itself = [one for one in results if one.opponent == ITSELF]
        if itself and self.score >= 0:
            better = itself[0].low > _EVEN
        if not better:
            self.since += 1
            return False
        self.score, self.matches, self.since = score, results[0].trained, 0
        return True


def best_path(checkpoint: Path) -> Path:
    """Return the file of the best checkpoint beside the last: `net-best.ckpt`."""
    return checkpoint.with_name(f"{checkpoint.stem}-best{checkpoint.suffix}")
