"""What is kept of a tournament, and what is refused there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gamelore.errors import TournamentError
from gamelore.ggp.tournament.config import Tournament, make_tournament
from gamelore.ggp.tournament.folder import TournamentFolder
from gamelore.ggp.tournament.schedule import Fixture, schedule
from gamelore.match.ratings import Result

BASE: dict[str, Any] = {
    "players": {"a": "random", "b": "novice"},
    "games": ["nim"],
    "seed": 3,
    "output": "out",
}


def tournament(tmp_path: Path, **values: Any) -> Tournament:
    return make_tournament({**BASE, **values}, tmp_path / "cup.toml")


def record(
    folder: TournamentFolder, fixture: Fixture, goals: list[int | None], faults: int = 0
) -> Path:
    """The parts of a record that a tournament reads."""
    ours = {
        "roles": ["first", "random", "second"],
        "goals": goals,
        "faults": [{"role": "second"}] * faults,
    }
    path = folder.matches / f"{fixture.id}.json"
    path.write_text(json.dumps({"matchId": fixture.id, "gamelore": ours}))
    return path


def begun(tmp_path: Path, **values: Any) -> TournamentFolder:
    """A folder with one match in it."""
    cup = tournament(tmp_path, **values)
    folder = TournamentFolder(cup)
    with folder.opened():
        record(folder, schedule(cup)[0], [100, 0, 25], faults=2)
    return folder


def test_finished_matches_are_read_back(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    fixtures = schedule(folder.tournament)
    assert folder.results(fixtures) == {
        fixtures[0]: Result(("a", "b"), (100, 25), (0, 2), "nim")
    }


def test_before_the_first_run_there_is_nothing(tmp_path: Path) -> None:
    cup = tournament(tmp_path)
    assert TournamentFolder(cup).results(schedule(cup)) == {}
    assert not cup.output.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"repeats": 7, "at_once": 3},
        {"players": {"a": "random", "b": "novice", "c": "minimax"}},
        {"players": {"b": "novice", "c": "random"}},
        {"games": ["tictactoe", "nim"]},
        {"games": ["tictactoe"]},
    ],
)
def test_what_is_new_or_gone_is_no_contradiction(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    begun(tmp_path)
    with TournamentFolder(tournament(tmp_path, **changes)).opened():
        pass


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 4}, "with seed 3, and the file now says 4; put it back"),
        ({"scramble": True}, "with scramble false, and the file now says true"),
        ({"move_limit": 9}, "with move_limit 10000, and the file now says 9"),
        (
            {"players": {"a": "minimax", "b": "novice"}},
            'players.a "random", and the file now says "minimax"',
        ),
        ({"play_clock": 3}, "with play_clock of nim 5, and the file now says 3"),
        ({"start_clock": 3.5}, "with start_clock of nim 10, and the file now says 3.5"),
        (
            {"games": [{"game": "nim-1-2", "name": "nim"}]},
            "with rules of nim that hash to",
        ),
    ],
)
def test_contradictions_are_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    begun(tmp_path)
    folder = TournamentFolder(tournament(tmp_path, **changes))
    with pytest.raises(TournamentError, match=message), folder.opened():
        pass


def test_who_left_must_come_back_the_same(tmp_path: Path) -> None:
    begun(tmp_path)
    without = {"players": {"a": "random", "c": "random"}}
    with TournamentFolder(tournament(tmp_path, **without)).opened():
        pass
    other = {"players": {"a": "random", "b": "minimax"}}
    folder = TournamentFolder(tournament(tmp_path, **other))
    with pytest.raises(TournamentError, match=r"players\.b"), folder.opened():
        pass


def test_players_on_the_network_may_move(tmp_path: Path) -> None:
    at = "localhost:{}"
    begun(tmp_path, players={"a": "random", "b": at.format(9147)})
    moved = {"players": {"a": "random", "b": at.format(9148)}}
    with TournamentFolder(tournament(tmp_path, **moved)).opened():
        pass
    other = {"players": {"a": "random", "b": "random"}}
    folder = TournamentFolder(tournament(tmp_path, **other))
    with pytest.raises(TournamentError, match=r"players\.b"), folder.opened():
        pass


def test_anything_may_change_before_the_first_match(tmp_path: Path) -> None:
    with TournamentFolder(tournament(tmp_path)).opened():
        pass
    folder = begun(tmp_path, seed=9)
    assert json.loads((folder.path / "tournament.json").read_text())["seed"] == 9


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    folder = TournamentFolder(tournament(tmp_path))
    folder.path.mkdir()
    (folder.path / "thesis.tex").write_text("years of work")
    with pytest.raises(TournamentError, match="something other"), folder.opened():
        pass
    assert [path.name for path in folder.path.iterdir()] == ["thesis.tex"]
    shutil.rmtree(folder.path)
    folder.path.write_text("a file")
    with pytest.raises(TournamentError, match="is a file"), folder.opened():
        pass


def test_a_run_ended_before_it_wrote_its_terms_goes_on(tmp_path: Path) -> None:
    folder = TournamentFolder(tournament(tmp_path))
    folder.matches.mkdir(parents=True)
    (folder.path / ".lock").touch()
    with folder.opened():
        assert (folder.path / "tournament.json").exists()


def test_what_was_half_written_is_swept_away(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    (folder.matches / ".nim.a.b.1.json-x7").write_text("{half a rec")
    with folder.opened():
        assert [path.name for path in folder.matches.iterdir()] == ["nim.a.b.1.json"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"matchId": "other"}', '{"matchId": "nim.a.b.1"}']
)
def test_damaged_records_are_named(tmp_path: Path, text: str) -> None:
    folder = begun(tmp_path)
    path = folder.matches / "nim.a.b.1.json"
    path.write_text(text)
    with pytest.raises(TournamentError, match="remove the file") as caught:
        folder.results(schedule(folder.tournament))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", '{"version": 2}', '{"version": 1}'])
def test_damaged_terms_are_named(tmp_path: Path, text: str) -> None:
    folder = begun(tmp_path)
    (folder.path / "tournament.json").write_text(text)
    with pytest.raises(TournamentError, match=r"tournament\.json"), folder.opened():
        pass


HOLD = """
import sys
from pathlib import Path
from gamelore.ggp.tournament.config import make_tournament
from gamelore.ggp.tournament.folder import TournamentFolder
values = {"players": {"a": "random", "b": "novice"}, "games": ["nim"], "seed": 3,
          "output": "out"}
with TournamentFolder(make_tournament(values, Path(sys.argv[1]))).opened():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_one_run_at_a_time_even_after_kill(tmp_path: Path) -> None:
    folder = TournamentFolder(tournament(tmp_path))
    command = [sys.executable, "-c", HOLD, str(tmp_path / "cup.toml")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(TournamentError, match="in use"), folder.opened():
            pass
        other.kill()
        other.wait()
    with folder.opened():
        pass
