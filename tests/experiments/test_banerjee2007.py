"""Banerjee and Stone (2007): tiny runs, end to end, and what is measured in them."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from gamelore.cli import main
from gamelore.experiments.banerjee2007.claims import (
    average_rewards,
    compare_learners,
    find_crossing,
    list_comparisons,
    measure_levels,
)
from gamelore.experiments.banerjee2007.reproduce import count_matches, list_tasks
from gamelore.experiments.banerjee2007.run import (
    BanerjeeTask,
    list_extension_cases,
    list_paper_cases,
    play_run,
)
from gamelore.experiments.banerjee2007.settings import VARIANTS, Banerjee2007Settings
from gamelore.experiments.sweep import load_graph
from gamelore.learn.config import TrainConfig
from gamelore.learn.schedules import Fixed
from gamelore.learn.settings import TDSettings
from gamelore.learn.trainer import Trainer

TINY = Banerjee2007Settings(
    runs=2, all_runs=3, matches=40, skipped=10, source_matches=20
)


def test_settings_name_what_is_wrong() -> None:
    with pytest.raises(ValueError, match=r"runs must be in \[1, 1,000,000\], got 0"):
        Banerjee2007Settings(runs=0)
    with pytest.raises(ValueError, match="skipped must be below 100, got 100"):
        Banerjee2007Settings(matches=100, skipped=100)
    with pytest.raises(ValueError, match="opponent_epsilon"):
        Banerjee2007Settings(opponent_epsilon=2.0)


def test_defaults_are_the_papers() -> None:
    settings = Banerjee2007Settings()
    assert (settings.runs, settings.matches) == (10, 3000)
    assert settings.matches - settings.skipped == 2700
    assert settings.choose_role("othello-4x4") == "second"
    assert replace(settings, role="other").choose_role("othello-4x4") == "first"


def test_variants_change_something_and_are_valid() -> None:
    for name, changes in VARIANTS.items():
        assert replace(Banerjee2007Settings(), **changes) != Banerjee2007Settings(), (
            name
        )


def test_a_run_repeats_bit_for_bit_and_learners_share_it() -> None:
    cases = tuple(case for case in list_paper_cases() if case.game == "capture-go")
    first, again = (play_run(BanerjeeTask(TINY, 1, cases)) for _ in range(2))
    other = play_run(BanerjeeTask(TINY, 2, cases))
    for case in cases:
        assert first.rewards[case].shape == (40,)
        assert set(first.rewards[case]) <= {0, 50, 100}
        assert (first.rewards[case] == again.rewards[case]).all()
    assert any((first.rewards[c] != other.rewards[c]).any() for c in cases)


def test_a_run_is_the_same_alone_and_among_others() -> None:
    alone = play_run(BanerjeeTask(TINY, 0, tuple(list_paper_cases()[4:5])))
    among = play_run(BanerjeeTask(TINY, 0, tuple(list_paper_cases())))
    for case, rewards in alone.rewards.items():
        assert (rewards == among.rewards[case]).all()


def test_who_looks_ahead_to_ends_wins_at_once_what_can_be_won_at_once() -> None:
    """One heap of four: taking all of it wins."""

    def first_matches(terminal_lookahead: bool) -> set[int]:
        configs = (
            TrainConfig(
                TDSettings(terminal_lookahead=terminal_lookahead),
                schedule=Fixed(0.0),
                seed=seed,
            )
            for seed in range(12)
        )
        return {
            int(Trainer(load_graph("nim-4"), config).run(1).lengths[0])
            for config in configs
        }

    assert first_matches(True) == {1}
    assert first_matches(False) > {1}


def test_tasks_count_every_variant() -> None:
    plain = count_matches(TINY)
    assert plain == 3 * 40 * len(list_paper_cases())
    every = replace(TINY, variants=True, extensions=True)
    extensions = 3 * 40 * len(list_extension_cases())
    assert count_matches(every) == plain * (1 + len(VARIANTS)) + extensions
    seeds = {task.settings.seed for task in list_tasks(every)}
    assert seeds == {0}  # variants are compared on the same random numbers


def test_claims_go_by_paired_averages_of_what_counts() -> None:
    comparison = list_comparisons()[0]
    _, above, below, _ = comparison
    few = np.zeros((3, 40), np.uint8)
    few[:, 10:] = 50
    many = few.copy()
    many[:, :10] = 100  # does not count
    many[:, 10:25] = 100
    assert average_rewards(many, TINY).tolist() == [75.0] * 3
    claim = compare_learners(comparison, {above: many, below: few}, TINY)
    assert claim.interval == (25.0, 25.0, 25.0)
    assert claim.verdict == "holds"
    swapped = compare_learners(comparison, {above: few, below: many}, TINY)
    assert swapped.verdict == "does not hold: the opposite does"


def test_crossing_is_the_end_of_the_first_good_window() -> None:
    rewards = np.zeros((2, 100), np.uint8)
    rewards[:, 30:] = 100
    assert find_crossing(rewards) == "54"  # 24 of 25 matches won
    assert find_crossing(np.zeros((2, 100), np.uint8)) == "never"


def test_levels_look_at_the_matches_up_to_the_hundredth() -> None:
    settings = Banerjee2007Settings(runs=2, all_runs=2, matches=200, skipped=20)
    rewards = np.zeros((2, 200), np.uint8)
    rewards[:, 75:100] = 100
    case = list_paper_cases()[0]
    (claim,) = measure_levels({case: rewards}, settings)
    assert claim.interval.mean == 100.0
    assert claim.verdict == "holds"


def test_the_command_writes_a_whole_folder(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    sizes = [
        "--runs",
        "2",
        "--all-runs",
        "3",
        "--matches",
        "60",
        "--skipped",
        "10",
        "--jobs",
        "1",
    ]
    done = CliRunner().invoke(
        main,
        ["reproduce", "banerjee2007", *sizes, "--extensions", "--out", str(folder)],
    )
    assert done.exit_code == 0, done.output
    assert "12 features of tic-tac-toe" in done.output
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert "The paper has 10 runs" in report  # whatever --runs is
    for name in re.findall(r"\]\((.+?)\)", report):
        assert (folder / name).stat().st_size > 0
        assert (folder / name).with_suffix(".svg").exists()
    with (folder / "claims.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    compared = [row for row in rows if not row["group"] and row["low"]]
    assert len(compared) == 2 * (len(list_comparisons()) + 1)  # all runs, and few
    for row in compared:  # the report says what the data say
        assert f"{float(row['mean']):.2f} [" in report
        assert row["claim"] in report
    with (folder / "runs.csv").open(encoding="utf-8") as file:
        runs = list(csv.DictReader(file))
    assert len(runs) == 3 * (len(list_paper_cases()) + len(list_extension_cases()))
    assert json.loads((folder / "settings.json").read_text())["matches"] == 60


def test_the_command_refuses_what_makes_no_sense(tmp_path: Path) -> None:
    arguments = ["reproduce", "banerjee2007", "--matches", "0"]
    done = CliRunner().invoke(main, [*arguments, "--out", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert "--matches must be in [1, 10,000,000], got 0" in done.output
    assert not (tmp_path / "out").exists()
