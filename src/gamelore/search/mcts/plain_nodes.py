"""Nodes of a search tree in plain Python, and what their children prove of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from gamelore.engine.simulator import Row, Simulator
from gamelore.search.mcts._tree_kernels import EXPANDED, OPEN, PROVEN, SIMULTANEOUS

_MOST_PROVEN = 4096  # joint moves of a position of which anything is proven


class NotConstantError(Exception):
    """The goals of two players have another sum than those before."""


@dataclass(slots=True)
class Edge:
    """A joint move that was tried, or will be soon."""

    number: int
    child: Node
    visits: int = 0
    excluded: bool = False
    """Whether it cannot be better than another edge."""


@dataclass(slots=True)
class Node:
    """A position and what is known of it.

    Joint moves are numbered: the moves of the first role vary slowest. Where one role
    chooses, the number is that of its move among those that are legal.
    """

    row: Row
    sums: list[float]
    """Per role, of the goals of playouts."""
    low: float
    """What the first of two players gets at least, where the sum is constant."""
    high: float
    visits: int = 0
    status: int = OPEN
    mover: int = 0
    choices: tuple[tuple[int, ...], ...] = ()
    """Per role, the numbers of its legal moves."""
    degree: int = 0
    """How many joint moves there are; those that were tried have edges."""
    edges: dict[int, Edge] = field(default_factory=dict)
    regrets: list[list[float]] = field(default_factory=list)
    """Per role and legal move, where several roles choose at once."""
    strategies: list[list[float]] = field(default_factory=list)
    """Sums of the probabilities that moves were given."""
    goals: list[float] = field(default_factory=list)
    """Exact, where they are proven."""
    estimate: list[float] = field(default_factory=list)
    """Per role, of the goals, where there is an evaluator."""
    priors: list[float] = field(default_factory=list)
    """By joint move its probability by an evaluator, if that says so."""
    moved: int = 0
    """The role whose move led there, or SIMULTANEOUS."""
    proof: int = 0
    """Proofs are numbered in the order they are found."""

    def joint_move(self, number: int) -> list[int]:
        """Return one move number per role."""
        joint = []
        for moves in reversed(self.choices):
            number, place = divmod(number, len(moves))
            joint.append(moves[place])
        return joint[::-1]

    def strides(self) -> list[int]:
        """Return per role how far its next move is away in the order of joint moves."""
        found, stride = [], self.degree
        for moves in self.choices:
            stride //= len(moves)
            found.append(stride)
        return found


class Values:
    """The scale of goals, and the proofs of one game."""

    def __init__(self, engine: Simulator) -> None:
        self.ranges = [
            (float(min(goals, default=0)), float(max(goals, default=100)))
            for goals in engine.goal_values
        ]
        roles = engine.roles
        self.chance = roles.index("random") if "random" in roles else -2
        self.players = [i for i in range(len(roles)) if i != self.chance]
        self.in_doubt = len(self.players) == 2
        """Whether the sum of two players' goals may still turn out to be constant."""
        self.total = -1.0
        """That sum, or -1 before a match has ended or where there is none."""
        self.proofs = 0

    @property
    def has_bounds(self) -> bool:
        """Whether values are proven by bounds."""
        return self.in_doubt and self.total >= 0

    def middle(self, role: int) -> float:
        """Return the mean of the lowest and the highest goal."""
        return sum(self.ranges[role]) / 2

    def scale(self, role: int, goal: float) -> float:
        """Return a goal in 0 to 1."""
        low, high = self.ranges[role]
        return (goal - low) / (high - low) if high > low else 0.5

    def note_goals(self, goals: Sequence[float], playouts: int = 1) -> None:
        """Look at the sums of goals of matches that have ended.

        `NotConstantError` where they show that what was proven by bounds may be wrong.
        """
        if not self.in_doubt:
            return
        first, second = self.players
        total = (goals[first] + goals[second]) / playouts
        if self.total < 0:
            self.total = total
        elif total != self.total:
            self.in_doubt = False
            raise NotConstantError

    def new_node(self, row: Row) -> Node:
        """Return a node that nothing is known of."""
        low, high = self.ranges[self.players[0]] if self.players else (0.0, 100.0)
        return Node(row, [0.0] * len(self.ranges), low, high)

    def end(self, node: Node, goals: Sequence[float]) -> None:
        """Note that a position is terminal."""
        node.goals = list(goals)
        if self.players:
            node.low = node.high = node.goals[self.players[0]]
        self.prove(node)
        self.note_goals(node.goals)

    def prove(self, node: Node) -> None:
        """Note that the goals of a node are exact."""
        node.status = PROVEN
        node.proof = self.proofs
        self.proofs += 1

    def bounds(self, node: Node, role: int) -> tuple[float, float]:
        """Return the least and the most that a role can get."""
        if node.status == PROVEN:
            return node.goals[role], node.goals[role]
        if not self.has_bounds or role not in self.players:
            return self.ranges[role]
        if role == self.players[0]:
            return node.low, node.high
        return self.total - node.high, self.total - node.low

    def mean(self, node: Node, role: int) -> float:
        """Return the mean goal of a role, within its bounds."""
        low, high = self.bounds(node, role)
        value = self.middle(role)
        if node.visits:
            value = node.sums[role] / node.visits
        elif node.estimate:
            value = node.estimate[role]
        return min(max(value, low), high)

    # ── proofs ──────────────────────────────────────────────────────────────────────

    def update(self, node: Node) -> bool:
        """Find what the children of a node prove of it; return whether that is new."""
        if node.status != EXPANDED:
            return False
        if self.has_bounds:
            return self._update_bounds(node)
        return self._update_goals(node)

    def _update_bounds(self, node: Node) -> bool:
        low, high = self._find_bounds(node)
        changed = low > node.low or high < node.high
        node.low, node.high = max(node.low, low), min(node.high, high)
        if changed and node.low >= node.high:
            first, second = self.players
            node.goals = [0.0] * len(self.ranges)
            node.goals[first] = node.low
            node.goals[second] = self.total - node.low
            self.prove(node)
        return changed

    def _find_bounds(self, node: Node) -> tuple[float, float]:
        """Return the bounds of the first player's goal."""
        first, second = self.players
        mover = node.mover
        if mover == SIMULTANEOUS:
            return self._bound_together(node)
        role = first if mover == self.chance else mover
        found = [self.bounds(edge.child, role) for edge in node.edges.values()]
        found += [self.ranges[role]] * (len(found) < node.degree)
        if mover == self.chance:
            unknown = node.degree - len(node.edges)
            lows, highs = zip(*found, strict=True)
            low = math.fsum(lows) + max(0, unknown - 1) * self.ranges[role][0]
            high = math.fsum(highs) + max(0, unknown - 1) * self.ranges[role][1]
            return low / node.degree, high / node.degree
        low, high = (max(ends) for ends in zip(*found, strict=True))
        for edge in node.edges.values():
            edge.excluded = edge.excluded or self.bounds(edge.child, mover)[1] <= low
        if mover == second:
            return self.total - high, self.total - low
        return low, high

    def _bound_together(self, node: Node) -> tuple[float, float]:
        """Return bounds by pure strategies, once all joint moves were tried."""
        first, second = self.players
        rows, columns = (range(len(node.choices[role])) for role in (first, second))
        if len(node.edges) < node.degree or node.degree > _MOST_PROVEN:
            return -math.inf, math.inf
        if len(rows) * len(columns) < node.degree:  # the role `random` chooses, too
            return -math.inf, math.inf
        strides = node.strides()
        across, down = strides[first], strides[second]
        children = [
            [node.edges[row * across + column * down].child for column in columns]
            for row in rows
        ]
        low = max(min(child.low for child in row) for row in children)
        high = min(max(row[column].high for row in children) for column in columns)
        return low, high

    def _update_goals(self, node: Node) -> bool:
        """Prove a node by its proven children; exclude all of them but the best."""
        mover = node.mover
        if mover == SIMULTANEOUS:
            return False
        edges = node.edges.values()
        proven = [edge for edge in edges if edge.child.status == PROVEN]
        complete = len(proven) == node.degree
        if not proven or (mover == self.chance and not complete):
            return False
        if mover == self.chance:
            columns = zip(*(edge.child.goals for edge in proven), strict=True)
            node.goals = [math.fsum(column) / node.degree for column in columns]
            self.prove(node)
            return True
        best = max(proven, key=lambda edge: edge.child.goals[mover])
        if complete or best.child.goals[mover] >= self.ranges[mover][1]:
            node.goals = list(best.child.goals)
            self.prove(node)
            return True
        for edge in proven:
            edge.excluded = edge is not best
        return False
