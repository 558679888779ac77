"""`gamelore learn` with value functions: settings, features, snapshots, presets."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from shlex import split
from typing import TypeAlias

import numpy as np
import pytest
from tests.cli.learning import assert_same, learned, run, trained
from tests.marks import mark_slow

from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint
from gamelore.learn.opponents import FeaturePlayer
from gamelore.learn.presets import PRESETS, Preset
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.search.policies import PlayerSettings
from gamelore.values.settings import LinearSettings, NetworkSettings

MARKS = "(<= (feature (marks ?r) ?x ?y) (true (cell ?x ?y ?r)) (role ?r))\n"
NETWORK = split("--values network --hidden 8 --against self --epsilon .01")
QUICK = TrainConfig(
    TDSettings(0.1), SelfPlay(), function=NetworkSettings(hidden=8, initial_range=None)
)
"""The settings of those options."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("marks.features.kif").write_text(MARKS)
    return tmp_path


# ── what is learned ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "config", "features"),
    [
        (
            "--values linear --alpha .01 --risk -.5",
            TrainConfig(
                TDSettings(0.01, risk=-0.5),
                PlayerSettings("novice"),
                function=LinearSettings(),
            ),
            None,
        ),
        (
            "--values network --hidden 5 --activation tanh --output tanh"
            " --updates offline --initial-range .2 --against self"
            " --opponent-refresh 30 --opponent-epsilon .2 --alpha .05"
            " --epsilon .01 --lowest-reward -1 --terminal-target bootstrap --seed 3",
            TrainConfig(
                TDSettings(0.05),
                SelfPlay(opponent_refresh=30, epsilon=0.2),
                seed=3,
                function=NetworkSettings(
                    hidden=5,
                    activation="tanh",
                    output="tanh",
                    updates="offline",
                    initial_range=0.2,
                    lowest_reward=-1,
                    terminal_target="bootstrap",
                ),
            ),
            None,
        ),
        (
            "--values network --initial-range scaled --perspective current-player"
            " --features marks.features.kif --fluents --against self --alpha .1"
            " --epsilon .2 --shaping"
            " '(marks  x)=.25' --reward-in-selection --scaling '(marks o)=.5'",
            TrainConfig(
                TDSettings(0.1),
                SelfPlay(),
                schedule=Fixed(0.2),
                function=NetworkSettings(
                    initial_range=None,
                    perspective="current-player",
                    fluents=True,
                    reward_in_selection=True,
                    scaling=(("(marks o)", 0.5),),
                ),
                shaping=(("(marks x)", 0.25),),
            ),
            "marks.features.kif",
        ),
    ],
)
def test_options_make_the_settings(
    arguments: str, config: TrainConfig, features: str | None
) -> None:
    run("tictactoe", "--matches", "60", "--save", "any", *split(arguments))
    assert_same(load_checkpoint("any"), trained(config, 60, features))


def test_risk_is_for_tables_too() -> None:
    run("tictactoe", "--matches", "40", "--save", "any", "--risk", ".4")
    config = TrainConfig(TDSettings(risk=0.4), PlayerSettings("novice"))
    assert_same(load_checkpoint("any"), trained(config, 40))
    run("tictactoe", *split("--matches 40 --save q --learner q --risk -.4"))
    assert load_checkpoint("q").config.learner == QSettings(risk=-0.4)


def test_tables_learn_from_features_by_what_they_earn() -> None:
    shaped = (
        *split(
            "tictactoe --save any --features marks.features.kif --against self"
            " --epsilon .01"
        ),
        *("--shaping", "(marks x)=2.5", "--shaping", "(marks o)=-1"),
    )
    run(*shaped, "--matches", "40")
    config = TrainConfig(
        opponent=SelfPlay(), shaping=(("(marks x)", 2.5), ("(marks o)", -1.0))
    )
    assert_same(load_checkpoint("any"), trained(config, 40, "marks.features.kif"))
    refused = run(*shaped[:-1], "(marks o)=1", "--resume", code=1)
    assert "goes on with --shaping" in refused.stderr
    whole = trained(config, 90, "marks.features.kif")
    Path("marks.features.kif").unlink()  # the checkpoint has its own
    run("tictactoe", *split("--save any --resume --matches 90"))
    assert_same(load_checkpoint("any"), whole)


