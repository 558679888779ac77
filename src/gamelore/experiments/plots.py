"""What the drawings of experiments have in common.

Importing this module imports matplotlib, which takes a while.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from gamelore.experiments.statistics import Floats, mean_band

BLUE, RED, GREEN, GREY, BROWN = "#2b6cb0", "#c8372d", "#2f8f4e", "#888888", "#b7791f"

STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "legend.frameon": False,
    "svg.hashsalt": "gamelore",
}
"""For `rc_context`."""

THOUSANDS = FuncFormatter(lambda x, _: f"{x:,.0f}")


def plot_band(
    axes: Axes,
    places: Floats,
    curves: Floats,
    label: str,
    colour: str,
    stroke: str = "-",
) -> None:
    """The average of curves, float64 [n, P], with its interval at each of P places."""
    band = mean_band(curves)
    axes.plot(places, band.mean, color=colour, ls=stroke, lw=1.8, label=label)
    axes.fill_between(places, band.low, band.high, color=colour, alpha=0.15, lw=0)


def count_along(axes: Axes, label: str) -> None:
    """Numbers of matches along the axis, few and with commas."""
    axes.set_xlabel(label)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(THOUSANDS)


def save(drawing: Figure, path: Path) -> list[Path]:
    """Write a drawing as PNG and SVG; the same drawing gives the same files."""
    paths = [path.with_suffix(suffix) for suffix in (".png", ".svg")]
    for target in paths:
        metadata = {"Date": None} if target.suffix == ".svg" else {"Software": None}
        drawing.savefig(target, dpi=150, metadata=metadata, bbox_inches="tight")
    return paths
