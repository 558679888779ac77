"""`gamelore learn`: what it prints, keeps, resumes and refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from tests.cli.learning import assert_same, learned, run, trained

from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint, lock_checkpoint
from gamelore.learn.schedules import Cosine, Fixed, Geometric
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.search.policies import PlayerSettings
from gamelore.transfer import KnowledgeStore, load_knowledge

NOVICE = PlayerSettings("novice")

COUNT = """
(role ann) (role bob) (init (said 0)) (init (turn ann))
(other ann bob) (other bob ann)
(plus one 0 1) (plus one 1 2) (plus one 2 3) (plus two 0 2) (plus two 1 3)
(<= (legal ?r ?s) (true (turn ?r)) (true (said ?n)) (plus ?s ?n ?m))
(<= (legal ?r wait) (true (turn ?o)) (other ?o ?r))
(<= (next (said ?m)) (true (said ?n)) (does ?r ?s) (plus ?s ?n ?m))
(<= (next (turn ?o)) (true (turn ?r)) (other ?r ?o))
(<= terminal (true (said 3)))
(<= (goal ?r 80) (true (turn ?o)) (other ?o ?r))
(<= (goal ?r 20) (true (turn ?r)))
"""


# ── what comes out ──────────────────────────────────────────────────────────────────


def test_json(tmp_path: Path) -> None:
    path = tmp_path / "ttt.ckpt"
    record = learned("tictactoe", "--matches", "500", "--save", path)
    expected = trained(TrainConfig(opponent=NOVICE), 500)
    assert_same(load_checkpoint(path), expected)
    assert record["matches"] == record["wanted"] == 500
    assert record["average"] == pytest.approx(expected.rewards.mean())
    assert record["cells"] == {"x": len(expected.tables["x"].values)}
    assert record["curve"][-1]["cumulative"] == pytest.approx(record["average"])
    assert record["last"]["average"] == pytest.approx(expected.rewards[-16:].mean())
    assert record["settings"]["alpha"] == 0.3
    assert record["saved"] == str(path)


def test_a_summary_for_people(tmp_path: Path) -> None:
    result = run("tictactoe", "--matches", "500", "--role", "alternate")
    assert "tictactoe: td as x and o against novice, 500 matches" in result.stdout
    assert "█" in result.stdout
    assert result.stderr == ""
    assert run("tictactoe", "--matches", "50", "--quiet").output == ""
    one = run("tictactoe", "--matches", "1")
    assert "against novice, 1 matches\n" in one.stdout


@pytest.mark.parametrize(
    ("arguments", "config"),
    [
        (
            "--alpha .5 --gamma .9 --lambda .2 --epsilon .1 --until 90 --seed 4"
            " --initialise candidates",
            TrainConfig(
                TDSettings(0.5, 0.9, 0.2, initialise="candidates"),
                NOVICE,
                schedule=Fixed(0.1, 90),
                seed=4,
            ),
        ),
        (
            "--learner q --schedule cosine --until 80 --epsilon .4 --role second",
            TrainConfig(QSettings(), NOVICE, "second", Cosine(80, 0.4)),
        ),
        (
            "--learner qm --playouts 3 --schedule geometric --epsilon-factor .9"
            " --alpha .2",
            TrainConfig(
                QSettings(0.2, playouts=3), NOVICE, schedule=Geometric(0.9, 0.9)
            ),
        ),
        (
            "--against self --self-values own --epsilon .1",
            TrainConfig(opponent=SelfPlay("own"), schedule=Fixed(0.1)),
        ),
        (
            "--against self --learner q --opponent-refresh 40 --opponent-epsilon .2"
            " --epsilon .01 --role alternate",
            TrainConfig(QSettings(), SelfPlay("own", 40, 0.2), "alternate"),
        ),
        (
            "--learner qm --search-level 2 --against random",
            TrainConfig(QSettings(playouts=20, level=2)),
        ),
        (
            "--lookahead-depth 3 --lookahead-rule avgmax --against minimax"
            " --opponent-depth 1 --opponent-epsilon 0.2",
            TrainConfig(
                opponent=PlayerSettings("minimax", 0.2, 1),
                lookahead=Lookahead(3, "avgmax"),
            ),
        ),
        (
            "--against monte-carlo --opponent-playouts 3 --role alternate",
            TrainConfig(
                opponent=PlayerSettings("monte-carlo", playouts=3), role="alternate"
            ),
        ),
    ],
)
def test_options_make_the_settings(
    arguments: str, config: TrainConfig, tmp_path: Path
) -> None:
    path = tmp_path / "any"
    run("tictactoe", "--matches", "120", "--save", path, *arguments.split())
    assert_same(load_checkpoint(path), trained(config, 120))


def test_a_search_may_be_given_time(tmp_path: Path) -> None:
    path = tmp_path / "any"
    wanted = ("tictactoe", "--save", path, "--learner", "qm", "--search-time", "2")
    run(*wanted, "--matches", "3")
    run(*wanted, "--matches", "6", "--resume")
    assert load_checkpoint(path).config.learner == QSettings(search_time=2)
    record = json.loads(
        run("tictactoe", "--save", path, "--resume", "--matches", "7", "--json").stdout
    )
    assert record["matches"] == 7
    assert record["settings"]["learner"] == "qm"
    assert record["settings"]["search_time"] == 2


def test_plots(tmp_path: Path) -> None:
    for name in ("a.png", "a.svg"):
        run("tictactoe", "--matches", "100", "--plot", tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.slow
def test_matplotlib_is_only_imported_for_plots() -> None:
    code = """
