"""Which features a game has: found by looking at the afterstates it can reach.

An afterstate of a role is a position that one of its moves leads to. Those of a small
game are all looked at, breadth first from the initial position. Where that reaches too
many positions it is cut, and random matches show what there is near the ends.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine import Rows, Simulator
from gamelore.graph import PatternIndex, StateGraph
from gamelore.transfer.tree_pattern import TreePattern

Outcomes: TypeAlias = Mapping[int, str] | Literal["rewards"] | None
"""How outcomes are named: each goal's name, the goal itself, or win, draw and loss."""

NodeArray: TypeAlias = npt.NDArray[np.int32]

LIMIT = 200_000
"""Positions a survey may meet, unless told otherwise."""

_LARGEST_CHUNK = 4096
_LONGEST_MATCH = 1000
_MATCHES = 200  # random ones, where the search was cut


class IncompleteSurveyWarning(UserWarning):
    """A game has more positions than were looked at."""


@dataclass(frozen=True)
class Survey:
    """The features of a game as one role meets them."""

    patterns: dict[TreePattern, int]
    """How many of the afterstates match each; in the order of features."""
    afterstates: int
    """Those looked at, terminal ones not counted."""
    complete: bool
    """Whether these are all afterstates that can be reached."""

    def __str__(self) -> str:
        looked = f"{self.afterstates:,} afterstates"
        if self.complete:
            return f"{len(self.patterns)} features of {looked}, which are all there are"
        return (
            f"{len(self.patterns)} features of {looked}: those nearest to the start and"
            " the last of random matches; there may be more"
        )

    def __or__(self, other: Survey) -> Survey:
        """Both together: another role's, or another game's."""
        counts = dict(self.patterns)
        for pattern, count in other.patterns.items():
            counts[pattern] = counts.get(pattern, 0) + count
        return Survey(
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
    """The features of a game for one role; warns where there may be more."""
    survey = survey_patterns(graph.simulator, role, depth, outcomes, limit)
    if not survey.complete:
        warnings.warn(str(survey), IncompleteSurveyWarning, stacklevel=2)
    return list(survey.patterns)


def pattern_index_for(
    graph: StateGraph, role: int, depth: int = 2, outcomes: Outcomes = None
) -> PatternIndex:
    """The patterns of a game with its outcomes named as asked."""
    if outcomes == "rewards":
        outcomes = reward_names(graph.simulator, role)
    return PatternIndex(graph, role, depth, outcomes)


def reward_names(simulator: Simulator, role: int) -> dict[int, str]:
    """Every goal of a role named by its number."""
    return {goal: str(goal) for goal in simulator.goal_values[role]}


def survey_patterns(
    simulator: Simulator,
    role: int,
    depth: int = 2,
    outcomes: Outcomes = None,
    limit: int = LIMIT,
) -> Survey:
    """Look at a role's afterstates until `limit` positions were met on the way.

    Positions met while looking ahead count too. Where the limit cuts the search, random
    matches may meet as many again. A state graph of its own makes the result depend on
    the game alone, whatever was explored before.
    """
    graph = StateGraph(simulator)
    pattern_index = pattern_index_for(graph, role, depth, outcomes)
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
        TreePattern.from_template(pattern_index.structure(int(number))): int(count)
        for number, count in zip(*np.unique(numbers, return_counts=True), strict=True)
        if pattern_index.has_terminal(int(number))
    }
    return Survey(dict(sorted(patterns.items())), len(numbers), complete)


def _search(pattern_index: PatternIndex, limit: int) -> tuple[NodeArray, bool]:
    """A role's afterstates, breadth first, and whether there are no more."""
    graph = pattern_index.graph
    seen = level = np.array([graph.root], np.int32)
    afterstates = np.zeros(0, np.int32)
    looked_from = []
    while len(level):
        found = [np.zeros(0, np.int32)]
        for chunk in _chunks(pattern_index, level, limit):
            looked_from.append(chunk)
            mine = chunk[graph.nodes.mover[chunk] == pattern_index.role]
            afterstates = np.union1d(afterstates, _children(graph, mine))
            found.append(_children(graph, chunk))
            if len(graph) >= limit:
                return np.intersect1d(afterstates, np.concatenate(looked_from)), False
        level = np.setdiff1d(np.concatenate(found), seen)
        seen = np.union1d(seen, level)
    return afterstates, True


def _chunks(
    pattern_index: PatternIndex, level: NodeArray, limit: int
) -> Iterator[NodeArray]:
    """A level in pieces, each looked ahead from.

    Pieces are as large as the growth so far lets one expect to keep to the limit.
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
    """The successors of nodes that were looked ahead from, each once."""
    arrays = graph.nodes
    degree = arrays.degree[nodes].astype(np.int64)
    offset = np.arange(degree.sum()) - np.repeat(degree.cumsum() - degree, degree)
    edges = np.repeat(arrays.first[nodes], degree) + offset
    children: NodeArray = np.unique(arrays.child[edges])
    return children


def _last_afterstates(
    pattern_index: PatternIndex, generator: np.random.Generator
) -> Iterator[NodeArray]:
    """The last afterstates of random matches, match by match.

    Only those within the patterns' depth of an end are sure to have a feature.
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
    """The positions of random matches that came to an end: uint64 [length, K] each."""
    rows: Rows = simulator.initial_row()[None].repeat(_MATCHES, 0)
    history = [rows]
    ended = np.zeros(_MATCHES, np.int64)
    for ply in range(1, _LONGEST_MATCH):
        going = np.flatnonzero(ended == 0)
        if not len(going):
            break
        legal = simulator.legal(rows[going])
        moves = [_draw_moves(per_role, generator) for per_role in legal]
        rows = rows.copy()
        rows[going] = simulator.advance(rows[going], np.stack(moves, axis=1))
        history.append(rows)
        ended[going[simulator.terminal(rows[going])]] = ply
    for match in np.flatnonzero(ended):
        yield np.stack([step[match] for step in history[: ended[match] + 1]])


def _draw_moves(
    legal: npt.NDArray[np.bool_], generator: np.random.Generator
) -> npt.NDArray[np.int32]:
    """One legal move per position, at random."""
    weights = np.where(legal, generator.random(legal.shape), -1.0)
    moves: npt.NDArray[np.int32] = weights.argmax(axis=1).astype(np.int32)
    return moves
