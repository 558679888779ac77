"""Positions as environments render them: text, pixels or SVG."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from html import escape
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from matplotlib import font_manager
from PIL import Image, ImageDraw, ImageFont

from gamelore.engine.position import Position
from gamelore.errors import ArgumentError

Frame: TypeAlias = str | npt.NDArray[np.uint8]

RENDER_MODES = ("human", "ansi", "rgb_array", "svg")
"""`human` prints the text."""

_SIZE = 20  # of a letter, in pixels
_MARGIN = 16
_PAPER, _INK = (255, 255, 255), (20, 20, 20)


def check_render_mode(mode: str | None) -> str | None:
    """Return a render mode; `ArgumentError` if there is no such."""
    if mode is not None and mode not in RENDER_MODES:
        close = get_close_matches(str(mode), RENDER_MODES, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise ArgumentError(
            f"render_mode must be one of {', '.join(RENDER_MODES)}, got {mode!r}{hint}"
        )
    return mode


def draw(position: Position, mode: str) -> Frame | None:
    """Return a drawing of a position, or print it and return nothing."""
    if mode == "human":
        print(position)
        return None
    if mode == "ansi":
        return f"{position}\n"
    return draw_svg(position) if mode == "svg" else draw_pixels(str(position))


def draw_svg(position: Position) -> str:
    """Return the position's own SVG where it has one, and that of its text if not."""
    own: Any = getattr(position, "_repr_svg_", None)
    drawing = own() if own is not None else None
    return drawing if isinstance(drawing, str) else draw_text_svg(str(position))


def draw_text_svg(text: str) -> str:
    """Return lines of text as SVG."""
    lines = text.split("\n")
    width = 2 * _MARGIN + round(0.62 * _SIZE * max(map(len, lines)))
    step = round(1.3 * _SIZE)
    height = 2 * _MARGIN + step * len(lines)
    rows = "".join(
        f'<text x="{_MARGIN}" y="{_MARGIN + step * i + _SIZE}">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}"><rect width="100%" height="100%"'
        f' fill="white"/><g font-family="monospace" font-size="{_SIZE}"'
        f' xml:space="preserve">{rows}</g></svg>'
    )


def draw_pixels(text: str) -> npt.NDArray[np.uint8]:
    """Return lines of text as pixels: uint8 [height, width, 3]"""
    font = _font()
    lines = text.split("\n")
    width = max(font.getlength(line) for line in lines)
    step = round(1.3 * _SIZE)
    size = round(width) + 2 * _MARGIN, step * len(lines) + 2 * _MARGIN
    image = Image.new("RGB", size, _PAPER)
    pen = ImageDraw.Draw(image)
    for i, line in enumerate(lines):
        pen.text((_MARGIN, _MARGIN + step * i), line, fill=_INK, font=font)
    return np.asarray(image).copy()


@cache
def _font() -> ImageFont.FreeTypeFont:
    """The fixed-width font that matplotlib brings along."""
    return ImageFont.truetype(font_manager.findfont("DejaVu Sans Mono"), _SIZE)
