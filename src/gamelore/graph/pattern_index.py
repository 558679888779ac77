"""PatternIndex: the shape of the game tree under a position, without counts and names.

Nodes are classified by outcome (or open), equal siblings coalesce from the bottom up,
and what is left says nothing of the particular game. A pattern is a nested structure:

    "W" "D" "L"   a terminal node: its outcome's name
    "N"           an open leaf
    frozenset     an open node, with the patterns below it
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine import Simulator
from gamelore.graph import _pattern_kernels as kernels
from gamelore.graph._pattern_kernels import Shapes
from gamelore.graph.state_graph import StateGraph

Pattern: TypeAlias = "str | frozenset[Pattern]"

OPEN_LEAF = "N"

_LARGEST_SET = 1 << 12  # different shapes under one node


class PatternIndex:
    """The patterns under a game's positions, as one role sees them, to one depth."""

    def __init__(
        self,
        graph: StateGraph,
        role: int,
        depth: int = 2,
        outcomes: Mapping[int, str] | None = None,
        *,
        recall: int = 0,
    ) -> None:
        """`outcomes` names each goal value; by default win, draw and loss by rank.

        `recall`: how many of the lowest plies are not searched but remembered, where
        the pattern of that many plies was asked for before; elsewhere they are open.
        """
        if depth < 1:
            raise ValueError(f"depth must be at least 1, got {depth}")
        if not 0 <= recall < depth:
            raise ValueError(f"recall must be less than depth, {depth}, got {recall}")
        self.graph = graph
        self.role = role
        self.depth = depth
        self.recall = recall
        self.outcomes = dict(outcomes or outcome_names(graph.simulator, role))
        self.names = list(dict.fromkeys(self.outcomes.values()))
        self.shapes = self._empty(1 << 10, 1 << 12)

    def number(self, node: int) -> int:
        """The number of the pattern under a node."""
        return int(self.numbers(np.array([node], np.int32))[0])

    def numbers(self, nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """int32 [n]: the numbers of the patterns under nodes, int32 [n]."""
        found = np.zeros(len(nodes), np.int32)
        done = 0
        while done < len(nodes):
            self.fit()
            done += kernels.find_shapes(
                self.graph.graph,
                self.shapes,
                self.role,
                nodes[done:],
                self.depth,
                found[done:],
            )
            if done < len(nodes):
                self.graph.explore(int(nodes[done]), self.depth)
        return found

    def intern(self, pattern: Pattern) -> int:
        """The number of a pattern, whether or not it was met in this game.

        `ValueError` if it has an outcome that this game has not.
        """
        if pattern == OPEN_LEAF:
            return len(self.names)
        if isinstance(pattern, str):
            return self.names.index(pattern)
        below = np.array(sorted(self.intern(part) for part in pattern), np.int32)
        self.fit()
        return int(kernels.number_one_set(self.shapes, below))

    def pattern(self, node: int) -> Pattern:
        """The pattern under a node."""
        return self.structure(self.number(node))

    def structure(self, number: int) -> Pattern:
        """What a number stands for."""
        if number < len(self.names):
            return self.names[number]
        if number == len(self.names):
            return OPEN_LEAF
        first = int(self.shapes.first[number])
        below = self.shapes.items[first : first + int(self.shapes.size[number])]
        return frozenset(self.structure(int(shape)) for shape in below)

    def has_terminal(self, number: int) -> bool:
        """Whether an outcome occurs anywhere in a pattern."""
        if number <= len(self.names):
            return number < len(self.names)
        first = int(self.shapes.first[number])
        below = self.shapes.items[first : first + int(self.shapes.size[number])]
        return any(self.has_terminal(int(shape)) for shape in below)

    def __len__(self) -> int:
        """How many numbers are in use."""
        return int(self.shapes.used[0])

    def fit(self) -> None:
        """Grow with the state graph, and where shapes fill their buffers."""
        old = self.shapes
        shapes, items = len(old.first), len(old.items)
        nodes = len(self.graph.nodes.rows)
        if 2 * int(old.used[0]) > shapes or 2 * int(old.used[1]) > items:
            shapes, items = 2 * shapes, 2 * items
        elif old.known.shape[1] == nodes:
            return
        self.shapes = self._empty(shapes, items)
        used_shapes, used_items = (int(n) for n in old.used)
        self.shapes.first[:used_shapes] = old.first[:used_shapes]
        self.shapes.size[:used_shapes] = old.size[:used_shapes]
        self.shapes.items[:used_items] = old.items[:used_items]
        self.shapes.known[:, : old.known.shape[1]] = old.known
        self.shapes.used[:] = old.used
        kernels.hash_sets_again(self.shapes, len(self.names) + 1)

    def _empty(self, shapes: int, items: int) -> Shapes:
        outcome = np.zeros(101, np.int16)
        for goal, name in self.outcomes.items():
            outcome[goal] = self.names.index(name)
        return Shapes(
            outcome=outcome,
            open_leaf=np.array([len(self.names)], np.int32),
            first=np.zeros(shapes, np.int32),
            size=np.zeros(shapes, np.int32),
            items=np.zeros(items, np.int32),
            slots=np.zeros(4 * shapes, np.int32),
            used=np.array([len(self.names) + 1, 0], np.int64),
            known=np.zeros((self.depth + 1, len(self.graph.nodes.rows)), np.int32),
            recall=np.array([self.recall], np.int32),
            below=np.zeros((self.depth + 1, _LARGEST_SET), np.int32),
        )


def outcome_names(simulator: Simulator, role: int) -> dict[int, str]:
    """A name for each goal a role can reach: the highest a win, the lowest a loss."""
    values = simulator.goal_values[role]
    names = dict.fromkeys(values, "D")
    if len(values) > 1:
        names[min(values)] = "L"
        names[max(values)] = "W"
    return names
