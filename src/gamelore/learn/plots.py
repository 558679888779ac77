"""Pictures of learning curves.

Importing this module imports matplotlib, which takes a while.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from gamelore.learn.curves import cumulative_average, window_of, windowed_average

_BLUE, _INK = "#2b6cb0", "#333333"
_POINTS = 2000  # drawn at most: more than a picture can show


def draw_curve(rewards: npt.ArrayLike, path: str | Path, title: str = "") -> None:
    """Draw the average reward, of all matches so far and of the last ones.

    The path's suffix says whether as SVG or PNG.
    """
    path = Path(path)
    rewards = np.asarray(rewards, np.float64)
    window = window_of(len(rewards))
    count = min(len(rewards), _POINTS)
    shown = np.unique(np.linspace(0, len(rewards) - 1, count).astype(np.int64))
    figure = Figure(figsize=(7, 4), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    axes.plot(
        shown + 1,
        windowed_average(rewards, window)[shown],
        color=_BLUE,
        alpha=0.4,
        linewidth=1,
        label=f"last {window:,} matches",
    )
    axes.plot(
        shown + 1,
        cumulative_average(rewards)[shown],
        color=_BLUE,
        linewidth=2,
        label="all matches so far",
    )
    axes.set_xlabel("matches")
    axes.set_ylabel("average reward")
    axes.set_title(title, fontsize=11, color=_INK)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, loc="lower right")
    _save(figure, path)


def draw_curves(
    curves: Mapping[str, npt.ArrayLike], path: str | Path, title: str = ""
) -> None:
    """Draw curves, each by its name, with the matches on a logarithmic scale."""
    figure = Figure(figsize=(7, 4), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    for name, curve in curves.items():
        points = np.asarray(curve, np.float64)
        axes.plot(np.arange(1, len(points) + 1), points, label=name)
    axes.set_xscale("log")
    axes.set_xlim(left=10)
    axes.set_ylim(0, 100)
    axes.set_xlabel("matches")
    axes.set_ylabel("average reward of all matches so far")
    axes.set_title(title, fontsize=11, color=_INK)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, loc="lower right")
    _save(figure, Path(path))


def _save(figure: Figure, path: Path) -> None:
    """The same curve gives the same file: no date, no random names."""
    with rc_context({"svg.hashsalt": "gamelore", "svg.fonttype": "none"}):
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, dpi=150, metadata=metadata)
