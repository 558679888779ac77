"""A search tree over a compiled game: makes its arrays, calls its kernels."""

from __future__ import annotations

import math
import time
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from gamelore._hash_kernels import find_row
from gamelore.circuit.program import Program
from gamelore.circuit.wins import add_wins
from gamelore.engine import CircuitSimulator, Row
from gamelore.engine.compiled.buffers import allocate_aligned
from gamelore.errors import GameloreError, StuckError
from gamelore.kernels import direct
from gamelore.search.mcts import _expansion_kernels, _playout_kernels, _tree_kernels
from gamelore.search.mcts._decisive_kernels import Lookahead
from gamelore.search.mcts._expansion_kernels import ExpansionBuffers
from gamelore.search.mcts._playout_kernels import Lanes, MoveChoice
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
    allocate_nodes,
    allocate_tickets,
    count_edges,
    forget,
)
from gamelore.search.mcts.profile import GameProfile, profile_game
from gamelore.search.mcts.report import Analysis
from gamelore.search.mcts.root_view import RootView
from gamelore.search.mcts.settings import LANES, TreeSettings


class TooWideError(GameloreError):
    """A position has too many joint moves for a tree that lists them all."""


_search_on = direct(_playout_kernels.search_on)

_FULL_SHARE = 0.6  # of the nodes: then there is room made before the next search
_NEVER = 1 << 62
_WORK_PER_LEAF = 1_000_000  # gates of the playouts from a leaf: slow beside the tree
_WORK_PER_CHILD = 26_000  # gates that take as long as making a successor a node
_MOST_PER_LEAF = 16
_ROUNDS = 16  # of all lanes in a decision, where its playouts are few


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
    ) -> None:
        self.engine = engine
        self.settings = settings or TreeSettings()
        self.profile = profile or profile_game(engine, engine.initial_row(), seed)
        self._sequence = np.random.SeedSequence(seed)
        decisive = self.settings.decisive and self.profile.in_turns
        with_wins = _find_wins(engine) if decisive else None
        self.sees_wins = with_wins is not None
        self._program: Program = with_wins or engine.program
        slots = self._program.slots + len(self._program.legal)
        self._words = [allocate_aligned(slots * 8).reshape(-1, 8) for _ in range(2)]
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
        status = int(
            _search_on(self._program, self._tree, self._lanes, self._buffers, playouts)
        )
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
        nodes.slots[-1 - found] = number + 1
        nodes.rows[number] = row
        nodes.bounds[number] = self._first_bounds()
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
        queued = tree.queue[: int(tree.state[_tree_kernels.QUEUE])]
        waiting = queued[tree.nodes.status[queued] == QUEUED]
        tree.nodes.status[waiting] = OPEN
        tree.state[_tree_kernels.QUEUE] = 0

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
            self._tree = forget(self._tree, len(self._tree.nodes.visits) // 4)
        self._tree.state[_tree_kernels.EXPAND_AFTER] = self._expand_after()

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
        state[_tree_kernels.EXPAND_AFTER] = self._expand_after()
        state[_tree_kernels.LIMIT] = settings.playout_limit
        total, first, second = self.profile.constant_sum or (-1, -1, -1)
        if before is not None:
            state[_tree_kernels.PLAYOUTS] = before[_tree_kernels.PLAYOUTS]
            total = int(before[_tree_kernels.SUM])
        state[_tree_kernels.SUM] = total
        state[_tree_kernels.FIRST], state[_tree_kernels.SECOND] = first, second
        ranges = [(min(g, default=0), max(g, default=100)) for g in engine.goal_values]
        roles = len(names)
        count = settings.nodes  # memory is taken as it is used
        return Tree(
            nodes=allocate_nodes(count, engine.width, roles),
            edges=allocate_edges(count_edges(count)),
            actions=allocate_actions(2 * count),
            tickets=allocate_tickets(roles),
            queue=np.zeros(LANES, np.int32),
            state=state,
            parameters=np.array([settings.exploration, settings.first_play]),
            goal_range=np.array(ranges, np.float64),
            random=self._sequence.generate_state(4, np.uint64),
            strategies=np.zeros(max(1, *map(len, engine.moves))),
        )

    def _weight(self) -> int:
        """Return the playouts of a leaf: fewer where one takes many gates."""
        if self.settings.playouts_per_leaf is not None:
            return self.settings.playouts_per_leaf
        work = self.profile.length * max(1, len(self._program.left))
        exponent = round(math.log2(max(1.0, _WORK_PER_LEAF / work)))
        return int(min(2**exponent, _MOST_PER_LEAF, max(1, self._most_lanes() // 4)))

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
        if self.settings.expand_after is not None:
            return self.settings.expand_after
        work = self.profile.length * max(1, len(self._program.left))
        return int(_WORK_PER_CHILD * self.profile.choices / max(1.0, work))

    def _make_lanes(self) -> Lanes:
        program = self._program
        random = allocate_aligned(16).reshape(4, 4)
        words = self._sequence.spawn(1)[0].generate_state(16, np.uint64)
        random[:] = words.reshape(4, 4)
        legal = program.legal
        if self.sees_wins:
            end = program.slots + len(legal)
            legal = 2 * np.arange(program.slots, end, dtype=np.int32)
        return Lanes(
            words=self._words[0],
            random=random,
            live=allocate_aligned(8),
            ended=allocate_aligned(8),
            cut_off=allocate_aligned(8),
            placed=allocate_aligned(8),
            ticket=np.zeros(LANES, np.int32),
            began=np.zeros(LANES, np.int64),
            goals=np.zeros(len(self.engine.roles), np.int16),
            choice=MoveChoice(legal, program.move_ends, program.first_move),
            ahead=self._make_lookahead(),
            fluents=len(self.engine.fluents),
            most=self._most_lanes(),
        )

    def _make_lookahead(self) -> Lookahead:
        fluents, moves = len(self.engine.fluents), len(self._program.legal)
        roles = self.engine.roles
        if not self.sees_wins:
            fluents = moves = 0
        # Where two players may both win, letting the other do so is no mistake.
        careful = np.array([role != "random" for role in roles])
        if careful.sum() == 2 and self.profile.constant_sum is None:
            careful[:] = False
        return Lookahead(
            before=allocate_aligned(8 * fluents).reshape(-1, 8),
            made=allocate_aligned(8 * moves).reshape(-1, 8),
            tried=allocate_aligned(8 * moves).reshape(-1, 8),
            chooses=allocate_aligned(8 * len(roles)).reshape(-1, 8),
            chose=allocate_aligned(8 * len(roles)).reshape(-1, 8),
            careful=np.where(careful, ~np.uint64(0), np.uint64(0)),
            undoable=allocate_aligned(8),
            undone=allocate_aligned(8),
            returned=allocate_aligned(8),
        )

    def _make_buffers(self) -> ExpansionBuffers:
        engine = self.engine
        roles, moves = len(engine.roles), sum(map(len, engine.moves))
        return ExpansionBuffers(
            words=self._words[1],
            rows=np.zeros((LANES, engine.width), np.uint64),
            legal=np.zeros((LANES, max(1, -(-moves // 64))), np.uint64),
            listed=np.zeros(moves, np.int32),
            ends=np.zeros(roles, np.int64),
            joint=np.zeros((LANES, roles), np.int32),
            edges=np.zeros(LANES, np.int64),
            goals=np.zeros(roles, np.int16),
            ended=np.zeros(8, np.uint64),
            block=np.zeros(64, np.uint64),
            pending=np.zeros(1, np.int64),
        )


@lru_cache(maxsize=4)
def _find_wins(engine: CircuitSimulator) -> Program | None:
    """Return a circuit that tells winning moves, made once for an engine."""
    return add_wins(engine.compiled, engine.roles)
