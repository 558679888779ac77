"""Telling the nodes of a graph apart by structure alone.

Colours are 64-bit hashes. A round of *refinement* gives every node a colour made of its
own and those of its neighbours; nodes that no round tells apart share a *cell*. Where
*targets* share a cell, one of them after the other is singled out, and the refinement
that follows tells more apart, until every target has a colour of its own. If the nodes
of the cell are images of one another under symmetries of the graph, it does not matter
which is singled out; if not, the choice that gives the least certificate is taken. So
isomorphic graphs end with the same colours, in whatever order their nodes are given.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Colours: TypeAlias = npt.NDArray[np.uint64]
"""uint64 [nodes]"""

_DEEPEST = 200  # nodes singled out one after the other
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


class ExhaustedError(Exception):
    """More work than a budget allows; never leaves the package."""


class Budget:
    """Work that may be done: an edge looked at is one unit."""

    def __init__(self, units: int) -> None:
        self.left = units

    def spend(self, units: int) -> None:
        self.left -= units
        if self.left < 0:
            raise ExhaustedError


@lru_cache(maxsize=4096)
def seed(text: str) -> int:
    """Return the colour of a text."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


class ColouredGraph:
    """Nodes with first colours, and edges with labels; made once, then refined."""

    def __init__(
        self,
        colours: Sequence[int],
        edges: Sequence[int],
        budget: Budget,
    ) -> None:
        """`edges`: whole, part and label of one after the other, an edge at least to
        every node."""
        self.first = np.array(colours, np.uint64)
        self.budget = budget
        ends = np.array(edges, np.uint64).reshape(-1, 3)
        wholes, parts = ends[:, 0].astype(np.int64), ends[:, 1].astype(np.int64)
        labels = _mixed(ends[:, 2] + _FIRST)
        readers = np.concatenate([wholes, parts])
        order = np.argsort(readers, kind="stable")
        self._sources = np.concatenate([parts, wholes])[order]
        self._labels = np.concatenate([labels, labels * _SECOND])[order]
        self._starts = np.searchsorted(readers[order], np.arange(len(colours)))

    def refine(self, colours: Colours) -> Colours:
        """Tell apart what neighbours tell apart, until nothing more changes."""
        cells = len(np.unique(colours))
        while True:
            self.budget.spend(len(self._sources) + len(colours))
            told = _mixed(colours[self._sources] + self._labels)
            finer = _mixed(colours * _FACTOR + np.add.reduceat(told, self._starts))
            more = len(np.unique(finer))
            if more == cells or more == len(colours):
                return finer
            colours, cells = finer, more


def _mixed(words: Colours) -> Colours:
    """Return every word hashed: the last steps of splitmix64."""
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    mixed: Colours = words ^ (words >> np.uint64(31))
    return mixed


# ── telling all targets apart ───────────────────────────────────────────────────────

Symmetry: TypeAlias = dict[int, int]
"""For each target that a symmetry of the graph moves, where to."""


class _Leaf:
    """A colouring in which no two targets share a cell."""

    def __init__(self, colours: Colours, certify: Callable[[Colours], bytes]) -> None:
        self.colours = colours
        self.key = _key(colours)
        self._certify = certify

    @cached_property
    def certificate(self) -> bytes:
        """The same for two leaves if and only if the graphs they colour are."""
        return self._certify(self.colours)

    def equals(self, other: _Leaf) -> bool:
        return self.key == other.key and self.certificate == other.certificate

    def precedes(self, other: _Leaf) -> bool:
        if self.key != other.key:
            return self.key < other.key
        return self.certificate < other.certificate


def tell_apart(
    graph: ColouredGraph, targets: Sequence[int], certify: Callable[[Colours], bytes]
) -> Colours:
    """Return a colour for every target, the same in every isomorphic graph.

    `certify`: hashes the graph as colours tell its targets apart, so that only
    isomorphic graphs have the same hash.
    """
    colours = graph.refine(graph.first)
    return _LabelSearch(graph, targets, certify).best(colours, 0)[0].colours


