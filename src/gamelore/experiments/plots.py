"""Figures of experiments: one size, one style, everything in the legend.

Importing this module imports matplotlib, which takes a while.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from gamelore.experiments.statistics import Floats, Interval, mean_band

BLUE, RED, GREEN, BROWN = "#2b6cb0", "#c8372d", "#2f8f4e", "#b7791f"
PURPLE, GREY = "#6b46c1", "#7a7a7a"
COLOURS = (BLUE, RED, GREEN, BROWN, PURPLE, GREY)

WIDTH = 7.0
"""Inches of every figure; pages show about 750 pixels of width."""

STYLE: Any = {
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.labelsize": 10,
    "legend.fontsize": 9.5,
    "figure.titlesize": 11.5,
    "lines.linewidth": 1.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "legend.frameon": False,
    "svg.hashsalt": "gamelore",
}

THOUSANDS = FuncFormatter(lambda x, _: f"{x:,.0f}")


class FigureWriter:
    """Writes the figures of a report; those of a smoke test say so."""

    def __init__(self, folder: Path, smoke_test: bool = False) -> None:
        self.folder = folder
        self.smoke_test = smoke_test
        self.captions: dict[str, str] = {}
        """By name, in the order of drawing."""

    @contextmanager
    def figure(
        self,
        name: str,
        title: str,
        caption: str,
        *,
        rows: int = 1,
        columns: int = 1,
        height: float = 4.3,
        share_y: bool = True,
    ) -> Iterator[list[Axes]]:
        """Yield the panels of a figure, which is then written as PNG and SVG.

        The same drawing gives the same files. What has a label is in the legend.
        """
        with rc_context(STYLE):
            drawing = Figure(figsize=(WIDTH, height), layout="constrained")
            panels = drawing.subplots(rows, columns, squeeze=False, sharey=share_y)
            yield list(panels.flat)
            drawing.suptitle(title)
            _add_legend(drawing)
            if self.smoke_test:
                _mark_smoke_test(drawing)
            for suffix, metadata in (("png", "Software"), ("svg", "Date")):
                drawing.savefig(
                    self.folder / f"{name}.{suffix}", dpi=150, metadata={metadata: None}
                )
        self.captions[name] = caption


def plot_band(
    axes: Axes,
    places: Floats,
    curves: Floats,
    label: str,
    colour: str,
    stroke: str = "-",
    marker: str = "",
) -> None:
    """Plot the mean of curves, float64 [n, P], with its interval at P places."""
    band = mean_band(curves)
    axes.plot(places, band.mean, color=colour, ls=stroke, marker=marker, label=label)
    shade_band(axes, places, band.low, band.high, colour)


def shade_band(
    axes: Axes, places: Floats, low: Floats, high: Floats, colour: str
) -> None:
    """Shade what lies between two curves, float64 [P] each, and say what it is."""
    axes.fill_between(places, low, high, color=colour, alpha=0.18, lw=0)
    explain_patch(axes, "band: 95% interval over runs")


def explain_patch(axes: Axes, label: str, colour: str = "#cccccc") -> None:
    """Have a patch of some colour in the legend."""
    axes.fill_between([], [], [], color=colour, label=label, lw=0)


def explain_line(axes: Axes, label: str, stroke: str) -> None:
    """Have a stroke in the legend that several colours share."""
    axes.plot([], [], color=GREY, ls=stroke, lw=1.2, label=label)


def plot_interval(
    axes: Axes, row: float, interval: Interval, colour: str, alpha: float = 1.0
) -> None:
    """Plot a mean and its interval in one row."""
    axes.plot([interval.low, interval.high], [row, row], color=colour, alpha=alpha)
    axes.plot([interval.mean], [row], "o", color=colour, alpha=alpha, ms=4)


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a panel from the top down, with a line at zero."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.axvline(0, color="black", lw=0.8)
    axes.grid(visible=False, axis="y")


def interval_bars(intervals: Sequence[Interval]) -> list[list[float]]:
    """Return how far intervals reach below and above their means."""
    return [[i.mean - i.low for i in intervals], [i.high - i.mean for i in intervals]]


def label_counts(axes: Axes, label: str) -> None:
    """Label the horizontal axis with numbers of matches, few and with commas."""
    axes.set_xlabel(label)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(THOUSANDS)


def _add_legend(drawing: Figure) -> None:
    """Explain below the panels what any of them shows, each thing once."""
    found: dict[str, Any] = {}
    for axes in drawing.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if found:
        names = sorted(found, key=lambda name: ": " in name)  # explanations come last
        drawing.legend(
            [found[name] for name in names],
            names,
            loc="outside lower center",
            ncols=max(1, min(4, 88 // (max(map(len, names)) + 8))),
        )


def _mark_smoke_test(drawing: Figure) -> None:
    drawing.text(
        0.5,
        0.5,
        "SMOKE TEST\nnot a result",
        fontsize=34,
        color=RED,
        alpha=0.25,
        ha="center",
        va="center",
        rotation=20,
    )
