"""What the paper says, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gamelore.experiments.claims import (
    FAILS,
    HOLDS,
    Claim,
    PublishedNumber,
    compare_runs,
)
from gamelore.experiments.statistics import (
    Floats,
    Interval,
    difference_interval,
    mean_interval,
)
from gamelore.experiments.wang2018.measures import (
    Measure,
    MeasuredCurves,
    end_intervals,
    find_ends,
    measure_curves,
    share_above,
)
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

CLOSE = 2.0
"""Points within which a number agrees with one taken from a figure."""

STEADY = 1.0
"""Points that a learner that has converged may still gain or lose."""

Q_LEVELS = dict(zip(LENGTHS, (55.0, 80.0, 86.0, 86.5, 86.5, 86.5), strict=True))
QM_START, QM_AT_LENGTH, QM_SHORT_LEVEL, QM_END = 67.0, 84.0, 85.0, 87.5
TD_LEVEL = 75.5
ABOVE_FIXED = {0.1: 4.0, 0.2: 7.0}

Results = Mapping[WangCase, WangCaseResult]


def compare_levels(cases: WangCases, results: Results) -> Iterator[PublishedNumber]:
    """Yield the paper's levels beside ours, for the figures that were run."""
    baseline = results.get(cases.td_player())
    if baseline:
        text = "the TD(λ) player levels at"
        yield _number(3, text, TD_LEVEL, end_intervals(baseline))
    for length, level in Q_LEVELS.items():
        result = results.get(cases.q_player(length))
        if result and cases.qm_player(length) in results:
            text = f"QPlayer levels at, l = {length:,}"
            yield _number(6, text, level, end_intervals(result))
    shortest = results.get(cases.qm_player(LENGTHS[0]))
    if shortest:
        curves = {m.value: measure_curves(shortest, m) for m in Measure}
        starts = {name: mean_interval(own.start) for name, own in curves.items()}
        yield _number(6, "QMPlayer starts at", QM_START, starts)
        middles = {name: mean_interval(own.at_length) for name, own in curves.items()}
        yield _number(6, f"QMPlayer at match {LENGTHS[0]:,}", QM_AT_LENGTH, middles)
        text = f"QMPlayer levels at, l = {LENGTHS[0]:,}"
        yield _number(6, text, QM_SHORT_LEVEL, end_intervals(shortest))
    longest = results.get(cases.qm_player(LENGTHS[-1]))
    if longest:
        text = f"QMPlayer levels at, at least, l = {LENGTHS[-1]:,}"
        yield _number(6, text, QM_END, end_intervals(longest), at_least=True)


def compare_differences(
    cases: WangCases, results: Results
) -> Iterator[PublishedNumber]:
    """Yield the paper's other numbers beside ours."""
    dynamic = results.get(cases.q_player(EPSILON_LENGTH))
    for epsilon, above in ABOVE_FIXED.items():
        fixed = results.get(cases.fixed(epsilon))
        if dynamic and fixed:
            gaps = {
                m.value: difference_interval(find_ends(dynamic, m), find_ends(fixed, m))
                for m in Measure
            }
            yield _number(2, f"dynamic ε ends above fixed {epsilon} by", above, gaps)
    from_zero = results.get(cases.td_player(0.0))
    if from_zero:
        text = "the TD(λ) player levels at, if its table begins at 0"
        yield _number(3, text, TD_LEVEL, end_intervals(from_zero))


def compare_statements(cases: WangCases, results: Results) -> Iterator[Claim]:
    """Yield the paper's statements without numbers, for the figures that were run."""
    for compare in (
        _compare_epsilons,
        _compare_baseline,
        _compare_games,
        _compare_boards,
        _compare_lengths,
    ):
        yield from compare(cases, results)


def rank_measures(levels: Sequence[PublishedNumber]) -> list[tuple[str, float]]:
    """Return how far each measure is from the paper's levels, the nearest first."""
    if not levels:
        return []
    gaps = {
        measure.value: float(
            np.mean([abs(_mean(level, measure) - level.paper) for level in levels])
        )
        for measure in Measure
    }
    return sorted(gaps.items(), key=lambda gap: gap[1])


def _mean(level: PublishedNumber, measure: Measure) -> float:
    interval = level.measured[measure.value]
    assert isinstance(interval, Interval)
    return interval.mean


def _number(
    figure: int,
    text: str,
    paper: float,
    ours: Mapping[str, Interval],
    at_least: bool = False,
) -> PublishedNumber:
    where = f"Figure {figure}"
    return PublishedNumber.compare(
        where, text, paper, ours, tolerance=CLOSE, at_least=at_least
    )


# ── statements ──────────────────────────────────────────────────────────────────────


