"""The report: each of the paper's numbers and statements beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gamelore.experiments.abalearn2003.claims import CLOSE, Claim, Number, rates
from gamelore.experiments.abalearn2003.games import REPETITIONS, Duel
from gamelore.experiments.abalearn2003.published import TABLE_3
from gamelore.experiments.abalearn2003.run import AHEAD, Course
from gamelore.experiments.abalearn2003.settings import (
    METHOD_I,
    REFERENCES,
    Abalearn2003Settings,
    Case,
    Draws,
)
from gamelore.experiments.abalearn2003.variants import AGENTS, GAMES, Tried
from gamelore.experiments.output import markdown_table, write_csv
from gamelore.experiments.statistics import Floats, mean_interval

CAPTIONS = {
    "figure-2": "Networks of Method I against three of them (Figure 2)",
    "figure-3": "Agents that learned from different opponents (Figure 3)",
    "figure-4": "Self-play by sensitivity to risk (Figure 4)",
    "figure-5": "The most risk-seeking agents (Figure 5)",
    "table-2": "Methods I and I(a); dotted, the paper's numbers (Table 2)",
}

DRAWN: dict[Draws, str] = {
    "stones": "is won by who has pushed off more stones",
    "half": "counts half a win",
    "nothing": "is not won",
}


@dataclass(frozen=True)
class Findings:
    """All that a run found."""

    settings: Abalearn2003Settings
    courses: Mapping[Case, Course]
    references: Floats | None
    """float64 [agents, points, references]: Figure 2"""
    duels: Sequence[Duel]
    numbers: Sequence[Number]
    claims: Sequence[Claim]
    figures: Sequence[str]
    tried: Sequence[Tried] = ()
    """Other readings of the paper, if they were tried."""


def write_tables(findings: Findings, folder: Path) -> None:
    """All scores as files of numbers."""
    settings = findings.settings
    columns = ["won", "lost", "ahead", "behind", "stones"]
    write_csv(
        folder / "scores.csv",
        ["method", "agent", "games", *columns],
        (
            [case.name, agent, settings.scaled(games), *map(float, row)]
            for case, course in findings.courses.items()
            for agent, scores in enumerate(course.scores)
            for games, row in zip(case.points, scores, strict=True)
        ),
    )
    if findings.references is not None:
        write_csv(
            folder / "references.csv",
            ["agent", "games", *(f"ahead of net {n}" for n in REFERENCES)],
            (
                [agent, settings.scaled(games), *map(float, row)]
                for agent, rows in enumerate(findings.references)
                for games, row in zip(METHOD_I.points, rows, strict=True)
            ),
        )
    if findings.duels:
        write_csv(
            folder / "table-3.csv",
            ["method", "depth", "stones won", "stones lost", "moves", "reached"],
            (
                [d.case.name, d.depth, d.won, d.lost, d.moves, d.reached]
                for d in findings.duels
            ),
        )


def write_report(findings: Findings) -> str:
    """The report as Markdown."""
    parts = [_head(findings.settings), _numbers(findings), _claims(findings)]
    parts.append(_ends(findings))
    if findings.duels:
        parts.append(_duels(findings))
    if findings.tried:
        parts.append(_readings(findings))
    parts += [
        f"## {CAPTIONS[name]}\n\n![{CAPTIONS[name]}]({name}.png)"
        for name in findings.figures
    ]
    return "\n\n".join(parts) + "\n"


def summarise(findings: Findings) -> str:
    """A few lines for the terminal."""
    lines = [
        f"{n.what}: paper {n.paper:g}, ours {n.ours} ({n.verdict})"
        for n in findings.numbers
    ]
    lines += [f"{claim.text}: {claim.verdict}" for claim in findings.claims]
    if findings.settings.scale != 1:
        lines.append("the paper's numbers are for its own size: verdicts mean little")
    return "\n".join(lines)


# ── sections ────────────────────────────────────────────────────────────────────────


def _head(settings: Abalearn2003Settings) -> str:
    scale = (
        ""
        if settings.scale == 1
        else f", at {settings.scale:g} of the numbers of games that tables name"
    )
    warning = (
        ""
        if settings.scale == 1
        else "\n\n**The paper's numbers are for its own size: verdicts mean little "
        "here.**"
    )
    return f"""# Campos and Langlois (2003), rerun

