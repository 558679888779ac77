"""What came out, in words and tables; every number is taken from the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from gamelore.experiments.banerjee2007.analysis import (
    CROSSED_BY,
    FIGURES,
    LEVEL,
    TITLES,
    WINDOW,
    Finding,
    Played,
    Results,
    averages_of,
)
from gamelore.experiments.banerjee2007.run import LEARNERS, Case
from gamelore.experiments.banerjee2007.table1 import OPPONENTS, TABLE_1
from gamelore.experiments.output import markdown_table, write_csv

FEATURES_IN_PAPER = 12
"""That Figure 2 shows."""
DRAW = 50.0


def report_text(results: Results) -> str:
    """The whole of report.md."""
    sections = [
        *_introduction(results),
        *_claims(results),
        *_levels(results),
        *_averages(results),
        *_table(results),
        *_figures(results),
        *_readings(results),
        *_beyond(results),
        *_settings(results),
    ]
    return "\n\n".join(sections) + "\n"


def summary_text(results: Results) -> str:
    """A few lines for the terminal: each claim and its verdict."""
    rows = [(text, verdict) for text, _, _, _, verdict in _claim_rows(results)]
    width = max(len(text) for text, _ in rows)
    return "\n".join(f"{text:<{width}}  {verdict}" for text, verdict in rows)


def _introduction(results: Results) -> Iterator[str]:
    settings = results.settings
    yield "# General Game Learning using Knowledge Transfer, rerun"
    yield (
        "Banerjee and Stone, IJCAI 2007. Rewards are averages of matches "
        f"{settings.skipped + 1} to {settings.matches}; a win is 100, a draw 50, a "
        "loss 0. In brackets: 95 % bootstrap intervals over runs; differences are "
        f"paired by run. The paper has {settings.runs} runs; the finding is that of "
        f"all {settings.total}."
    )


def _claims(results: Results) -> Iterator[str]:
    yield "## The paper's claims"
    header = (
        "claim",
        "measured",
        f"{results.settings.runs} runs",
        f"{results.settings.total} runs",
        "verdict",
    )
    yield markdown_table(header, _claim_rows(results))


def _claim_rows(results: Results) -> list[tuple[str, str, str, str, str]]:
    table = results.table
    count = len(table.patterns)
    rows = [
        (
            f"{FEATURES_IN_PAPER} features of tic-tac-toe",
            "features, learner first",
            str(count),
            str(count),
            "holds" if count == FEATURES_IN_PAPER else "does not hold",
        )
    ]
    shown = ", ".join(f"{name} {interval}" for name, interval in table.draws.items())
    exact = all(interval == (DRAW, DRAW, DRAW) for interval in table.draws.values())
    rows.append(
        (
            "feature (h) is 50 for every opponent",
            "value of `(D)`",
            "the same",
            shown,
            "holds" if exact else "does not hold",
        )
    )
    rows += [_row(finding) for finding in results.findings]
    crossed = [finding.verdict == "holds" for finding in results.levels]
    few = [finding.verdict_few == "holds" for finding in results.levels]
    rows.append(
        (
            f"{LEVEL:.0f} % crossed within {CROSSED_BY} matches, typically",
            "learners in games that do",
            f"{sum(few)} of {len(few)}",
            f"{sum(crossed)} of {len(crossed)}",
            "holds" if 2 * sum(crossed) > len(crossed) else "does not hold",
        )
    )
    return rows


def _row(finding: Finding) -> tuple[str, str, str, str, str]:
    return (
        finding.claim,
        finding.measured,
        f"{finding.few} ({finding.verdict_few})",
        str(finding.all),
        finding.verdict,
    )


def _levels(results: Results) -> Iterator[str]:
    yield f"## How soon learners reach {LEVEL:.0f} %"
    yield (
        f"The average reward of the {WINDOW} matches up to match {CROSSED_BY}, and the "
        f"match by which the average of {WINDOW} matches over all runs first reaches "
        f"{LEVEL:.0f}."
    )
    yield markdown_table(
        ("learner", f"up to match {CROSSED_BY}", f"{LEVEL:.0f} reached by", "verdict"),
        [(one.claim, one.all, one.measured, one.verdict) for one in results.levels],
    )


def _averages(results: Results) -> Iterator[str]:
    yield "## Average rewards"
    yield markdown_table(
        ("game", "opponent", "learner", f"{results.settings.total} runs"),
        [
            (
                TITLES[case.game],
                case.opponent,
                LEARNERS[case.learner].label,
                interval,
            )
            for case, interval in results.averages.items()
        ],
    )


def _table(results: Results) -> Iterator[str]:
    yield "## Table 1"
    fits = results.table.fits
    if not fits:
        yield "Too few runs met all features: there is nothing to compare."
        return
    best = fits[0]
    yield (
        f"The best match is that of {best.matches} source matches ({best.reading}): "
        f"the root mean square difference is {best.error:.2f}, the correlation "
        f"{best.correlation:.2f}; by then a run had met {best.met:.1f} features on "
        "average. (h), (j), (k), (l) and the kind of (g) are known from the paper's "
        "text; the others are matched by least squares."
    )
    header = ["", "our feature"]
    for opponent in OPPONENTS:
        header += [f"{opponent}: paper", "ours"]
    yield markdown_table(
        header,
        [
            (f"({letter})", f"`{pattern}`", *_pairs(letter, best.values[letter]))
            for letter, pattern in best.letters.items()
        ],
    )
    yield "How well other numbers of source matches fit:"
    yield markdown_table(
        ("source matches", "reading", "difference", "correlation", "features met"),
        [
            (
                fit.matches,
                fit.reading,
                f"{fit.error:.2f}",
                f"{fit.correlation:.2f}",
                f"{fit.met:.1f}",
            )
            for fit in sorted(fits, key=lambda fit: (fit.reading, fit.matches))
        ],
    )
    yield "![Our feature values beside the paper's](table-1.png)"


def _pairs(letter: str, ours: tuple[float, ...]) -> Iterator[str]:
    for paper, own in zip(TABLE_1[letter], ours, strict=True):
        yield f"{paper:.2f}"
        yield f"{own:.2f}"


def _figures(results: Results) -> Iterator[str]:
    yield "## Figures"
    yield "![Differences between learners](claims.png)"
    for number in results.curves:
        game, opponent = FIGURES[number]
        yield f"![Figure {number}: {TITLES[game]}, {opponent}](figure-{number}.png)"


def _readings(results: Results) -> Iterator[str]:
    if not results.readings:
        return
    claims = results.findings[: len(next(iter(results.readings.values())))]
    yield "## Other readings of the paper"
    yield (
        "Each changes the default in the way it says. Numbers are differences over "
        f"{results.settings.total} runs; **bold** where the claim holds, struck out "
        "where the opposite does."
    )
    yield "\n".join(
        f"{number}. {finding.claim}" for number, finding in enumerate(claims, 1)
    )
    rows: list[Sequence[object]] = [("default", *map(_mark, claims))]
    rows += [(name, *map(_mark, found)) for name, found in results.readings.items()]
    yield markdown_table(("reading", *map(str, range(1, len(claims) + 1))), rows)
    yield "![Every claim under every reading](readings.png)"


def _mark(finding: Finding) -> str:
    text = f"{finding.all.mean:+.2f}"
    if finding.verdict.startswith("holds"):
        return f"**{text}**"
    return f"~~{text}~~" if finding.verdict.startswith("does not") else text


def _beyond(results: Results) -> Iterator[str]:
    if not results.beyond:
        return
    yield "## Beyond the paper"
    yield "Each learner against the paper's transfer learner, paired by run."
    yield markdown_table(
        ("learner", "difference", "verdict: better"),
        [(one.claim, one.all, one.verdict) for one in results.beyond],
    )
    yield "![Learners beyond the paper](beyond.png)"


def _settings(results: Results) -> Iterator[str]:
    yield "## Settings"
    yield markdown_table(("setting", "value"), asdict(results.settings).items())


# ── data ────────────────────────────────────────────────────────────────────────────


def write_data(results: Results, played: Played, folder: Path) -> None:
    """Everything that figures and tables show, as CSV."""
    write_csv(
        folder / "curves.csv",
        ("figure", "game", "opponent", "learner", "matches", "mean", "low", "high"),
        (
            (number, *_names(curve.case), int(matches), *map(float, point))
            for number, curves in results.curves.items()
            for curve in curves
            for matches, *point in zip(curve.matches, *curve.band, strict=True)
        ),
    )
    write_csv(
        folder / "runs.csv",
        ("game", "opponent", "learner", "run", "average"),
        (
            (*_names(case), run, float(average))
            for case, rewards in played.items()
            for run, average in enumerate(averages_of(rewards, results.settings))
        ),
    )
    header = ("reading", "claim", "measured", "mean", "low", "high", "verdict")
    groups = {"default": results.findings, **results.readings}
    groups |= {"beyond": results.beyond, "level": results.levels}
    write_csv(
        folder / "claims.csv",
        header,
        (
            (name, one.claim, one.measured, *one.all, one.verdict)
            for name, found in groups.items()
            for one in found
        ),
    )
    write_csv(
        folder / "table1.csv",
        ("reading", "matches", "letter", "feature", *OPPONENTS),
        (
            (fit.reading, fit.matches, letter, str(pattern), *fit.values[letter])
            for fit in results.table.fits
            for letter, pattern in fit.letters.items()
        ),
    )


def _names(case: Case) -> tuple[str, str, str]:
    return case.game, case.opponent, case.learner
