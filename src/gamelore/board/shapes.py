"""Pieces as SVG, centred at the origin of a cell 40 units wide."""

from __future__ import annotations

from html import escape

from gamelore.board.scene import Piece

_CHESS = {
    "pawn": '<path class="body" d="M-9 13h18v-4q-6-2-6-10h-6q0 8-6 10z"/>'
    '<circle class="body" cx="0" cy="-6" r="6"/>',
    "rook": '<path class="body" d="M-11 14h22v-5l-3-3v-9l3-3v-8h-5v3h-3v-3h-6v3h-3v-3'
    'h-5v8l3 3v9l-3 3z"/>',
    "knight": '<path class="body" d="M-9 14h19q2-15-2-21q-3-6-9-7l-3-4l-1 5q-5 3-8 11'
    'l3 4l7-4q3 0 1 3q-7 6-7 13z"/><circle class="body" cx="-2" cy="-7" r="1"/>',
    "bishop": '<path class="body" d="M-10 14h20v-4q-6-1-6-5q7-7 2-14q-2-4-6-7q-4 3-6 7'
    'q-5 7 2 14q0 4-6 5z"/><circle class="body" cx="0" cy="-14" r="2.4"/>'
    '<path class="sign" d="M0-8v8M-4-4h8"/>',
    "queen": '<path class="body" d="M-10 14h20v-4l-2-4l5-15l-7 7l-1-11l-5 9l-5-9l-1 11'
    'l-7-7l5 15l-2 4z"/>',
    "king": '<path class="body" d="M-10 14h20v-4l-2-3q8-6 5-12q-4-5-9-2l-2 2v-5h3v-4h-3'
    'v-3h-4v3h-3v4h3v5l-2-2q-5-3-9 2q-3 6 5 12l-2 3z"/>',
}

_SIGNS = {
    "red": '<circle class="sign" r="7"/>',
    "blue": '<rect class="sign" x="-5" y="-5" width="10" height="10"/>',
    "green": '<path class="sign" d="M-6 5h12l-6-10z"/>',
    "yellow": '<circle class="sign" r="2.5"/>',
    "orange": '<path class="sign" d="M0-7l6 7l-6 7l-6-7z"/>',
    "purple": '<path class="sign" d="M-6 0h12M0-6v12"/>',
    "teal": '<path class="sign" d="M-6-3h12M-6 3h12"/>',
    "brown": '<path class="sign" d="M-5-5l10 10M-5 5l10-10"/>',
    "pink": '<path class="sign" d="M-6 3l6-6l6 6"/>',
}
"""What tells discs apart without their colours."""

CROWN = '<path class="sign" d="M-8 5h16l2-9l-5 4l-5-6l-5 6l-5-4z"/>'

_MOST_DOTS = 20


def draw_piece(piece: Piece) -> str:
    """Return one piece as a group of SVG elements, around the origin."""
    return f'<g class="piece c-{escape(piece.colour)}">{_draw_shape(piece)}</g>'


def _draw_shape(piece: Piece) -> str:
    shape = piece.shape
    if shape in _CHESS:
        return _CHESS[shape]
    if shape == "cross":
        return '<path class="stroke" d="M-10-10l20 20M-10 10l20-20"/>'
    if shape == "ring":
        return '<circle class="stroke" r="11"/>'
    if shape == "block":
        return '<rect class="body" x="-17" y="-17" width="34" height="34" rx="3"/>'
    if shape == "number":
        return _text(piece.label, "number")
    if shape == "score":
        return (
            '<rect class="body" x="-32" y="-14" width="64" height="28" rx="8"/>'
            + _text(piece.label, "letter")
        )
    if shape == "count":
        return _draw_count(piece)
    if shape in ("slab", "base"):
        return _draw_slab(piece)
    if shape == "man":
        return _disc() + '<circle class="sign" r="9"/>'
    if shape == "crown":
        return _disc() + CROWN
    if shape == "disc" and not piece.label:
        return _disc() + _SIGNS.get(piece.colour, "")
    return _disc() + _text(piece.label, "letter")


def _disc() -> str:
    return '<circle class="body" r="14.5"/>'


def _text(label: str, style: str) -> str:
    size = ""
    if len(label) > 2:
        room = 30 if style == "letter" else 36
        size = f' font-size="{max(5.0, min(14.0, 1.6 * room / len(label))):.1f}"'
        return f'<text class="small"{size}>{escape(label)}</text>'
    return f'<text class="{style}">{escape(label)}</text>'


def _draw_slab(piece: Piece) -> str:
    width = 44
    return (
        f'<rect class="body" x="{-width / 2}" y="-18" width="{width}" height="36"'
        f' rx="{2 if piece.shape == "base" else 8}"/>{_text(piece.label, "letter")}'
    )


def _draw_count(piece: Piece) -> str:
    """Return as many dots as are counted, with the number below."""
    count = piece.count or 0
    if not 0 < count <= _MOST_DOTS:
        return _text(piece.label, "number")
    columns = 1 + int((count - 1) ** 0.5)
    pitch = min(9.0, 30.0 / columns)
    rows = -(-count // columns)
    dots = []
    for i in range(count):
        x = (i % columns - (min(columns, count) - 1) / 2) * pitch
        y = (i // columns - (rows - 1) / 2) * pitch - 4
        dots.append(
            f'<circle class="body" cx="{x:.1f}" cy="{y:.1f}" r="{pitch * 0.4:.1f}"/>'
        )
    return "".join(dots) + f'<text class="label" y="16">{escape(piece.label)}</text>'
