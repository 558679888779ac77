"""Fewer gates for the same outputs, by aigverse's logic optimisation.

All calls to aigverse are here. Every result is compared with the graph it came from on
random inputs; one that differs is thrown away.

How far minimising goes is counted in *visits*: a pass over a graph visits each of its
gates once. The same graph with the same effort therefore gives the same result on any
machine under any load. Seconds only protect: a result that they cut short is marked.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import aigverse.algorithms as algorithms
import numpy as np
from aigverse.networks import Aig, AigIndexList

from gamelore.circuit.graph import Graph, prune

Effort: TypeAlias = Literal["least", "quick", "normal", "high"]

VISITS: dict[Effort, int] = {
    "least": 0,
    "quick": 150_000,
    "normal": 500_000,
    "high": 50_000_000,
}
"""How many gates passes may visit, by effort, in ascending order; a visit takes about
20 µs."""

_WORTH_IT: dict[Effort, float] = {
    "least": 1.0,
    "quick": 0.02,
    "normal": 0.005,
    "high": 0.0005,
}
"""A pass that saves less than this share of the gates is not repeated on its result."""

SECONDS: dict[Effort, float] = {
    "least": 60.0,
    "quick": 60.0,
    "normal": 120.0,
    "high": 3600.0,
}
"""When minimising is cut short, whatever was reached."""

_CHECKED = 2048  # random assignments per comparison
_SECONDS_PER_VISIT = 4e-5  # what is expected before any pass was timed


@dataclass(frozen=True)
class Minimised:
    """An equivalent graph, and what it took."""

    graph: Graph
    visits: int
    """Gates visited by all passes."""
    cut_short: bool
    """Whether time ended it before the effort was spent."""


def minimise(
    graph: Graph,
    effort: Effort = "normal",
    seconds: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    *,
    visits: int | None = None,
) -> Minimised:
    """Return an equivalent graph with no more gates.

    `visits`: how many gates passes may visit, if not as many as the effort says.

    Most is saved by refactoring, so that comes first. The clock is read between passes,
    which cannot be ended: none is begun that would probably last beyond `seconds`.
    """
    limit = SECONDS[effort] if seconds is None else seconds
    work = _Work(graph, effort, limit, clock)
    if visits is not None:
        work.most_visits = visits
    work.repeat()
    if work.apply(_rewrite):
        work.repeat()
    return Minimised(work.graph, work.visits, work.cut_short)


class _Work:
    """A graph that passes make smaller, within limits."""

    def __init__(
        self, graph: Graph, effort: Effort, seconds: float, clock: Callable[[], float]
    ) -> None:
        self.graph = graph
        self.visits = 0
        self.cut_short = False
        self.most_visits = VISITS[effort]
        self._worth_it = 1 - _WORTH_IT[effort]
        self._seconds = seconds
        self._clock = clock
        self._started = clock()
        self._tried: set[Callable[[Aig], Aig]] = set()
        """Passes that save little on the graph as it is now."""

    def repeat(self) -> None:
        """Refactor and resubstitute until neither saves much."""
        while self.apply(_refactor) | self.apply(_resubstitute):
            pass

    def apply(self, method: Callable[[Aig], Aig]) -> bool:
        """Make one pass if it is within the limits; return whether it saved much."""
        graph = self.graph
        if method in self._tried or self.cut_short:
            return False
        if self.visits + graph.gates > self.most_visits:
            return False
        elapsed = self._clock() - self._started
        rate = elapsed / self.visits if self.visits else _SECONDS_PER_VISIT
        if elapsed + graph.gates * rate > self._seconds:
            self.cut_short = True
            return False
        self.visits += graph.gates
        smaller = prune(_from_aig(method(_to_aig(graph)), graph))
        if smaller.gates < graph.gates and equivalent(graph, smaller):
            self.graph = smaller
        if self.graph.gates < graph.gates * self._worth_it:
            self._tried.clear()
            return True
        self._tried.add(method)
        return False


def _resubstitute(aig: Aig) -> Aig:
    algorithms.aig_resubstitution(aig, max_pis=8, max_inserts=2, inplace=True)
    return aig


def _refactor(aig: Aig) -> Aig:
    algorithms.sop_refactoring(aig, max_pis=8, inplace=True)
    return aig


def _rewrite(aig: Aig) -> Aig:
    return algorithms.aig_cut_rewriting(aig)


def equivalent(one: Graph, other: Graph, seed: int = 0) -> bool:
    """Return whether two graphs give the same outputs on random inputs."""
    generator = random.Random(seed)
    mask = (1 << _CHECKED) - 1
    inputs = [generator.getrandbits(_CHECKED) for _ in range(one.inputs)]
    sparse = [
        value & generator.getrandbits(_CHECKED) & generator.getrandbits(_CHECKED)
        for value in inputs
    ]
    return all(
        one.evaluate(values, mask) == other.evaluate(values, mask)
        for values in (inputs, sparse)
    )


def _to_aig(graph: Graph) -> Aig:
    pairs = np.sort(np.stack([graph.left, graph.right], axis=1), axis=1)
    header = [graph.inputs, len(graph.outputs), graph.gates]
    values = [*header, *pairs.ravel().tolist(), *graph.outputs.tolist()]
    return AigIndexList(values).to_aig()


def _from_aig(aig: Aig, like: Graph) -> Graph:
    values = np.array(algorithms.cleanup_dangling(aig).to_index_list().raw(), np.int32)
    gates = int(values[2])
    pairs = values[3 : 3 + 2 * gates].reshape(gates, 2)
    left, right = pairs[:, 0].copy(), pairs[:, 1].copy()
    return Graph(like.inputs, left, right, values[3 + 2 * gates :].copy())
