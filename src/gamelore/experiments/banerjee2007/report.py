"""Findings, tables and data; every number is taken from what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gamelore.experiments.banerjee2007.claims import (
    CROSSED_BY,
    EXTENSION,
    LEVEL,
    LEVELS,
    TITLES,
    WINDOW,
    Played,
    average_rewards,
    drop_detail,
)
from gamelore.experiments.banerjee2007.run import LEARNERS, BanerjeeCase
from gamelore.experiments.banerjee2007.settings import (
    PAPER_RUNS,
    VARIANTS,
    Banerjee2007Settings,
)
from gamelore.experiments.banerjee2007.table1 import OPPONENTS, TABLE_1, TableFit
from gamelore.experiments.claims import FAILS, HOLDS, Claim
from gamelore.experiments.output import write_csv
from gamelore.experiments.report import (
    ExperimentReport,
    Findings,
    ReportTable,
    Section,
    claims_section,
)
from gamelore.experiments.statistics import Band, mean_interval


@dataclass(frozen=True)
class Curve:
    """One curve of a figure."""

    case: BanerjeeCase
    matches: npt.NDArray[np.int64]
    """int64 [P]"""
    band: Band


@dataclass(frozen=True)
class BanerjeeFindings(Findings[Banerjee2007Settings]):
    """All rewards, and what follows from them."""

    played: Played
    curves: Mapping[int, Sequence[Curve]]
    """By the number of the paper's figure."""
    fits: Sequence[TableFit]
    """How our tree patterns match Table 1, the best first."""


def write_data(findings: BanerjeeFindings, folder: Path) -> None:
    """Write what figures and tables show."""
    write_csv(
        folder / "curves.csv",
        ("figure", "game", "opponent", "learner", "matches", "mean", "low", "high"),
        (
            (number, *_names(curve.case), int(matches), *map(float, point))
            for number, curves in findings.curves.items()
            for curve in curves
            for matches, *point in zip(curve.matches, *curve.band, strict=True)
        ),
    )
    write_csv(
        folder / "runs.csv",
        ("game", "opponent", "learner", "run", "average"),
        (
            (*_names(case), run, float(average))
            for case, rewards in findings.played.items()
            for run, average in enumerate(average_rewards(rewards, findings.settings))
        ),
    )
    write_csv(
        folder / "table1.csv",
        ("variant", "matches", "letter", "pattern", *OPPONENTS),
        (
            (fit.variant, fit.matches, letter, str(pattern), *fit.values[letter])
            for fit in findings.fits
            for letter, pattern in fit.letters.items()
        ),
    )


def _names(case: BanerjeeCase) -> tuple[str, str, str]:
    return case.game, case.opponent, case.learner


def make_report(findings: BanerjeeFindings) -> ExperimentReport:
    """Return the report of the experiment."""
    settings = findings.settings
    return ExperimentReport(
        title="General Game Learning using Knowledge Transfer, rerun",
        introduction="Banerjee and Stone, IJCAI 2007. Rewards are averages of matches "
        f"{settings.skipped + 1} to {settings.matches}; a win is 100, a draw 50, a "
        "loss 0. In brackets: 95 % bootstrap intervals over runs; differences are "
        f"paired by run. The paper has {PAPER_RUNS} runs; verdicts go by all "
        f"{settings.total} of ours.",
        sections=[
            *claims_section("The paper's claims", findings.group()),
            *claims_section(
                f"How soon learners reach {LEVEL:.0f} %",
                findings.group(LEVELS),
                f"The average reward of the {WINDOW} matches up to match {CROSSED_BY}, "
                f"and the match by which the average of {WINDOW} matches over all runs "
                f"first reaches {LEVEL:.0f}.",
            ),
            Section("Average rewards", [_tabulate_averages(findings)]),
            Section("Table 1", list(_describe_table(findings.fits))),
            *_describe_variants(findings),
            *claims_section(
                "Extensions",
                map(drop_detail, findings.group(EXTENSION)),
                "Each learner beside the paper's transfer learner, paired by run: the "
                "claim is that it earns more.",
            ),
            Section(
                "Settings",
                [ReportTable(("setting", "value"), list(asdict(settings).items()))],
            ),
        ],
        smoke_test=findings.smoke_test,
    )


