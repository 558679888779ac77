"""What the paper says, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gamelore.experiments.abalearn2003.games import Duel
from gamelore.experiments.abalearn2003.run import AHEAD, LOST, WON, AbalearnCaseResult
from gamelore.experiments.abalearn2003.settings import (
    METHOD_I,
    METHOD_IA,
    METHOD_II,
    OPPONENTS,
    REFERENCES,
    AbalearnCase,
    Draws,
)
from gamelore.experiments.claims import (
    FAILS,
    HOLDS,
    UNDECIDED,
    Claim,
    PublishedNumber,
    compare_runs,
)
from gamelore.experiments.statistics import Floats, mean_interval

CLOSE = 5.0
"""Points within which a number agrees with the paper's: its tests were 100 games."""

TABLE_2 = {
    500: (48.0, 68.0),
    1_000: (52.0, 72.0),
    2_000: (54.0, 76.0),
    3_000: (71.0, 79.0),
}
"""Win rate against the heuristic player by training games, Methods I and I(a), %."""

RISKY_LEVEL = 90.0
"""Where the best risk-seeking agent ends, %."""


Results = Mapping[AbalearnCase, AbalearnCaseResult]


@dataclass(frozen=True)
class ReadingResult:
    """What came out in one reading of the paper."""

    results: Results
    references: Floats
    """float64 [agents, points, references]: Figure 2"""
    duels: Sequence[Duel]

    def claims(self, reading: str, draws: Draws) -> list[Claim]:
        """Return the paper's numbers and statements beside it, as a group."""
        found = [
            *compare_numbers(self.results, draws),
            *compare_statements(self.results, self.references, self.duels, draws),
        ]
        return [replace(claim, group=reading) for claim in found]


def win_rates(result: AbalearnCaseResult, draws: Draws) -> Floats:
    """Return win rates in per cent, by what drawn games count: [agents, points]."""
    scores = result.scores
    won = scores[:, :, WON]
    if draws == "stones":
        won = scores[:, :, AHEAD]
    elif draws == "half":
        won = won + (1 - won - scores[:, :, LOST]) / 2
    return np.asarray(100.0 * won)


def win_rates_after(result: AbalearnCaseResult, games: int, draws: Draws) -> Floats:
    """Return the win rates after so many games: float64 [agents]."""
    return np.asarray(win_rates(result, draws)[:, result.case.points.index(games)])


def compare_numbers(results: Results, draws: Draws) -> Iterator[PublishedNumber]:
    """Yield the paper's numbers beside ours."""
    for place, case in enumerate((METHOD_I, METHOD_IA)):
        for games, published in TABLE_2.items():
            rates = win_rates_after(results[case], games, draws)
            text = f"{case.name} after {games:,} games"
            yield _number("Table 2", text, published[place], rates)
    riskiest = METHOD_II[-1.0]
    rates = win_rates(results[riskiest], draws)[:, -1]
    yield _number("Figure 5", f"{riskiest.name} at the end", RISKY_LEVEL, rates)


def compare_statements(
    results: Results, references: Floats, duels: Sequence[Duel], draws: Draws
) -> Iterator[Claim]:
    """Yield the paper's statements beside what was measured."""
    for games in TABLE_2:
        ours, theirs = (
            win_rates_after(results[case], games, draws)
            for case in (METHOD_IA, METHOD_I)
        )
        text = f"features help: I(a) is above I after {games:,} games"
        yield compare_runs("Table 2", text, ours, theirs)
    ends = {case: win_rates(results[case], draws)[:, -1] for case in results}
    text = "a skilled opponent is better to learn from than a random one"
    skilled, random = ends[OPPONENTS["heuristic"]], ends[OPPONENTS["random"]]
    yield compare_runs("Figure 3", text, skilled, random)
    yield from _compare_risks({risk: ends[case] for risk, case in METHOD_II.items()})
    curve = win_rates(results[METHOD_II[-1.0]], draws)
    text = "κ = -1 improves with training"
    yield compare_runs("Figure 5", text, curve[:, -1], curve[:, 0])
    late, early = METHOD_I.points.index(REFERENCES[-1]), 0
    text = f"Net {REFERENCES[-1]:,} beats Net {REFERENCES[0]} more often than it loses"
    ours, theirs = 100 * references[:, late, 0], 100 * references[:, early, -1]
    yield compare_runs("Figure 2", text, ours, theirs)
    yield from _compare_duels(duels)


def _number(where: str, text: str, paper: float, rates: Floats) -> PublishedNumber:
    ours = {"ours": mean_interval(rates)}
    return PublishedNumber.compare(where, text, paper, ours, tolerance=CLOSE)


def _compare_risks(ends: Mapping[float, Floats]) -> Iterator[Claim]:
    text = "self-play fails for κ = 0: most games are not won"
    yield _compare_level(text, ends[0.0], above=False)
    for risk in (-0.3, -0.8, -1.0):
        text = f"self-play succeeds for κ = {risk:g}: most games are won"
        yield _compare_level(text, ends[risk], above=True)
    for risk in (-0.8, -1.0):
        text = f"κ = {risk:g} is above κ = 0"
        yield compare_runs("Figure 4", text, ends[risk], ends[0.0])


def _compare_level(text: str, ends: Floats, above: bool) -> Claim:
    """Return the claim that agents win more than half of their games, or less."""
    level = mean_interval(ends)
    verdict = HOLDS if (level.low > 50 if above else level.high < 50) else FAILS
    verdict = UNDECIDED if level.low <= 50 <= level.high else verdict
    return Claim("Figure 4", text, {"measured": level}, verdict)


def _compare_duels(duels: Sequence[Duel]) -> Iterator[Claim]:
    for name in dict.fromkeys(duel.case.name for duel in duels):
        own = [duel for duel in duels if duel.case.name == name]
        lost = ", ".join(
            f"{d.lost} at depth {d.depth} ({d.reached:.1f} reached)" for d in own
        )
        text = f"{name}, one move ahead, loses at most 2 stones to deep search"
        verdict = HOLDS if max(d.lost for d in own) <= 2 else FAILS
        yield Claim("Table 3", text, {"measured": f"stones lost: {lost}"}, verdict)
