"""`gamelore tournament`: played, interrupted, killed, and gone on with."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result
from tests.marks import mark_slow

from gamelore.cli import main
from gamelore.ggp.tournament.config import EXAMPLE

CUP = """
repeats = {repeats}
seed = 5
games = ["tictactoe"]
[players]
chance = "random"
beginner = "novice"
other = "random"
"""

STUCK = """
(role a) (role b) (init (step 1)) (legal a wait) (<= (legal b wait) (true (step 1)))
(<= (next (step 2)) (true (step 1))) (<= terminal (true (step 3)))
(goal a 100) (goal b 0)
"""


def write(folder: Path, repeats: int = 2) -> Path:
    path = folder / "cup.toml"
    path.write_text(CUP.format(repeats=repeats), encoding="utf-8")
    return path


def run(*arguments: str | Path, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["tournament", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def start(path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "gamelore", "tournament", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def records(folder: Path) -> dict[str, str]:
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in (folder / "cup" / "matches").glob("*.json")
    }


def wait_for_matches(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    while len(list((folder / "cup" / "matches").glob("*.json"))) < count:
        if process.poll() is not None:
            process.kill()
            pytest.fail(f"no more matches are played: {process.communicate()}")
        time.sleep(0.01)


def test_a_tournament_is_played_once(tmp_path: Path) -> None:
    path = write(tmp_path)
    first = run(path)
    assert first.output.startswith("cup: 12 of 12 matches\n\nplayer")
    assert f"wrote {tmp_path / 'cup'}/standings.csv and more" in first.output
    before = records(tmp_path)
    assert len(before) == 12
    assert run(path).output == first.output
    assert records(tmp_path) == before


def test_json_has_every_player(tmp_path: Path) -> None:
    summary = json.loads(run(write(tmp_path, 1), "--json").output)
    assert summary["matches"] == summary["planned"] == 6
    assert {row["player"] for row in summary["standings"]} == {
        "chance",
        "beginner",
        "other",
    }
    assert sum(row["wins"] - row["losses"] for row in summary["standings"]) == 0


def test_what_is_added_is_played(tmp_path: Path) -> None:
    run(write(tmp_path, 1))
    before = records(tmp_path)
    path = write(tmp_path, 3)
    assert "6 of 18 matches" in run(path, "--standings").output
    assert "18 of 18 matches" in run(path).output
    assert before.items() < records(tmp_path).items()


def test_standings_alone_play_and_write_nothing(tmp_path: Path) -> None:
    assert "cup: 0 of 12 matches" in run(write(tmp_path), "--standings").output
    assert not (tmp_path / "cup").exists()


def test_the_example_is_printed() -> None:
    assert run("--example").output == EXAMPLE


def test_the_same_seed_plays_the_same_matches(tmp_path: Path) -> None:
    moves = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        run(write(tmp_path / name, 1))
        found = sorted(records(tmp_path / name).items())
        moves.append([(file, json.loads(text)["moves"]) for file, text in found])
    assert moves[0] == moves[1]


def test_learners_keep_what_they_learn(tmp_path: Path) -> None:
    path = write(tmp_path, 1)
    text = path.read_text().replace('"novice"', '"td"')
    own = text.replace('other = "random"', 'other = { player = "q", store = "q.db" }')
    path.write_text(own)
    summary = json.loads(run(path, "--json").output)
    assert [row["faults"] for row in summary["standings"]] == [0, 0, 0]
    stores = [path.name for path in (tmp_path / "cup" / "stores").iterdir()]
    assert "beginner.db" in stores and not any("chance" in name for name in stores)
    assert (tmp_path / "q.db").stat().st_size > 0


def test_mistakes_are_told(tmp_path: Path) -> None:
    path = write(tmp_path)
    text = path.read_text()
    path.write_text(text.replace('"novice"', '"novise"'))
    assert "players.beginner: there is no player 'novise'; did you mean novice?" in (
        run(path, code=1).output
    )
    path.write_text(text.replace('"novice"', '"localhost:1"'))
    assert re.search(
        r"players.beginner: nobody plays at localhost:1 \(.*\); start it first",
        run(path, code=1).output,
    )
    assert "cannot read" in run(tmp_path / "none.toml", code=1).output
    assert "Missing argument 'FILE'" in run(code=2).output


def test_rules_that_get_stuck_are_told_and_others_played(tmp_path: Path) -> None:
    (tmp_path / "stuck.kif").write_text(STUCK)
    path = write(tmp_path, 1)
    text = path.read_text().replace('["tictactoe"]', '["nim", "stuck.kif"]')
    path.write_text(text)
    output = run(path, code=1).output
    assert "cup: 6 of 12 matches" in output
    assert "6 matches could not be played" in output
    assert "b has no legal move in stuck" in output


@contextmanager
def served(*arguments: str) -> Iterator[str]:
    """The address of a player that is served."""
    command = [sys.executable, "-m", "gamelore", "serve", "--port", "0", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            for line in process.stderr:
                if found := re.search(r"listens on (\S+)", line):
                    yield found[1]
                    break
            else:
                pytest.fail("no player was served")
        finally:
            process.terminate()


@pytest.mark.parametrize("repeats", mark_slow([1, 2], {2}))
def test_players_on_the_network_take_part(tmp_path: Path, repeats: int) -> None:
    with served("--player", "random", "--name", "somebody-else") as address:
        path = write(tmp_path, repeats)
        text = path.read_text().replace('"novice"', f'"{address}"')
        path.write_text(f"scramble = true\nat_once = 2\n{text}")
        summary = json.loads(run(path, "--json").output)
    assert summary["matches"] == 6 * repeats
    assert [row["faults"] for row in summary["standings"]] == [0, 0, 0]
    assert {row["player"] for row in summary["standings"]} == {
        "chance",
        "beginner",
        "other",
    }


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_keeps_what_is_over(
    tmp_path: Path, stop_signal: signal.Signals
) -> None:
    path = write(tmp_path, 2000)
    with start(path) as process:
        wait_for_matches(tmp_path, 3, process)
        process.send_signal(stop_signal)
        output, errors = process.communicate(timeout=300)
    assert process.returncode == 130, errors
    assert output == ""
    done = len(records(tmp_path))
    assert f"interrupted after {done:,} of 12,000 matches; all are kept" in errors
    assert f"gamelore tournament {path}" in errors
    assert "Traceback" not in errors
    assert f"cup: {done:,} of 12,000 matches" in run(path, "--standings").output


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_killed_again_and_again_it_repeats_nothing(tmp_path: Path) -> None:
    path, rng = write(tmp_path, 150), Random(2)
    kept: dict[str, str] = {}
    for _ in range(8):
        with start(path) as process:
            wait_for_matches(tmp_path, len(kept) + 1, process)
            time.sleep(rng.random() * 0.2)
            process.kill()
            process.wait()
        after = records(tmp_path)
        assert kept.items() < after.items(), "a finished match was lost or repeated"
        kept = after
    assert len(kept) < 900, "all was played before it was killed often enough"
    assert "cup: 900 of 900 matches" in run(path).output
    assert kept.items() < records(tmp_path).items()
