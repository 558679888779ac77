"""Moves of two parts: legal where both are, so that parts are counted in their place.

In Amazons a piece goes from a cell to another, and shoots from there. For each cell
where it may arrive, it matters from where it can come, and where it can shoot to: two
lists of thirty, in place of nine hundred moves. As many of these are legal as legal
parts of one list times those of the other, and to choose one of them is to choose its
parts, each by itself.

Such *products* are found among moves that have one group in common and two more: their
*row* and their *column*. The literals that such a move's legality is the AND of must be
those of its row and those of its column, as most moves of these have them. Where a row
and a column make no such move, they must contradict each other: what has come from a
cell cannot shoot across it as if it had never been there. Moves of no product stay as
they are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from gamelore.circuit.factors import conjoin_all
from gamelore.circuit.graph import FALSE, TRUE, Graph, GraphBuilder
from gamelore.circuit.move_groups import MoveProduct, TurnCircuit
from gamelore.circuit.program import MOST_PARTS

_FEWEST_MOVES = 1000  # of a turn: fewer are soon counted
_FEWEST_PARTS = 255  # with moves of no product: kernels ask for products if so many
_FEWEST_PER_PART = 4  # moves of a product: of fewer, it is no saving
_LEAST_SHARE = 0.5  # of pairs of a row and a column: those that are moves
_MOST_ATOMS = 8192  # inputs and inverted gates that legal moves are ANDs of
_TRIED = 8  # moves of a part whose gates may be those of the part

_Cells: TypeAlias = Mapping[tuple[int, int], int]
"""Moves by the groups of their row and of their column."""


def factor_moves(turn: TurnCircuit, fewest: int = _FEWEST_MOVES) -> TurnCircuit:
    """Return the circuit of a turn, with products in place of moves where it has some.

    `fewest`: of how many moves on products are looked for
    """
    choosing = [role for role, moves in enumerate(turn.circuit.moves) if moves]
    if len(choosing) != 1 or len(turn.moves) < fewest or turn.products:
        return turn
    try:
        ands = _Conjunctions(turn)
        found = _find_products(turn.groups, [ands.literals(x) for x in ands.legal])
    except _TooManyAtomsError:
        return turn
    if not found:
        return turn
    factored = _with_products(turn, ands, found)
    return factored if factored.circuit.move_count >= _FEWEST_PARTS else turn


class _TooManyAtomsError(Exception):
    """Sets of literals would be large."""


class _Conjunctions:
    """A turn's graph anew, with the literals that each gate is the AND of.

    Gates that are an AND of literals which contradict each other are false here. A set
    of literals is a number: bit 2i + inverted, for the i-th of the *atoms*, which are
    inputs and inverted gates.
    """

    def __init__(self, turn: TurnCircuit) -> None:
        graph, circuit = turn.circuit.graph, turn.circuit
        self.builder = GraphBuilder(graph.inputs)
        self._first_gate = 1 + graph.inputs
        self._atoms: dict[int, int] = {}
        self._gates: dict[int, tuple[int, int, int]] = {}
        """Of the gates that legal moves need, by node: inputs, and set of literals."""
        self._false: set[int] = set()
        first = 1 + circuit.goal_count
        moves = slice(first, first + circuit.move_count)
        needed = _find_cone(graph, graph.outputs[moves].tolist())
        meaning = [2 * node for node in range(self._first_gate)]
        pairs = zip(graph.left.tolist(), graph.right.tolist(), strict=True)
        for need, (a, b) in zip(needed, pairs, strict=True):
            one, other = meaning[a >> 1] ^ (a & 1), meaning[b >> 1] ^ (b & 1)
            meaning.append(self._both(one, other, need))
        self.outputs = [meaning[o >> 1] ^ (o & 1) for o in graph.outputs.tolist()]
        self.legal = self.outputs[moves]

    def _both(self, a: int, b: int, needed: bool) -> int:
        before = self.builder.gates
        literal = self.builder.both(a, b)
        node = literal >> 1
        if needed and self.builder.gates > before:
            found = self.literals(a) | self.literals(b)
            self._gates[node] = a, b, found
            if _contradicts(found):
                self._false.add(node)
        return FALSE if node in self._false else literal

    def literals(self, literal: int) -> int:
        """Return the set of literals that this one is the AND of."""
        gate = None if literal & 1 else self._gates.get(literal >> 1)
        if gate is not None:
            return gate[2]
        atom = self._atoms.setdefault(literal >> 1, len(self._atoms))
        if atom > _MOST_ATOMS:
            raise _TooManyAtomsError
        return 1 << (2 * atom + (literal & 1))

    def cover(self, literal: int, wanted: int) -> list[int]:
        """Return literals whose AND is that of the wanted ones: parts of this one."""
        found: dict[int, None] = {}
        waiting = [literal]
        while waiting:
            part = waiting.pop()
            of_part = self.literals(part)
            if not of_part & ~wanted:
                found[part] = None
            elif of_part & wanted:
                waiting += self._gates[part >> 1][:2]
        return list(found)

    def cover_best(self, moves: Sequence[int], wanted: int) -> list[int]:
        """Return what covers the wanted literals by the gates of one of some moves.

        That is TRUE where none is wanted.
        """
        covers = (self.cover(self.legal[move], wanted) for move in moves[:_TRIED])
        return min(covers, key=len) or [TRUE]


def _contradicts(literals: int) -> bool:
    """Return whether a set of literals has one and its complement."""
    pairs = -(-literals.bit_length() // 8)
    return bool(literals & (literals >> 1) & int.from_bytes(b"\x55" * pairs, "little"))


def _find_cone(graph: Graph, literals: Sequence[int]) -> list[bool]:
    """Return of every gate whether the literals need it."""
    first = 1 + graph.inputs
    needed = [False] * (first + graph.gates)
    for literal in literals:
        needed[literal >> 1] = True
    left, right = graph.left.tolist(), graph.right.tolist()
    for gate in range(graph.gates - 1, -1, -1):
        if needed[first + gate]:
            needed[left[gate] >> 1] = needed[right[gate] >> 1] = True
    return needed[first:]


# ── which moves are products ────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Product:
    """Rows and columns: by their groups, the literals that each is the AND of."""

    shared: int
    """The group that all moves are in."""
    rows: dict[int, int]
    columns: dict[int, int]
    moves: dict[tuple[int, int], int]
    """Those that are a row and a column."""

    def is_saving(self) -> bool:
        parts = len(self.rows) + len(self.columns)
        return len(self.moves) >= _FEWEST_PER_PART * parts > 0


def _find_products(
    groups: Sequence[Sequence[int]], literals: Sequence[int]
) -> list[_Product]:
    """Return products that have no move in common, the largest first.

    `groups`, `literals`: those of each move
    """
    sharing: dict[int, list[int]] = defaultdict(list)
    for move, of_move in enumerate(groups):
        if len(of_move) == 3:
            for group in of_move:
                sharing[group].append(move)
    candidates = [
        product
        for shared, moves in sorted(sharing.items())
        for product in _find_sharing(shared, moves, groups, literals)
    ]
    candidates.sort(key=lambda product: (-len(product.moves), product.shared))
    found: list[_Product] = []
    gone: set[int] = set()
    for candidate in candidates:
        moves = sorted(set(candidate.moves.values()) - gone)
        if len(moves) < len(candidate.moves):
            again = _find_sharing(candidate.shared, moves, groups, literals)
        else:
            again = [candidate]
        for product in again:
            found.append(product)
            gone.update(product.moves.values())
    return found


def _find_sharing(
    shared: int,
    moves: Sequence[int],
    groups: Sequence[Sequence[int]],
    literals: Sequence[int],
) -> list[_Product]:
    """Return the products among moves that share a group."""
    if len(moves) < 2 * _FEWEST_PER_PART * 2:
        return []
    cells: dict[tuple[int, int], int] = {}
    for move in moves:
        one, other = (group for group in groups[move] if group != shared)
        cells.setdefault((one, other), move)
    result = []
    for part in _divide(cells):
        pairs = len({row for row, _ in part}) * len({column for _, column in part})
        if len(part) >= _LEAST_SHARE * pairs:
            product = _make_product(shared, part, literals)
            if product.is_saving():
                result.append(product)
    return result


def _divide(cells: _Cells) -> list[_Cells]:
    """Return moves in parts that have neither rows nor columns in common.

    Which of a move's two groups is its row is found by going from move to move; where
    that contradicts itself, there is no part.
    """
    neighbours: dict[int, list[int]] = defaultdict(list)
    for one, other in cells:
        neighbours[one].append(other)
        neighbours[other].append(one)
    is_column: dict[int, bool] = {}
    part_of: dict[int, int] = {}
    parts: list[dict[tuple[int, int], int]] = []
    for start in neighbours:
        if start in part_of:
            continue
        part_of[start], is_column[start] = len(parts), False
        waiting = [start]
        while waiting:
            group = waiting.pop()
            for other in neighbours[group]:
                if other not in part_of:
                    part_of[other] = len(parts)
                    is_column[other] = not is_column[group]
                    waiting.append(other)
        parts.append({})
    for (one, other), move in cells.items():
        if is_column[one] != is_column[other]:
            cell = (other, one) if is_column[one] else (one, other)
            parts[part_of[one]][cell] = move
    return list(parts)


def _make_product(shared: int, cells: _Cells, literals: Sequence[int]) -> _Product:
    """Return a product of these moves, of as many rows and columns as are sound."""
    rows, columns = (_list_parts(cells, axis, literals) for axis in range(2))
    moves, wrong = {}, set()
    for row, of_row in rows.items():
        for column, of_column in columns.items():
            both = of_row | of_column
            move = cells.get((row, column))
            if move is not None and literals[move] == both:
                moves[row, column] = move
            elif not _contradicts(both):
                wrong.add((row, column))
    while wrong:
        counts = Counter((axis, cell[axis]) for cell in wrong for axis in range(2))
        (axis, worst), _ = max(counts.items(), key=lambda item: (item[1], item[0]))
        (rows, columns)[axis].pop(worst)
        wrong = {cell for cell in wrong if cell[axis] != worst}
        moves = {cell: move for cell, move in moves.items() if cell[axis] != worst}
    return _Product(shared, rows, columns, moves)


def _list_parts(cells: _Cells, axis: int, literals: Sequence[int]) -> dict[int, int]:
    """Return by row, or by column, the literals that most moves in it have."""
    of_part: dict[int, list[int]] = defaultdict(list)
    for cell, move in cells.items():
        of_part[cell[axis]].append(literals[move])
    return {part: _find_common(of_part[part]) for part in sorted(of_part)}


def _find_common(sets: Sequence[int]) -> int:
    """Return the literals that more than half of some sets have."""
    size = -(-max(one.bit_length() for one in sets) // 8)
    data = np.frombuffer(b"".join(one.to_bytes(size, "little") for one in sets), "u1")
    bits = np.unpackbits(data.reshape(len(sets), size), axis=1)
    common = np.packbits(2 * bits.sum(axis=0, dtype=np.int64) > len(sets))
    return int.from_bytes(common.tobytes(), "little")


# ── the circuit with products ───────────────────────────────────────────────────────


def _with_products(
    turn: TurnCircuit, ands: _Conjunctions, products: Sequence[_Product]
) -> TurnCircuit:
    """Return the circuit in which legal parts take the place of these moves."""
    circuit = turn.circuit
    gone = {move for product in products for move in product.moves.values()}
    kept = [move for move in range(len(turn.moves)) if move not in gone]
    covers: list[list[int]] = []
    groups = [turn.groups[move] for move in kept]
    names = [name for moves in circuit.moves for name in moves]
    options = [names[move] for move in kept]
    sizes = []
    for product in products:
        rows, columns = (_cover_parts(product, axis, ands) for axis in range(2))
        for some in _divide_list(rows):
            for others in _divide_list(columns):
                sizes.append(MoveProduct(len(some), len(others)))
                covers += [cover for _, _, cover in (*some, *others)]
                groups += [(product.shared, part) for part, _, _ in some]
                groups += [(part,) for part, _, _ in others]
                options += [names[move] for _, move, _ in (*some, *others)]
    literals = conjoin_all(covers, ands.builder.both, gathered=True)
    first = 1 + circuit.goal_count
    outputs = [
        *ands.outputs[:first],
        *(ands.legal[move] for move in kept),
        *literals,
        *ands.outputs[first + circuit.move_count :],
    ]
    moves = tuple(tuple(options) if of_role else () for of_role in circuit.moves)
    return replace(
        turn,
        circuit=replace(circuit, moves=moves, graph=ands.builder.finish(outputs)),
        moves=tuple(turn.moves[move] for move in kept),
        groups=tuple(groups),
        products=tuple(sizes),
    )


_Part: TypeAlias = tuple[int, int, list[int]]


def _divide_list(parts: Sequence[_Part]) -> list[Sequence[_Part]]:
    """Return rows, or columns, in lists of no more than kernels count at once."""
    return [parts[i : i + MOST_PARTS] for i in range(0, len(parts), MOST_PARTS)]


def _cover_parts(product: _Product, axis: int, ands: _Conjunctions) -> list[_Part]:
    """Return of each row, or column: its group, a move, and what it is the AND of."""
    moves: dict[int, list[int]] = defaultdict(list)
    for cell, move in product.moves.items():
        moves[cell[axis]].append(move)
    parts = (product.rows, product.columns)[axis]
    return [
        (part, of_part[0], ands.cover_best(of_part, parts[part]))
        for part, of_part in moves.items()
    ]
