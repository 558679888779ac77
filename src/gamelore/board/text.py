"""Scenes as lines of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamelore.board.looks import COLOURS
from gamelore.board.scene import BoardScene, Cell, Counter, Hand, Piece

_SHORT = {
    "cross": "x",
    "ring": "o",
    "pawn": "p",
    "knight": "n",
    "bishop": "b",
    "rook": "r",
    "queen": "q",
    "king": "k",
    "block": "#",
}


def draw_scene(scene: BoardScene) -> str:
    """Return the scene as text, without an end of line after the last line."""
    glyphs = make_glyphs(scene.pieces)
    lines = _draw_cells(scene, glyphs)
    legend = _draw_legend(scene.pieces, glyphs)
    lines += [legend] if legend else []
    lines += [_draw_hand(hand) for hand in scene.hands]
    lines += [_draw_counter(counter) for counter in scene.counters]
    lines += scene.notes
    if scene.turn:
        lines.append(f"{' and '.join(scene.turn)} to move")
    return "\n".join(lines)


def make_glyphs(pieces: Sequence[Piece]) -> dict[str, str]:
    """Return a short text for each kind of piece, different ones for all kinds."""
    glyphs: dict[str, str] = {}
    for piece in sorted(pieces, key=lambda piece: piece.kind):
        if piece.kind in glyphs:
            continue
        options = _options(piece)
        used = set(glyphs.values())
        glyphs[piece.kind] = next(o for o in options if o and o not in used)
    return glyphs


def _options(piece: Piece) -> list[str]:
    kind = piece.kind.replace(" ", "-")
    if piece.shape in ("number", "count", "score"):
        return [piece.label, kind]
    first = (piece.colour if piece.colour in COLOURS else kind)[:1]
    owner = (piece.owner or kind)[:1]
    short = _SHORT.get(piece.shape, piece.label or kind[:1])
    options = [short if piece.shape in ("cross", "ring", "block") else ""]
    if piece.shape == "disc":
        options += [owner.lower(), first.lower()]
    if piece.shape in _SHORT:
        white = piece.colour == "white" or piece.owner is None
        options += [short.upper() if white else short, owner.lower() + short]
    return [*options, owner.lower() + short, first + short, short, kind[:3], kind]


def _draw_cells(scene: BoardScene, glyphs: Mapping[str, str]) -> list[str]:
    if not scene.cells:
        return []
    content: dict[str, list[str]] = {}
    for piece in scene.pieces:
        content.setdefault(piece.cell, []).append(glyphs[piece.kind])
    named = scene.kind in ("graph", "line", "stacks") or any(
        cell.shape == "slot" for cell in scene.cells
    )
    texts = {cell.id: _cell_text(cell, content, named) for cell in scene.cells}
    width = max(map(len, texts.values())) + 1
    unit = 0.5 if any((2 * cell.x) % 2 >= 0.5 for cell in scene.cells) else 1.0
    pitch = max(2, (width + 1) // 2) if unit == 0.5 else width
    heights = sorted({round(cell.y, 2) for cell in scene.cells})
    labels = {round(spot, 2): label for label, spot in scene.rows}
    margin = max(map(len, labels.values()), default=0)
    lines = [
        (labels.get(y, "").rjust(margin) + "  " if margin else "") for y in heights
    ]
    start = margin + 2 if margin else 0
    for cell in sorted(scene.cells, key=lambda cell: (cell.y, cell.x)):
        row = heights.index(round(cell.y, 2))
        column = start + pitch * round(cell.x / unit)
        line = lines[row]
        line = line.ljust(column) if len(line) <= column else line + " "
        lines[row] = line + texts[cell.id]
    if scene.columns and (unit == 1.0 or scene.kind == "table"):
        header = " " * start
        for label, spot in sorted(scene.columns, key=lambda item: item[1]):
            header = header.ljust(start + pitch * round(spot / unit)) + label
            header += " " if len(label) >= pitch else ""
        lines.insert(0, header)
    return [line.rstrip() for line in lines]


def _cell_text(cell: Cell, content: Mapping[str, Sequence[str]], named: bool) -> str:
    inside = "+".join(dict.fromkeys(content.get(cell.id, ()))) or "."
    if cell.shape == "slot":
        return cell.label
    return f"{cell.label}:{inside}" if named else inside


def _draw_legend(pieces: Sequence[Piece], glyphs: Mapping[str, str]) -> str:
    """Say what short texts mean, where they are not the names themselves."""
    meant = {
        glyph: kind
        for kind, glyph in glyphs.items()
        if glyph != kind and any(p.kind == kind and p.shape != "count" for p in pieces)
    }
    return ", ".join(f"{glyph} {kind}" for glyph, kind in meant.items())


def _draw_hand(hand: Hand) -> str:
    return f"{hand.label}: {' '.join(piece.kind for piece in hand.pieces)}"


def _draw_counter(counter: Counter) -> str:
    return f"{counter.label}: {counter.value}" if counter.value else counter.label