def test_an_opponent_can_go_by_features() -> None:
    options = "--values linear --alpha .01 --against features --opponent-epsilon .2"
    features = ("--opponent-features", "marks.features.kif")
    run("tictactoe", *split(options), *features, "--matches", "40", "--save", "any")
    config = TrainConfig(
        TDSettings(0.01),
        FeaturePlayer("marks.features.kif", 0.2),
        function=LinearSettings(),
    )
    assert_same(load_checkpoint("any"), trained(config, 40))
    again = ("tictactoe", *split("--save any --resume --opponent-features other"))
    assert "goes on with --opponent-features marks" in run(*again, code=1).stderr


def test_a_function_is_reported() -> None:
    record = learned("tictactoe", *NETWORK, "--matches", "50")
    assert record["function"] == {
        "kind": "network",
        "features": None,
        "inputs": 20,
        "weights": 21 * 8 + 9,
    }
    assert record["roles"] == ["x", "o"]
    assert "cells" not in record
    assert record["settings"]["values"] == "network"
    assert record["settings"]["hidden"] == 8
    shown = run("tictactoe", *NETWORK, "--matches", "50").stdout
    assert "tictactoe: td as x and o against self, 50 matches" in shown
    assert "network  20 inputs, 177 weights" in shown


def test_training_of_a_function_goes_on(folder: Path) -> None:
    options = (*NETWORK, "--features", "marks.features.kif")
    run("tictactoe", *options, "--matches", "70", "--save", "net")
    checkpoint = load_checkpoint("net")
    assert checkpoint.inputs is not None
    assert (checkpoint.inputs.name, checkpoint.inputs.text) == ("marks", MARKS)
    (folder / "more.kif").write_text(MARKS + "(<= (feature one) (role x))")
    again = ("tictactoe", "--save", "net", "--resume", "--matches", "200")
    assert (
        "others, called marks" in run(*again, "--features", "more.kif", code=1).stderr
    )
    moved = "moved/marks.features.kif"
    Path(moved).parent.mkdir()
    Path("marks.features.kif").rename(moved)  # the checkpoint has its own
    run(*again)
    assert_same(load_checkpoint("net"), trained(QUICK, 200, moved))
    refused = run(*again, "--hidden", "9", code=1)
    assert "goes on with --hidden 8, but 9 is asked for" in refused.stderr
    run("tictactoe", *NETWORK, "--matches", "10", "--save", "bare")
    refused = run(
        *("tictactoe", "--save", "bare", "--resume", "--features", moved), code=1
    )
    assert "bare began with none" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("--hidden 5", 2, "for --values table: it is for network or policy-value"),
        ("--search-depth 2", 2, "for --values table: it is for ntuple"),
        ("--no-fluents", 2, "--fluents has no meaning for --values table"),
        ("--shaping a=1", 1, "no feature a: there are none: give the game a features"),
        ("--shaping a=nan", 2, "--shaping of a must be finite, got nan"),
        ("--features marks.features.kif", 2, "for --values table without --shaping"),
        (
            "--features marks.features.kif --shaping a=1",
            1,
            "no feature a: there are (marks o), (marks x)",
        ),
        ("--reward-in-selection --shaping a=1", 2, "no meaning for --values table"),
        ("--scaling a=1", 2, "--scaling has no meaning for --values table"),
        ("--values linear --reward-in-selection", 2, "no meaning without --shaping"),
        ("--values linear --scaling half", 2, "'half' is not FEATURE=NUMBER"),
        ("--values linear --scaling a=0", 2, "--scaling of a must be positive, got 0"),
        ("--opponent-features heuristic", 2, "no meaning for --against novice"),
        ("--against features", 1, "plays against value functions"),
        ("--against features --opponent-depth 2", 2, "for --against features"),
        (
            "--values linear --hidden 5",
            2,
            "--hidden has no meaning for --values li",
        ),
        ("--values network --hidden 0", 2, "--hidden must be in [1, 10,000], got 0"),
        ("--values network --lowest-reward 2", 2, "--lowest-reward must be less"),
        ("--values network --shaping half", 2, "'half' is not FEATURE=NUMBER"),
        ("--values network --shaping a=1 --shaping a=2", 2, "--shaping names a twice"),
        ("--values network --shaping (marks)=1", 1, "no feature (marks)"),
        ("--values network --no-fluents", 1, "needs fluents or features as inputs"),
        ("--values network --lookahead-depth 2", 2, "no meaning for --values network"),
        (
            "--values network --initialise candidates",
            2,
            "--initialise has no meaning for",
        ),
        (
            "--values network --self-values own --against self",
            2,
            "--self-values has",
        ),
        ("--values network --knowledge k", 2, "--knowledge is for --values table"),
        ("--values network --engine interpreter", 1, "need 'tictactoe' compiled"),
        ("--values network --features nothing", 1, "nothing"),
        ("--values deep", 2, "'deep' is not one of 'table', 'linear', 'network'"),
        ("--risk 2", 2, "--risk must be in [-1, 1], got 2.0"),
        ("--opponent-refresh 5", 2, "--opponent-refresh has no meaning for --against"),
        ("--snapshots 10", 2, "beside --save FILE"),
        ("--save any --snapshots ten", 2, "'ten' must be numbers"),
        ("--minutes 0", 2, "--minutes must be in (0, 525,600], got 0.0"),
        ("--preset --alpha .1", 2, "--alpha is part of --preset"),
    ],
)
def test_errors(arguments: str, code: int, message: str, folder: Path) -> None:
    result = run("tictactoe", *arguments.split(), code=code)
    assert message in " ".join(result.stderr.split())
    assert [path.name for path in folder.iterdir()] == ["marks.features.kif"]


