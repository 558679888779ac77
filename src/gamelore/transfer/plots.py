"""Drawings of tree patterns, in the style of Banerjee and Stone (2007).

    filled square    the opponent is to move; the one on top is the afterstate
    filled circle    the learner is to move
    empty square     the match has ended with the learner's win
    empty circle     … with its loss
    crossed square   … with a draw; a box with a number, where outcomes are rewards

Importing this module imports matplotlib, which takes a while.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

from gamelore.graph.pattern_index import OPEN_LEAF, Pattern
from gamelore.transfer.tree_pattern import TreePattern, list_leaves, order_key

_RED, _GREEN, _INK = "#c8372d", "#2f8f4e", "#333333"
_RADIUS = 0.24  # of a node; leaves are 1 apart
_RISE = 1.15  # between levels
_INCH = 0.36  # per unit
_GAP = 1.2  # between patterns on a sheet
_CAPTION = 0.75  # the height of each line of text under a pattern
_COLUMNS = 6
_WIDEST = 42.0  # units on a sheet, unless one pattern is wider
_SIGNS = (
    (OPEN_LEAF, 0, "opponent to move"),
    (OPEN_LEAF, 1, "learner to move"),
    ("W", 0, "win"),
    ("D", 0, "draw"),
    ("L", 0, "loss"),
)


@dataclass(frozen=True)
class _Spot:
    """A node with its place in the drawing."""

    x: float
    level: int
    name: str
    """The outcome, or the name of open leaves for every node that is not terminal."""
    below: tuple[_Spot, ...]


def draw_pattern(pattern: TreePattern, path: str | Path) -> None:
    """Draw one pattern as SVG or PNG, by the suffix of the path."""
    _save(_plot_pattern(pattern), Path(path))


def pattern_svg(pattern: TreePattern) -> str:
    """Return the same picture as SVG."""
    picture = io.StringIO()
    with rc_context({"svg.hashsalt": "gamelore", "svg.fonttype": "none"}):
        _plot_pattern(pattern).savefig(picture, format="svg", metadata={"Date": None})
    return picture.getvalue()


def _plot_pattern(pattern: TreePattern) -> Figure:
    width = sum(1 for _ in list_leaves(pattern.tree))
    figure, axes = _canvas(width + 0.4, _height(pattern) + 0.4)
    _draw_tree(axes, _place(pattern), 0.2, 0.2)
    return figure


def draw_sheet(
    patterns: Sequence[TreePattern],
    path: str | Path,
    values: Mapping[TreePattern, float] | None = None,
    *,
    first: int = 0,
) -> None:
    """Draw patterns side by side with letters, and with values where they are given.

    Letters begin with that of number `first`: a for 0.
    """
    trees = [_place(pattern) for pattern in patterns]
    widths = [sum(1 for _ in list_leaves(pattern.tree)) for pattern in patterns]
    before = max((tree.x for tree in trees), default=0.0)
    after = max(
        (w - tree.x for w, tree in zip(widths, trees, strict=True)), default=0.0
    )
    height = max(map(_height, patterns), default=0.0)
    column = before + after + _GAP
    row = height + (2 if values else 1) * _CAPTION + 0.6
    columns = max(1, min(_COLUMNS, len(patterns), int(_WIDEST / column)))
    rows = -(-len(patterns) // columns)
    legend = _legend(patterns)
    legend_width = sum(_label_width(text) for *_, text in legend)
    width = max(columns * column, legend_width + _GAP)
    left = (width - columns * column + _GAP) / 2
    figure, axes = _canvas(width, rows * row + 1.1)
    for number, (pattern, tree) in enumerate(zip(patterns, trees, strict=True)):
        middle = left + number % columns * column + before
        top = number // columns * row + 0.3
        _draw_tree(axes, tree, middle - tree.x, top)
        caption = f"({letters(first + number)})"
        if values and pattern in values:
            caption += f"\n{values[pattern]:.2f}"
        _write(axes, middle, top + height + 0.15, caption)
    _draw_legend(axes, legend, (width - legend_width) / 2, rows * row + 0.5)
    _save(figure, Path(path))


def letters(number: int) -> str:
    """Return the letters of a number from 0 up: a, b, … z, aa, ab, …"""
    text = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        text = chr(ord("a") + letter) + text
    return text


# ── places of nodes ──────────────────────────────────────────────────────────────────


def _place(pattern: TreePattern) -> _Spot:
    """Place leaves one unit apart, and each other node above its middle."""
    taken = 0

    def place(pattern: Pattern, level: int) -> _Spot:
        nonlocal taken
        if isinstance(pattern, str):
            taken += 1
            return _Spot(taken - 0.5, level, pattern, ())
        ordered = sorted(pattern, key=order_key)
        below = tuple(place(part, level + 1) for part in ordered)
        middle = (below[0].x + below[-1].x) / 2
        return _Spot(middle, level, OPEN_LEAF, below)

    return place(pattern.tree, 0)


def _height(pattern: TreePattern) -> float:
    return pattern.depth * _RISE + 2 * _RADIUS


# ── drawing ───────────────────────────────────────────────────────────────────────────


def _draw_tree(axes: Axes, spot: _Spot, left: float, top: float) -> None:
    x, y = left + spot.x, top + _RADIUS + spot.level * _RISE
    for below in spot.below:
        end = top + _RADIUS + below.level * _RISE
        line = Line2D([x, left + below.x], [y, end], color=_INK, linewidth=1, zorder=1)
        axes.add_line(line)
        _draw_tree(axes, below, left, top)
    _draw_node(axes, x, y, spot.name, spot.level)


def _draw_node(axes: Axes, x: float, y: float, name: str, level: int) -> None:
    style: dict[str, Any] = {"edgecolor": _INK, "linewidth": 1.2, "zorder": 2}
    corner, side = (x - 0.88 * _RADIUS, y - 0.88 * _RADIUS), 1.76 * _RADIUS
    if name == OPEN_LEAF:
        if level % 2:
            axes.add_patch(Circle((x, y), _RADIUS, facecolor=_GREEN, **style))
        else:
            axes.add_patch(Rectangle(corner, side, side, facecolor=_RED, **style))
    elif name == "L":
        axes.add_patch(Circle((x, y), _RADIUS, facecolor="white", **style))
    elif name in ("W", "D"):
        axes.add_patch(Rectangle(corner, side, side, facecolor="white", **style))
        if name == "D":
            _draw_cross(axes, x, y)
    else:
        _draw_box(axes, x, y, name)


def _draw_cross(axes: Axes, x: float, y: float) -> None:
    arm = 0.82 * _RADIUS
    for slope in (-arm, arm):
        ends = [y - slope, y + slope]
        cross = Line2D([x - arm, x + arm], ends, color=_INK, linewidth=1.2, zorder=3)
        axes.add_line(cross)


def _draw_box(axes: Axes, x: float, y: float, name: str) -> None:
    """Draw an outcome that has no sign of its own as a box with its name."""
    corner = (x - 0.36, y - 0.7 * _RADIUS)
    style = "round,pad=0,rounding_size=0.08"
    axes.add_patch(
        FancyBboxPatch(
            corner,
            0.72,
            1.4 * _RADIUS,
            boxstyle=style,
            facecolor="white",
            edgecolor=_INK,
            linewidth=1.0,
            zorder=2,
        )
    )
    axes.text(x, y, name, ha="center", va="center_baseline", fontsize=6, zorder=3)


def _legend(patterns: Sequence[TreePattern]) -> list[tuple[str, int, str]]:
    """Return the signs that are used, each with its level and its meaning."""
    used = {OPEN_LEAF}.union(*(pattern.outcomes() for pattern in patterns))
    return [sign for sign in _SIGNS if sign[0] in used]


def _label_width(text: str) -> float:
    return 1.6 + 0.17 * len(text)


def _draw_legend(
    axes: Axes, signs: Sequence[tuple[str, int, str]], x: float, y: float
) -> None:
    for name, level, text in signs:
        _draw_node(axes, x + _RADIUS, y, name, level)
        axes.text(
            x + 0.7, y, text, ha="left", va="center", fontsize=7.5, color="#555555"
        )
        x += _label_width(text)


def _write(axes: Axes, x: float, y: float, text: str) -> None:
    axes.text(x, y, text, ha="center", va="top", fontsize=8.5, linespacing=1.4)


def _canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure of so many units, without frame, with the origin on top."""
    figure = Figure(figsize=(width * _INCH, height * _INCH), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    return figure, axes


def _save(figure: Figure, path: Path) -> None:
    """Write a figure so that equal patterns give equal files: no date, fixed names."""
    with rc_context({"svg.hashsalt": "gamelore", "svg.fonttype": "none"}):
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, dpi=200, metadata=metadata)
