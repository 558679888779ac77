"""A search tree over a compiled game: makes its arrays, calls its kernels."""

from __future__ import annotations

import math
import time

import numpy as np
import numpy.typing as npt

from gamelore._hash_kernels import find_row
from gamelore.circuit.turn_program import as_one_turn
from gamelore.engine import CircuitSimulator, Row
from gamelore.engine.compiled.buffers import allocate_aligned
from gamelore.errors import GameloreError, StuckError
from gamelore.kernels import direct
from gamelore.search.evaluator import Evaluator
from gamelore.search.mcts import (
    _expansion_kernels,
    _leaf_kernels,
    _playout_kernels,
    _tree_kernels,
)
from gamelore.search.mcts._expansion_kernels import ExpansionBuffers
from gamelore.search.mcts._playout_kernels import Lanes
from gamelore.search.mcts._tree_kernels import (
    EXPANDED,
    OPEN,
    PROVEN,
    QUEUED,
    Tree,
)
from gamelore.search.mcts.arrays import (
    allocate_actions,
    allocate_edges,
    allocate_facts,
    allocate_nodes,
    allocate_tickets,
    clear_node,
    count_edges,
    count_nodes,
    forget,
    join_spans,
)
from gamelore.search.mcts.lanes import allocate_lanes, find_lookahead, find_turn
from gamelore.search.mcts.lasting_facts import facts_last
from gamelore.search.mcts.leaf_values import LeafValues, has_priors
from gamelore.search.mcts.profile import GameProfile, profile_game
from gamelore.search.mcts.report import Analysis
from gamelore.search.mcts.root_view import RootView
from gamelore.search.mcts.settings import LANES, LONGEST_PLAYOUT, TreeSettings


class TooWideError(GameloreError):
    """A position has too many joint moves for a tree that lists them all."""


_search_on = direct(_playout_kernels.search_on)
_select_leaves = direct(_leaf_kernels.select_leaves)
_pay_out = direct(_leaf_kernels.pay_out)

_FULL_SHARE = 0.6  # of the nodes: then there is room made before the next search
_NEVER = 1 << 62
_WORK_PER_LEAF = 2_500_000  # gates of the playouts from a leaf: slow beside the tree
_WORK_PER_CHILD = 65_000  # gates that take as long as making a successor a node …
_WORK_OF_BUDGET = 26_000  # … and fewer, where playouts are scarce and time is not
_MOST_PER_LEAF = 16
_MOST_OF_BUDGET = 4  # playouts of a leaf, where a decision has so many in all
_ROUNDS = 16  # of all lanes in a decision, where its playouts are few
_RAVE = 1000  # visits of a move at which what it shares counts half
_MANY_MOVES = 12  # on average: moves that soon have playouts of their own need no more
_LONG = 48  # moves of a playout, from which on cutting it off may be worth it
_FORETOLD = 0.35  # correlation of goals midway and at the end, from which on it is
_CUT_OFF = 16  # moves of a playout then
_LIMIT_STEP = 16  # steps between looks at how long playouts are
_BATCH = 64  # leaves that an evaluator gets at once


