"""Records of matches: round trips, ggp-base's form, and damaged files."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.random_player import RandomPlayer
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.errors import RecordError
from gamelore.games import load
from gamelore.gdl import Move, read_term
from gamelore.ggp.manager.manager import ManagedMatch, Manager, MatchSettings
from gamelore.ggp.manager.peers import LocalPeer
from gamelore.ggp.match_record import MatchFile, read_match, write_match
from gamelore.player import Briefing, Clock


class Wrong(RandomPlayer):
    """Gives an illegal move, then fails, then plays."""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        super().start(briefing, clock)
        self.asked = 0

    def choose(self, position: Position, clock: Clock) -> Move:
        self.asked += 1
        if self.asked == 1:
            return read_term("(draw 9 9)")
        if self.asked == 2:
            raise ValueError("oh")
        return super().choose(position, clock)


def run(game: str = "tictactoe", **settings: Any) -> ManagedMatch:
    manager = Manager(
        Interpreter(load(game)),
        MatchSettings(**{"start_clock": math.inf, "play_clock": math.inf} | settings),
    )
    makers = [Wrong, RandomPlayer, RandomPlayer]
    peers = [
        LocalPeer(PlayerAgent(make, 3), f"{make.__name__}-{role}")
        for make, role in zip(makers, manager.player_roles, strict=False)
    ]
    return manager.run(peers, seed=5)


@pytest.fixture(scope="module")
def match() -> ManagedMatch:
    return run()


@pytest.mark.parametrize("game", ["tictactoe", "pig", "trio", "rock-paper-scissors"])
def test_records_round_trip(game: str, tmp_path: Path) -> None:
    record = MatchFile.of(run(game, move_limit=30), tournament="cup")
    path = write_match(record, tmp_path / "new" / "folder")
    assert read_match(path) == record
    assert [*path.parent.iterdir()] == [path]  # nothing is left beside it
    restored = read_match(path).game
    assert restored is not None and record.details is not None
    assert restored.fingerprint == record.details.fingerprint


def test_the_form_is_that_of_ggp_base(match: ManagedMatch) -> None:
    values = json.loads(MatchFile.of(match).to_json())
    moves = len(match.record.moves)
    assert values["matchId"] == match.match
    assert len(values["randomToken"]) == 32
    assert values["startTime"] == values["stateTimes"][0] == match.times[0]
    assert values["isCompleted"] is True and values["isAborted"] is False
    assert values["states"][0] == "( ( control x ) )"
    assert len(values["states"]) == len(values["stateTimes"]) == moves + 1
    assert all(len(joint) == 2 for joint in values["moves"])
    assert values["moves"][0][1] == "noop"
    assert values["moves"][0][0].startswith("( mark ")
    assert len(values["errors"]) == moves + 1
    assert values["errors"][:3] == [["", ""], ["IL ( draw 9 9 )", ""], ["CE", ""]]
    assert values["goalValues"] == list(match.record.goals)
    assert values["previewClock"] == values["startClock"] == values["playClock"] == -1
    assert values["playerNamesFromHost"] == ["Wrong-x", "RandomPlayer-o"]
    assert values["tournamentNameFromHost"] == ""
    assert values["scrambled"] is False
    assert "gameMetaURL" not in values


def test_clocks_are_whole_seconds_for_others_and_exact_for_us() -> None:
    record = MatchFile.of(run(start_clock=1.5, play_clock=0.25))
    values = json.loads(record.to_json())
    assert (values["startClock"], values["playClock"]) == (2, 1)
    again = MatchFile.from_json(record.to_json())
    assert (again.start_clock, again.play_clock) == (1.5, 0.25)


def test_faults_are_told_in_words(match: ManagedMatch) -> None:
    details = MatchFile.from_json(MatchFile.of(match).to_json()).details
    assert details is not None
    assert details.seed == 5
    assert [fault.message for fault in details.faults] == [
        "(draw 9 9) is not legal",
        "ValueError: oh",
    ]


def test_a_match_cut_short_has_no_result() -> None:
    record = MatchFile.of(run(move_limit=2))
    assert not record.completed and record.goals == ()
    assert json.loads(record.to_json())["goalValues"] == []


def test_records_of_ggp_base_are_read(match: ManagedMatch) -> None:
    values = json.loads(MatchFile.of(match).to_json())
    del values["gamelore"]
    values["gameMetaURL"] = "http://games.example.org/ticTacToe/"
    record = MatchFile.from_json(json.dumps(values))
    assert record.details is None and record.game is None
    assert record.moves == match.record.moves
    assert record.states[-1] == match.positions[-1].facts
    assert record.game_url == values["gameMetaURL"]
    assert MatchFile.from_json(record.to_json()) == record


def test_damaged_files_are_refused(match: ManagedMatch, tmp_path: Path) -> None:
    path = write_match(match, tmp_path)
    whole = path.read_text(encoding="utf-8")
    for length in range(0, len(whole) - 2, 97):
        path.write_text(whole[:length], encoding="utf-8")
        with pytest.raises(RecordError, match="is no match record"):
            read_match(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecordError, match="not text"):
        read_match(path)
    with pytest.raises(RecordError, match=r"cannot read .*no such file"):
        read_match(tmp_path / "nowhere.json")
    with pytest.raises(RecordError, match=r"cannot read .*is a directory"):
        read_match(tmp_path)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("matchId", None, "matchId is missing"),
        ("matchId", 7, "matchId wants text, got 7"),
        ("isCompleted", "yes", "isCompleted wants true or false, got 'yes'"),
        ("states", [], "states has 0 parts"),
        ("states", {}, "states wants a list"),
        ("states", [1], r"states\[1\] wants text, got 1"),
        ("states", ["x"], r"states\[1\] is not a list of facts"),
        ("states", ["((a"], r"states\[1\] is not a list of facts"),
        ("states", ["( (a )"], r"states\[1\] cannot be read"),
        ("states", ["( ?x )"], r"states\[1\] holds a variable"),
        ("moves", [["noop"]], "moves need 2"),
        ("moves", [["(("]], r"moves\[1\] cannot be read"),
        ("moves", [4], r"moves\[1\] wants a list, got 4"),
        ("stateTimes", ["soon"], r"stateTimes\[1\] wants a number"),
        ("stateTimes", [1e300], "fits"),
        ("startClock", "long", "startClock wants a number"),
        ("playerNamesFromHost", ["ann"], "moves are not one for each player"),
        ("gamelore", {"format": 99}, "another version"),
        ("gamelore", [], "gamelore wants a table"),
    ],
)
def test_damage_is_named(
    match: ManagedMatch, key: str, value: object, message: str
) -> None:
    values = json.loads(MatchFile.of(match).to_json())
    if key == "startClock":
        del values["gamelore"]
    values[key] = value
    with pytest.raises(RecordError, match=f"is damaged: .*{message}"):
        MatchFile.from_json(json.dumps(values))


def test_odd_ids_make_good_file_names(match: ManagedMatch, tmp_path: Path) -> None:
    record = MatchFile.of(match)
    odd = MatchFile(**{**vars(record), "match": "../a b:c"})
    assert write_match(odd, tmp_path).parent == tmp_path
