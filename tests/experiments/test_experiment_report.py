"""Reports, figures and the command: what a smoke test may say, and what it may not."""

from __future__ import annotations

import csv
import json
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gamelore.cli import main
from gamelore.experiments import EXPERIMENTS
from gamelore.experiments.claims import Claim, PublishedNumber
from gamelore.experiments.plots import FigureWriter
from gamelore.experiments.report import (
    ExperimentReport,
    Findings,
    ReportTable,
    Section,
    claims_record,
    claims_section,
    mark_smoke_test,
    tabulate_claims,
)
from gamelore.experiments.statistics import Interval

GAP = Interval(1.0, 0.5, 1.5)
CLAIMS = [
    Claim("Figure 1", "more", {"100 runs": GAP, "10 runs": GAP}, "holds"),
    Claim("Figure 2", "less", {"100 runs": GAP}, "not decided", group="variant"),
]


def test_tables_are_markdown() -> None:
    table = ReportTable(("a", "b"), [(1, "x"), (2, GAP)])
    assert table.to_markdown() == (
        "| a | b |\n| --- | --- |\n| 1 | x |\n| 2 | 1.00 [0.50, 1.50] |"
    )


def test_claims_have_a_column_for_each_measurement() -> None:
    table = tabulate_claims(CLAIMS[:1])
    assert list(table.header) == ["where", "claim", "100 runs", "10 runs", "verdict"]
    brief = tabulate_claims(CLAIMS[:1], brief=True)
    assert brief.rows == [["Figure 1", "more", GAP, "holds"]]
    number = PublishedNumber.compare("T", "n", 2.0, {"ours": GAP}, tolerance=5)
    assert tabulate_claims([number]).rows == [["T", "n", "2", GAP, "agrees"]]


def test_a_smoke_test_has_no_verdict_anywhere() -> None:
    findings = mark_smoke_test(Findings(None, claims=CLAIMS))
    assert findings.smoke_test
    assert [claim.verdict for claim in findings.claims] == ["", ""]
    assert "verdict" not in tabulate_claims(findings.claims).header
    assert {record["verdict"] for record in claims_record(findings.claims)} == {None}
    assert [claim.statement for claim in findings.group("variant")] == ["less"]


def test_a_report_says_first_what_it_is() -> None:
    section = Section("One", ["text", ReportTable(("a",), [(1,)])])
    report = ExperimentReport("Title", "Introduction.", [section], smoke_test=True)
    text = report.to_markdown({"figure-1": "A caption."})
    assert text.startswith("# Title\n\n**Smoke test: ")
    assert "## One\n\ntext\n\n| a |\n" in text
    assert text.endswith("![A caption.](figure-1.png)\n\nA caption.\n")
    assert claims_section("None", []) == []


def test_figures_explain_everything_once_and_mark_smoke_tests(tmp_path: Path) -> None:
    for smoke_test in (False, True):
        figures = FigureWriter(tmp_path, smoke_test)
        with figures.figure("f", "A title", "A caption.", columns=2) as (left, right):
            for axes in (left, right):
                axes.plot([1, 2], [3, 4], label="a curve")
        text = (tmp_path / "f.svg").read_text(encoding="utf-8")
        assert text.count("<!-- a curve -->") == 1
        assert "<!-- A title -->" in text
        assert ("SMOKE TEST" in text) == smoke_test
        assert figures.captions == {"f": "A caption."}


def reproduce(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["reproduce", *arguments, "--out", str(folder)])


def test_a_quick_run_is_called_a_smoke_test_everywhere(tmp_path: Path) -> None:
    sizes = ["--figure", "2", "--scale", "0.01", "--runs", "2"]
    done = reproduce(tmp_path / "out", "wang2018", "--quick", *sizes)
    assert done.exit_code == 0, done.output
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    for text in (done.output, report):
        assert "Smoke test" in text
        assert "dynamic ε ends above fixed 0.1" in text
        for verdict in ("holds", "does not hold", "not decided", "agrees:", "ours is"):
            assert verdict not in text
    assert json.loads((tmp_path / "out" / "settings.json").read_text())["smoke_test"]
    with (tmp_path / "out" / "claims.csv").open(encoding="utf-8") as file:
        assert {row["verdict"] for row in csv.DictReader(file)} == {""}
    figure = (tmp_path / "out" / "figure-2.svg").read_text(encoding="utf-8")
    assert "SMOKE TEST" in figure


def test_json_has_settings_and_claims(tmp_path: Path) -> None:
    done = reproduce(tmp_path / "out", "wang2018", "--figure", "1", "--json")
    assert done.exit_code == 0, done.output
    record = json.loads(done.output)
    assert record["settings"]["figure"] == 1
    assert record["claims"] == []
    assert not record["smoke_test"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing_behind(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object) -> None:
        signal.raise_signal(number)  # in this thread: it is handled at once

    monkeypatch.setattr("gamelore.experiments.sweep.run_tasks", interrupt)
    done = reproduce(tmp_path / "out", "wang2018", "--figure", "2", "--quick")
    assert done.exit_code == 130
    assert "interrupted" in done.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.parametrize("value", ["nan", "inf", "-1", "1e99"])
def test_every_number_is_checked_in_the_words_typed(
    name: str, value: str, tmp_path: Path
) -> None:
    option = "--opponent-epsilon" if name == "banerjee2007" else "--scale"
    done = reproduce(tmp_path / "out", name, option, value)
    assert done.exit_code == 2
    assert f"{option} must be " in done.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_help_has_what_matters_first(name: str) -> None:
    text = CliRunner().invoke(main, ["reproduce", name, "--help"]).output
    options, more = text.split("Other options:")
    for option in ("--quick", "--out", "--jobs", "--json", "--seed", "--runs"):
        assert f"  {option} " in options
        assert f"  {option} " not in more
