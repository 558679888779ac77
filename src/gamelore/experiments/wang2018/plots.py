"""The paper's seven figures, drawn from what we measured.

Importing this module imports matplotlib, which takes a while.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from gamelore.experiments.plots import (
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    RED,
    THOUSANDS,
    FigureWriter,
    explain_line,
    explain_patch,
    interval_bars,
    label_counts,
    plot_band,
)
from gamelore.experiments.statistics import mean_interval
from gamelore.experiments.wang2018.best_response import PolicyScore
from gamelore.experiments.wang2018.extensions import GAME, WangExtensions
from gamelore.experiments.wang2018.measures import Measure, find_ends, measure_curves
from gamelore.experiments.wang2018.report import WangFindings
from gamelore.experiments.wang2018.run import WangCaseResult
from gamelore.experiments.wang2018.settings import (
    BOARD_LENGTH,
    BOARDS,
    EPSILON_LENGTH,
    GAMES,
    LENGTHS,
    WangCase,
    WangCases,
)
from gamelore.learn.schedules import Cosine, Fixed, Geometric

_PLAYERS = {"QPlayer": BLUE, "QMPlayer": RED}
_NO_EXPLORATION = "#e4e4e4"

_CURVES = (
    " Win rates in windows of l/20 matches, with the 95% interval over runs; dotted, "
    "the win rate since the first match; grey, matches without exploration"
)
_BEST = "; dashed, the best response to the random player."


def draw_figures(findings: WangFindings, figures: FigureWriter) -> None:
    """Draw the figures that the settings ask for."""
    draw = {
        1: _draw_schedules,
        2: _draw_epsilons,
        3: _draw_baseline,
        4: _draw_games,
        5: _draw_boards,
        6: _draw_lengths,
        7: _draw_levels,
    }
    for number in findings.settings.figures:
        draw[number](findings, figures)
    if findings.extensions:
        best = findings.best_responses[GAME].goal
        _draw_reach(findings.extensions, best, figures)


# ── the figures ─────────────────────────────────────────────────────────────────────


def _draw_schedules(findings: WangFindings, figures: FigureWriter) -> None:
    with figures.figure(
        "figure-1",
        "Figure 1: exploration by match",
        "Figure 1. Left, Equation 3 for the paper's l; right, beside fixed ε and the "
        "geometric decay of Abalearn.",
        columns=2,
        height=4.0,
        share_y=False,
    ) as (left, right):
        matches = np.arange(int(1.1 * LENGTHS[-1]))
        for length, colour in zip(LENGTHS, COLOURS, strict=True):
            left.plot(
                matches, Cosine(length)(matches), color=colour, label=f"l = {length:,}"
            )
        left.set_title("0.5 cos(mπ / 2l), then 0")
        first = np.arange(1000)
        for label, schedule, stroke in (
            ("right: 0.9 · 0.99ᵐ (Abalearn)", Geometric(), "-"),
            ("right: Equation 3, l = 30,000", Cosine(), "--"),
            ("right: fixed 0.2, 0.1, 0.01", Fixed(0.2), ":"),
            ("", Fixed(0.1), ":"),
            ("", Fixed(0.01), ":"),
        ):
            right.plot(first, schedule(first), color="black", ls=stroke, label=label)
        right.set_title("The first thousand matches")
        for axes in (left, right):
            label_counts(axes, "match")
        left.set_ylabel("ε")


def _draw_epsilons(findings: WangFindings, figures: FigureWriter) -> None:
    cases = WangCases(findings.settings)
    _draw_tictactoe(
        findings,
        figures,
        2,
        "fixed and dynamic ε",
        {
            "dynamic ε": cases.q_player(EPSILON_LENGTH),
            "fixed ε = 0.1": cases.fixed(0.1),
            "fixed ε = 0.2": cases.fixed(0.2),
        },
    )


def _draw_baseline(findings: WangFindings, figures: FigureWriter) -> None:
    cases = WangCases(findings.settings)
    _draw_tictactoe(
        findings,
        figures,
        3,
        "QPlayer and the TD(λ) baseline",
        {
            "QPlayer, dynamic ε": cases.q_player(EPSILON_LENGTH),
            "TD(λ) of Banerjee and Stone": cases.td_player(),
            "the same, its table from 0": cases.td_player(0.0),
        },
    )


def _draw_tictactoe(
    findings: WangFindings,
    figures: FigureWriter,
    number: int,
    title: str,
    cases: Mapping[str, WangCase],
) -> None:
    with figures.figure(
        f"figure-{number}",
        f"Figure {number}: {title}, tic-tac-toe",
        f"Figure {number}, {title}.{_CURVES}{_BEST}",
    ) as (axes,):
        for (label, case), colour in zip(
            cases.items(), (BLUE, RED, GREEN), strict=True
        ):
            _plot(axes, findings.results[case], label, colour)
        _finish(axes, case, findings.best_responses)


def _draw_games(findings: WangFindings, figures: FigureWriter) -> None:
    cases = WangCases(findings.settings)
    with figures.figure(
        "figure-4",
        "Figure 4: QPlayer in other games",
        f"Figure 4, QPlayer in other games.{_CURVES}{_BEST}",
        columns=2,
    ) as panels:
        for axes, (game, length) in zip(panels, GAMES.items(), strict=True):
            case = cases.q_player(length, game)
            _plot(axes, findings.results[case], "QPlayer", BLUE)
            _finish(axes, case, findings.best_responses)
            axes.set_title(f"{game}, l = {case.length:,}")


def _draw_boards(findings: WangFindings, figures: FigureWriter) -> None:
    cases = WangCases(findings.settings)
    with figures.figure(
        "figure-5",
        "Figure 5: QPlayer, three in a row on larger boards",
        f"Figure 5, QPlayer on larger boards.{_CURVES}.",
    ) as (axes,):
        for board, colour in zip(BOARDS, (BLUE, GREEN, RED), strict=True):
            case = cases.q_player(BOARD_LENGTH, board)
            size = board.partition("-")[2].replace("x", "×") or "3×3"
            _plot(axes, findings.results[case], f"{size} board", colour)
        _finish(axes, case, {})


def _draw_lengths(findings: WangFindings, figures: FigureWriter) -> None:
    cases = WangCases(findings.settings)
    with figures.figure(
        "figure-6",
        "Figure 6: QPlayer and QMPlayer for each l, tic-tac-toe",
        f"Figure 6, QPlayer and QMPlayer for each l.{_CURVES}{_BEST}",
        rows=3,
        columns=2,
        height=8.6,
    ) as panels:
        for axes, length, letter in zip(panels, LENGTHS, "abcdef", strict=True):
            players = (cases.q_player(length), cases.qm_player(length))
            for case, (label, colour) in zip(players, _PLAYERS.items(), strict=True):
                _plot(axes, findings.results[case], label, colour)
            _finish(axes, players[0], findings.best_responses)
            axes.set_title(f"({letter}) l = {players[0].length:,}")


def _draw_levels(findings: WangFindings, figures: FigureWriter) -> None:
    cases = WangCases(findings.settings)
    with figures.figure(
        "figure-7",
        "Figure 7: where QPlayer and QMPlayer level off, tic-tac-toe",
        "Figure 7, the win rate after match l, with the 95% interval over runs" + _BEST,
    ) as (axes,):
        lengths = [cases.scale_length(length) for length in LENGTHS]
        for player, (label, colour) in zip(
            (cases.q_player, cases.qm_player), _PLAYERS.items(), strict=True
        ):
            levels = [
                mean_interval(find_ends(findings.results[player(n)], Measure.WINS))
                for n in LENGTHS
            ]
            axes.errorbar(
                lengths,
                [level.mean for level in levels],
                interval_bars(levels),
                color=colour,
                label=f"{label}; bar: 95% interval over runs",
                marker="o",
                capsize=3,
            )
        _mark_best(axes, GAME, findings.best_responses)
        axes.set_xlabel("l, the match at which exploration ends")
        axes.xaxis.set_major_formatter(THOUSANDS)
        axes.set_ylabel("matches won after match l, %")


def _draw_reach(extensions: WangExtensions, best: float, figures: FigureWriter) -> None:
    with figures.figure(
        "extension-reach",
        "How near longer training comes to the best response, tic-tac-toe",
        "The exact mean goal of the greedy policy by the length of training, with the "
        "95% interval over runs; dashed, the best response.",
    ) as (axes,):
        names = dict.fromkeys(reached.case.name for reached in extensions.reached)
        for name, colour in zip(names, COLOURS, strict=False):
            own = [r for r in extensions.reached if r.case.name == name]
            goals = np.array([[score.goal for score in r.scores] for r in own]).T
            matches = np.array([r.case.matches for r in own], float)
            plot_band(axes, matches, goals, name, colour, marker="o")
        axes.axhline(best, color=GREY, lw=1, ls="--", label="best response")
        axes.set_xscale("log")
        axes.set_xlabel("training matches")
        axes.set_ylabel("mean goal, %")


# ── parts of figures ────────────────────────────────────────────────────────────────


def _plot(axes: Axes, result: WangCaseResult, label: str, colour: str) -> None:
    ends = result.case.window * np.arange(1.0, 1 + result.wins.shape[1])
    middles = ends - result.case.window / 2
    plot_band(axes, middles, result.wins, label, colour)
    so_far = measure_curves(result, Measure.WINS_SO_FAR).curves.mean(axis=0)
    axes.plot(ends, so_far, color=colour, lw=1.2, ls=":")
    explain_line(axes, "dotted: since the first match", ":")


def _finish(
    axes: Axes, case: WangCase, best_responses: Mapping[str, PolicyScore]
) -> None:
    axes.axvspan(case.length, case.matches, color=_NO_EXPLORATION, zorder=0, lw=0)
    explain_patch(axes, "grey: no exploration", _NO_EXPLORATION)
    _mark_best(axes, case.game, best_responses)
    axes.set_xlim(0, case.matches)
    label_counts(axes, "match")
    if axes.get_subplotspec() is None or axes.get_subplotspec().is_first_col():  # type: ignore[union-attr]
        axes.set_ylabel("matches won, %")


def _mark_best(
    axes: Axes, game: str, best_responses: Mapping[str, PolicyScore]
) -> None:
    if game in best_responses:
        wins = best_responses[game].wins
        axes.axhline(wins, color=GREY, lw=1.2, ls="--", label="dashed: best response")
