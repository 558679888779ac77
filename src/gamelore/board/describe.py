"""From facts to a scene: cells, pieces, lines, hands, counters and whose turn it is."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from gamelore.board.coordinates import find_ends
from gamelore.board.diagrams import find_role
from gamelore.board.families import Family, Words, split_fact
from gamelore.board.grids import Grid, Layer
from gamelore.board.infer import BoardModel
from gamelore.board.looks import Look, base_name, find_direction, make_looks
from gamelore.board.order import natural
from gamelore.board.points import GAP
from gamelore.board.scene import BoardScene, Cell, Counter, Hand, Line, Piece
from gamelore.board.stacks import stack_cells
from gamelore.gdl import Fact

MOST_COUNTERS = 14
"""Facts of one family that are listed one by one beside a board."""
LONGEST_VALUE = 28
"""Letters of values that are listed behind one label."""


def describe_position(model: BoardModel, facts: Iterable[Fact]) -> BoardScene:
    """Return what a picture of the position shows."""
    by_family: dict[str, list[Words]] = defaultdict(list)
    for fact in facts:
        key, words = split_fact(fact)
        by_family[key].append(words)
    drawn = set(model.hidden)
    turn, more = _find_turn(model, by_family)
    drawn.update(model.turns)
    cells: list[Cell] = []
    pieces: list[Piece] = []
    lines: list[Line] = []
    links: list[Line] = []
    offset = 0.0
    for grid in model.grids:
        part = _describe_grid(grid, by_family, offset, model.roles)
        cells += part.cells
        pieces += part.pieces
        lines += part.lines
        links += part.links
        drawn.update(layer.key for layer in grid.layers)
        offset = max((cell.x for cell in cells), default=-1.0) + 1 + GAP
    hands, counters = _describe_rest(model, by_family, drawn)
    single = model.grids[0].layout if len(model.grids) == 1 else None
    return BoardScene(
        kind=model.kind,
        cells=tuple(cells),
        pieces=tuple(pieces),
        lines=tuple(lines),
        links=tuple(links),
        hands=tuple(hands),
        counters=(*more, *counters),
        turn=turn,
        rows=single.rows if single else (),
        columns=single.columns if single else (),
        style=model.style,
        colours=model.colours,
    )


def _find_turn(
    model: BoardModel, by_family: dict[str, list[Words]]
) -> tuple[tuple[str, ...], list[Counter]]:
    turn: list[str] = []
    counters = []
    for key in model.turns:
        for words in sorted(by_family.get(key, ())):
            if words[0] not in turn:
                turn.append(words[0])
            if len(words) > 1 or len(model.turns) > 1:
                value = " ".join(words)
                counters.append(Counter(model.families[key].functor, value, words[0]))
    return tuple(turn), counters


def _describe_grid(
    grid: Grid, by_family: dict[str, list[Words]], offset: float, roles: Sequence[str]
) -> BoardScene:
    points = grid.layout.points
    if grid.layers[0].style == "stacks":
        return stack_cells(grid, by_family, offset)
    cells = [
        Cell(grid.name(cell), x + offset, y, " ".join(cell), grid.layout.shape)
        for cell, (x, y) in points.items()
    ]
    pieces: list[Piece] = []
    lines: list[Line] = []
    for layer in grid.layers:
        facts = sorted(by_family.get(layer.key, ()))
        if layer.style == "corners":
            lines += _describe_corners(grid, layer, facts, offset)
        elif layer.style in ("edges", "walls"):
            lines += _describe_edges(grid, layer, facts, offset)
        elif layer.style == "sides":
            lines += _describe_sides(grid, layer, facts, offset)
        elif layer.style == "array":
            for words in facts:
                pieces += _describe_array(grid, layer, words)
        elif layer.style == "scores":
            for words in facts:
                pieces += _describe_score(grid, layer, words, roles)
        elif layer.style == "point":
            pieces += _describe_point(grid, layer, by_family)
        elif layer.style not in ("hidden", "silent"):
            for words in facts:
                piece = _make_piece(grid, layer, words)
                if piece is not None:
                    pieces.append(piece)
    links = tuple(
        Line(a[0] + offset, a[1], b[0] + offset, b[1], "link", "grid")
        for a, b in grid.layout.links
    )
    return BoardScene(
        grid.layout.kind, tuple(cells), tuple(pieces), tuple(lines), links
    )


def _make_piece(grid: Grid, layer: Layer, words: Words) -> Piece | None:
    encoding = layer.encoding
    cell = encoding.find_cell(words)
    content = encoding.find_content(words)
    if content in layer.empty or cell not in grid.layout.points:
        return None
    if layer.style == "counts":
        axis = encoding.family.axes[encoding.what[0]]
        count = axis.rank.get(content[0]) if axis is not None else None
        if axis is not None and axis.kind == "number" and count is not None:
            count = int(content[0])
        name = grid.name(cell)
        return Piece(name, content[0], None, content[0], "count", "plain", count)
    look = layer.looks.get(layer.kind(content))
    if look is None:
        text = " ".join(content) or encoding.family.functor
        look = Look(text, None, "plain", "token", text[:4])
    return Piece(
        grid.name(cell), look.kind, look.owner, look.label, look.shape, look.colour
    )


def _describe_array(grid: Grid, layer: Layer, words: Words) -> list[Piece]:
    """Return what a fact lists, one thing to a cell."""
    looks = [layer.looks.get((word,)) for word in words]
    return [
        Piece(grid.name((str(i + 1),)), one.kind, one.owner, one.label, *_look(one))
        for i, one in enumerate(looks)
        if one is not None
    ]


def _describe_score(
    grid: Grid, layer: Layer, words: Words, roles: Sequence[str]
) -> list[Piece]:
    """Return a number in a table, in its role's row."""
    family = layer.encoding.family
    role = (layer.encoding.find_cell(words) or (find_role(family.functor, roles),))[0]
    look = layer.looks.get((role,)) if role is not None else None
    if role is None or look is None:
        return []
    column = family.functor
    if not layer.encoding.where:
        column = base_name((column,), role)
    value = layer.encoding.find_content(words)[0]
    return [Piece(grid.name((role, column)), value, role, value, *_look(look))]


