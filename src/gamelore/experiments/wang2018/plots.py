"""The paper's seven figures, drawn from what we measured.

Solid lines are win rates in windows of l/20 matches, with the interval of their average
over rounds; dotted ones count from the first match. Exploration has ended in the grey
part. Importing this module imports matplotlib, which takes a while.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gamelore.experiments.plots import (
    BLUE,
    BROWN,
    GREEN,
    GREY,
    RED,
    STYLE,
    THOUSANDS,
    save,
)
from gamelore.experiments.statistics import mean_band, mean_interval
from gamelore.experiments.wang2018.analysis import Measure, final, read
from gamelore.experiments.wang2018.run import Course
from gamelore.experiments.wang2018.settings import (
    BOARD_LENGTH,
    BOARDS,
    EPSILON_LENGTH,
    GAMES,
    LENGTHS,
    Case,
    Cases,
)
from gamelore.learn.schedules import Cosine, Fixed, Geometric

_PLAYERS = {"QPlayer": BLUE, "QMPlayer": RED}

Courses = Mapping[Case, Course]
Optima = Mapping[str, float]
"""By game, the win rate of the best response, where it was worked out."""


def draw_figure(
    figure: int, cases: Cases, courses: Courses, optima: Optima, folder: Path
) -> list[Path]:
    """Draw one figure as PNG and SVG."""
    draw: dict[int, Callable[[Cases, Courses, Optima], Figure]] = {
        1: _schedules,
        2: _epsilons,
        3: _baseline,
        4: _games,
        5: _boards,
        6: _lengths,
        7: _levels,
    }
    with rc_context(STYLE):
        return save(draw[figure](cases, courses, optima), folder / f"figure-{figure}")


# ── the figures ─────────────────────────────────────────────────────────────────────


def _schedules(cases: Cases, courses: Courses, optima: Optima) -> Figure:
    drawing = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = drawing.subplots(1, 2)
    matches = np.arange(int(1.1 * LENGTHS[-1]))
    shades = np.linspace(0.35, 1.0, len(LENGTHS))
    for length, shade in zip(LENGTHS, shades, strict=True):
        schedule = Cosine(length)
        left.plot(
            matches,
            schedule(matches),
            color=BLUE,
            alpha=shade,
            label=f"l = {length:,}",
        )
    left.set_title("Equation 3: 0.5 cos(mπ / 2l), then 0", fontsize=9)
    first = np.arange(1000)
    right.plot(first, Geometric()(first), color=RED, label="0.9 · 0.99ᵐ (Abalearn)")
    right.plot(first, Cosine()(first), color=BLUE, label="Equation 3, l = 30,000")
    for epsilon in (0.2, 0.1, 0.01):
        label = "fixed 0.2, 0.1, 0.01" if epsilon == 0.2 else None
        right.plot(first, Fixed(epsilon)(first), color=GREY, lw=1, label=label)
    right.set_title("The first thousand matches", fontsize=9)
    for axes in (left, right):
        axes.set_xlabel("match")
        axes.set_ylabel("ε")
        axes.xaxis.set_major_formatter(THOUSANDS)
        axes.legend(fontsize=8)
    return drawing


def _epsilons(cases: Cases, courses: Courses, optima: Optima) -> Figure:
    drawing, axes = _single()
    lines = {
        "dynamic ε": (cases.q_player(EPSILON_LENGTH), BLUE),
        "fixed ε = 0.1": (cases.fixed(0.1), RED),
        "fixed ε = 0.2": (cases.fixed(0.2), GREEN),
    }
    for label, (case, colour) in lines.items():
        _plot(axes, courses[case], label, colour)
    _finish(axes, courses[cases.q_player(EPSILON_LENGTH)], "tic-tac-toe", optima)
    return drawing


def _baseline(cases: Cases, courses: Courses, optima: Optima) -> Figure:
    drawing, axes = _single()
    lines = {
        "QPlayer, dynamic ε": (cases.q_player(EPSILON_LENGTH), BLUE),
        "TD(λ) of Banerjee and Stone": (cases.td_player(), RED),
        "the same, its table from 0": (cases.td_player(0.0), GREEN),
    }
    for label, (case, colour) in lines.items():
        _plot(axes, courses[case], label, colour)
    _finish(axes, courses[cases.q_player(EPSILON_LENGTH)], "tic-tac-toe", optima)
    return drawing


def _games(cases: Cases, courses: Courses, optima: Optima) -> Figure:
    drawing = Figure(figsize=(9, 3.4), layout="constrained")
    panels = drawing.subplots(1, 2, sharey=True)
    for axes, (game, length) in zip(panels, GAMES.items(), strict=True):
        course = courses[cases.q_player(length, game)]
        _plot(axes, course, "QPlayer", BLUE)
        _finish(axes, course, f"{game}, l = {cases.scaled(length):,}", optima)
    return drawing


def _boards(cases: Cases, courses: Courses, optima: Optima) -> Figure:
    drawing, axes = _single()
    for board, colour in zip(BOARDS, (BLUE, GREEN, RED), strict=True):
        course = courses[cases.q_player(BOARD_LENGTH, board)]
        size = board.partition("-")[2].replace("x", "×") or "3×3"
        _plot(axes, course, size, colour)
    _finish(axes, course, "three in a row on larger boards", {})
    return drawing


def _lengths(cases: Cases, courses: Courses, optima: Optima) -> Figure:
    drawing = Figure(figsize=(9, 10), layout="constrained")
    panels = drawing.subplots(3, 2, sharey=True)
    for axes, length, letter in zip(panels.flat, LENGTHS, "abcdef", strict=True):
        players = (cases.q_player(length), cases.qm_player(length))
        for case, (label, colour) in zip(players, _PLAYERS.items(), strict=True):
            _plot(axes, courses[case], label, colour)
        _finish(
            axes,
            courses[players[0]],
            f"({letter}) l = {cases.scaled(length):,}",
            optima,
        )
    return drawing


def _levels(cases: Cases, courses: Courses, optima: Optima) -> Figure:
    drawing, axes = _single()
    for player, (label, colour) in zip(
        (cases.q_player, cases.qm_player), _PLAYERS.items(), strict=True
    ):
        levels = [
            mean_interval(final(courses[player(length)], Measure.WINS))
            for length in LENGTHS
        ]
        means = np.array([level.mean for level in levels])
        spans = [
            [level.mean - level.low for level in levels],
            [level.high - level.mean for level in levels],
        ]
        lengths = [cases.scaled(length) for length in LENGTHS]
        axes.errorbar(
            lengths, means, spans, color=colour, label=label, marker="o", capsize=3
        )
    _mark_optimum(axes, "tictactoe", optima)
    axes.set_xlabel("l")
    axes.set_ylabel("win rate after match l, %")
    axes.xaxis.set_major_formatter(THOUSANDS)
    axes.legend(loc="lower right")
    return drawing


# ── parts of figures ────────────────────────────────────────────────────────────────


def _single() -> tuple[Figure, Axes]:
    drawing = Figure(figsize=(6.4, 3.8), layout="constrained")
    return drawing, drawing.subplots()


def _plot(axes: Axes, course: Course, label: str, colour: str) -> None:
    ends = course.case.window * np.arange(1, 1 + course.wins.shape[1])
    middles = ends - course.case.window / 2
    band = mean_band(read(course, Measure.WINS).curves)
    axes.plot(middles, band.mean, color=colour, lw=1.8, label=label)
    axes.fill_between(middles, band.low, band.high, color=colour, alpha=0.2, lw=0)
    so_far = read(course, Measure.WINS_SO_FAR).curves.mean(axis=0)
    axes.plot(ends, so_far, color=colour, lw=1, ls=":")


def _finish(axes: Axes, course: Course, title: str, optima: Optima) -> None:
    case = course.case
    axes.axvspan(case.length, case.matches, color="#ededed", zorder=0, lw=0)
    _mark_optimum(axes, case.game, optima)
    axes.set_xlim(0, case.matches)
    axes.set_title(title, fontsize=9)
    axes.set_xlabel("match")
    axes.set_ylabel("matches won, %")
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(THOUSANDS)
    axes.legend(loc="lower right", fontsize=8)


def _mark_optimum(axes: Axes, game: str, optima: Optima) -> None:
    if game in optima:
        axes.axhline(optima[game], color=GREY, lw=1, ls="--", label="best response")


def draw_reach(
    lines: Sequence[tuple[str, Sequence[int], Sequence[Sequence[float]]]],
    best: float,
    path: Path,
) -> list[Path]:
    """How near learners come to the best response, by how long they learn."""
    colours = (BLUE, RED, GREEN, BROWN, "#6b46c1")
    with rc_context(STYLE):
        drawing, axes = _single()
        for (label, matches, wins), colour in zip(lines, colours, strict=False):
            band = mean_band(np.asarray(wins, float))
            axes.plot(matches, band.mean, color=colour, marker="o", ms=4, label=label)
            axes.fill_between(matches, band.low, band.high, color=colour, alpha=0.2)
        axes.axhline(best, color=GREY, lw=1, ls="--", label="best response")
        axes.set_xscale("log")
        axes.set_xlabel("matches learned from")
        axes.set_ylabel("exact mean goal of the greedy policy, %")
        axes.legend(loc="lower right", fontsize=8)
        return save(drawing, path)
