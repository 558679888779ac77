"""Which tree patterns a game has: found by search over the afterstates of a role.

An afterstate of a role is a position that one of its moves leads to. In a small game
all of them are searched, breadth first from the initial position. Where that reaches
too many positions the search is cut, and random matches add afterstates near terminal
positions.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.display import markdown_table
from gamelore.engine import Rows, Simulator
from gamelore.graph import PatternIndex, StateGraph
from gamelore.transfer.tree_pattern import TreePattern

Outcomes: TypeAlias = Mapping[int, str] | Literal["rewards"] | None
"""How outcomes are named: each goal's name, by the goal, or as win, draw and loss."""

NodeArray: TypeAlias = npt.NDArray[np.int32]

LIMIT = 200_000
"""The positions that a search may reach, unless another limit is given."""

_LARGEST_CHUNK = 4096
_LONGEST_MATCH = 1000
_MATCHES = 200  # random ones, where the search was cut


class IncompleteSearchWarning(UserWarning):
    """A game has more positions than were searched."""


@dataclass(frozen=True)
class PatternCounts:
    """The tree patterns of a game for one role."""

    patterns: dict[TreePattern, int]
    """The number of afterstates that match each, in sorted order."""
    afterstates: int
    """The number searched, without terminal ones."""
    complete: bool
    """Whether these are all afterstates that can be reached."""

    def __str__(self) -> str:
        found = (
            f"{len(self.patterns)} tree patterns in {self.afterstates:,} afterstates"
        )
        if self.complete:
            return f"{found}, which are all"
        return (
            f"{found}: those nearest to the initial position and the last of random"
            " matches; there may be more"
        )

    def _repr_markdown_(self) -> str:
        """The counts in a notebook, as a table."""
        rows = [(f"`{one}`", count) for one, count in self.patterns.items()]
        return f"{self}\n\n{markdown_table(('pattern', 'afterstates'), rows)}"

    def __or__(self, other: PatternCounts) -> PatternCounts:
        """Return the sums: with those of another role, or of another game."""
        counts = dict(self.patterns)
        for pattern, count in other.patterns.items():
            counts[pattern] = counts.get(pattern, 0) + count
        return PatternCounts(
            dict(sorted(counts.items())),
            self.afterstates + other.afterstates,
            self.complete and other.complete,
        )


def find_patterns(
    graph: StateGraph,
    role: int,
    depth: int = 2,
    outcomes: Outcomes = None,
    limit: int = LIMIT,
) -> list[TreePattern]:
    """Return the tree patterns of a game for one role; warns if there may be more."""
    counts = count_patterns(graph.simulator, role, depth, outcomes, limit)
    if not counts.complete:
        warnings.warn(str(counts), IncompleteSearchWarning, stacklevel=2)
    return list(counts.patterns)


def make_pattern_index(
    graph: StateGraph, role: int, depth: int = 2, outcomes: Outcomes = None
) -> PatternIndex:
    """Return an index of the patterns of a game, with its outcomes named as given."""
    if outcomes == "rewards":
        outcomes = name_rewards(graph.simulator, role)
    return PatternIndex(graph, role, depth, outcomes)


def name_rewards(simulator: Simulator, role: int) -> dict[int, str]:
    """Return a name for each goal value of a role: the number itself."""
    return {goal: str(goal) for goal in simulator.goal_values[role]}


def count_patterns(
    simulator: Simulator,
    role: int,
    depth: int = 2,
    outcomes: Outcomes = None,
    limit: int = LIMIT,
) -> PatternCounts:
    """Search a role's afterstates until `limit` positions were reached.

    Positions reached by the lookahead count too. Where the limit cuts the search,
    random matches may reach as many again. The search has a state graph of its own, so
    that the result depends on the game alone, whatever was explored before.
    """
    graph = StateGraph(simulator)
    pattern_index = make_pattern_index(graph, role, depth, outcomes)
    afterstates, complete = _search(pattern_index, limit)
    if not complete:
        for nodes in _last_afterstates(pattern_index, np.random.default_rng(0)):
            pattern_index.numbers(nodes)
            afterstates = np.union1d(afterstates, nodes)
            if len(graph) >= 2 * limit:
                break
    numbers = pattern_index.numbers(afterstates)
    numbers = numbers[numbers > len(pattern_index.names)]  # lower ones are single nodes
    patterns = {
        TreePattern.from_structure(pattern_index.structure(int(number))): int(count)
        for number, count in zip(*np.unique(numbers, return_counts=True), strict=True)
        if pattern_index.has_terminal(int(number))
    }
    return PatternCounts(dict(sorted(patterns.items())), len(numbers), complete)