def _wins(result: WangCaseResult) -> MeasuredCurves:
    return measure_curves(result, Measure.WINS)


def _level(result: WangCaseResult) -> Floats:
    return _wins(result).level


def _compare_epsilons(cases: WangCases, results: Results) -> Iterator[Claim]:
    dynamic = results.get(cases.q_player(EPSILON_LENGTH))
    less, more = (results.get(cases.fixed(epsilon)) for epsilon in ABOVE_FIXED)
    if dynamic and less and more:
        for text, ours, theirs in (
            ("dynamic ε ends above fixed 0.1", dynamic, less),
            ("dynamic ε ends above fixed 0.2", dynamic, more),
            ("fixed 0.1 ends above fixed 0.2", less, more),
        ):
            yield compare_runs("Figure 2", text, _level(ours), _level(theirs))


def _compare_baseline(cases: WangCases, results: Results) -> Iterator[Claim]:
    dynamic = results.get(cases.q_player(EPSILON_LENGTH))
    baseline = results.get(cases.td_player())
    if not dynamic or not baseline:
        return
    text = "the TD(λ) player is ahead at first"
    yield compare_runs("Figure 3", text, _wins(baseline).start, _wins(dynamic).start)
    text = "dynamic ε ends above the TD(λ) player"
    yield compare_runs("Figure 3", text, _level(dynamic), _level(baseline))
    from_zero = results.get(cases.td_player(0.0))
    if from_zero:
        text = "dynamic ε ends above a TD(λ) player whose table begins at 0"
        yield compare_runs("Figure 3", text, _level(dynamic), _level(from_zero))


def _compare_games(cases: WangCases, results: Results) -> Iterator[Claim]:
    for game, length in GAMES.items():
        result = results.get(cases.q_player(length, game))
        if result:
            text = f"the win rate converges in {game}"
            yield _check_steadiness("Figure 4", text, result)


def _compare_boards(cases: WangCases, results: Results) -> Iterator[Claim]:
    boards = [cases.q_player(BOARD_LENGTH, board) for board in BOARDS]
    if not all(board in results for board in boards):
        return
    small, *larger = (results[board] for board in boards)
    for result in larger:
        text = f"QPlayer does worse in {result.case.game} than in {BOARDS[0]}"
        yield compare_runs("Figure 5", text, _level(small), _level(result))
    for result in larger:
        text = f"QPlayer does not converge in {result.case.game}"
        steady = _check_steadiness("Figure 5", text, result)
        levels_off = steady.verdict == HOLDS
        verdict = "not as stated: it levels off, but low" if levels_off else HOLDS
        yield replace(steady, verdict=verdict)


def _check_steadiness(where: str, text: str, result: WangCaseResult) -> Claim:
    """Return whether the win rate stays where it is once exploration has ended."""
    drift = mean_interval(_wins(result).drift)
    also = f"gain after match l; level {mean_interval(_level(result))}"
    steady = abs(drift.mean) < STEADY
    measured: dict[str, Interval | str] = {"measured": drift, "also": also}
    return Claim(where, text, measured, HOLDS if steady else FAILS)


def _compare_lengths(cases: WangCases, results: Results) -> Iterator[Claim]:
    q = [results.get(cases.q_player(length)) for length in LENGTHS]
    qm = [results.get(cases.qm_player(length)) for length in LENGTHS]
    pairs = [(o, t) for o, t in zip(q, qm, strict=True) if o and t]
    if len(pairs) < len(LENGTHS):
        return
    for length, (plain, searching) in zip(LENGTHS, pairs, strict=True):
        text = f"QMPlayer ends above QPlayer, l = {length:,}"
        claim = compare_runs("Figure 6", text, _level(searching), _level(plain))
        also = f"above in {share_above(searching, plain):.0%} of all windows"
        yield replace(claim, measured={**claim.measured, "also": also})
    plain, searching = pairs[0]
    text = "QMPlayer starts above QPlayer"
    yield compare_runs("Figure 6", text, _wins(searching).start, _wins(plain).start)
    low, high = (_level(pairs[place][0]) for place in (-3, -1))
    gain = difference_interval(high, low)
    text = f"QPlayer gains nothing from l = {LENGTHS[-3]:,} to {LENGTHS[-1]:,}"
    verdict = FAILS if gain.low > 0 else "no difference shown"
    yield Claim("Figure 7", text, {"measured": gain}, verdict)
    spread = [float(_level(pairs[place][0]).std(ddof=1)) for place in (0, -1)]
    found = f"standard deviation {spread[0]:.2f} → {spread[1]:.2f}"
    verdict = HOLDS if spread[1] < spread[0] else FAILS
    text = "QPlayer's runs differ less as l grows"
    yield Claim("Figure 7", text, {"measured": found}, verdict)
