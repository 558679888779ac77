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
_PASSES: tuple[Callable[[Aig], Aig], ...] = (
    lambda aig: algorithms.aig_resubstitution(aig, max_pis=8, max_inserts=2),
    lambda aig: algorithms.sop_refactoring(aig, max_pis=8),
    lambda aig: algorithms.aig_cut_rewriting(aig),
)


def minimise(graph: Graph, seconds: float = 20.0) -> Graph:
    """An equivalent graph with fewer gates; no new pass is begun after `seconds`."""
    deadline = time.monotonic() + seconds
    best = graph
    while best.gates:
        before = best.gates
        for reduce in _PASSES:
            started = time.monotonic()
            if started > deadline:
                return best
            candidate = prune(_from_aig(reduce(_to_aig(best)), best))
            if candidate.gates < best.gates and equivalent(best, candidate):
                best = candidate
            if time.monotonic() + (time.monotonic() - started) > deadline:
                return best
        if best.gates > before * (1 - _WORTH_IT):
            break
    return best


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