{settings.agents} agents by each method{scale}; {settings.tests} test games of each
agent at each point, half from each seat, the first {settings.opening} moves by lot;
{settings.hidden} hidden units; seed {settings.seed}. A game that is not over after
{settings.move_limit} moves {DRAWN[settings.draws]}. The heuristic player that agents
are tested against looks one move ahead. Intervals are 95% bootstrap intervals over
agents.

How the paper was read: {_reading(settings)}.{warning}"""


def _reading(settings: Abalearn2003Settings) -> str:
    """What was taken where the paper's words and equations leave room."""
    choices = {
        "value": "moves are chosen by the value of what they lead to",
        "reward": "moves are chosen by their reward and the value of what they lead to",
    }
    credit = {
        "before": "an error teaches the positions before it",
        "through": "an error teaches the position it is found at too",
    }
    inputs = {"numbers": "numbers of stones", "shares": "shares of the stones"}
    views = {"both": "either side has its own view", "one": "both sides share a view"}
    return "; ".join(
        (
            choices[settings.choices],
            credit[settings.credit],
            f"inputs are {inputs[settings.inputs]}",
            f"in self-play {views[settings.views]}",
        )
    )


def _numbers(findings: Findings) -> str:
    header = ["where", "", "paper", "ours", "verdict"]
    rows = [
        [n.where, n.what, f"{n.paper:g}", n.ours, f"**{n.verdict}**"]
        for n in findings.numbers
    ]
    return f"""## Numbers

Per cent of games won against the heuristic player. A number agrees if it is within
{CLOSE:g} points; it is not decided if it is not, but within the interval.

{markdown_table(header, rows)}"""


def _claims(findings: Findings) -> str:
    header = ["where", "statement", "found", "verdict"]
    rows = [[c.where, c.text, c.found, f"**{c.verdict}**"] for c in findings.claims]
    return f"## Statements\n\n{markdown_table(header, rows)}"


def _ends(findings: Findings) -> str:
    """Where every method ends, by each way to count."""
    ways: tuple[Draws, ...] = ("stones", "half", "nothing")
    header = ["method", "games", *(f"a draw {DRAWN[way]}" for way in ways)]
    rows = [
        [
            case.name,
            f"{findings.settings.scaled(case.games):,}",
            *(mean_interval(rates(course, way)[:, -1]) for way in ways),
        ]
        for case, course in findings.courses.items()
    ]
    return f"""## Where they end

The win rate against the heuristic player, by what a game counts that the move limit
ends.

{markdown_table(header, rows)}"""


def _duels(findings: Findings) -> str:
    header = ["", "depth", "won", "lost", "moves", "paper: won", "lost", "moves"]
    header.insert(2, "reached")
    rows = []
    for d in findings.duels:
        paper = TABLE_3[d.case.name.partition(",")[0]][d.depth]
        ours = [f"{d.reached:.1f}", d.won, d.lost, d.moves]
        rows.append([d.case.name, d.depth, *ours, *paper])
    return f"""## Table 3

The best agent of each method, looking one move ahead, against search over the heuristic
of the depth named, which moves first. Our search stands in the place of the commercial
program, and expands at most {findings.settings.search_nodes:,} nodes for a move.
"Reached" is the depth it came to on average: where that is less than the depth named,
this is no test of that depth. A game ends after {findings.settings.duel_moves} moves,
and as a tie once a position has occurred {REPETITIONS} times.

{markdown_table(header, rows)}"""


def _readings(findings: Findings) -> str:
    risks = list(dict.fromkeys(tried.risk for tried in findings.tried))
    found = {
        (t.reading, t.risk): mean_interval(100 * t.scores[:, AHEAD])
        for t in findings.tried
    }
    header = ["difference", *(f"κ = {risk:g}" for risk in risks)]
    rows = [
        [str(reading) or "none", *(found[reading, risk] for risk in risks)]
        for reading in dict.fromkeys(tried.reading for tried in findings.tried)
    ]
    return f"""## Other readings of the paper

Per cent of games in which {AGENTS} agents are ahead of the heuristic player after
{findings.settings.scaled(GAMES):,} games of self-play with Abalearn 3, by how they
differ from a learner whose choices go by values alone, whose errors teach the positions
before them, whose inputs are numbers of stones, and whose sides have a view each.

{markdown_table(header, rows)}"""