def _look(look: Look) -> tuple[str, str]:
    return look.shape, look.colour


def _describe_point(
    grid: Grid, layer: Layer, by_family: dict[str, list[Words]]
) -> list[Piece]:
    """Return the one thing whose two coordinates are facts of their own."""
    partner = layer.encoding.partner
    look = next(iter(layer.looks.values()))
    across = by_family.get(layer.key, ())
    along = by_family.get(partner.key, ()) if partner is not None else ()
    return [
        Piece(grid.name((*a, *b)), look.kind, look.owner, "", "disc", look.colour)
        for a in across
        for b in along
    ]


_OFFSETS = {"east": (1, 0), "west": (-1, 0), "north": (0, -1), "south": (0, 1)}


def _describe_sides(
    grid: Grid, layer: Layer, facts: Sequence[Words], offset: float
) -> list[Line]:
    """Return walls at the sides of cells that a family or its content names."""
    lines = []
    for words in facts:
        content = layer.encoding.find_content(words)
        side = find_direction(content[0] if content else layer.encoding.family.functor)
        point = grid.layout.points.get(layer.encoding.find_cell(words))
        if point is None or not side:
            continue
        dx, dy = _OFFSETS[side]
        mx, my = point[0] + offset + dx / 2, point[1] + dy / 2
        kind = " ".join((layer.encoding.family.functor, *content))
        lines.append(
            Line(mx - dy / 2, my - dx / 2, mx + dy / 2, my + dx / 2, kind, "ink")
        )
    return lines


