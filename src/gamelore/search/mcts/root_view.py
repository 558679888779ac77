"""Read a search tree: the candidate moves of its root, the best first."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from gamelore.engine import CircuitSimulator
from gamelore.errors import GameloreError
from gamelore.gdl import Move
from gamelore.search.mcts import _tree_kernels
from gamelore.search.mcts._tree_kernels import PROVEN, SIMULTANEOUS, Tree
from gamelore.search.mcts.report import Analysis, Candidate, promise

_LINE = 12  # moves of a principal variation at most


class RootView:
    """What a tree says of its root."""

    def __init__(self, engine: CircuitSimulator, tree: Tree) -> None:
        self.engine = engine
        self.tree = tree
        self.root = int(tree.state[_tree_kernels.ROOT])

    def analyse(self, role: int, lines: int = 0) -> Analysis:
        """Return what the search has found for a role at the root.

        `lines`: so many of the best candidates come with their lines of play.
        """
        nodes, root = self.tree.nodes, self.root
        if nodes.mover[root] == SIMULTANEOUS:
            found = self._mixed_candidates(role)
        elif int(nodes.mover[root]) == role or nodes.degree[root] == 1:
            found = self._candidates(role)
        else:
            raise GameloreError(f"{self.engine.roles[role]} has no choice here")
        return Analysis(
            role=self.engine.roles[role],
            candidates=tuple(
                replace(one, line=self._line(edge)) if place < lines else one
                for place, (edge, one) in enumerate(found)
            ),
            playouts=int(self.tree.state[_tree_kernels.PLAYOUTS]),
            nodes=int(self.tree.state[_tree_kernels.NODES]),
            solved=bool(nodes.status[root] == PROVEN),
            mixed=bool(nodes.mover[root] == SIMULTANEOUS),
            value=self._goal(root, role),
        )

    def _goal(self, node: int, role: int) -> float:
        """Return the exact or the mean goal of a role at a node."""
        nodes = self.tree.nodes
        if nodes.status[node] == PROVEN:
            return float(nodes.goals[node, role])
        if not nodes.visits[node]:
            return float(self.tree.goal_range[role].mean())
        mean = float(nodes.sums[node, role] / nodes.visits[node])
        low, high = self._bounds_for(node, role)
        return min(max(mean, low), high)

    def _bounds_for(self, node: int, role: int) -> tuple[float, float]:
        state = self.tree.state
        total = float(state[_tree_kernels.SUM])
        low, high = map(float, self.tree.nodes.bounds[node])
        if total >= 0 and role == state[_tree_kernels.FIRST]:
            return low, high
        if total >= 0 and role == state[_tree_kernels.SECOND]:
            return total - high, total - low
        return -math.inf, math.inf

    def _candidates(self, role: int) -> list[tuple[int, Candidate]]:
        """The edges and moves of the role that chooses at the root, the best first."""
        nodes, edges, root = self.tree.nodes, self.tree.edges, self.root
        first = int(nodes.first[root])
        if int(nodes.mover[root]) != role:  # nobody has a choice
            only = self.engine.observe(nodes.rows[root]).legal[role][0]
            value = self._goal(root, role)
            return [(first, Candidate(only, int(nodes.visits[root]), value))]
        span = range(first, first + int(nodes.degree[root]))
        names = self.engine.moves[role]
        begun = edges.begun[span.start : span.stop]
        total = max(1, int(begun.sum()))
        low, high = self.tree.goal_range[role]
        children = edges.child[span.start : span.stop].tolist()
        assured = max(self._assured(child, role) for child in children)
        usual = self._goal(children[int(begun.argmax())], role)
        most = int(begun.max())
        found = []
        for edge, child in zip(span, children, strict=True):
            candidate = Candidate(
                move=names[int(edges.move[edge])],
                visits=int(edges.begun[edge]),
                value=self._goal(child, role),
                proven=bool(nodes.status[child] == PROVEN),
                probability=int(edges.begun[edge]) / total,
                spread=float(high - low) / 2,
            )
            rank = self._rank(candidate, child, role, (assured, usual, most))
            found.append((rank, edge, candidate))
        found.sort(key=lambda one: one[0], reverse=True)
        return [(edge, candidate) for _, edge, candidate in found]

    def _rank(
        self, one: Candidate, child: int, role: int, promised: tuple[float, float, int]
    ) -> tuple[float, ...]:
        """Return a key by which the best candidate is the greatest.

        A proven best goal is best, and that whose proof is oldest leads there. A proven
        value that the moves beside it do not promise to beat comes next; then what
        promises most. Moves that are proven to be worse than another come last.
        `promised`: what some move assures; value and visits of the most visited one.
        """
        nodes, root = self.tree.nodes, self.root
        assured, usual, most = promised
        if nodes.status[root] == PROVEN:
            exact = float(nodes.goals[root, role])
            if one.proven and one.value >= exact > self.tree.goal_range[role, 0]:
                return 2.0, -float(nodes.proof[child])
            return 0.0, one.value if one.proven else 0.0, one.visits
        if (one.proven and one.value < assured) or self._most(child, role) < assured:
            return -1.0, one.value, one.visits
        if one.proven and usual <= one.value == assured:
            return 1.0, one.visits
        return 0.0, *promise(one, most)

    def _assured(self, node: int, role: int) -> float:
        """Return what a role gets at least from a node."""
        if self.tree.nodes.status[node] == PROVEN:
            return float(self.tree.nodes.goals[node, role])
        return self._bounds_for(node, role)[0]

    def _most(self, node: int, role: int) -> float:
        """Return what a role gets at most from a node."""
        if self.tree.nodes.status[node] == PROVEN:
            return float(self.tree.nodes.goals[node, role])
        return self._bounds_for(node, role)[1]

    def _mixed_candidates(self, role: int) -> list[tuple[int, Candidate]]:
        """The moves of one role where several choose at once, by its mean strategy.

        Each comes with the edge of its likeliest joint move.
        """
        nodes, actions, root = self.tree.nodes, self.tree.actions, self.root
        counts = nodes.choices[root].astype(np.int64)
        first = int(nodes.actions[root] + counts[:role].sum())
        span = slice(first, first + int(counts[role]))
        strategy = actions.strategy[span]
        total = strategy.sum()
        shares = strategy / total if total > 0 else np.full(len(strategy), 1.0)
        shares = shares / shares.sum()
        before = int(self.engine.program.move_ends[role - 1]) if role else 0
        edges = int(nodes.first[root]) + np.arange(int(nodes.degree[root]))
        by_move = np.moveaxis(edges.reshape(counts), role, 0).reshape(len(shares), -1)
        low, high = self.tree.goal_range[role]
        found = []
        for i, share in enumerate(shares):
            begun = self.tree.edges.begun[by_move[i]].astype(np.float64)
            children = self.tree.edges.child[by_move[i]]
            goals = np.array([self._goal(int(child), role) for child in children])
            mean = (goals * begun).sum() / begun.sum() if begun.sum() else goals.mean()
            best = int(by_move[i][int(begun.argmax())])
            assured = min(self._assured(int(child), role) for child in children)
            solved = nodes.status[root] == PROVEN
            candidate = Candidate(
                move=self.engine.moves[role][int(actions.move[span][i]) - before],
                visits=int(begun.sum()),
                value=float(mean),
                proven=bool(solved and assured >= nodes.goals[root, role]),
                probability=float(share),
                spread=float(high - low) / 2,
            )
            found.append((best, candidate))
        return sorted(
            found,
            key=lambda pair: (pair[1].proven, pair[1].probability),
            reverse=True,
        )

    def _line(self, edge: int) -> tuple[tuple[Move, ...], ...]:
        """Return the joint moves of an edge and of the likeliest ones after it."""
        nodes, edges = self.tree.nodes, self.tree.edges
        node = self.root
        line: list[tuple[Move, ...]] = []
        while len(line) < _LINE:
            line.append(self._joint(node, edge))
            node = int(edges.child[edge])
            first, degree = int(nodes.first[node]), int(nodes.degree[node])
            if not degree or not edges.begun[first : first + degree].any():
                break
            edge = first + int(edges.begun[first : first + degree].argmax())
        return tuple(line)

    def _joint(self, node: int, edge: int) -> tuple[Move, ...]:
        """Return the joint move of an edge."""
        nodes = self.tree.nodes
        legal = self.engine.legal(nodes.rows[node : node + 1], checked=False)
        options = [np.flatnonzero(one[0]) for one in legal]
        mover = int(nodes.mover[node])
        if mover == SIMULTANEOUS:
            number = edge - int(nodes.first[node])
            chosen = np.unravel_index(number, [len(one) for one in options])
            numbers = [int(one[i]) for one, i in zip(options, chosen, strict=True)]
        else:
            numbers = [int(one[0]) for one in options]
            numbers[mover] = int(self.tree.edges.move[edge])
        names = zip(self.engine.moves, numbers, strict=True)
        return tuple(moves[number] for moves, number in names)
