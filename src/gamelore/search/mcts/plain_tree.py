"""A search tree in plain Python, over either engine.

It means the same as the tree in kernels, and is its slow twin. It plays games that are
not compiled, with few playouts, and those in which so many roles choose at once that
their joint moves cannot be listed: children of such positions are made as they are
chosen.
"""

from __future__ import annotations

import math
import time
from random import Random

import numpy as np

from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.simulator import Row, Simulator
from gamelore.errors import StuckError
from gamelore.search.evaluator import Evaluator
from gamelore.search.mcts._tree_kernels import EXPANDED, OPEN, PROVEN, SIMULTANEOUS
from gamelore.search.mcts.leaf_values import LeafValues, has_priors
from gamelore.search.mcts.plain_nodes import Edge, Node, NotConstantError, Values
from gamelore.search.mcts.plain_view import analyse
from gamelore.search.mcts.report import Analysis
from gamelore.search.mcts.settings import LONGEST_PLAYOUT, TreeSettings

_DEEPEST = 256  # moves from the root to a leaf
_MOST_NODES = 200_000  # of 1 KB or so
_FULL_SHARE = 0.6  # of them: then there is room made before the next search
_REGRET_EXPLORATION = 0.05  # of random choices where roles choose at once
_PER_LEAF = 16  # playouts on the compiled engine, which take as long as one
_PLAYOUT_SHARE = 0.5  # of the time left: what one playout may take


