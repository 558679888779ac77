"""Pictures of standings.

Importing this module imports matplotlib, which takes a while.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gamelore.match.ratings import BEST_GOAL, Estimate
from gamelore.match.standings import Standing

_BLUE, _INK = "#2b6cb0", "#333333"
_ROW, _FRAME = 0.4, 1.4  # inches: of a player, and of what is around the players
_PALE_UNTIL = 60  # goals: darker cells have white numbers


def draw_standings(
    rows: Sequence[Standing],
    path: str | Path,
    title: str = "",
    goals: Mapping[str, Mapping[str, Estimate]] | None = None,
) -> None:
    """Draw ratings and mean goals with their intervals, the best player on top.

    `goals` has for each game the mean goal of each player, drawn as a third panel. The
    path's suffix says whether as SVG or PNG.
    """
    path = Path(path)
    goals = goals or {}
    widths = [3.5, 3.5] + ([1.2 + 0.8 * len(goals)] if goals else [])
    height = _FRAME + _ROW * max(2, len(rows))
    figure = Figure(
        figsize=(1 + sum(widths), height), layout="constrained", facecolor="white"
    )
    axes = figure.subplots(1, len(widths), width_ratios=widths, sharey=True)
    _draw_estimates(axes[0], [row.rating for row in rows], "rating")
    _draw_estimates(axes[1], [row.goal for row in rows], "mean goal")
    axes[0].axvline(0, color=_INK, alpha=0.3, linewidth=1)
    axes[1].set_xlim(-2, BEST_GOAL + 2)
    axes[0].set_yticks(range(len(rows)), [row.player for row in rows])
    axes[0].set_ylim(len(rows) - 0.5, -0.5)
    if goals:
        _draw_cells(axes[2], [row.player for row in rows], goals)
    figure.suptitle(title, fontsize=11, color=_INK)
    _save(figure, path)


def _draw_estimates(axes: Axes, estimates: Sequence[Estimate], label: str) -> None:
    values = np.array(estimates, float).reshape(-1, 3)  # value, low, high
    known = ~np.isnan(values[:, 0])
    value, low, high = values[known].T
    axes.errorbar(
        value,
        np.flatnonzero(known),
        xerr=[value - low, high - value],
        fmt="o",
        color=_BLUE,
        ecolor=_BLUE,
        elinewidth=1,
        capsize=3,
    )
    axes.set_xlabel(f"{label}, 95% interval")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)


def _draw_cells(
    axes: Axes, players: Sequence[str], goals: Mapping[str, Mapping[str, Estimate]]
) -> None:
    """A cell for every player and game, darker for higher goals."""
    nothing = Estimate(math.nan, 0, BEST_GOAL)
    cells = np.array(
        [[goals[game].get(name, nothing).value for game in goals] for name in players]
    )
    axes.imshow(cells, cmap="Blues", vmin=0, vmax=1.2 * BEST_GOAL, aspect="auto")
    for (row, column), goal in np.ndenumerate(cells):
        if not math.isnan(goal):
            colour = _INK if goal < _PALE_UNTIL else "white"
            axes.text(
                column, row, f"{goal:.0f}", ha="center", va="center", color=colour
            )
    axes.set_xticks(range(len(goals)), list(goals), rotation=30, ha="right")
    axes.set_xlabel("mean goal by game")
    axes.spines[:].set_visible(False)


def _save(figure: Figure, path: Path) -> None:
    """The same standings give the same file: no date, no random names."""
    with rc_context({"svg.hashsalt": "gamelore", "svg.fonttype": "none"}):
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, dpi=150, metadata=metadata)
