"""The report: each of the paper's numbers and statements beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gamelore.experiments.abalearn2003.claims import (
    CLOSE,
    ReadingResult,
    win_rates,
)
from gamelore.experiments.abalearn2003.games import REPETITIONS, find_published
from gamelore.experiments.abalearn2003.run import AHEAD
from gamelore.experiments.abalearn2003.settings import (
    METHOD_I,
    REFERENCES,
    Abalearn2003Settings,
    Draws,
    apply_reading,
)
from gamelore.experiments.abalearn2003.variants import GAMES, RUNS, VariantResult
from gamelore.experiments.claims import PublishedNumber
from gamelore.experiments.output import write_csv
from gamelore.experiments.report import (
    ExperimentReport,
    Findings,
    ReportTable,
    Section,
    remark_on_scale,
)
from gamelore.experiments.statistics import mean_interval

DRAWN: dict[Draws, str] = {
    "stones": "is won by who has pushed off more stones",
    "half": "counts half a win",
    "nothing": "is not won",
}

_WHOSE = {
    "learner": "values are the learner's, are learned from all moves, and are what its "
    "other self minimises",
    "current-player": "values are each player's own, learned from its own moves",
    "first": "values are the first player's, and are learned from all moves",
}
_WHEN = {"online": "after a game, move by move", "during-play": "after each move"}
_LIMIT = {"draw": "an end worth 0", "bootstrap": "worth the value of the last position"}


@dataclass(frozen=True)
class AbalearnFindings(Findings[Abalearn2003Settings]):
    """All scores, and what follows from them."""

    readings: Mapping[str, ReadingResult]
    variants: Sequence[VariantResult] = ()


def write_data(findings: AbalearnFindings, folder: Path) -> None:
    """Write all scores."""
    settings = findings.settings
    columns = ["won", "lost", "ahead", "behind", "stones"]
    write_csv(
        folder / "scores.csv",
        ["reading", "method", "agent", "games", *columns],
        (
            [reading, case.name, agent, settings.scale_games(games), *map(float, row)]
            for reading, found in findings.readings.items()
            for case, result in found.results.items()
            for agent, scores in enumerate(result.scores)
            for games, row in zip(case.points, scores, strict=True)
        ),
    )
    write_csv(
        folder / "references.csv",
        ["reading", "agent", "games", *(f"ahead of net {n}" for n in REFERENCES)],
        (
            [reading, agent, settings.scale_games(games), *map(float, row)]
            for reading, found in findings.readings.items()
            for agent, rows in enumerate(found.references)
            for games, row in zip(METHOD_I.points, rows, strict=True)
        ),
    )
    write_csv(
        folder / "table-3.csv",
        ["reading", "method", "depth", "stones won", "stones lost", "moves", "reached"],
        (
            [d.reading, d.case.name, d.depth, d.won, d.lost, d.moves, d.reached]
            for found in findings.readings.values()
            for d in found.duels
        ),
    )


def make_report(findings: AbalearnFindings) -> ExperimentReport:
    """Return the report of the experiment."""
    settings = findings.settings
    small = settings.scale != 1
    scale = f", at {settings.scale:g} of the games that tables name" if small else ""
    return ExperimentReport(
        title="Campos and Langlois (2003), rerun",
        introduction=f"{settings.runs} agents by each method{scale}; {settings.tests} "
        "test games of each agent at each point, in half of which it moves first, "
        f"with {settings.opening} random moves at the start; {settings.hidden} hidden "
        f"units; seed {settings.seed}. A game that is not over after "
        f"{settings.move_limit} moves {DRAWN[settings.draws]}. The heuristic player "
        "that agents are tested against looks one move ahead. Intervals are 95% "
        "bootstrap intervals over agents.\n\n"
        "The paper leaves choices open, and was rerun in "
        f"{'two readings' if len(findings.readings) > 1 else 'one reading'}.\n\n"
        + "\n".join(
            f"- *{reading}*: {_describe_choices(apply_reading(reading, settings))}."
            for reading in findings.readings
        ),
        sections=[
            *_compare_readings(findings),
            Section("Where they end", list(_describe_ends(findings))),
            Section("Table 3", list(_describe_duels(findings))),
            *_describe_variants(findings),
        ],
        smoke_test=findings.smoke_test,
        remark=remark_on_scale(settings.scale),
    )


def _describe_choices(settings: Abalearn2003Settings) -> str:
    reward = "their reward and " if settings.reward_in_selection else ""
    successor = " and its successor" if settings.trace_includes == "successor" else ""
    shares = settings.inputs == "shares"
    return "; ".join(
        (
            f"moves are chosen by {reward}the value of what they lead to",
            f"eligibility traces include the current position{successor}",
            f"inputs are {'shares of the stones' if shares else 'numbers of stones'}",
            _WHOSE[settings.perspective],
            f"weights change {_WHEN[settings.updates]}",
            f"the move limit is {_LIMIT[settings.limit]}",
        )
    )


def _compare_readings(findings: AbalearnFindings) -> Iterator[Section]:
    """Yield the paper's numbers and statements beside those of all readings."""
    names = list(findings.readings)
    groups = [findings.group(name) for name in names]
    number = (
        f"Per cent. A number agrees if it is within {CLOSE:g} points of ours; farther "
        "away, an interval that includes it decides nothing."
    )
    for title, text, published in (
        ("Published numbers", number, True),
        ("Statements", "Per cent, or points of difference.", False),
    ):
        rows = [
            [
                claims[0].where,
                claims[0].statement,
                *([f"{claims[0].paper:g}"] if published else []),
                *(cell for c in claims for cell in (c.decisive, c.verdict)),
            ]
            for claims in zip(*groups, strict=True)
            if isinstance(claims[0], PublishedNumber) == published
        ]
        heads = [head for name in names for head in (name, "verdict")]
        header = ["where", "claim", *(["paper"] if published else []), *heads]
        table = ReportTable(header, rows)
        yield Section(title, [text, table], in_summary=True)