class _LabelSearch:
    """Goes through the choices of whom to single out that symmetries leave."""

    def __init__(
        self,
        graph: ColouredGraph,
        targets: Sequence[int],
        certify: Callable[[Colours], bytes],
    ) -> None:
        self.graph = graph
        self.targets = np.array(targets, np.int64)
        self.certify = certify

    def best(self, colours: Colours, depth: int) -> tuple[_Leaf, list[Symmetry]]:
        """Return the first leaf under a colouring, and the symmetries met there."""
        cell = self._cell(colours)
        if not cell:
            return _Leaf(colours, self.certify), []
        if depth == _DEEPEST:
            raise ExhaustedError
        orbits = _Orbits(cell)
        least = b""
        leaves: list[_Leaf] = []  # the best and the first that was met
        symmetries: list[Symmetry] = []
        for target in cell:
            if orbits.is_known(target):
                continue
            finer = self._single_out(colours, target)
            key = _key(finer)
            if leaves and key > least:
                orbits.know(target)
                continue
            if leaves and key == least:
                symmetry = self._symmetry(leaves, self._any_leaf(finer))
                if symmetry is not None:
                    orbits.join(symmetry)
                    symmetries.append(symmetry)
                    continue
            leaf, below = self.best(finer, depth + 1)
            symmetries += below
            for symmetry in below:
                orbits.join(symmetry)
            orbits.know(target)
            if not leaves or key < least or leaf.precedes(leaves[0]):
                leaves = [leaf, *leaves[1:]] if leaves and key == least else [leaf]
            least = key
        return leaves[0], symmetries

    def _cell(self, colours: Colours) -> list[int]:
        """Return the smallest cell that several targets share, or an empty one."""
        own = colours[self.targets]
        values, counts = np.unique(own, return_counts=True)
        shared = np.flatnonzero(counts > 1)
        if not len(shared):
            return []
        chosen = values[shared[np.argmin(counts[shared])]]
        cell: list[int] = self.targets[own == chosen].tolist()
        return cell

    def _single_out(self, colours: Colours, target: int) -> Colours:
        changed = colours.copy()
        changed[target : target + 1] = _mixed(changed[target : target + 1] + _FACTOR)
        return self.graph.refine(changed)

    def _any_leaf(self, colours: Colours) -> _Leaf:
        """Return some leaf under a colouring."""
        while cell := self._cell(colours):
            colours = self._single_out(colours, cell[0])
        return _Leaf(colours, self.certify)

    def _symmetry(self, leaves: list[_Leaf], leaf: _Leaf) -> Symmetry | None:
        """Return what takes one of some leaves to another that looks the same."""
        for known in leaves:
            if leaf.equals(known):
                before = self.targets[np.argsort(known.colours[self.targets])].tolist()
                after = self.targets[np.argsort(leaf.colours[self.targets])].tolist()
                return {a: b for a, b in zip(before, after, strict=True) if a != b}
        return None


class _Orbits:
    """Which members of a cell are images of one another, and which of them are done."""

    def __init__(self, cell: Sequence[int]) -> None:
        self._parent = {member: member for member in cell}
        self._done: set[int] = set()

    def is_known(self, member: int) -> bool:
        root = self._root(member)
        return any(self._root(done) == root for done in self._done)

    def know(self, member: int) -> None:
        self._done.add(member)

    def join(self, symmetry: Symmetry) -> None:
        for one, other in symmetry.items():
            if one in self._parent:
                self._parent[self._root(one)] = self._root(other)

    def _root(self, member: int) -> int:
        while self._parent[member] != member:
            member = self._parent[member]
        return member


def _key(colours: Colours) -> bytes:
    """Return a hash of how many nodes have which colour."""
    return hashlib.blake2b(np.sort(colours).tobytes(), digest_size=16).digest()