def _search(pattern_index: PatternIndex, limit: int) -> tuple[NodeArray, bool]:
    """Return a role's afterstates, breadth first, and whether these are all."""
    graph = pattern_index.graph
    seen = level = np.array([graph.root], np.int32)
    afterstates = np.zeros(0, np.int32)
    searched = []
    while len(level):
        found = [np.zeros(0, np.int32)]
        for chunk in _chunks(pattern_index, level, limit):
            searched.append(chunk)
            mine = chunk[graph.nodes.mover[chunk] == pattern_index.role]
            afterstates = np.union1d(afterstates, _children(graph, mine))
            found.append(_children(graph, chunk))
            if len(graph) >= limit:
                return np.intersect1d(afterstates, np.concatenate(searched)), False
        level = np.setdiff1d(np.concatenate(found), seen)
        seen = np.union1d(seen, level)
    return afterstates, True


def _chunks(
    pattern_index: PatternIndex, level: NodeArray, limit: int
) -> Iterator[NodeArray]:
    """Yield a level in chunks, each with the patterns under its nodes in the graph.

    The growth of the graph so far decides how large a chunk keeps within the limit.
    """
    graph = pattern_index.graph
    done, size = 0, 1
    while done < len(level):
        before = len(graph)
        chunk = level[done : done + size]
        pattern_index.numbers(chunk)
        yield chunk
        done += len(chunk)
        growth = max(1, (len(graph) - before) // len(chunk))
        size = min(2 * size, _LARGEST_CHUNK, max(1, (limit - len(graph)) // growth))


def _children(graph: StateGraph, nodes: NodeArray) -> NodeArray:
    """Return the successors of expanded nodes, each once."""
    arrays = graph.nodes
    degree = arrays.degree[nodes].astype(np.int64)
    offset = np.arange(degree.sum()) - np.repeat(degree.cumsum() - degree, degree)
    edges = np.repeat(arrays.first[nodes], degree) + offset
    children: NodeArray = np.unique(arrays.child[edges])
    return children


def _last_afterstates(
    pattern_index: PatternIndex, generator: np.random.Generator
) -> Iterator[NodeArray]:
    """Yield the last afterstates of random matches, match by match.

    Only those within the patterns' depth of a terminal position have a tree pattern for
    certain.
    """
    graph = pattern_index.graph
    for rows in _random_matches(graph.simulator, generator):
        nodes = [graph.number(row) for row in rows[-(pattern_index.depth + 2) :]]
        yield np.array(
            [
                after
                for before, after in pairwise(nodes)
                if graph.mover(before) == pattern_index.role
            ],
            np.int32,
        )


def _random_matches(
    simulator: Simulator, generator: np.random.Generator
) -> Iterator[Rows]:
    """Yield the positions of random matches that ended: uint64 [length, K] each."""
    rows: Rows = simulator.initial_row()[None].repeat(_MATCHES, 0)
    history = [rows]
    ended = np.zeros(_MATCHES, np.int64)
    for ply in range(1, _LONGEST_MATCH):
        running = np.flatnonzero(ended == 0)
        if not len(running):
            break
        legal = simulator.legal(rows[running])
        moves = [_sample_moves(per_role, generator) for per_role in legal]
        rows = rows.copy()
        rows[running] = simulator.advance(rows[running], np.stack(moves, axis=1))
        history.append(rows)
        ended[running[simulator.terminal(rows[running])]] = ply
    for match in np.flatnonzero(ended):
        yield np.stack([step[match] for step in history[: ended[match] + 1]])


def _sample_moves(
    legal: npt.NDArray[np.bool_], generator: np.random.Generator
) -> npt.NDArray[np.int32]:
    """Return one legal move per position, uniformly at random: int32 [n]."""
    weights = np.where(legal, generator.random(legal.shape), -1.0)
    moves: npt.NDArray[np.int32] = weights.argmax(axis=1).astype(np.int32)
    return moves