def _tabulate_averages(findings: BanerjeeFindings) -> ReportTable:
    settings = findings.settings
    return ReportTable(
        ("game", "opponent", "learner", f"{settings.total} runs"),
        [
            (
                TITLES[case.game],
                case.opponent,
                LEARNERS[case.learner].label,
                mean_interval(average_rewards(rewards, settings)),
            )
            for case, rewards in findings.played.items()
        ],
    )


def _describe_table(fits: Sequence[TableFit]) -> Iterator[str | ReportTable]:
    if not fits:
        yield "Too few runs met all patterns: there is nothing to compare."
        return
    best = fits[0]
    yield (
        f"The best match is that of {best.matches} source matches ({best.variant}): "
        f"the root mean square difference is {best.error:.2f}, the correlation "
        f"{best.correlation:.2f}; by then a run had met {best.met:.1f} patterns on "
        "average. (h), (j), (k), (l) and the kind of (g) are known from the paper's "
        "text; the others are matched by least squares."
    )
    header = ["", "our pattern"]
    for opponent in OPPONENTS:
        header += [f"{opponent}: paper", "ours"]
    yield ReportTable(
        header,
        [
            (f"({letter})", f"`{pattern}`", *_pairs(letter, best.values[letter]))
            for letter, pattern in best.letters.items()
        ],
    )
    yield "How well other numbers of source matches fit:"
    yield ReportTable(
        ("source matches", "variant", "difference", "correlation", "patterns met"),
        [
            (
                fit.matches,
                fit.variant,
                f"{fit.error:.2f}",
                f"{fit.correlation:.2f}",
                f"{fit.met:.1f}",
            )
            for fit in sorted(fits, key=lambda fit: (fit.variant, fit.matches))
        ],
    )


def _pairs(letter: str, ours: tuple[float, ...]) -> Iterator[str]:
    for paper, own in zip(TABLE_1[letter], ours, strict=True):
        yield f"{paper:.2f}"
        yield f"{own:.2f}"


def group_variants(findings: BanerjeeFindings) -> dict[str, list[Claim]]:
    """Return the claims of every variant by its name, those of the default first."""
    found = {name: findings.group(name) for name in VARIANTS}
    variants = {name: claims for name, claims in found.items() if claims}
    if not variants:
        return {}
    compared = {
        (claim.where, claim.statement) for claim in next(iter(variants.values()))
    }
    default = [c for c in findings.group() if (c.where, c.statement) in compared]
    return {"default": default, **variants}


def _describe_variants(findings: BanerjeeFindings) -> Iterator[Section]:
    variants = group_variants(findings)
    if not variants:
        return
    claims = variants["default"]
    legend = (
        ""
        if findings.smoke_test
        else ("; **bold** where the claim holds, struck out where the opposite does")
    )
    yield Section(
        "Variants",
        [
            "Each changes the default in the way it says. Numbers are differences over "
            f"{findings.settings.total} runs{legend}.",
            "\n".join(
                f"{number}. {claim.where}: {claim.statement}"
                for number, claim in enumerate(claims, 1)
            ),
            ReportTable(
                ("variant", *map(str, range(1, len(claims) + 1))),
                [(name, *map(_mark, found)) for name, found in variants.items()],
            ),
        ],
    )


def _mark(claim: Claim) -> str:
    text = f"{claim.interval.mean:+.2f}"
    if claim.verdict.startswith(HOLDS):
        return f"**{text}**"
    return f"~~{text}~~" if claim.verdict.startswith(FAILS) else text