import sys
from gamelore.cli import main
main(["learn", "tictactoe", "--matches", "9", "--quiet"], standalone_mode=False)
print("slow:", "matplotlib" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "slow: False" in done.stdout


# ── knowledge ───────────────────────────────────────────────────────────────────────


def test_knowledge_from_game_to_game(tmp_path: Path) -> None:
    lore, save = tmp_path / "lore.json", tmp_path / "save"
    run("tictactoe", "--role", "alternate", "--knowledge", lore)
    knowledge = load_knowledge(lore)
    assert {result.role for result in knowledge.results} == {"x", "o"}
    assert sum(result.matches for result in knowledge.results) == 3000
    assert len(knowledge.select(role="x").values()) >= 9
    options = ("connect-3", "--from", lore, "--matches", "200", "--save", save)
    with_lore = learned(*options)
    without = learned("connect-3", "--matches", "200")
    assert with_lore["curve"] != without["curve"]
    whole = learned(*options[:4], "400")
    lore.unlink()  # initial values are kept in the checkpoint
    resumed = learned("connect-3", "--save", save, "--resume", "--matches", "400")
    assert resumed["curve"] == whole["curve"]


def test_results_add_up_and_the_same_run_replaces_its_own(tmp_path: Path) -> None:
    for name in ("lore.json", "lore.db"):
        lore = tmp_path / name
        save = tmp_path / f"{name}.ckpt"
        run("tictactoe", "--matches", "300", "--knowledge", lore, "--save", save)
        run("tictactoe", "--matches", "300", "--seed", "1", "--knowledge", lore)
        run(
            "tictactoe",
            "--knowledge",
            lore,
            "--save",
            save,
            "--resume",
            "--matches",
            "400",
        )
        if name.endswith(".db"):
            with KnowledgeStore(lore) as store:
                knowledge = store.select()
        else:
            knowledge = load_knowledge(lore)
        assert sorted(result.matches for result in knowledge.results) == [300, 400]
        assert run("connect-3", "--from", lore, "--matches", "20").exit_code == 0


def test_only_what_was_learned_against_one_opponent(tmp_path: Path) -> None:
    lore = tmp_path / "lore.json"
    run("tictactoe", "--matches", "300", "--knowledge", lore)
    result = run("connect-3", "--from", lore, "--from-opponent", "weak", code=1)
    assert "nothing was learned against weak" in result.stderr


def test_reward_maps(tmp_path: Path) -> None:
    lore, sheet = tmp_path / "lore.json", tmp_path / "count.kif"
    sheet.write_text(COUNT)
    run("tictactoe", "--matches", "300", "--knowledge", lore)
    begin = (sheet, "--from", lore, "--matches", "20")
    assert "rewards as in tictactoe: 20 as 0, 80 as 100" in run(*begin).stderr
    assert run(*begin, "--map", "20=0,80=100").stderr == ""
    assert "20=7" in run(*begin, "--map", "20=7,80=100", code=1).stderr


# ── going on ────────────────────────────────────────────────────────────────────────


def test_resuming_plays_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "save"
    run("tictactoe", "--matches", "200", "--save", path, "--alpha", ".2")
    part = load_checkpoint(path)
    record = learned("tictactoe", "--save", path, "--resume", "--matches", "500")
    assert record["resumed_at"] == part.matches == 200
    assert_same(
        load_checkpoint(path),
        trained(TrainConfig(TDSettings(0.2), opponent=NOVICE), 500),
    )
    before = path.read_bytes()
    again = learned("tictactoe", "--save", path, "--resume")
    assert again["matches"] == again["resumed_at"] == 500
    assert path.read_bytes() == before


def test_resuming_what_never_began(tmp_path: Path) -> None:
    path = tmp_path / "save"
    run("tictactoe", "--matches", "50", "--save", path, "--resume")
    assert load_checkpoint(path).matches == 50


def test_files_are_not_replaced_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "save"
    run("tictactoe", "--matches", "50", "--save", path)
    before = path.read_bytes()
    result = run("tictactoe", "--matches", "20", "--save", path, code=1)
    assert "--resume goes on with it, --force starts anew" in result.stderr
    assert path.read_bytes() == before
    run("tictactoe", "--matches", "20", "--save", path, "--force")
    assert load_checkpoint(path).matches == 20


@pytest.mark.parametrize("content", [b"notes", b"", None])
def test_files_that_are_no_checkpoint(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "save"
    if content is None:
        run("tictactoe", "--matches", "50", "--save", path)
        content = path.read_bytes()[:-10]
    path.write_bytes(content)
    result = run("tictactoe", "--save", path, "--resume", code=1)
    assert "--force starts anew and replaces it" in result.stderr
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("tictactoe --alpha 0.5", "goes on with --alpha 0.3, but 0.5 is asked for"),
        ("tictactoe --against weak", "goes on with --against novice"),
        ("tictactoe --learner q", "goes on with --learner td"),
        ("tictactoe --role second", "goes on with --role first"),
        ("tictactoe --seed 3", "goes on with --seed 0"),
        ("nim", "it is about tictactoe, not nim"),
    ],
)
def test_a_checkpoint_of_other_settings(
    arguments: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "save"
    run("tictactoe", "--matches", "50", "--save", path)
    before = path.read_bytes()
    result = run(*arguments.split(), "--save", path, "--resume", code=1)
    assert message in result.stderr
    assert path.read_bytes() == before


# ── what is refused ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("tron", 1, "learning takes turns, but two roles have a choice at once"),
        ("no-such-game", 1, "no-such-game"),
        ("peg-solitaire --role second", 1, "one player only"),
        ("tictactoe --against nobody", 2, "there is no player 'nobody'"),
        ("tictactoe --alpha 2", 2, "--alpha must be in (0, 1], got 2.0"),
        ("tictactoe --lambda -1", 2, "--lambda must be in [0, 1], got -1.0"),
        ("tictactoe --epsilon 7", 2, "--epsilon must be in [0, 1], got 7.0"),
        (
            "tictactoe --opponent-depth 0",
            2,
            "--opponent-depth must be in [1,",
        ),
        (
            "tictactoe --learner q --lambda 1",
            2,
            "--lambda has no meaning for --learner q",
        ),
        ("tictactoe --playouts 5", 2, "--playouts has no meaning for --learner td"),
        ("tictactoe --opponent-refresh 5", 2, "has no meaning for --against novice"),
        (
            "tictactoe --against self --opponent-depth 5",
            2,
            "--opponent-depth has no meaning for --against self",
        ),
        (
            "tictactoe --against self --opponent-epsilon .1",
            2,
            "without --opponent-re",
        ),
        ("tictactoe --against self --learner q --self-values shared", 1, "each role's"),
        (
            "tictactoe --search-time 5",
            2,
            "has no meaning for --learner td",
        ),
        ("tictactoe --learner q --search-level 2", 2, "has no meaning for --learner q"),
        ("tictactoe --learner qm --playouts 2 --search-time 5", 2, "give one"),
        ("tictactoe --epsilon-factor .5", 2, "has no meaning for --schedule fixed"),
        ("tictactoe --learner q --lookahead-depth 2", 2, "is for --learner td"),
        ("tictactoe --map 0=0", 2, "--map has no meaning without --from"),
        ("tictactoe --resume", 2, "--resume needs --save"),
        ("tictactoe --save a --resume --force", 2, "choose one"),
        ("tictactoe --plot curve.pdf", 2, ".png and .svg, not curve.pdf"),
        ("tictactoe --save no/where", 1, "there is no folder no"),
        ("tictactoe --knowledge no/where", 1, "there is no folder no"),
        ("tictactoe --learner q --knowledge k", 2, "--knowledge is for --learner td"),
        ("nim --engine interpreter --against monte-carlo", 1, "compiled"),
        ("tictactoe --default-value nan", 2, "--default-value must be finite, got nan"),
        ("tictactoe --minutes nan", 2, "--minutes must be finite, got nan"),
        ("tictactoe --minutes -1", 2, "--minutes must be in (0, 525,600], got -1.0"),
        ("tictactoe --alpha nan", 2, "--alpha must be finite, got nan"),
        ("tictactoe --epsilon inf", 2, "--epsilon must be finite, got inf"),
        ("tictactoe --matches 0", 2, "--matches must be at least 1, got 0"),
        (
            "tictactoe --values network --hidden 100000000",
            2,
            "--hidden must be in [1, 10,000], got 100000000",
        ),
        (
            "tictactoe --evaluate-against nobody",
            2,
            "--evaluate-against must be players: there is no player 'nobody'",
        ),
    ],
)
def test_errors(
    arguments: str,
    code: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments.split(), code=code)
    assert message in " ".join(result.stderr.split())
    assert list(tmp_path.iterdir()) == []


