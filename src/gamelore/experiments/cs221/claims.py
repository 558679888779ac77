"""What the lecture compares in words, compared by matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gamelore.experiments.claims import Claim, compare_runs
from gamelore.experiments.cs221.run import CS221CaseResult
from gamelore.experiments.cs221.settings import TITLES


def compare_learners(results: Sequence[CS221CaseResult]) -> Iterator[Claim]:
    """Yield the network beside the linear function, and TD beside Q, in each game.

    By the score against Monte Carlo at the end.
    """
    ends = {
        (result.case.game, result.case.method, result.case.model): result
        for result in results
    }
    for (game, method, model), result in ends.items():
        pairs = {
            f"the network is above the linear function, by {method.upper()}": (
                ends.get((game, method, "linear")) if model == "network" else None
            ),
            f"TD is above Q, {model}": (
                ends.get((game, "q", model)) if method == "td" else None
            ),
        }
        for statement, other in pairs.items():
            if other:
                ours, theirs = result.against_playouts, other.against_playouts
                yield compare_runs(TITLES[game], statement, ours, theirs)
