"""The searches of self-play in plain Python: one position, dicts and lists."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from gamelore.engine import CircuitSimulator, Row
from gamelore.learn.zero._forest_kernels import GUMBEL, SearchRule
from gamelore.values import _policy_value_kernels as kernels
from gamelore.values.policy_value import PolicyValueNetwork


@dataclass
class Edge:
    move: int
    logit: float
    tries: int = 0
    total: float = 0.0
    exact: float | None = None

    def value(self, unknown: float) -> float:
        if self.exact is not None:
            return self.exact
        return self.total / self.tries if self.tries else unknown


@dataclass
class Node:
    values: list[float]
    edges: list[list[Edge]] = field(default_factory=list)
    children: dict[tuple[int, ...], Node] = field(default_factory=dict)
    row: Row = field(default_factory=lambda: np.zeros(0, np.uint64))
    proven: bool = False

    def expected(self, role: int) -> float:
        """Return what untried moves are taken to be worth."""
        tried = [edge for edge in self.edges[role] if edge.tries]
        total = sum(edge.tries for edge in tried)
        if not total:
            return self.values[role]
        weight = mean = 0.0
        for edge in tried:
            share = math.exp(edge.logit) + 1e-12
            weight += share
            mean += share * edge.value(self.values[role])
        return (self.values[role] + total * (mean / weight)) / (1 + total)


class PlainSearch:
    """One tree; noise is given, so that it does what the kernels do."""

    def __init__(
        self,
        network: PolicyValueNetwork,
        rule: SearchRule,
        row: Row,
        noise: list[float],
    ) -> None:
        """`noise`: of the root's edges, role by role."""
        self.network = network
        self.engine: CircuitSimulator = network.simulator
        self.rule = rule
        self.noise = noise
        self.root = self.make_node(row)
        for simulation in range(rule.simulations):
            if self.root.proven:
                break
            self.simulate(simulation)

    def make_node(self, row: Row) -> Node:
        engine = self.engine
        if engine.terminal(row[None])[0]:
            values = []
            for role, goal in enumerate(engine.goals(row[None])[0].tolist()):
                low, high = min(engine.goal_values[role]), max(engine.goal_values[role])
                values.append((goal - low) * (1 / (high - low)))
            return Node(values, proven=True, row=row)
        values = self.network.evaluate(row[None])[0].astype(float).tolist()
        node = Node(values, row=row)
        legal = engine.legal(row[None])
        choices = np.array([[one.sum() for one in legal]])
        views = self.network.choose_views(choices)
        first = 0
        for flags in legal:
            moves = first + np.flatnonzero(flags[0]).astype(np.int32)
            first += flags.shape[1]
            logits = np.zeros((1, len(moves)), np.float32)
            counts = np.array([len(moves)], np.int32)
            kernels.evaluate_moves(
                self.network.handle(), row[None], views, moves[None], counts, logits
            )
            found = logits[0].astype(float).tolist() if len(moves) > 1 else [0.0]
            highest, total = max(found), 0.0
            for one in found:
                total += math.exp(one - highest)
            node.edges.append(
                [
                    Edge(int(move), one - (highest + math.log(total)))
                    for move, one in zip(moves, found, strict=True)
                ]
            )
        return node

    def simulate(self, simulation: int) -> None:
        node, path = self.root, []
        while node.edges and not node.proven:
            joint = tuple(
                self.choose(node, role, simulation) for role in range(len(node.edges))
            )
            path.append((node, joint))
            if joint not in node.children:
                node.children[joint] = self.make_node(self.advance(node, joint))
                node = node.children[joint]
                break
            node = node.children[joint]
        values, child = node.values, node
        for parent, joint in reversed(path):
            for role, number in enumerate(joint):
                edge = parent.edges[role][number]
                edge.tries += 1
                edge.total += values[role]
            if child.proven and self.prove(parent, joint, child):
                values = parent.values
            child = parent

    def advance(self, node: Node, joint: tuple[int, ...]) -> Row:
        ends = np.cumsum([0, *map(len, self.engine.moves)]).tolist()
        moves = [
            node.edges[role][number].move - ends[role]
            for role, number in enumerate(joint)
        ]
        row: Row = self.engine.advance(node.row[None], np.array([moves], np.int32))[0]
        return row

    def prove(self, parent: Node, joint: tuple[int, ...], child: Node) -> bool:
        choosers = [r for r, edges in enumerate(parent.edges) if len(edges) > 1]
        if len(choosers) > 1:
            return False
        best = joint
        if choosers:
            (role,) = choosers
            edges = parent.edges[role]
            edges[joint[role]].exact = child.values[role]
            known = [edge.exact for edge in edges if edge.exact is not None]
            if len(known) < len(edges) and max(known) < 1:
                return False
            number = next(n for n, e in enumerate(edges) if e.exact == max(known))
            best = (*joint[:role], number, *joint[role + 1 :])
        parent.values = parent.children[best].values
        parent.proven = True
        return True

    # ── choosing ────────────────────────────────────────────────────────────────────

    def choose(self, node: Node, role: int, simulation: int) -> int:
        edges = node.edges[role]
        if len(edges) == 1:
            return 0
        total = sum(edge.tries for edge in edges)
        unknown = node.expected(role)
        if self.rule.kind != GUMBEL:
            scores = self.bounds(node, role, total, unknown)
        elif node is self.root:
            scores = self.candidate_scores(role, simulation, unknown)
        else:
            policy = self.improved(edges, unknown)
            scores = [
                share - edge.tries / (1.0 + total)
                for share, edge in zip(policy, edges, strict=True)
            ]
        return scores.index(max(scores))

    def scale(self, edges: list[Edge]) -> float:
        return self.rule.scale * (self.rule.offset + max(edge.tries for edge in edges))

    def improved(self, edges: list[Edge], unknown: float) -> list[float]:
        scale = self.scale(edges)
        scores = [edge.logit + scale * edge.value(unknown) for edge in edges]
        shares = [math.exp(score - max(scores)) for score in scores]
        whole = 0.0
        for share in shares:
            whole += share
        return [share / whole for share in shares]

    def root_noise(self, role: int) -> list[float]:
        first = sum(map(len, self.root.edges[:role]))
        return self.noise[first : first + len(self.root.edges[role])]

    def candidate_scores(
        self, role: int, simulation: int, unknown: float
    ) -> list[float]:
        edges = self.root.edges[role]
        scale = self.scale(edges)
        row = min(len(edges), len(self.rule.considered) - 1)
        wanted = self.rule.considered[row, simulation]
        return [
            noise
            + edge.logit
            + scale * edge.value(unknown)
            - (0.0 if edge.tries == wanted else 1e9)
            for noise, edge in zip(self.root_noise(role), edges, strict=True)
        ]

    def bounds(self, node: Node, role: int, total: int, unknown: float) -> list[float]:
        rule, edges = self.rule, node.edges[role]
        factor = rule.exploration * math.sqrt(1.0 + total)
        at_root = node is self.root
        noise = self.root_noise(role) if at_root else [0.0] * len(edges)
        found = []
        for one, edge in zip(noise, edges, strict=True):
            share = math.exp(edge.logit)
            if at_root and rule.noise > 0:
                share += rule.noise * (one - share)
            bound = edge.value(unknown - rule.reduction)
            bound += factor * share / (1.0 + edge.tries)
            if at_root and 0 < edge.tries < math.sqrt(rule.forced * share * total):
                bound += 1e6
            found.append(bound)
        return found
