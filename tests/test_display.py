"""Tables, and what objects show of themselves in notebooks."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

import gamelore
from gamelore.display import MOST_ROWS, html_table, markdown_table
from gamelore.match.record import Fault
from gamelore.transfer.discovery import count_patterns


def texts(html: str, tag: str) -> list[str]:
    """The texts of all elements of a tag; the HTML must be well-formed."""
    root = ElementTree.fromstring(f"<div>{html}</div>")
    return ["".join(element.itertext()) for element in root.iter(tag)]


@pytest.fixture(scope="module")
def graph() -> gamelore.StateGraph:
    return gamelore.StateGraph(gamelore.simulator(gamelore.load("tictactoe")))


def test_whatever_is_in_a_table_is_text() -> None:
    table = html_table(("a & b", "n"), [("<script>", 1234), ("x", 0.5)])
    assert texts(table, "th") == ["a & b", "n"]
    assert texts(table, "td") == ["<script>", "1,234", "x", "0.50"]
    lines = markdown_table(("a", "n"), [("x | y", 1234), ("z", 2)]).split("\n")
    assert lines == [
        "| a | n |",
        "| --- | ---: |",
        "| x &#124; y | 1,234 |",
        "| z | 2 |",
    ]


def test_long_tables_are_cut_in_the_middle() -> None:
    cells = texts(html_table(("n",), [(i,) for i in range(1000)]), "td")
    assert len(cells) == MOST_ROWS + 1
    assert cells[0] == "0"
    assert cells[-1] == "999"
    assert cells[MOST_ROWS // 2] == "…"


def test_a_match_shows_moves_goals_and_faults() -> None:
    engine = gamelore.simulator(gamelore.load("tictactoe"))
    record = gamelore.play_match(
        engine, {"x": gamelore.RandomPlayer(1), "o": gamelore.RandomPlayer(2)}
    )
    html = record._repr_html_()
    cells = texts(html, "td")
    assert texts(html, "th") == ["", "x", "o"]
    assert len(cells) == 3 * (len(record.moves) + 1)
    assert cells[-3:] == ["goal", *map(str, record.goals)]
    fault = Fault(0, "x", "illegal", "<b> is not legal")
    cut = gamelore.MatchRecord("one", ("x",), (("a",),), (None,), False, (fault,))
    assert "not played to its end" in cut._repr_html_()
    assert texts(cut._repr_html_(), "td")[-4:] == ["1", "x", "illegal", fault.message]


def test_training_shows_its_curve(graph: gamelore.StateGraph) -> None:
    trainer = gamelore.Trainer(graph, gamelore.TrainConfig(seed=1))
    record = trainer.run(300)
    html = record._repr_html_()
    assert f"300 matches, mean reward {record.rewards.mean():.1f}" in html
    assert "<svg" in html
    assert trainer.run(0)._repr_html_() == "<p>no matches</p>"


def test_a_training_run_shows_its_scores(graph: gamelore.StateGraph) -> None:
    config = gamelore.RunConfig(matches=200, evaluate_every=100, evaluation_matches=20)
    run = gamelore.TrainingRun(gamelore.Trainer(graph), config)
    assert "0 matches" in run._repr_html_()
    run.run()
    html = run._repr_html_()
    assert "200 matches of training" in html
    for one in run.evaluations[-2:]:
        assert f"<td>{one.opponent}</td><td>{one.score:.2f}</td>" in html
    assert "<svg" in html


def test_patterns_and_knowledge(graph: gamelore.StateGraph) -> None:
    trainer = gamelore.Trainer(graph, gamelore.TrainConfig(seed=1))
    trainer.run(300)
    knowledge = gamelore.extract_from_trainer(trainer)
    text = knowledge._repr_markdown_()
    assert "| tictactoe | x |" in text
    for pattern, found in knowledge.values().items():
        assert f"| `{pattern}` | {found.value:,.2f} | {found.visits:,} |" in text
        break
    svg = pattern._repr_svg_()
    assert svg == gamelore.TreePattern.parse(str(pattern))._repr_svg_()
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    counts = count_patterns(graph.simulator, 0)
    assert counts._repr_markdown_().count("| `") == len(counts.patterns)
