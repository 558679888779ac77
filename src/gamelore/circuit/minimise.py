"""Fewer gates for the same outputs, by aigverse's logic optimisation.

All calls to aigverse are here. Every result is compared with the graph it came from on
random inputs; one that differs is thrown away.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import aigverse.algorithms as algorithms
import numpy as np
from aigverse.networks import Aig, AigIndexList

from gamelore.circuit.graph import Graph, prune

_CHECKED = 2048  # random assignments per comparison
_WORTH_IT = 0.005  # a round that saves less than this share of the gates is the last
_SECONDS_PER_GATE = 4e-5  # what a pass takes on a slow machine


def minimise(graph: Graph, seconds: float = 20.0) -> Graph:
    """An equivalent graph with fewer gates, in about `seconds` at the most.

    A pass cannot be ended, so none is begun that would take longer than what is left.
    """
    deadline = time.monotonic() + seconds
    best = _repeat(graph, deadline)
    rewritten = _reduce(best, _rewrite, deadline)
    return best if rewritten is best else _repeat(rewritten, deadline)


def _repeat(graph: Graph, deadline: float) -> Graph:
    """Resubstitute and refactor until a round saves little."""
    while True:
        before = graph.gates
        graph = _reduce(graph, _resubstitute, deadline)
        graph = _reduce(graph, _refactor, deadline)
        if graph.gates >= before * (1 - _WORTH_IT):
            return graph


def _reduce(graph: Graph, method: Callable[[Aig], Aig], deadline: float) -> Graph:
    """The graph after one pass, if there is time for it and it made it smaller."""
    if time.monotonic() + graph.gates * _SECONDS_PER_GATE > deadline:
        return graph
    smaller = prune(_from_aig(method(_to_aig(graph)), graph))
    return (
        smaller if smaller.gates < graph.gates and equivalent(graph, smaller) else graph
    )


def _resubstitute(aig: Aig) -> Aig:
    algorithms.aig_resubstitution(aig, max_pis=8, max_inserts=2, inplace=True)
    return aig


def _refactor(aig: Aig) -> Aig:
    algorithms.sop_refactoring(aig, max_pis=8, inplace=True)
    return aig


def _rewrite(aig: Aig) -> Aig:
    return algorithms.aig_cut_rewriting(aig)


def equivalent(one: Graph, other: Graph, seed: int = 0) -> bool:
    """Whether two graphs give the same outputs on random inputs."""
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
