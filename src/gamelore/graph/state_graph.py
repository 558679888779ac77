"""The state graph: positions numbered as they are met, with their successors.

Search, opponents and learners need the successors of the same positions again and
again; here they are computed once and then looked up. A state graph caches facts about
the rules: it never changes what a player decides, only how fast.

It is for games in which one role moves at a time (the role `random` included). Where no
role has a choice, the mover is the first player whose only move is not one that roles
make while others move.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from gamelore._hash_kernels import add_row, find_row, rehash
from gamelore.circuit import empty_program
from gamelore.engine import CircuitSimulator, Rows, Simulator
from gamelore.engine.compiled.buffers import (
    LANES_64,
    allocate_aligned,
    allocate_moves,
    allocate_words_64,
)
from gamelore.errors import NotTurnTakingError, StuckError
from gamelore.gdl import Move, to_kif
from gamelore.graph import _kernels
from gamelore.graph._cofactor_kernels import Cofactors
from gamelore.graph._kernels import (
    ENDED,
    UNSEEN,
    ExpansionBuffers,
    GraphArrays,
    Nodes,
)
from gamelore.graph.cofactors import TurnFacts, find_cofactors, no_cofactors
from gamelore.kernels import direct, lean_pointer

_expand_node = direct(_kernels.expand_node)

_FIRST_NODES = 1 << 12
_SAMPLED = 64  # random matches that show which moves mean waiting
_found = WeakKeyDictionary[Simulator, tuple[set[tuple[int, int]], Cofactors]]()
# what they have shown of each simulator, which is the same for all of its graphs


class Edge(NamedTuple):
    """A move of the role to move, and the node it leads to."""

    move: int
    child: int


class StateGraph:
    """The positions of one game met so far, and their successors."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.program = (
            simulator.program
            if isinstance(simulator, CircuitSimulator)
            else empty_program()
        )
        if simulator not in _found:
            passive, turns = _sample(simulator)
            _found[simulator] = passive, find_cofactors(self.program, turns)
        self.passive, self.cofactors = _found[simulator]
        self._clear()

    def _clear(self) -> None:
        """Begin anew, with the initial position alone."""
        self.nodes = self._empty(_FIRST_NODES, 4 * _FIRST_NODES)
        self.root = self.number(self.simulator.initial_row())

    def empty_copy(self) -> StateGraph:
        """Return a graph of the same game with the initial position alone."""
        other = copy(self)
        other._clear()
        return other

    @property
    def graph(self) -> GraphArrays:
        """The arrays that kernels take."""
        return GraphArrays(self.program, self.nodes, _expander())

    def __len__(self) -> int:
        return int(self.nodes.used[0])

    def number(self, row: npt.NDArray[np.uint64]) -> int:
        """Return the node of a position, new if it was not met before."""
        nodes = self.nodes
        found = int(find_row(nodes.slots, nodes.rows, row))
        if found >= 0:
            return found
        if len(self) == len(nodes.rows):
            self.grow()
            return self.number(row)
        node = len(self)
        add_row(nodes.slots, nodes.rows, row, found, node)
        nodes.used[0] += 1
        ended = bool(self.simulator.terminal(row[None])[0])
        nodes.mover[node] = ENDED if ended else UNSEEN
        if ended:
            nodes.goals[node] = self.simulator.goals(row[None])[0]
        return node

    def row(self, node: int) -> npt.NDArray[np.uint64]:
        """The position of a node."""
        row: npt.NDArray[np.uint64] = self.nodes.rows[node].copy()
        return row

    def is_terminal(self, node: int) -> bool:
        return int(self.nodes.mover[node]) == ENDED

    def mover(self, node: int) -> int:
        """The role to move, by its number; -1 in a terminal position."""
        if int(self.nodes.mover[node]) == UNSEEN:
            self.expand(node)
        return int(self.nodes.mover[node])

    def goals(self, node: int) -> npt.NDArray[np.int16]:
        """int16 [R]: the goals of a terminal node."""
        goals: npt.NDArray[np.int16] = self.nodes.goals[node].copy()
        return goals

    def edges(self, node: int) -> list[Edge]:
        """The moves of the role to move, in the order of their numbers."""
        if self.mover(node) == ENDED:
            return []
        nodes = self.nodes
        first = int(nodes.first[node])
        span = slice(first, first + int(nodes.degree[node]))
        return [
            Edge(int(move), int(child))
            for move, child in zip(nodes.move[span], nodes.child[span], strict=True)
        ]

    def moves(self, node: int) -> Iterator[tuple[Move, int]]:
        """The moves by name, each with the node it leads to."""
        names = self.simulator.moves[self.mover(node)]
        for edge in self.edges(node):
            yield names[edge.move], edge.child

    def expand(self, node: int) -> None:
        """Find a node's successors, unless they are known."""
        status = _expand_node(self.graph, node)
        if status != _kernels.FINE:
            self.resolve(status, node)
            self.expand(node)

    def explore(self, node: int, depth: int) -> None:
        """Expand everything under a node, down to a depth."""
        level = {node}
        for _ in range(depth):
            level = {
                edge.child
                for parent in level
                if not self.is_terminal(parent)
                for edge in self.edges(parent)
            }

    def extend(self, node: int, depth: int) -> None:
        """Grow, or expand what a kernel that failed under a node needs."""
        most = max(map(len, self.simulator.moves))
        free_nodes = len(self.nodes.rows) - int(self.nodes.used[0])
        free_edges = len(self.nodes.child) - int(self.nodes.used[1])
        if min(free_nodes, free_edges) < most:
            self.grow()
        else:
            self.explore(node, depth)

    def resolve(self, status: int, node: int) -> None:
        """Do what a kernel could not do: grow, or expand with the interpreter."""
        if status == _kernels.FULL:
            self.grow()
        elif status == _kernels.UNKNOWN:
            self._expand_slowly(node)
        else:
            facts = sorted(map(str, self.simulator.facts(self.nodes.rows[node])))
            where = f"{self.simulator.game.name!r}, at {' '.join(facts)}"
            if status == _kernels.SIMULTANEOUS:
                raise NotTurnTakingError(f"two roles have a choice at once in {where}")
            raise StuckError(f"a role has no legal move in {where}")

    def reserve(self) -> None:
        """Grow if less than a quarter is free: rather before a match than in it."""
        nodes = self.nodes
        free = len(nodes.rows) - nodes.used[0], len(nodes.child) - nodes.used[1]
        if 4 * min(free[0] / len(nodes.rows), free[1] / len(nodes.child)) < 1:
            self.grow()

    def grow(self) -> None:
        """Double the number of nodes and edges there is space for."""
        old = self.nodes
        self.nodes = self._empty(2 * len(old.rows), 2 * len(old.child))
        used_nodes, used_edges, _ = (int(n) for n in old.used)
        for name in ("rows", "mover", "first", "degree", "goals"):
            getattr(self.nodes, name)[:used_nodes] = getattr(old, name)[:used_nodes]
        for name in ("child", "move", "outcome"):
            getattr(self.nodes, name)[:used_edges] = getattr(old, name)[:used_edges]
        self.nodes.used[:] = old.used
        rehash(self.nodes.slots, self.nodes.rows, used_nodes)

    def _empty(self, nodes: int, edges: int) -> Nodes:
        roles = len(self.simulator.roles)
        empty = empty_nodes(
            nodes, edges, self.simulator.width, roles, self.program.slots
        )
        passive = self._passive_numbers()
        expansion = empty.expansion._replace(
            players_first=np.array(self._players_first, np.int64),
            passive=passive,
            cofactors=self.cofactors,
            moves=allocate_moves(len(passive), roles),
        )
        return empty._replace(expansion=expansion)

    def _passive_numbers(self) -> npt.NDArray[np.bool_]:
        """Return bool [M]: for all roles' moves, one role after the other, whether they
        mean waiting."""
        return np.array(
            [
                (role, move) in self.passive
                for role, moves in enumerate(self.simulator.moves)
                for move in range(len(moves))
            ],
            dtype=np.bool_,
        )

    def _expand_slowly(self, node: int) -> None:
        """Find successors by the simulator's array interface: for the interpreter."""
        simulator = self.simulator
        row = self.nodes.rows[node][None]
        legal = [np.flatnonzero(per_role[0]) for per_role in simulator.legal(row)]
        mover = self._mover_among(legal, node)
        # The interpreter numbers moves as it meets them: by name, the order of edges
        # does not depend on what was asked of it before.
        names = simulator.moves[mover]
        order = np.argsort([to_kif(names[int(move)]) for move in legal[mover]])
        legal[mover] = legal[mover][order]
        moves = np.array(
            [
                [m if r == mover else legal[r][0] for r in range(len(legal))]
                for m in legal[mover]
            ],
            dtype=np.int32,
        )
        children = [
            self.number(r) for r in simulator.advance(row.repeat(len(moves), 0), moves)
        ]
        while self.nodes.used[1] + len(children) > len(self.nodes.child):
            self.grow()
        first = int(self.nodes.used[1])
        self.nodes.child[first : first + len(children)] = children
        self.nodes.move[first : first + len(children)] = legal[mover]
        self.nodes.mover[node] = mover
        self.nodes.first[node] = first
        self.nodes.degree[node] = len(children)
        self.nodes.used[1] += len(children)

    def _mover_among(self, legal: list[npt.NDArray[np.intp]], node: int) -> int:
        if any(len(moves) == 0 for moves in legal):
            self.resolve(_kernels.STUCK, node)
        choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
        if len(choosing) > 1:
            self.resolve(_kernels.SIMULTANEOUS, node)
        if choosing:
            return choosing[0]
        active = [
            role
            for role, moves in enumerate(legal)
            if (role, int(moves[0])) not in self.passive
        ]
        return next(r for r in self._players_first if r in active or not active)

    @property
    def _players_first(self) -> list[int]:
        """The roles, the role `random` last."""
        names = self.simulator.roles
        return sorted(range(len(names)), key=lambda role: names[role] == "random")