def test_knowledge_does_not_replace_what_is_none(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_text("mine")
    result = run("tictactoe", "--knowledge", path, code=1)
    assert "is no knowledge file" in result.stderr
    assert path.read_text() == "mine"


# ── interrupted ─────────────────────────────────────────────────────────────────────

Begin: TypeAlias = Callable[..., subprocess.Popen[str]]
ENDLESS = ("--matches", "1000000000")


def test_a_signal_stops_training_and_saves_it(
    stop_signal: signal.Signals, tmp_path: Path, begin: Begin
) -> None:
    path = tmp_path / "save"
    child = begin(path, *ENDLESS, "--against", "minimax", "--opponent-depth", "9")
    child.send_signal(stop_signal)
    output, errors = child.communicate(timeout=300)
    assert child.returncode == 128 + stop_signal
    matches = load_checkpoint(path).matches
    assert f"interrupted after {matches:,} of 1,000,000,000 matches" in errors
    assert f"gamelore learn tictactoe --save {path} --resume" in errors
    assert f"{matches:,} matches" in output


@pytest.mark.slow
def test_a_signal_ends_a_match_that_takes_hours(tmp_path: Path) -> None:
    """No kernel can keep a process from ending."""
    path = tmp_path / "save"
    slow = ["--opponent-playouts", "1000000", "--evaluate-every", "0"]
    child = subprocess.Popen(
        [
            *(sys.executable, "-m", "gamelore", "learn", "connect-four"),
            *("--save", str(path), "--against", "monte-carlo", *slow),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lock = tmp_path / ".save.lock"
    while not lock.exists() and child.poll() is None:
        time.sleep(0.02)
    child.send_signal(signal.SIGTERM)
    _, errors = child.communicate(timeout=300)
    assert child.returncode == 128 + signal.SIGTERM
    assert "interrupted after 0 of 3,000 matches" in errors


def test_knowledge_is_written_where_a_picture_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: Any) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr("gamelore.learn.plots.write_atomic", full)
    lore, save, plot = (tmp_path / name for name in ("lore.json", "save", "a.svg"))
    options = ("--knowledge", lore, "--save", save, "--plot", plot)
    result = run("tictactoe", "--matches", "300", *options, code=1)
    assert "no space left" in result.stderr
    assert "300 matches" in result.stdout
    assert load_knowledge(lore).values()
    assert load_checkpoint(save).matches == 300
    assert not plot.exists()


def test_a_second_process_with_the_same_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "save"
    with lock_checkpoint(path):
        result = run("tictactoe", "--matches", "20", "--save", path, code=1)
    assert "another process is training into" in result.stderr
    assert not path.exists()


def test_self_play_shows_scores_and_not_its_own_rewards(tmp_path: Path) -> None:
    result = run("tictactoe", "--against", "self", "--matches", "2000")
    assert "against random" in result.stdout
    assert "against novice" in result.stdout
    assert "rewards" not in result.stdout


def test_help_lists_the_main_options_first() -> None:
    sections = run("--help").stdout.split("\n\n")
    headings = [one.splitlines()[0] for one in sections if ":\n" in one]
    assert headings[0] == "Main options:"
    main = next(one for one in sections if one.startswith("Main options:"))
    assert main.count("\n  --") == 11
    assert {"Learning:", "Exploration:", "Evaluation:", "Files:"} <= set(headings)


@pytest.mark.slow
def test_killed_again_and_again(tmp_path: Path, begin: Begin) -> None:
    """What a killed process loses is played again, the same."""
    path = tmp_path / "save"
    arguments = ["--against", "minimax", "--opponent-depth", "4", "--role", "alternate"]
    generator = np.random.default_rng(3)
    begun = 0
    for _ in range(4):
        child = begin(path, *ENDLESS, *arguments, *(["--resume"] if begun else []))
        saved_at = path.stat().st_mtime_ns
        while path.stat().st_mtime_ns == saved_at:
            time.sleep(0.01)
        time.sleep(generator.uniform(0, 1.5))
        child.kill()
        child.communicate()
        now = load_checkpoint(path).matches
        assert now > begun
        begun = now
    run(
        "tictactoe",
        "--save",
        path,
        "--resume",
        "--matches",
        f"{begun + 1000}",
        "--quiet",
    )
    opponent = PlayerSettings("minimax", depth=4)
    expected = trained(TrainConfig(opponent=opponent, role="alternate"), begun + 1000)
    assert_same(load_checkpoint(path), expected)
