"""Strongly connected components and paths in graphs."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def components(graph: Mapping[N, Iterable[N]]) -> dict[N, int]:
    """Return the number of each node's strongly connected component.

    Tarjan's algorithm with a stack of its own, since rules may depend on each other in
    long chains.
    """
    order: dict[N, int] = {}
    low: dict[N, int] = {}
    found: dict[N, int] = {}
    path: list[N] = []
    count = 0
    for root in graph:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        path.append(root)
        work = [(root, iter(graph[root]))]
        while work:
            node, rest = work[-1]
            for callee in rest:
                if callee not in order:
                    order[callee] = low[callee] = len(order)
                    path.append(callee)
                    work.append((callee, iter(graph.get(callee, ()))))
                    break
                if callee not in found:
                    low[node] = min(low[node], order[callee])
            else:
                work.pop()
                if work:
                    caller = work[-1][0]
                    low[caller] = min(low[caller], low[node])
                if low[node] == order[node]:
                    while node not in found:
                        found[path.pop()] = count
                    count += 1
    return found


def reachable(graph: Mapping[N, Iterable[N]], start: N) -> dict[N, N]:
    """Return what can be reached from a node, and from where it was first."""
    origin = {start: start}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for callee in graph.get(node, ()):
            if callee not in origin:
                origin[callee] = node
                waiting.append(callee)
    return origin


def path(origin: Mapping[N, N], stop: N) -> list[N]:
    """Return the way from where `origin` was searched to a node, both included."""
    way = [stop]
    while origin[way[-1]] != way[-1]:
        way.append(origin[way[-1]])
    return way[::-1]