class PlainTree:
    """A tree of the positions of one game, kept from search to search."""

    least = 1
    """Playouts of a search at least."""
    start_share = 0.5
    """The share of a start clock that the initial position is searched for."""

    def __init__(
        self,
        engine: Simulator,
        settings: TreeSettings | None = None,
        seed: int = 0,
        *,
        evaluator: Evaluator | None = None,
    ) -> None:
        """`evaluator`: values leaves, as far as the settings let it; one whose rows are
        those of the engine."""
        self.engine = engine
        self.settings = settings or TreeSettings()
        self._leaves: LeafValues | None = None
        if evaluator is not None:
            self._leaves = LeafValues(evaluator, engine, seed=seed)
        self._pure = evaluator is not None and self.settings.mix == 1
        self._expects = self._pure and has_priors(evaluator, engine)
        self._exploration = self.settings.exploration_over(evaluator, self._expects)
        self.values = Values(engine)
        self.playouts = 0
        """Playouts so far."""
        self._slow = engine.engine == "interpreter"
        self._weight = self.settings.playouts_per_leaf or (
            1 if self._slow else _PER_LEAF
        )
        if self._pure:
            self._weight = 1
        self._most = min(self.settings.nodes or _MOST_NODES, _MOST_NODES)
        self._random = Random(seed)
        self._table: dict[bytes, Node] = {}
        self._root = self._add(engine.initial_row())
        self._moves = self._children = self._expanded = 0

    @property
    def solved(self) -> bool:
        """Whether the value of the root is proven."""
        return self._root.status == PROVEN

    @property
    def nodes(self) -> int:
        """Nodes of the tree."""
        return len(self._table)

    def set_root(self, row: Row) -> None:
        """Search from this position on; what is known below it stays."""
        self._root = self._add(row)
        if not self._root.estimate:
            self._evaluate([self._root])
        if self.nodes > _FULL_SHARE * self._most:
            self._make_room()

    def search(self, playouts: int, end: float = math.inf) -> bool:
        """Search on for so many playouts, or until a time by the monotonic clock.

        Returns whether the value of the root is proven.
        """
        until = self.playouts + playouts
        while not self.solved and self.playouts < until:
            if end < math.inf and time.monotonic() >= end:
                break
            try:
                self._try(end)
            except NotConstantError:
                self._restart()
        return self.solved

    def analyse(self, role: int, lines: int = 0) -> Analysis:
        """Return what the search has found for a role at the root.

        Every candidate comes with its line of play, however many lines are wanted.
        """
        root = self._root
        if not root.choices:
            self._list_moves(root)
        return analyse(
            self.engine, self.values, root, role, (self.playouts, self.nodes)
        )

    # ── one descent ─────────────────────────────────────────────────────────────────

    def _try(self, end: float) -> None:
        """Descend to a leaf, play out from it, and back up what came of it."""
        node = self._root
        path: list[tuple[Node, Edge | None]] = [(node, None)]
        while node.status == EXPANDED and len(path) <= _DEEPEST:
            edge = self._reach(node, self._choose(node))
            node = edge.child
            path.append((node, edge))
        if node.status == OPEN and self._is_due(node):
            self._expand(node, end)
        if node.status == PROVEN:
            sums = [goal * self._weight for goal in node.goals]
        elif self._pure:
            sums = self._best_estimate(node)
        else:
            sums = self._mix(node, self._play_out(node, end))
        self.playouts += self._weight
        self._back_up(path, sums)

    def _is_due(self, leaf: Node) -> bool:
        """Return whether its playouts have cost as much as all its successors do."""
        if leaf is self._root:
            return True
        if self.nodes >= self._most:
            return False
        after = 0 if self._pure else self.settings.expand_after
        if after is None:
            choices = self._children / max(1, self._expanded)
            length = self._moves / max(1, self.playouts)
            after = int(2 * choices / max(1.0, length))
        return leaf.visits + self._weight > after

    def _choose(self, node: Node) -> int:
        """Return the number of a joint move."""
        if node.mover == SIMULTANEOUS:
            return self._choose_together(node)
        if node.mover == self.values.chance:
            return self._choose_by_chance(node)
        return self._choose_by_bound(node)

    def _choose_by_bound(self, node: Node) -> int:
        values, mover, weight = self.values, node.mover, self._weight
        factor = self._exploration * math.sqrt(math.log(node.visits + weight))
        mean = values.scale(mover, values.mean(node, mover))
        unvisited = mean - self.settings.first_play
        best, highest = 0, -math.inf
        for number in range(node.degree):
            edge = node.edges.get(number)
            value, visits = unvisited, 0
            if edge is not None and edge.excluded:
                continue
            if edge is not None and (edge.visits or edge.child.estimate):
                visits = edge.visits
                value = values.scale(mover, values.mean(edge.child, mover))
            bound = value + factor / math.sqrt(visits + weight)
            if node.priors:  # PUCT: the bonus goes by the prior
                bonus = self._exploration * math.sqrt(node.visits + 1)
                bound = value + bonus * node.priors[number] / (1 + visits)
            if bound > highest:
                best, highest = number, bound
        return best

    def _choose_by_chance(self, node: Node) -> int:
        """Return a joint move that was chosen least often, at random among equals."""
        counts = [0] * node.degree
        for number, edge in node.edges.items():
            counts[number] = edge.visits
        least = min(counts)
        return self._random.choice([n for n, c in enumerate(counts) if c == least])

    def _choose_together(self, node: Node) -> int:
        """Return a joint move, each role's by regret matching."""
        joint = 0
        for role, moves in enumerate(node.choices):
            drawn = 0
            if len(moves) > 1 and role == self.values.chance:
                drawn = self._random.randrange(len(moves))
            elif len(moves) > 1:
                shares = _match_regrets(node.regrets[role])
                for i, share in enumerate(shares):
                    node.strategies[role][i] += share
                if self._random.random() < _REGRET_EXPLORATION:
                    drawn = self._random.randrange(len(moves))
                else:
                    drawn = self._random.choices(range(len(moves)), shares)[0]
            joint = joint * len(moves) + drawn
        return joint

    def _play_out(self, leaf: Node, end: float) -> list[float]:
        """Return the sums of goals of playouts.

        On the interpreter one playout can outlast a clock: it gets a share of the time
        that is left. A playout that is cut off counts as the mean of the lowest and the
        highest goal.
        """
        row, seed = leaf.row[np.newaxis], self._random.getrandbits(63)
        limit = self.settings.playout_limit or LONGEST_PLAYOUT
        if isinstance(self.engine, Interpreter) and end < math.inf:
            now = time.monotonic()
            until = now + _PLAYOUT_SHARE * (end - now)
            played = self.engine.playouts_until(row, self._weight, seed, limit, until)
        else:
            played = self.engine.playouts(
                row, self._weight, seed=seed, move_limit=limit, checked=False
            )
        self._moves += int(played.lengths[0])
        goals: list[float] = played.goal_sums[0].tolist()
        if not played.cut_off:
            self.values.note_goals(goals, self._weight)
        return [
            goal + played.cut_off * self.values.middle(role)
            for role, goal in enumerate(goals)
        ]

    def _best_estimate(self, leaf: Node) -> list[float]:
        """Return the estimate of the child that the mover likes best, if it has any."""
        children = [edge.child for edge in leaf.edges.values()]
        if (
            leaf.visits
            or not children
            or leaf.mover in (SIMULTANEOUS, self.values.chance)
        ):
            return leaf.estimate
        known = [
            one.goals if one.status == PROVEN else one.estimate for one in children
        ]
        leaf.estimate = max(known, key=lambda goals: goals[leaf.mover])
        return leaf.estimate

    def _mix(self, leaf: Node, sums: list[float]) -> list[float]:
        """Return the sums of playouts, mixed with what the evaluator estimates."""
        if not leaf.estimate:
            return sums
        mix, weight = self.settings.mix, self._weight
        pairs = zip(sums, leaf.estimate, strict=True)
        return [(1 - mix) * own + mix * weight * goal for own, goal in pairs]

    def _evaluate(self, nodes: list[Node]) -> None:
        """Have the evaluator value nodes, in one batch."""
        if self._leaves is None or not nodes:
            return
        rows = np.array([node.row for node in nodes])
        moved = np.array([node.moved for node in nodes], np.int16)
        found = self._leaves.estimate(rows, moved).astype(float).tolist()
        for node, estimate in zip(nodes, found, strict=True):
            node.estimate = estimate

    def _back_up(self, path: list[tuple[Node, Edge | None]], sums: list[float]) -> None:
        """Add results to every node of a path, and see what they prove."""
        proving = path[-1][0].status == PROVEN
        for place in range(len(path) - 1, -1, -1):
            node, edge = path[place]
            node.visits += self._weight
            node.sums = [
                one + other for one, other in zip(node.sums, sums, strict=True)
            ]
            if edge is None:
                break
            edge.visits += self._weight
            parent = path[place - 1][0]
            proving = proving and self.values.update(parent)
            if parent.mover == SIMULTANEOUS:
                self._add_regrets(parent, edge, sums)

    def _add_regrets(self, node: Node, edge: Edge, sums: list[float]) -> None:
        """Add what other moves would have brought each role, all else the same."""
        values = self.values
        for role, stride in enumerate(node.strides()):
            count = len(node.choices[role])
            if count == 1 or role == values.chance:
                continue
            own = edge.number // stride % count
            gained = values.scale(role, sums[role] / self._weight)
            for i in range(count):
                other = node.edges.get(edge.number + (i - own) * stride)
                if other is None:
                    continue
                child = other.child
                if child.visits or child.status == PROVEN:
                    value = values.scale(role, values.mean(child, role))
                    regret = node.regrets[role][i] + value - gained
                    node.regrets[role][i] = max(regret, 0.0)

    # ── nodes ───────────────────────────────────────────────────────────────────────

    def _add(self, row: Row) -> Node:
        """Return the node of a position, new if it was not met before."""
        node = self._table.get(row.tobytes())
        if node is None:
            node = self.values.new_node(row.copy())
            self._table[row.tobytes()] = node
        return node

    def _list_moves(self, node: Node) -> None:
        """Find who chooses at a node, among how many joint moves."""
        legal = self.engine.legal(node.row[np.newaxis], checked=False)
        node.choices = tuple(tuple(np.flatnonzero(one[0]).tolist()) for one in legal)
        if not all(node.choices):
            role = self.engine.roles[node.choices.index(())]
            raise StuckError(f"{role} has no legal move in {self.engine.game.name!r}")
        node.degree = math.prod(map(len, node.choices))
        choosers = [i for i, moves in enumerate(node.choices) if len(moves) > 1]
        node.mover = choosers[0] if choosers else 0
        if len(choosers) > 1:
            node.mover = SIMULTANEOUS
            node.regrets = [[0.0] * len(moves) for moves in node.choices]
            node.strategies = [[0.0] * len(moves) for moves in node.choices]

    def _expand(self, node: Node, end: float) -> None:
        """Add the successors of a node; where roles choose at once, none so far.

        On the interpreter they are computed one by one, as far as time goes.
        """
        if not node.choices:
            self._list_moves(node)
        node.status = EXPANDED
        self._expanded += 1
        self._children += node.degree
        if node.mover != SIMULTANEOUS:
            missing = [n for n in range(node.degree) if n not in node.edges]
            size = 1 if self._slow else max(1, len(missing))
            for first in range(0, len(missing), size):
                if first and end < math.inf and time.monotonic() >= end:
                    break
                self._make_edges(node, missing[first : first + size])
            if self._expects:
                self._set_priors(node)
        self.values.update(node)

    def _set_priors(self, node: Node) -> None:
        """Ask the evaluator which moves it expects."""
        assert self._leaves is not None
        found = self._leaves.evaluator.priors(self.engine, node.row[np.newaxis])
        assert found is not None
        moves = list(node.choices[node.mover])
        node.priors = found[node.mover][0, moves].tolist()

    def _reach(self, node: Node, number: int) -> Edge:
        """Return the edge of a joint move, made if it was never tried."""
        if number not in node.edges:
            self._make_edges(node, [number])
        return node.edges[number]

    def _make_edges(self, node: Node, numbers: list[int]) -> None:
        """Compute successors, and make them nodes."""
        joint = np.array([node.joint_move(n) for n in numbers], np.int32)
        rows = self.engine.advance(
            np.repeat(node.row[np.newaxis], len(joint), axis=0), joint, checked=False
        )
        ended = self.engine.terminal(rows, checked=False)
        goals = (
            np.maximum(self.engine.goals(rows, checked=False), 0) if ended.any() else ()
        )
        moved = node.mover if node.degree > 1 else self._next_player(node)
        new = []
        for i, number in enumerate(numbers):
            if rows[i].tobytes() not in self._table and not ended[i]:
                new.append(self._add(rows[i]))
                new[-1].moved = moved
            child = self._add(rows[i])
            node.edges[number] = Edge(number, child)
            if ended[i] and child.status != PROVEN:
                self.values.end(child, [float(goal) for goal in goals[i]])
        self._evaluate(new)

    def _next_player(self, node: Node) -> int:
        """Return whose turn it is where nobody has a choice: in the order of roles."""
        roles = len(self.engine.roles)
        role = (max(node.moved, 0) + 1) % roles
        return (role + 1) % roles if role == self.values.chance else role

    # ── memory ──────────────────────────────────────────────────────────────────────

    def _make_room(self) -> None:
        """Forget what is not below the root; everything, if that is too much."""
        kept = {self._root.row.tobytes(): self._root}
        waiting = [self._root]
        while waiting:
            for edge in waiting.pop().edges.values():
                key = edge.child.row.tobytes()
                if key not in kept:
                    kept[key] = edge.child
                    waiting.append(edge.child)
        self._table = kept
        if len(kept) > _FULL_SHARE * self._most:
            self._restart()

    def _restart(self) -> None:
        """Forget everything but the root."""
        self._table = {}
        self._root = self._add(self._root.row)
        self._evaluate([self._root])


def _match_regrets(regrets: list[float]) -> list[float]:
    """Return probabilities in proportion to regrets."""
    total = math.fsum(regrets)
    if total <= 0:
        return [1 / len(regrets)] * len(regrets)
    return [regret / total for regret in regrets]