@cache
def _expander() -> Any:
    """Return the pointer through which kernels expand nodes."""
    program, nodes = empty_program(), empty_nodes()
    return lean_pointer(_kernels.expand, 0, program, nodes, 0)


def empty_nodes(
    nodes: int = 1, edges: int = 1, width: int = 1, roles: int = 1, slots: int = 0
) -> Nodes:
    """Return arrays for so many nodes and edges, and buffers for a circuit."""
    return Nodes(
        rows=np.zeros((nodes, width), np.uint64),
        slots=np.zeros(2 * nodes, np.int32),
        mover=np.full(nodes, UNSEEN, np.int8),
        first=np.zeros(nodes, np.int64),
        degree=np.zeros(nodes, np.int32),
        goals=np.zeros((nodes, roles), np.int16),
        child=np.zeros(edges, np.int32),
        move=np.zeros(edges, np.int32),
        outcome=np.full(edges, UNSEEN, np.int8),
        used=np.zeros(3, np.int64),
        expansion=ExpansionBuffers(
            players_first=np.arange(roles),
            passive=np.zeros(0, np.bool_),
            words64=allocate_words_64(slots, 2),
            words512=allocate_aligned(slots * 8).reshape(slots, 8),
            cofactors=no_cofactors(width, roles),
            moves=allocate_moves(0, roles),
            successors=np.zeros((LANES_64, width), np.uint64),
            first_slots=np.zeros(LANES_64, np.int64),
        ),
    )