def test_weights_that_diverge_are_not_kept() -> None:
    options = split("--values linear --alpha 1 --against self --epsilon .3 --save any")
    result = run("tictactoe", *options, "--matches", "5000", code=1)
    assert "the weights diverged in match" in result.stderr
    assert "lower the step size (saved in any)" in result.stderr
    kept = load_checkpoint("any")
    assert 0 < kept.matches < 5000
    assert f"in match {kept.matches + 1:,};" in result.stderr
    assert np.isfinite(kept.weights["direct"]).all()
    config = TrainConfig(
        TDSettings(1.0), SelfPlay(), schedule=Fixed(0.3), function=LinearSettings()
    )
    assert_same(kept, trained(config, kept.matches))


# ── snapshots, time and presets ─────────────────────────────────────────────────────


def test_snapshots_are_earlier_checkpoints(folder: Path) -> None:
    begin = ("tictactoe", *NETWORK, "--save", "net.ckpt")
    record = learned(
        *(*begin, "--matches", "130", "--snapshots", "0,100", "--snapshot-every", "50")
    )
    names = [f"net-{number}.ckpt" for number in (0, 50, 100)]
    assert record["snapshots"] == names
    for number, name in zip((0, 50, 100), names, strict=True):
        assert_same(load_checkpoint(name), trained(QUICK, number))
    assert_same(load_checkpoint("net.ckpt"), trained(QUICK, 130))
    before = Path(names[1]).read_bytes()
    (folder / "net.ckpt").unlink()
    refused = run(*begin, "--matches", "60", "--snapshots", "50", code=1)
    assert "net-50.ckpt exists" in refused.stderr
    assert Path(names[1]).read_bytes() == before
    run(*begin, "--matches", "60", "--snapshots", "50", "--seed", "1", "--force")
    assert Path(names[1]).read_bytes() != before


def test_resumed_training_writes_the_snapshots_that_are_left() -> None:
    begin = ("tictactoe", *NETWORK, "--save", "net", "--snapshots", "20,50,90")
    run(*begin, "--matches", "60")
    Path("net-20").unlink()
    record = learned(*begin, "--resume", "--matches", "100")
    assert record["snapshots"] == ["net-90"]
    assert_same(load_checkpoint("net-90"), trained(QUICK, 90))


def test_training_may_end_by_the_clock() -> None:
    options = ("tictactoe", *NETWORK, "--save", "net")
    record = learned(*options, "--minutes", "0.005")
    assert record["wanted"] is None
    assert record["seconds"] >= 0.3
    assert record["matches"] > 1
    both = learned(*options, "--minutes", "5", "--matches", "40", "--force")
    assert both["matches"] == 40
    more = learned("tictactoe", "--save", "net", "--resume", "--minutes", "0.002")
    assert more["resumed_at"] == 40 < more["matches"]
    over = learned("tictactoe", "--save", "net", "--resume")
    assert over["matches"] == more["matches"]
    owed = learned(*options, "--minutes", "0.002", "--matches", "9000000", "--force")
    assert owed["matches"] < owed["wanted"]
    more = learned("tictactoe", "--save", "net", "--resume", "--minutes", "0.002")
    assert owed["matches"] < more["matches"] < more["wanted"] == owed["wanted"]


