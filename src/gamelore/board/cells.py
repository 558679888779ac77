"""Which cells a board has, and which of them are neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from gamelore.board.coordinates import Encoding, find_ends
from gamelore.board.families import Words
from gamelore.board.grouping import LARGEST
from gamelore.board.order import Axis, natural
from gamelore.board.points import Edges
from gamelore.board.statics import Statics
from gamelore.board.usage import Usage
from gamelore.gdl import Compound, Term, to_kif


def axis_names(group: Sequence[Encoding]) -> list[frozenset[str]]:
    """Return the constants of each coordinate of a board."""
    main = group[0]
    if main.use == "edges":
        ends = find_ends(main.family) or ((0, 1), (2, 3))
        domains = main.family.domains
        return [domains[ends[0][k]] | domains[ends[1][k]] for k in range(2)]
    return [
        frozenset[str]().union(
            *(r.family.domains[r.where[k]] for r in group if r.use == "cells")
        )
        for k in range(len(main.where))
    ]


def list_cells(
    group: Sequence[Encoding],
    names: Sequence[frozenset[str]],
    axes: Sequence[Axis | None],
) -> set[Words]:
    """Return the cells that facts can name, or all combinations if those are most."""
    main = group[0]
    size = 1
    for one in names:
        size *= len(one)
    if size > 4 * LARGEST:
        return set()
    every: set[Words] = {()}
    for one in names:
        every = {(*cell, word) for cell in every for word in one}
    if main.use == "edges":
        return every
    on_board = [r for r in group if r.use == "cells"]
    for encoding in on_board:
        if lists_cells(encoding):
            return set(map(encoding.find_cell, encoding.family.initial))
    cells = {r.find_cell(w) for r in on_board for w in r.family.combinations}
    if main.full:
        return cells & every
    if main.family.known is None:
        if main.family.declared is None:
            return every
        cells = {main.find_cell(words) for words in main.family.declared}
    most = len(cells) >= 0.7 * size and not _is_hexagonal(cells)
    if len(names) == 2 and (most or _is_checkered(cells, axes)):
        return every
    return cells & every


def list_targets(main: Encoding, statics: Statics, usage: Usage) -> set[Words]:
    """Return the cells that moves can name, where these are what brings pieces there.

    They are what the conditions of legal moves allow that depend on no position; none
    if some move can name any cell.
    """
    found: set[Words] = set()
    if main.family.initial or main.use != "cells":
        return found
    for rule in statics.find_rules("legal"):
        move = rule.head.arguments[1]
        start = _find_coordinates(move, main, usage)
        if start is None:
            continue
        heads = statics.solve(rule)
        if heads is None:
            return set()
        for _, made in heads:
            assert isinstance(made, Compound)
            cell = made.arguments[start : start + len(main.where)]
            words = tuple(word for word in cell if isinstance(word, str))
            if len(words) < len(main.where):
                return set()
            found.add(words)
    return found


def _find_coordinates(move: Term, main: Encoding, usage: Usage) -> int | None:
    """Return the argument of a move from which on it names a cell, if it does."""
    if not isinstance(move, Compound):
        return None
    key = f"{move.functor}/{len(move.arguments)}"
    for start in range(len(move.arguments) - len(main.where) + 1):
        if all(
            usage.links[key, start + k][main.family.key, place]
            for k, place in enumerate(main.where)
            if (key, start + k) in usage.links
        ) and all((key, start + k) in usage.links for k in range(len(main.where))):
            return start
    return None


def _is_hexagonal(cells: Iterable[Words]) -> bool:
    """Whether rows grow by one cell each up to the middle, and then shrink."""
    lengths = Counter(cell[0] for cell in cells)
    rows = [lengths[name] for name in sorted(lengths, key=natural)]
    middle = len(rows) // 2
    growing = [rows[0] + i for i in range(middle + 1)]
    return len(rows) >= 5 and rows == growing + growing[-2::-1]


def lists_cells(encoding: Encoding) -> bool:
    """Whether facts without content say what the cells are: a whole rectangle."""
    if encoding.what or len(encoding.family.initial) < 9:
        return False
    columns = zip(*encoding.family.initial, strict=True)
    size = 1
    for column in columns:
        size *= len(set(column))
    return len(set(encoding.family.initial)) == size


def _is_checkered(cells: Iterable[Words], axes: Sequence[Axis | None]) -> bool:
    """Whether cells are all of one colour of a chequerboard."""
    parities = {
        sum(axis.rank[word] for axis, word in zip(axes, cell, strict=True) if axis) % 2
        for cell in cells
    }
    return len(parities) == 1


def find_neighbours(statics: Statics, cells: set[Words], size: int) -> list[Edges]:
    """Return the pairs of cells that each static relation joins.

    Relations that join most cells to at most eight others count as neighbourhood.
    """
    found: list[Edges] = []
    names = [n for n in statics.names if 0 <= statics.arity(n) - 2 * size <= 1]
    for name in sorted(names, key=statics.effort):
        pairs: set[tuple[Words, Words]] = set()
        for arguments in statics.tuples(name):
            words = tuple(map(to_kif, arguments))
            for start in {0, len(words) - 2 * size}:
                one = words[start : start + size]
                other = words[start + size : start + 2 * size]
                if one != other and one in cells and other in cells:
                    pairs.add((one, other))
        if 0.7 * len(cells) <= len(pairs) <= 8 * len(cells):
            found.append(frozenset(pairs))
    return found
