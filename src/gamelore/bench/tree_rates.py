"""Playouts per second inside a search tree as it grows, beside the engine's bare rate.

All sides take turns for a slice of processor time each: a tree whose playouts see wins
one move ahead, a tree with plain playouts, bare playouts from the initial position, and
a peer's search. A slice belongs to the largest size that the tree had reached when the
slice began. Playouts inside a tree begin at its leaves and so are somewhat shorter.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from gamelore.bench import openspiel
from gamelore.engine import CircuitSimulator
from gamelore.search.mcts import CircuitTree, TreeSettings

SIZES = (1_000, 10_000, 100_000, 1_000_000)
"""Nodes of the trees at which rates are measured."""

_ROOM = 2.2  # nodes of a tree, as a multiple of the largest size: it grows to the end
_MOST_ROUNDS = 400


@dataclass(frozen=True)
class TreeRate:
    """Rates of one game at one size of the tree: medians over the slices there."""

    game: str
    lookahead: bool
    """Whether playouts see wins one move ahead."""
    nodes: int
    """The size that the tree had reached."""
    slices: int
    playouts_per_s: float
    bare_per_s: float
    share: float
    """Of the bare rate: the median of the slices' quotients."""
    peer_per_s: float | None = None
    """The peer's simulations, each with one rollout."""
    ratio: float | None = None
    """Our playouts in the tree to the peer's simulations, likewise."""

    def to_json(self) -> dict[str, Any]:
        """As a plain dictionary."""
        return asdict(self)


@dataclass
class _Slices:
    """How many per second, slice by slice; each takes about as long as the others."""

    work: Callable[[int], int]
    """Does so much; returns how much it did."""
    seconds: float
    rate: float = 1000.0

    def measure(self) -> float:
        began = time.process_time()
        done = self.work(max(1, int(self.rate * self.seconds)))
        taken = max(1e-6, time.process_time() - began)
        self.rate = min(done / taken, 10 * self.rate)
        return done / taken


@dataclass
class _GrowingTree:
    """A tree with its slices by the size it had."""

    tree: CircuitTree
    slices: _Slices
    found: dict[int, list[tuple[float, float, float | None]]] = field(
        default_factory=dict
    )

    def reached(self, sizes: Sequence[int]) -> int:
        return max((size for size in sizes if size <= self.tree.nodes), default=0)


def measure_trees(
    engine: CircuitSimulator,
    *,
    peer: bool = False,
    sizes: Sequence[int] = SIZES,
    seconds: float = 0.5,
    rounds: int = 10,
    settings: TreeSettings | None = None,
) -> Iterator[TreeRate]:
    """Yield rates with and without lookahead, at each size that was reached.

    `rounds`: slices at the largest size; then it ends. `settings`: of both trees, but
    for the lookahead and the number of nodes.
    """
    name = engine.game.name
    trees = [
        _grow(engine, replace(settings or TreeSettings(), decisive=wanted), sizes)
        for wanted in (True, False)
    ]
    if not trees[0].tree.sees_wins:
        del trees[0]  # no circuit that is small enough tells wins
    bare = _Slices(_bare_playouts(engine), seconds)
    others = [bare]
    if peer:
        others.append(_Slices(openspiel.searcher(name), seconds))
    for slices in [*(one.slices for one in trees), *others]:
        slices.seconds = seconds / 10
        slices.measure()  # kernels compile now, and the size of slices is found
        slices.measure()
        slices.seconds = seconds
    for _ in range(_MOST_ROUNDS):
        growing = [
            one
            for one in trees
            if not one.tree.solved and len(one.found.get(max(sizes), ())) < rounds
        ]
        if not growing:
            break
        for one in growing:
            reached = one.reached(sizes)
            inside = one.slices.measure()
            beside = [slices.measure() for slices in others]
            theirs = beside[1] if peer else None
            one.found.setdefault(reached, []).append((inside, beside[0], theirs))
    for one in trees:
        for size, measured in sorted(one.found.items()):
            if size:
                yield _summarise(name, one.tree.sees_wins, size, measured)


def _grow(
    engine: CircuitSimulator, settings: TreeSettings, sizes: Sequence[int]
) -> _GrowingTree:
    room = replace(settings, nodes=max(settings.nodes or 0, int(_ROOM * max(sizes))))
    tree = CircuitTree(engine, room)
    tree.set_root(engine.initial_row())

    def search(playouts: int) -> int:
        before = tree.playouts
        while tree.playouts == before and not tree.solved:
            tree.search(playouts)  # which first makes up for what has begun before
        return tree.playouts - before

    return _GrowingTree(tree, _Slices(search, 0.0))


def _bare_playouts(engine: CircuitSimulator) -> Callable[[int], int]:
    seeds = iter(range(10**9))

    def play(count: int) -> int:
        engine.playouts(count=count, seed=next(seeds))
        return count

    return play


def _summarise(
    game: str,
    lookahead: bool,
    size: int,
    slices: Sequence[tuple[float, float, float | None]],
) -> TreeRate:
    inside = [one[0] for one in slices]
    bare = [one[1] for one in slices]
    peer = [one[2] for one in slices if one[2] is not None]
    return TreeRate(
        game,
        lookahead,
        size,
        len(slices),
        statistics.median(inside),
        statistics.median(bare),
        statistics.median(a / b for a, b in zip(inside, bare, strict=True)),
        statistics.median(peer) if peer else None,
        statistics.median(a / b for a, b in zip(inside, peer, strict=True))
        if peer
        else None,
    )