class CircuitTree:
    """A tree of the positions of one compiled game, kept from search to search."""

    least = 64
    """Playouts of a search at least: fewer leave most lanes unused."""
    start_share = 0.5
    """The share of a start clock that the initial position is searched for."""

    def __init__(
        self,
        engine: CircuitSimulator,
        settings: TreeSettings | None = None,
        seed: int = 0,
        *,
        profile: GameProfile | None = None,
        evaluator: Evaluator | None = None,
    ) -> None:
        """`evaluator`: values leaves, as far as the settings let it; one whose rows are
        those of the engine."""
        self.engine = engine
        self.settings = settings or TreeSettings()
        self.evaluator = evaluator
        self.profile = profile or profile_game(engine, engine.initial_row(), seed)
        self._sequence = np.random.SeedSequence(seed)
        self._leaves: LeafValues | None = None
        if evaluator is not None:
            total = self.profile.constant_sum
            self._leaves = LeafValues(evaluator, engine, total, seed)
        self._pure = evaluator is not None and self.settings.mix == 1
        self._expects = self._pure and has_priors(evaluator, engine)
        self._rave = self._find_rave()
        decisive = self.settings.decisive and self.profile.in_turns and not self._pure
        ahead = find_lookahead(engine, self.profile.constant_sum) if decisive else None
        self.sees_wins = ahead is not None
        """Whether playouts see wins and losses one move ahead."""
        self._playing = ahead or (engine.compiled.turn_program, engine.compiled.turns)
        self._tree = self._make_tree()
        self._lanes = self._make_lanes()
        self._begun_at_most = 0  # playouts of this tree, as far as was asked for
        self._buffers = self._make_buffers()

    # ── searching ───────────────────────────────────────────────────────────────────

    def set_root(self, row: Row) -> None:
        """Search from this position on; what is known below it stays."""
        if self._is_root(row) and not self._is_full():
            return  # playouts under way go on
        self._abandon()
        nodes = self._tree.nodes
        node = int(find_row(nodes.slots, nodes.rows, row))
        if node < 0:
            node = self._add_root(row)
        self._tree.state[_tree_kernels.ROOT] = node
        self._set_turn(row)
        self._begun_at_most = self.playouts
        if self._is_full():
            self._make_room()
        nodes, node = self._tree.nodes, self._root
        forgotten = nodes.status[node] == PROVEN and nodes.degree[node] == 0
        if forgotten and not self.engine.terminal(row[np.newaxis])[0]:
            nodes.bounds[node] = self._first_bounds()  # to be proven by its moves anew
            nodes.status[node] = OPEN
        if self._is_open(node):
            self._queue(node)
            self._call(0)

    def search(self, playouts: int, end: float = math.inf) -> bool:
        """Search on for so many playouts; return whether the value is proven.

        Playouts begin many at once, so there may be some more. They are made up for by
        the next search: a search in parts is the same as in one. A kernel does not look
        at the clock: after `end` no other is begun.
        """
        self._begun_at_most += playouts
        while not self.solved and (left := self._begun_at_most - self.playouts) > 0:
            self._call(left)
            if end < math.inf and time.monotonic() >= end:
                break
        return self.solved

    @property
    def solved(self) -> bool:
        """Whether the value of the root is proven."""
        return bool(self._tree.nodes.status[self._root] == PROVEN)

    @property
    def playouts(self) -> int:
        """Playouts so far."""
        return int(self._tree.state[_tree_kernels.PLAYOUTS])

    @property
    def nodes(self) -> int:
        """Nodes of the tree."""
        return int(self._tree.state[_tree_kernels.NODES])

    @property
    def _root(self) -> int:
        return int(self._tree.state[_tree_kernels.ROOT])

    def _is_root(self, row: Row) -> bool:
        nodes, root = self._tree.nodes, self._root
        expanded = nodes.status[root] == EXPANDED
        return bool(expanded and (nodes.rows[root] == row).all())

    def _call(self, playouts: int) -> None:
        """Run the kernel; start again or go without more nodes where it must."""
        status = self._run(playouts)
        name = self.engine.game.name
        if status == _expansion_kernels.TOO_WIDE:
            raise TooWideError(f"too many joint moves in a position of {name!r}")
        if status == _expansion_kernels.STUCK:
            raise StuckError(
                f"a role has no legal move in a position of {name!r} that is not"
                " terminal"
            )
        if status == _expansion_kernels.NOT_CONSTANT:
            self._tree.state[_tree_kernels.SUM] = -1
            self._play_without_lookahead()
            if self._leaves is not None:
                self._leaves.constant_sum = None
            self._restart()
        elif status == _expansion_kernels.FULL:
            if self.nodes == 1:
                raise TooWideError(f"too few nodes for the moves of {name!r}")
            if self._is_open(self._root):
                self._restart()
            else:  # there is no time to make room now: the tree stays as it is
                self._tree.state[_tree_kernels.EXPAND_AFTER] = _NEVER
        if self._is_open(self._root):
            self._queue(self._root)
            self._call(0)

    def _run(self, playouts: int) -> int:
        """Run the kernel of this search for a while; return its status."""
        parts = self.engine.program, self._tree
        if not self._pure:
            status = int(_search_on(*parts, self._lanes, self._buffers, playouts))
            self._evaluate()
            return status
        batch = min(_BATCH, self._most_lanes())
        known = int(self._tree.state[_tree_kernels.EDGES])
        status = int(_select_leaves(*parts, self._buffers, batch))
        self._evaluate()
        if self._expects:
            self._set_priors(known)
        _pay_out(self._tree)
        return status

    def _evaluate(self) -> None:
        """Have the evaluator value all new nodes, in one batch."""
        if self._leaves is None:
            return
        nodes, state = self._tree.nodes, self._tree.state
        span = slice(int(state[_tree_kernels.EVALUATED]), self.nodes)
        new = span.start + np.flatnonzero(nodes.status[span] != PROVEN)
        if len(new):
            found = self._leaves.estimate(nodes.rows[new], nodes.moved[new])
            self._tree.estimates[new] = found
        state[_tree_kernels.EVALUATED] = span.stop

    def _set_priors(self, known: int) -> None:
        """Give the edges of nodes that have just been expanded their priors.

        `known`: how many edges there were before; nodes with later ones were queued.
        """
        nodes, edges = self._tree.nodes, self._tree.edges
        queued = np.unique(self._tree.queue)
        new = queued[(nodes.first[queued] >= known) & (nodes.mover[queued] >= 0)]
        new = new[nodes.degree[new] > 1]
        if not len(new):
            return
        assert self.evaluator is not None
        found = self.evaluator.priors(self.engine, nodes.rows[new])
        assert found is not None
        spans = join_spans(nodes.first[new], nodes.degree[new])
        places = np.repeat(np.arange(len(new)), nodes.degree[new])
        movers = nodes.mover[new][places]
        for role, priors in enumerate(found):
            own = movers == role
            moves = edges.move[spans[own]]
            edges.prior[spans[own]] = priors[places[own], moves]

    def _is_open(self, node: int) -> bool:
        return bool(self._tree.nodes.status[node] == OPEN)

    def analyse(self, role: int, lines: int = 0) -> Analysis:
        """Return what the search has found for a role at the root.

        `lines`: so many of the best candidates come with their lines of play.
        """
        return RootView(self.engine, self._tree).analyse(role, lines)

    # ── nodes ───────────────────────────────────────────────────────────────────────

    def _add_root(self, row: Row) -> int:
        """Add a position of which nothing is known; return its number."""
        if self.nodes == len(self._tree.nodes.visits):
            self._tree = self._make_tree(self._tree.state)
        nodes, state = self._tree.nodes, self._tree.state
        found = int(find_row(nodes.slots, nodes.rows, row))
        number = int(state[_tree_kernels.NODES])
        state[_tree_kernels.NODES] += 1
        clear_node(nodes, number)
        nodes.slots[-1 - found] = number + 1
        nodes.rows[number] = row
        nodes.bounds[number] = self._first_bounds()
        self._evaluate()
        return number

    def _queue(self, node: int) -> None:
        """Have the kernel expand a node before all else."""
        self._tree.nodes.status[node] = QUEUED
        self._tree.queue[0] = node
        self._tree.state[_tree_kernels.QUEUE] = 1

    def _first_bounds(self) -> tuple[float, float]:
        """Return what the first player may get, where the sum of goals is constant."""
        state, goal_range = self._tree.state, self._tree.goal_range
        total = float(state[_tree_kernels.SUM])
        if total < 0:
            return 0.0, 100.0
        low, high = goal_range[state[_tree_kernels.FIRST]]
        least, most = goal_range[state[_tree_kernels.SECOND]]
        return max(low, total - most), min(high, total - least)

    def _abandon(self) -> None:
        """Take back the playouts that are under way, and empty the queue."""
        tree = self._tree
        tickets, weight = tree.tickets, int(tree.state[_tree_kernels.WEIGHT])
        for ticket in np.flatnonzero(tickets.left):
            depth = int(tickets.depth[ticket])
            np.subtract.at(tree.nodes.begun, tickets.nodes[ticket, : depth + 1], weight)
            np.subtract.at(
                tree.edges.begun, tickets.edges[ticket, 1 : depth + 1], weight
            )
        tickets.left[:] = 0
        tickets.sums[:] = 0.0
        self._lanes.live[:] = 0
        self._lanes.progress[_playout_kernels.WAITING] = 0
        queued = tree.queue[: int(tree.state[_tree_kernels.QUEUE])]
        waiting = queued[tree.nodes.status[queued] == QUEUED]
        tree.nodes.status[waiting] = OPEN
        tree.state[_tree_kernels.QUEUE] = 0

    # ── turns ───────────────────────────────────────────────────────────────────────

    def _set_turn(self, row: Row) -> None:
        """Let lanes know whose turn the root is; that of all moves follows from it."""
        found = find_turn(self._lanes.turns, row)
        if found is None:  # its fluents have values as in no turn
            self._playing = as_one_turn(self.engine.program)
            self._lanes, found = self._make_lanes(), 0
        self._lanes.progress[_playout_kernels.ROOT_TURN] = found

    def _play_without_lookahead(self) -> None:
        """Let playouts choose among all legal moves from now on."""
        compiled = self.engine.compiled
        if self.sees_wins:
            turn = int(self._lanes.progress[_playout_kernels.ROOT_TURN])
            self._abandon()
            self.sees_wins = False
            self._playing = compiled.turn_program, compiled.turns
            self._lanes = self._make_lanes()
            self._lanes.progress[_playout_kernels.ROOT_TURN] = turn

    # ── memory ──────────────────────────────────────────────────────────────────────

    def _is_full(self) -> bool:
        """Return whether little room is left for more nodes."""
        tree, state = self._tree, self._tree.state
        used = (
            (state[_tree_kernels.NODES], tree.nodes.visits),
            (state[_tree_kernels.EDGES], tree.edges.child),
            (state[_tree_kernels.ACTIONS], tree.actions.move),
        )
        return any(count > _FULL_SHARE * len(array) for count, array in used)

    def _make_room(self) -> None:
        """Forget what is not below the root, and what was visited least."""
        if self._tree.state[_tree_kernels.ACTIONS]:
            self._restart()
        else:
            forget(self._tree, len(self._tree.nodes.visits) // 4)
        self._expand_sooner()

    def _expand_sooner(self) -> None:
        """Have leaves expanded as soon as in a tree with much room."""
        state = self._tree.state
        state[_tree_kernels.EXPAND_AFTER] = state[_tree_kernels.SOONEST]

    def _restart(self) -> None:
        """Forget everything but the root."""
        row = self._tree.nodes.rows[self._root].copy()
        self._abandon()
        self._tree = self._make_tree(self._tree.state)
        self._tree.state[_tree_kernels.ROOT] = self._add_root(row)

    # ── arrays ──────────────────────────────────────────────────────────────────────

    def _make_tree(self, before: npt.NDArray[np.int64] | None = None) -> Tree:
        """Return an empty tree, in place of one with this state if there was one."""
        engine, settings = self.engine, self.settings
        state = np.zeros(_tree_kernels.STATE_SIZE, np.int64)
        names = engine.roles
        state[_tree_kernels.CHANCE] = names.index("random") if "random" in names else -2
        state[_tree_kernels.WEIGHT] = self._weight()
        state[_tree_kernels.SOONEST] = self._expand_after()
        state[_tree_kernels.EXPAND_AFTER] = state[_tree_kernels.SOONEST]
        state[_tree_kernels.LIMIT] = self._limit()
        total, first, second = self.profile.constant_sum or (-1, -1, -1)
        if before is not None:
            state[_tree_kernels.PLAYOUTS] = before[_tree_kernels.PLAYOUTS]
            total = int(before[_tree_kernels.SUM])
        state[_tree_kernels.SUM] = total
        state[_tree_kernels.FIRST], state[_tree_kernels.SECOND] = first, second
        ranges = [(min(g, default=0), max(g, default=100)) for g in engine.goal_values]
        roles = len(names)
        room = count_nodes(engine.width, roles) // (settings.threads or 1)
        count = settings.nodes or room
        estimated = 0 if self._leaves is None else count
        state[_tree_kernels.EVALUATED] = 0 if estimated else -1
        exploration = settings.exploration_over(
            self.evaluator, self._expects, self._rave > 0
        )
        return Tree(
            nodes=allocate_nodes(count, engine.width, roles),  # pages come with use
            edges=allocate_edges(count_edges(count)),
            actions=allocate_actions(2 * count),
            tickets=allocate_tickets(roles),
            queue=np.zeros(LANES, np.int32),
            state=state,
            parameters=np.array(
                [exploration, settings.first_play, settings.mix, self._rave],
                np.float64,
            ),
            goal_range=np.array(ranges, np.float64),
            random=self._sequence.generate_state(4, np.uint64),
            strategies=np.zeros(max(1, *map(len, engine.moves))),
            estimates=np.zeros((estimated, roles), np.float32),
            facts=allocate_facts(self._shared_fluents() if total >= 0 else 0),
        )

    def _shared_fluents(self) -> int:
        """Return of how many fluents moves share statistics, 0 if they do not."""
        return len(self.engine.fluents) if self._rave else 0

    def _find_rave(self) -> int:
        """Return at how many visits a move's own playouts count as much as others'."""
        if self.profile.constant_sum is None or self._pure:
            return 0
        if self.settings.rave is not None:
            return self.settings.rave
        many = self.profile.choices >= _MANY_MOVES
        return _RAVE if many and facts_last(self.engine) else 0

    def _weight(self) -> int:
        """Return the playouts of a leaf: fewer where one takes many gates."""
        if self._pure:
            return 1
        if self.settings.playouts_per_leaf is not None:
            return self.settings.playouts_per_leaf
        exponent = round(math.log2(max(1.0, _WORK_PER_LEAF / self._work())))
        most = _MOST_PER_LEAF if self.settings.playouts is None else _MOST_OF_BUDGET
        return int(min(2**exponent, most, max(1, self._most_lanes() // 4)))

    def _most_lanes(self) -> int:
        """Return how many lanes play at once: few where a decision has few playouts.

        Leaves are chosen by the playouts that have ended, so most of them must end.
        """
        if self.settings.playouts is None:
            return LANES
        least = self.settings.playouts_per_leaf or 1
        return min(LANES, max(least, self.settings.playouts // _ROUNDS))

    def _expand_after(self) -> int:
        """Return the playouts of a leaf that cost as much as all its successors."""
        if self._pure:
            return 0
        if self.settings.expand_after is not None:
            return self.settings.expand_after
        timed = self.settings.playouts is None
        work = _WORK_PER_CHILD if timed else _WORK_OF_BUDGET
        return int(work * self.profile.choices / self._work())

    def _limit(self) -> int:
        """Return the moves of a playout at most."""
        if self.settings.playout_limit is not None:
            return self.settings.playout_limit
        profile = self.profile
        long = profile.length >= _LONG
        return _CUT_OFF if long and profile.foretold >= _FORETOLD else LONGEST_PLAYOUT

    def _work(self) -> float:
        """Return the gates of a playout."""
        program, turns = self._playing
        length = min(self.profile.length, self._limit() + _LIMIT_STEP / 2)
        return max(1.0, length * len(program.left) / len(turns.terminal))

    def _make_lanes(self) -> Lanes:
        return allocate_lanes(
            self.engine,
            self._playing,
            self._sequence.spawn(1)[0],
            most=self._most_lanes(),
            proving=self.sees_wins and self.profile.constant_sum is not None,
        )

    def _make_buffers(self) -> ExpansionBuffers:
        engine = self.engine
        roles, moves = len(engine.roles), sum(map(len, engine.moves))
        return ExpansionBuffers(
            words=allocate_aligned(8 * engine.program.slots).reshape(-1, 8),
            rows=np.zeros((LANES, engine.width), np.uint64),
            legal=np.zeros((LANES, max(1, -(-moves // 64))), np.uint64),
            listed=np.zeros(moves, np.int32),
            ends=np.zeros(roles, np.int64),
            joint=np.zeros((LANES, roles), np.int32),
            edges=np.zeros(LANES, np.int64),
            movers=np.zeros(LANES, np.int16),
            goals=np.zeros(roles, np.int16),
            ended=np.zeros(8, np.uint64),
            block=np.zeros(64, np.uint64),
            pending=np.zeros(1, np.int64),
            adding=np.zeros(self._shared_fluents(), np.int32),
        )