@pytest.fixture
def preset(monkeypatch: pytest.MonkeyPatch) -> Preset:
    preset = Preset(QUICK, matches=50, depth=3)
    monkeypatch.setitem(PRESETS, "tictactoe", preset)
    monkeypatch.setitem(PRESETS, "nim", Preset(QUICK, minutes=0.005))
    return preset


def test_a_preset_is_followed(preset: Preset) -> None:
    run("tictactoe", "--preset", "--save", "net")
    checkpoint = load_checkpoint("net")
    assert checkpoint.depth == preset.depth
    assert_same(checkpoint, trained(QUICK, 50))
    run("tictactoe", "--preset", "--save", "net", "--resume", "--matches", "70")
    checkpoint = load_checkpoint("net")
    assert checkpoint.depth == preset.depth
    assert_same(checkpoint, trained(QUICK, 70))
    assert learned("tictactoe", "--preset", "--seed", "5")["settings"]["seed"] == 5
    assert learned("nim", "--preset")["matches"] > 1
    run("tictactoe", *NETWORK, "--matches", "9", "--save", "other", "--lambda", ".1")
    refused = run("tictactoe", "--preset", "--save", "other", "--resume", code=1)
    assert "did not begin with the preset" in refused.stderr
    assert "no preset for 'connect-3'" in run("connect-3", "--preset", code=1).stderr


def test_presets_are_listed(preset: Preset) -> None:
    listed = run("--presets").stdout.splitlines()
    assert [line.split()[0] for line in listed] == [*PRESETS]
    first = next(line for line in listed if line.startswith("tictactoe"))
    assert "--hidden 8 --against self --learner td --alpha 0.1 --lambda 0.7" in first
    assert "--matches 50" in first
    assert first.endswith("depth 3")


@pytest.mark.parametrize("game", mark_slow(PRESETS, {*PRESETS} - {"breakthrough-6x6"}))
def test_every_preset_begins(game: str) -> None:
    assert learned(game, "--preset", "--matches", "3")["matches"] == 3


# ── interrupted ─────────────────────────────────────────────────────────────────────

Begin: TypeAlias = Callable[..., subprocess.Popen[str]]


@pytest.mark.slow
def test_an_interrupt_says_how_to_go_on(tmp_path: Path, begin: Begin) -> None:
    path = tmp_path / "net"
    child = begin(path, *NETWORK, "--minutes", "60", "--snapshots", "5,99999999")
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=300)
    assert child.returncode == 130
    matches = load_checkpoint(path).matches
    assert f"interrupted after {matches:,} matches" in errors
    assert f"--save {path} --resume --minutes 60.0 --snapshots 5,99999999" in errors


@pytest.mark.slow
def test_a_network_killed_again_and_again(tmp_path: Path, begin: Begin) -> None:
    """What a killed process loses is played again, the same; so are snapshots."""
    path = tmp_path / "net"
    options = [*NETWORK, "--opponent-refresh", "700", "--matches", "1000000000"]
    options += ["--snapshot-every", "20000"]
    generator = np.random.default_rng(3)
    begun = 0
    for _ in range(4):
        child = begin(path, *options, *(["--resume"] if begun else []))
        saved_at = path.stat().st_mtime_ns
        while path.stat().st_mtime_ns == saved_at:
            time.sleep(0.01)
        time.sleep(generator.uniform(0, 1.5))
        child.kill()
        child.communicate()
        now = load_checkpoint(path).matches
        assert now > begun
        begun = now
    wanted = begun + 1000
    run("tictactoe", "--save", path, "--resume", "--matches", str(wanted), "--quiet")
    config = TrainConfig(
        TDSettings(0.1), SelfPlay(opponent_refresh=700), function=QUICK.function
    )
    assert_same(load_checkpoint(path), trained(config, wanted))
    assert_same(load_checkpoint(tmp_path / "net-20000"), trained(config, 20000))
