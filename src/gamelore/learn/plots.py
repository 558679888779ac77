"""Pictures of learning curves.

Importing this module imports matplotlib, which takes a while.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter

from gamelore.files import write_atomic
from gamelore.learn.curves import choose_window, cumulative_average, windowed_average
from gamelore.learn.references import ReferenceResult

_COLOURS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b83280")
_INK = "#333333"
_POINTS = 2000  # drawn at most: more than a picture can show


def draw_scores(
    results: Sequence[ReferenceResult], path: str | Path, title: str = ""
) -> None:
    """Draw scores against reference players over the matches of training.

    Bands are 95% intervals. The path's suffix says whether as SVG or PNG.
    """
    _save(_plot_scores(results, title), Path(path))


def scores_svg(results: Sequence[ReferenceResult], title: str = "") -> str:
    """Return the same picture as SVG."""
    return _render(_plot_scores(results, title), "svg").decode()


def _plot_scores(results: Sequence[ReferenceResult], title: str) -> Figure:
    figure, axes = _start(title)
    opponents = list(dict.fromkeys(one.opponent for one in results))
    for number, opponent in enumerate(opponents):
        shown = [one for one in results if one.opponent == opponent]
        colour = _COLOURS[number % len(_COLOURS)]
        trained = [one.trained for one in shown]
        lows, highs = [one.low for one in shown], [one.high for one in shown]
        axes.fill_between(trained, lows, highs, color=colour, alpha=0.15, linewidth=0)
        scores = [one.score for one in shown]
        label = f"against {opponent}, with 95% interval"
        axes.plot(trained, scores, color=colour, marker="o", markersize=3, label=label)
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_ylabel("score of greedy play")
    return _finish(figure, axes)


def draw_rewards(rewards: npt.ArrayLike, path: str | Path, title: str = "") -> None:
    """Draw the average reward in training, of all matches so far and of the last ones.

    The path's suffix says whether as SVG or PNG.
    """
    _save(_plot_rewards(rewards, title), Path(path))


def rewards_svg(rewards: npt.ArrayLike, title: str = "") -> str:
    """Return the same picture as SVG."""
    return _render(_plot_rewards(rewards, title), "svg").decode()


def _plot_rewards(rewards: npt.ArrayLike, title: str) -> Figure:
    rewards = np.asarray(rewards, np.float64)
    window = choose_window(len(rewards))
    count = min(len(rewards), _POINTS)
    shown = np.unique(np.linspace(0, len(rewards) - 1, count).astype(np.int64))
    figure, axes = _start(title)
    windowed = windowed_average(rewards, window)[shown]
    label = f"last {window:,} matches"
    axes.plot(
        shown + 1, windowed, color=_COLOURS[0], alpha=0.4, linewidth=1, label=label
    )
    averages = cumulative_average(rewards)[shown]
    axes.plot(
        shown + 1, averages, color=_COLOURS[0], linewidth=2, label="all matches so far"
    )
    axes.set_ylabel("average reward")
    return _finish(figure, axes)


def draw_curves(
    curves: Mapping[str, npt.ArrayLike], path: str | Path, title: str = ""
) -> None:
    """Draw curves, each by its name, with the matches on a logarithmic scale."""
    figure, axes = _start(title)
    for name, curve in curves.items():
        points = np.asarray(curve, np.float64)
        axes.plot(np.arange(1, len(points) + 1), points, label=name)
    axes.set_xscale("log")
    axes.set_xlim(left=10)
    axes.set_ylim(0, 100)
    axes.set_ylabel("average reward of all matches so far")
    _save(_finish(figure, axes), Path(path))


def _start(title: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(7, 4), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=11, color=_INK)
    return figure, axes


def _finish(figure: Figure, axes: Axes) -> Figure:
    """Label the picture."""
    axes.set_xlabel("matches of training")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, loc="lower right")
    return figure


def _save(figure: Figure, path: Path) -> None:
    write_atomic(path, _render(figure, path.suffix.removeprefix(".")))


def _render(figure: Figure, kind: str) -> bytes:
    """Return the picture as a file: the same curve gives the same one."""
    picture = io.BytesIO()
    with rc_context({"svg.hashsalt": "gamelore", "svg.fonttype": "none"}):
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(picture, format=kind, dpi=150, metadata=metadata)
    return picture.getvalue()