def _describe_ends(findings: AbalearnFindings) -> Iterator[str | ReportTable]:
    yield (
        "The win rate against the heuristic player, by what a game counts that the "
        "move limit ends."
    )
    yield ReportTable(
        ["reading", "method", "games", *(f"a draw {text}" for text in DRAWN.values())],
        [
            [
                reading,
                case.name,
                f"{findings.settings.scale_games(case.games):,}",
                *(mean_interval(win_rates(result, draws)[:, -1]) for draws in DRAWN),
            ]
            for reading, found in findings.readings.items()
            for case, result in found.results.items()
        ],
    )


def _describe_duels(findings: AbalearnFindings) -> Iterator[str | ReportTable]:
    settings = findings.settings
    yield (
        "The best agent of each method, looking one move ahead, against search over "
        "the heuristic of the depth named, which moves first. Our search stands in "
        "for the commercial program, and expands at most "
        f"{settings.search_nodes:,} nodes for a move. "
        '"Reached" is the depth it completed on average: where that is less than the '
        "depth named, this is no test of that depth. A game ends after "
        f"{settings.duel_moves or 'as many'} moves"
        f"{'' if settings.duel_moves else ' as in the paper'}, and as a tie once a "
        f"position has occurred {REPETITIONS} times."
    )
    columns = ["depth", "reached", "won", "lost", "moves"]
    rows = []
    duels = [duel for found in findings.readings.values() for duel in found.duels]
    for d in duels:
        paper = find_published(d.case, d.depth)
        ours = [f"{d.reached:.1f}", d.won, d.lost, d.moves]
        rows.append([d.reading, d.case.name, d.depth, *ours, *paper])
    header = ["reading", "", *columns, "paper: won", "lost", "moves"]
    yield ReportTable(header, rows)


def _describe_variants(findings: AbalearnFindings) -> Iterator[Section]:
    if not findings.variants:
        return
    found = {
        (result.case.variant, result.case.risk): mean_interval(
            100 * result.scores[:, AHEAD]
        )
        for result in findings.variants
    }
    risks = list(dict.fromkeys(risk for _, risk in found))
    rows = [
        [variant, *(found[variant, risk] for risk in risks)]
        for variant in dict.fromkeys(variant for variant, _ in found)
    ]
    yield Section(
        "Variants",
        [
            f"Per cent of games in which {RUNS} agents are ahead of the heuristic "
            f"player after {findings.settings.scale_games(GAMES):,} games of self-play "
            "with Abalearn 3, by reading and by how they differ from it.",
            ReportTable(
                ["reading: difference", *(f"κ = {risk:g}" for risk in risks)], rows
            ),
        ],
    )