def _describe_corners(
    grid: Grid, layer: Layer, facts: Sequence[Words], offset: float
) -> list[Line]:
    """Return lines between corners of cells, which have coordinates of their own."""
    ends = find_ends(layer.encoding.family)
    first, second = grid.axes
    if ends is None or first is None or second is None:
        return []
    points, a, b = grid.layout.points, first.names, second.names
    ox, oy = points[a[0], b[0]]
    ux, uy = points[a[1], b[0]][0] - ox, points[a[1], b[0]][1] - oy
    vx, vy = points[a[0], b[1]][0] - ox, points[a[0], b[1]][1] - oy
    ranks: list[dict[str, int]] = []
    for k in range(2):
        axes = [layer.encoding.family.axes[end[k]] for end in ends]
        longest = max((x for x in axes if x is not None), key=lambda x: x.length)
        ranks.append(longest.rank)
    lines = []
    for words in facts:
        spots = []
        for end in ends:
            i, j = (ranks[k].get(words[end[k]], 0) - 0.5 for k in range(2))
            spots.append((ox + i * ux + j * vx + offset, oy + i * uy + j * vy))
        lines.append(Line(*spots[0], *spots[1], " ".join(words), "ink"))
    return lines


def _describe_edges(
    grid: Grid, layer: Layer, facts: Sequence[Words], offset: float
) -> list[Line]:
    """Return lines between points, or walls across the border of two cells."""
    ends = find_ends(layer.encoding.family)
    points = grid.layout.points
    side = 1 / math.sqrt(3) if grid.layout.shape == "hex" else 1.0
    lines = []
    for words in facts:
        content = layer.encoding.find_content(words)
        if ends is None or content in layer.empty:
            continue
        one = points.get(tuple(words[i] for i in ends[0]))
        other = points.get(tuple(words[i] for i in ends[1]))
        if one is None or other is None:
            continue
        (ax, ay), (bx, by) = one, other
        if layer.style == "walls":
            mx, my = (ax + bx) / 2, (ay + by) / 2
            dx, dy = side * (bx - ax) / 2, side * (by - ay) / 2
            ax, ay, bx, by = mx - dy, my + dx, mx + dy, my - dx
        look = layer.looks.get(layer.kind(content))
        colour = look.colour if look is not None and content else "ink"
        kind = " ".join(content) or layer.encoding.family.functor
        lines.append(Line(ax + offset, ay, bx + offset, by, kind, colour))
    return lines


def _describe_rest(
    model: BoardModel, by_family: dict[str, list[Words]], drawn: set[str]
) -> tuple[list[Hand], list[Counter]]:
    """Return what is shown beside the board."""
    hands: list[Hand] = []
    counters: list[Counter] = []
    for key in sorted(by_family):
        facts = by_family[key]
        family = model.families.get(key)
        hidden_layer = _is_hidden_layer(model, key)
        if key in drawn and not hidden_layer:
            continue
        functor = key.rpartition("/")[0]
        if hidden_layer or len(facts) > MOST_COUNTERS:
            if family is not None and family.arity == 1:
                hands.append(_make_hand(model, functor, facts))
            else:
                counters.append(Counter(functor, f"{len(facts)} facts"))
            continue
        counters += _list_counters(model, functor, family, facts)
    return hands, counters


def _is_hidden_layer(model: BoardModel, key: str) -> bool:
    return any(
        layer.key == key and layer.style == "hidden"
        for grid in model.grids
        for layer in grid.layers
    )


def _make_hand(model: BoardModel, functor: str, facts: Sequence[Words]) -> Hand:
    kinds = {words[:1] for words in facts}
    looks = make_looks(kinds, model.roles, model.usage)
    pieces = tuple(
        Piece("", look.kind, look.owner, look.label, look.shape, look.colour)
        for _, look in sorted(looks.items())
    )
    return Hand(functor, None, pieces)


def _list_counters(
    model: BoardModel, functor: str, family: Family | None, facts: Sequence[Words]
) -> list[Counter]:
    """Return what facts say, each label once, the role apart."""
    values: dict[tuple[str, str | None], list[str]] = {}
    for words in sorted(facts, key=lambda words: [natural(word) for word in words]):
        owner = next((word for word in words if word in model.roles), None)
        rest = [word for word in words if word != owner]
        label = functor if owner is None else f"{functor} {owner}"
        values.setdefault((label, owner), []).append(" ".join(rest))
    counters: list[Counter] = []
    for (label, owner), own in values.items():
        together = ", ".join(own)
        if " " in "".join(own) or len(together) > LONGEST_VALUE:
            counters += [Counter(label, value, owner) for value in own]
        else:
            counters.append(Counter(label, together, owner))
    return counters