def _sample(simulator: Simulator) -> tuple[set[tuple[int, int]], dict[int, TurnFacts]]:
    """Play random matches, and return what they show.

    That is the moves that were a role's only one while another role had a choice; and
    by role, what the positions have in common in which it had a choice. Roles draw from
    the same numbers, so that their order in the rules makes no difference.
    """
    generator = np.random.default_rng(0)
    rows: Rows = simulator.initial_row()[None].repeat(_SAMPLED, 0)
    passive: set[tuple[int, int]] = set()
    turns: dict[int, TurnFacts] = {}
    for _ in range(1000):
        rows = rows[~simulator.terminal(rows)]
        if not len(rows):
            break
        legal = simulator.legal(rows)
        counts = np.stack([per_role.sum(axis=1) for per_role in legal], axis=1)
        if (counts == 0).any():
            break
        choosing = (counts > 1).sum(axis=1)
        for role, per_role in enumerate(legal):
            waiting = (counts[:, role] == 1) & (choosing > 0)
            numbers = np.unique(per_role[waiting].argmax(axis=1))
            passive |= {(role, int(number)) for number in numbers}
            if (own := rows[counts[:, role] > 1]).size:
                turns[role] = _extend(turns.get(role), own)
        chosen = (generator.random(len(rows))[:, None] * counts).astype(np.int64)
        joint = [_pick(per_role, chosen[:, r]) for r, per_role in enumerate(legal)]
        rows = simulator.advance(rows, np.stack(joint, axis=1).astype(np.int32))
    return passive, turns


def _extend(known: TurnFacts | None, rows: Rows) -> TurnFacts:
    """Return what positions have in common with those known before."""
    always, ever = np.bitwise_and.reduce(rows), np.bitwise_or.reduce(rows)
    if known is None:
        return TurnFacts(always, ever)
    return TurnFacts(known.always & always, known.ever | ever)


def _pick(
    legal: npt.NDArray[np.bool_], chosen: npt.NDArray[np.int64]
) -> npt.NDArray[np.intp]:
    """Return the legal move with the chosen index in each position."""
    picked: npt.NDArray[np.intp] = (legal.cumsum(axis=1) > chosen[:, None]).argmax(
        axis=1
    )
    return picked
