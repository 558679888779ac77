"""The policies of training opponents, as parameters of kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.circuit import empty_program
from gamelore.graph import StateGraph
from gamelore.graph.state_graph import empty_nodes
from gamelore.kernels import pointer
from gamelore.search import _nested_kernels, _policy_kernels
from gamelore.search._policy_kernels import FAILED, Playouts
from gamelore.search._policy_kernels import PolicyParameters as PolicyParameters
from gamelore.settings import check, setting

KINDS = {
    "random": _policy_kernels.RANDOM,
    "novice": _policy_kernels.NOVICE,
    "weak": _policy_kernels.WEAK,
    "minimax": _policy_kernels.MINIMAX,
    "monte-carlo": _policy_kernels.MONTE_CARLO,
}

_SEARCHES = {
    "flat": _policy_kernels.search_by_playouts,
    "nested": _nested_kernels.search_nested,
    "elsewhere": _policy_kernels.recall_decision,
}

SearchKind: TypeAlias = Literal["flat", "nested", "elsewhere"]
"""How a kernel searches: by random playouts, by nested playouts, or not at all, since
Python decides."""


@dataclass(frozen=True)
class PlayerSettings:
    """A training opponent."""

    name: str = setting("random", words=tuple(KINDS), names_choice=True)
    """random · novice · weak · minimax · monte-carlo"""
    epsilon: float = setting(0.01, least=0, most=1)
    """Share of the opponent's moves that are random."""
    depth: int = setting(2, least=1, most=60)
    """How many moves ahead minimax searches."""
    playouts: int = setting(100, least=1, most=1_000_000)
    """Playouts of Monte Carlo per move."""

    def __post_init__(self) -> None:
        check(self)


def policy_parameters(
    graph: StateGraph, settings: PlayerSettings, search: SearchKind | None = None
) -> PolicyParameters:
    """Return the parameters with which kernels play a policy on a game.

    `search`: how playouts are done; by default, a Monte Carlo player does flat ones,
    and others none.
    """
    goals = graph.simulator.goal_values
    roles, names = len(goals), graph.simulator.roles
    nodes = len(graph.nodes.rows) if settings.name == "minimax" else 0
    fluents = np.arange(1, 1 + len(graph.program.next), dtype=np.int32)
    default: SearchKind = "flat" if settings.name == "monte-carlo" else "elsewhere"
    return PolicyParameters(
        kind=KINDS[settings.name],
        epsilon=settings.epsilon,
        depth=settings.depth,
        best=np.array([max(values, default=100) for values in goals], np.int16),
        worst=np.array([min(values, default=0) for values in goals], np.int16),
        searched=np.zeros((roles, nodes), np.float32),
        searched_depth=np.zeros((roles, nodes), np.int8),
        searched_bound=np.zeros((roles, nodes), np.int8),
        playouts=Playouts(
            per_move=settings.playouts,
            reset=np.concatenate([fluents, graph.program.carried]).astype(np.int32),
            chance=names.index("random") if "random" in names else -1,
            decided=np.zeros(0, np.int64),
        ),
        search=_searcher(search or default),
    )


@cache
def _searcher(search: SearchKind) -> Any:
    """Return the pointer through which kernels search; compiled when first used."""
    playouts = Playouts(0, np.zeros(1, np.int32), -1, np.zeros(0, np.int64))
    program, nodes, stream = empty_program(), empty_nodes(), np.zeros(4, np.uint64)
    return pointer(_SEARCHES[search], 0, program, nodes, playouts, stream, 0)


def decide(
    policy: PolicyParameters, graph: StateGraph, node: int, edge: int
) -> PolicyParameters:
    """Record what Python chose at a node, for kernels that do not search."""
    decided = policy.playouts.decided
    if node >= len(decided):
        longer = np.full(len(graph.nodes.rows), FAILED, np.int64)
        longer[: len(decided)] = decided
        decided = longer
    decided[node] = edge
    return policy._replace(playouts=policy.playouts._replace(decided=decided))


def fit(policy: PolicyParameters, graph: StateGraph) -> PolicyParameters:
    """Return parameters for a state graph that has grown; its table is kept."""
    nodes = len(graph.nodes.rows)
    if policy.kind != _policy_kernels.MINIMAX or policy.searched.shape[1] == nodes:
        return policy
    return policy._replace(
        searched=_add_columns(policy.searched, nodes),
        searched_depth=_add_columns(policy.searched_depth, nodes),
        searched_bound=_add_columns(policy.searched_bound, nodes),
    )


def _add_columns(
    array: npt.NDArray[np.generic], columns: int
) -> npt.NDArray[np.generic]:
    longer = np.zeros((len(array), columns), array.dtype)
    longer[:, : array.shape[1]] = array
    return longer
