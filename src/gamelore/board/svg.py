"""Scenes as SVG images. Every text comes from rules and is escaped."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise

from gamelore.board.scene import BoardScene, Cell, Counter, Hand, Line, Mark, Piece
from gamelore.board.shapes import draw_piece
from gamelore.board.style import stylesheet

UNIT = 40
"""The width of a cell."""
MARGIN = 26
"""Around the board: room for the names of rows and columns."""
LETTER = 6.2
"""The width of a letter in the names of rows and columns."""
LONGEST = 14
"""Letters of such a name, at most."""
LINE = 22
"""The height of a line of text below the board."""
NARROWEST = 240

_COLOUR = re.compile(
    r"#[0-9a-fA-F]{3,8}|[a-zA-Z]{1,30}|(?:rgb|hsl)a?\([0-9.,%\s]{1,40}\)"
)


@dataclass(frozen=True)
class SvgOptions:
    """How a picture is made."""

    title: str
    theme: str = "auto"
    size: int | None = None
    """The longer side in pixels."""
    flipped: bool = False


def draw_scene_svg(
    scene: BoardScene,
    options: SvgOptions,
    touched: Sequence[str] = (),
    marks: Sequence[Mark] = (),
) -> str:
    """Return a whole SVG image of a scene."""
    if options.flipped:
        scene = _flip(scene)
    content = _captions(scene)
    right = max((cell.x + _half(cell) for cell in scene.cells), default=-0.5) + 0.5
    bottom = max((cell.y for cell in scene.cells), default=-1.0) + 1
    longest = max((len(_shorten(label)) for label, _ in scene.rows), default=0)
    margin = max(MARGIN, LETTER * longest + 12)
    width = max(NARROWEST, right * UNIT + 2 * margin)
    left = (width - right * UNIT) / 2 if scene.cells else 0.0
    lines, text_height = _draw_captions(content, width)
    top = MARGIN if scene.cells else 6
    board_height = bottom * UNIT + top + (MARGIN if scene.cells else 0)
    height = board_height + text_height + 6
    scale = options.size / max(width, height) if options.size else 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gl-board"'
        f' data-theme="{escape(options.theme)}" data-kind="{escape(scene.kind)}"'
        f' viewBox="0 0 {width:g} {height:g}" width="{width * scale:g}"'
        f' height="{height * scale:g}" role="img">',
        f"<title>{escape(options.title)}</title>",
        f"<style>{stylesheet()}</style>",
        f'<rect class="paper" width="{width:g}" height="{height:g}" rx="6"/>',
        f'<g transform="translate({left + UNIT / 2:g} {top + UNIT / 2:g})">',
        *_draw_lines(scene.links, "link"),
        *_draw_cells(scene, frozenset(touched)),
        *(_draw_crossings(scene) if scene.style == "stones" else ()),
        *_draw_labels(scene, right, bottom),
        *_draw_lines(scene.lines, "wall"),
        *_draw_pieces(scene),
        *_draw_marks(scene, marks),
        "</g>",
        f'<g class="captions" transform="translate(0 {board_height:g})">',
        *lines,
        "</g></svg>",
    ]
    return "".join(parts)


def _flip(scene: BoardScene) -> BoardScene:
    """Return the scene after half a turn."""
    columns, lines = ([c.x for c in scene.cells], [c.y for c in scene.cells])
    right = max(columns, default=0.0) + min(columns, default=0.0)
    bottom = max(lines, default=0.0) + min(lines, default=0.0)
    return replace(
        scene,
        cells=tuple(replace(c, x=right - c.x, y=bottom - c.y) for c in scene.cells),
        lines=tuple(_flip_line(line, right, bottom) for line in scene.lines),
        links=tuple(_flip_line(line, right, bottom) for line in scene.links),
        rows=tuple((label, bottom - spot) for label, spot in scene.rows),
        columns=tuple((label, right - spot) for label, spot in scene.columns),
    )


def _flip_line(line: Line, right: float, bottom: float) -> Line:
    x1, x2 = right - line.x1, right - line.x2
    return replace(line, x1=x1, x2=x2, y1=bottom - line.y1, y2=bottom - line.y2)


def _draw_cells(scene: BoardScene, touched: frozenset[str]) -> list[str]:
    contents: dict[str, list[str]] = {}
    for piece in scene.pieces:
        contents.setdefault(piece.cell, []).append(piece.kind)
    parts = ['<g class="cells">']
    checkered = scene.style == "checker"
    for cell in scene.cells:
        classes = ["cell", cell.shape]
        if cell.id in touched:
            classes.append("last")
        if checkered and round(cell.x + cell.y) % 2:
            classes.append("shade")
        if scene.style == "stones":
            classes.append("stones")
        title = cell.id + (
            f": {', '.join(contents[cell.id])}" if cell.id in contents else ""
        )
        parts.append(
            f'<g class="{" ".join(classes)}" data-cell="{escape(cell.id)}"'
            f' transform="translate({cell.x * UNIT:g} {cell.y * UNIT:g})">'
            f"<title>{escape(title)}</title>{_face(cell)}</g>"
        )
    parts.append("</g>")
    return parts


def _draw_crossings(scene: BoardScene) -> list[str]:
    """Return lines through the middles of cells, for stones to stand on."""
    spots = {(cell.x, cell.y) for cell in scene.cells}
    parts = ['<path class="gridline" d="']
    for x, y in sorted(spots):
        for dx, dy in ((1, 0), (0, 1)):
            if (x + dx, y + dy) in spots:
                parts.append(f"M{x * UNIT:g} {y * UNIT:g}l{dx * UNIT} {dy * UNIT}")
    return [*parts, '"/>']


def _face(cell: Cell) -> str:
    if cell.shape == "hex":
        points = " ".join(
            f"{UNIT * 0.577 * math.sin(k * math.pi / 3):.2f}"
            f",{UNIT * 0.577 * math.cos(k * math.pi / 3):.2f}"
            for k in range(6)
        )
        return f'<polygon class="face" points="{points}"/>'
    if cell.shape == "wide":
        return f'<rect class="face" x="-{UNIT}" y="-20" width="80" height="{UNIT}"/>'
    if cell.shape == "dot":
        return '<circle class="face" r="5"/>'
    if cell.shape == "point":
        return f'<circle class="face" r="{UNIT * 0.44:g}"/>'
    half = UNIT / 2
    return (
        f'<rect class="face" x="{-half}" y="{-half}" width="{UNIT}" height="{UNIT}"/>'
    )


def _draw_labels(scene: BoardScene, right: float, bottom: float) -> list[str]:
    """Return the names of rows and columns; of each cell, where there are none."""
    parts = ['<g class="labels">']
    for label, spot in scene.rows:
        x = _row_start(scene.cells, spot) * UNIT - 12
        text = _shorten(label)
        x -= max(0.0, LETTER * len(text) / 2 - 6)
        parts.append(_label(text, x, spot * UNIT))
    pitch = min((abs(a - b) for (_, a), (_, b) in pairwise(scene.columns)), default=1.0)
    wide = any(cell.shape == "wide" for cell in scene.cells)
    room = max(4, int((2 if wide else pitch) * UNIT / LETTER))
    for label, spot in scene.columns:
        text = _shorten(label, room)
        parts.append(_label(text, spot * UNIT, bottom * UNIT - UNIT / 2 + 12))
    if not scene.rows and not scene.columns:
        taken = {piece.cell for piece in scene.pieces}
        for cell in scene.cells:
            if cell.shape == "slot" or len(cell.label) > 8 or " " in cell.label:
                continue
            free = cell.id not in taken and len(cell.label) <= 4
            middle = free and scene.kind in ("graph", "line")
            parts.append(
                f'<text class="{"label" if middle else "name"}"'
                f' x="{cell.x * UNIT:g}" y="{cell.y * UNIT + 15 * (not middle):g}">'
                f"{escape(cell.label)}</text>"
            )
    parts.append("</g>")
    return parts


def _row_start(cells: Sequence[Cell], y: float) -> float:
    """Return where the cells of a row begin."""
    near = (c.x - _half(c) for c in cells if abs(c.y - y) < 0.01)
    return min(near, default=-0.5)


def _half(cell: Cell) -> float:
    return 1.0 if cell.shape == "wide" else 0.5


def _shorten(text: str, most: int = LONGEST) -> str:
    """Return a name with its middle left out where it is too long."""
    if len(text) <= most:
        return text
    tail = len(text) - len(text.rstrip("0123456789"))
    tail = min(tail, most - 2)
    return text[: most - 1 - tail] + "…" + (text[-tail:] if tail else "")


def _label(text: str, x: float, y: float) -> str:
    return f'<text class="label" x="{x:g}" y="{y:g}">{escape(text)}</text>'


def _draw_lines(lines: Sequence[Line], style: str) -> list[str]:
    parts = ['<g class="lines">']
    for line in lines:
        parts.append(
            f'<line class="{style} c-{escape(line.colour)}"'
            f' x1="{line.x1 * UNIT:g}" y1="{line.y1 * UNIT:g}"'
            f' x2="{line.x2 * UNIT:g}" y2="{line.y2 * UNIT:g}"/>'
        )
    parts.append("</g>")
    return parts


def _draw_pieces(scene: BoardScene) -> list[str]:
    """Return all pieces; several in one cell are drawn smaller, side by side."""
    spots = {cell.id: cell for cell in scene.cells}
    together: dict[str, list[Piece]] = {}
    for piece in scene.pieces:
        together.setdefault(piece.cell, []).append(piece)
    parts = ['<g class="pieces">']
    for name, pieces in together.items():
        cell = spots.get(name)
        if cell is None:
            continue
        blocks = [piece for piece in pieces if piece.shape == "block"]
        others = [piece for piece in pieces if piece.shape != "block"]
        for piece in blocks:
            parts.append(_place(piece, cell.x * UNIT, cell.y * UNIT, 1.0))
        columns = math.ceil(math.sqrt(len(others)))
        for i, piece in enumerate(others):
            scale = 1.0 / columns if columns > 1 else 1.0
            dx = (i % columns - (columns - 1) / 2) * UNIT * scale
            dy = (
                (i // columns - (math.ceil(len(others) / columns) - 1) / 2)
                * UNIT
                * scale
            )
            parts.append(_place(piece, cell.x * UNIT + dx, cell.y * UNIT + dy, scale))
    parts.append("</g>")
    return parts


def _place(piece: Piece, x: float, y: float, scale: float) -> str:
    size = f" scale({scale:.3g})" if scale != 1.0 else ""
    return f'<g transform="translate({x:g} {y:g}){size}">{draw_piece(piece)}</g>'


def _draw_marks(scene: BoardScene, marks: Sequence[Mark]) -> list[str]:
    spots = {cell.id: (cell.x * UNIT, cell.y * UNIT) for cell in scene.cells}
    parts = ['<g class="marks">']
    for mark in marks:
        if mark.cell not in spots:
            continue
        x, y = spots[mark.cell]
        colour = f' fill="{mark.colour}"' if _COLOUR.fullmatch(mark.colour) else ""
        if mark.source in spots and mark.source != mark.cell:
            parts.append(_arrow(spots[mark.source], (x, y), mark.colour))
        radius = 9 if not mark.label else 13
        text = f"<text>{escape(mark.label)}</text>" if mark.label else ""
        parts.append(
            f'<g class="mark{" own" if colour else ""}"'
            f' transform="translate({x:g} {y:g})">'
            f'<circle r="{radius}"{colour}/>{text}</g>'
        )
    parts.append("</g>")
    return parts


def _arrow(
    source: tuple[float, float], target: tuple[float, float], colour: str
) -> str:
    own = f' stroke="{colour}"' if _COLOUR.fullmatch(colour) else ""
    return (
        f'<line class="arrow{" own" if own else ""}" x1="{source[0]:g}"'
        f' y1="{source[1]:g}" x2="{target[0]:g}" y2="{target[1]:g}"{own}/>'
    )


def _captions(scene: BoardScene) -> list[tuple[str, str | Hand]]:
    """Return what stands below the board: a colour, and text or pieces."""
    content: list[tuple[str, str | Hand]] = []
    if scene.turn:
        colours = scene.colours
        name = colours.get(scene.turn[0], "plain") if len(scene.turn) == 1 else "plain"
        content.append((name, f"{' and '.join(scene.turn)} to move"))
    content += [("", hand) for hand in scene.hands]
    content += [
        (scene.colours.get(counter.owner or "", ""), _counter_text(counter))
        for counter in scene.counters
    ]
    content += [("", note) for note in scene.notes]
    return content


def _counter_text(counter: Counter) -> str:
    return f"{counter.label}: {counter.value}" if counter.value else counter.label


def _draw_captions(
    content: Sequence[tuple[str, str | Hand]], width: float
) -> tuple[list[str], float]:
    """Return the captions, flowing into lines, and the height they take."""
    parts: list[str] = []
    x, y = 14.0, 12.0
    for colour, item in content:
        if isinstance(item, Hand):
            if x > 14:
                x, y = 14.0, y + LINE
            drawn, y = _draw_hand(item, y, width)
            parts += drawn
            continue
        length = 7.2 * len(item) + (18 if colour else 0)
        if x > 14 and x + length > width - 10:
            x, y = 14.0, y + LINE
        if colour:
            parts.append(
                f'<g class="c-{escape(colour)}" transform="translate({x + 5:g} {y:g})">'
                '<circle class="body" r="5.5"/></g>'
            )
        spot = x + (16 if colour else 0)
        most = max(8, int((width - spot - 6) / 6.6))
        text = item if len(item) <= most else item[: most - 1] + "…"
        parts.append(
            f'<text class="caption" x="{spot:g}" y="{y:g}">'
            f"<title>{escape(item)}</title>{escape(text)}</text>"
        )
        x += length + 18
    return parts, (y + LINE / 2 if content else 0.0)


def _draw_hand(hand: Hand, y: float, width: float) -> tuple[list[str], float]:
    parts = [f'<text class="caption" x="14" y="{y:g}">{escape(hand.label)}</text>']
    columns = max(1, int((width - 28) // 30))
    for i, piece in enumerate(hand.pieces):
        x = 28 + 30 * (i % columns)
        parts.append(_place(piece, x, y + 24 + 30 * (i // columns), 0.72))
    return parts, y + 24 + 30 * -(-len(hand.pieces) // columns)
