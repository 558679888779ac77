"""Records of matches that are under way: a file that grows, and is gone at the end."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from gamelore import Position
from gamelore.agents.agent import PlayerAgent
from gamelore.gdl import Move
from gamelore.ggp.live_record import SUFFIX, LiveRecords
from gamelore.ggp.manager.manager import ManagedMatch, Manager, MatchSettings
from gamelore.ggp.manager.peers import LocalPeer
from gamelore.ggp.match_record import MatchFile, read_match, write_match
from gamelore.player import Briefing, Clock, Player

PATIENCE = 60.0


class Waiting(Player):
    """Makes the first legal move, each when it is allowed to."""

    def __init__(self, allowed: threading.Semaphore) -> None:
        self._allowed = allowed
        self._role = ""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        self._role = briefing.role

    def choose(self, position: Position, clock: Clock) -> Move:
        legal = position.legal_moves(self._role)
        if len(legal) > 1:
            assert self._allowed.acquire(timeout=PATIENCE)
        return legal[0]


@pytest.fixture
def allowed() -> threading.Semaphore:
    return threading.Semaphore(0)


@pytest.fixture
def manager() -> Manager:
    settings = MatchSettings(start_clock=PATIENCE, play_clock=PATIENCE)
    return Manager(Position("tictactoe").simulator, settings)


def make_peers(allowed: threading.Semaphore) -> list[LocalPeer]:
    return [
        LocalPeer(PlayerAgent(lambda seed: Waiting(allowed), n), f"waiting {n}")
        for n in (1, 2)
    ]


def wait_for_moves(folder: Path, count: int) -> MatchFile:
    """Return the record so far, once it has so many joint moves."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for path in folder.glob(f"*{SUFFIX}"):
            record = read_match(path)
            if len(record.moves) >= count:
                return record
        time.sleep(0.02)
    raise AssertionError(f"no record has {count} moves")


def test_a_match_can_be_read_while_it_is_played(
    tmp_path: Path, manager: Manager, allowed: threading.Semaphore
) -> None:
    played: list[ManagedMatch] = []
    with LiveRecords(tmp_path, "cup") as live:

        def play() -> None:
            observer = live.observer(manager)
            played.append(manager.run(make_peers(allowed), observer=observer))

        thread = threading.Thread(target=play)
        thread.start()
        seen = [wait_for_moves(tmp_path, 0)]
        for count in (1, 2, 3):
            allowed.release()
            seen.append(wait_for_moves(tmp_path, count))
        allowed.release(9)
        thread.join(PATIENCE)
        (match,) = played
        write_match(match, tmp_path)
        live.end(match.match)
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"]
    for count, record in enumerate(seen):
        assert record.moves == match.record.moves[:count]
        assert record.states == tuple(p.facts for p in match.positions[: count + 1])
        assert not record.completed and record.goals == ()
        assert record.players == ("waiting 1", "waiting 2")
        assert record.tournament == "cup"


def test_a_match_that_is_given_up_leaves_no_file(
    tmp_path: Path, manager: Manager, allowed: threading.Semaphore
) -> None:
    with LiveRecords(tmp_path) as live:
        thread = threading.Thread(
            target=manager.run,
            args=(make_peers(allowed),),
            kwargs={"observer": live.observer(manager)},
        )
        thread.start()
        wait_for_moves(tmp_path, 0)
    assert list(tmp_path.iterdir()) == []
    allowed.release(9)
    thread.join(PATIENCE)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_ends_no_match(
    tmp_path: Path,
    manager: Manager,
    allowed: threading.Semaphore,
    caplog: pytest.LogCaptureFixture,
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    matches: list[ManagedMatch] = []
    with LiveRecords(blocked) as live:

        def play() -> None:
            observer = live.observer(manager)
            matches.append(manager.run(make_peers(allowed), observer=observer))

        thread = threading.Thread(target=play)
        thread.start()
        end = time.monotonic() + PATIENCE
        while "cannot be watched" not in caplog.text and time.monotonic() < end:
            time.sleep(0.02)
        allowed.release(9)
        thread.join(PATIENCE)
    assert matches[0].record.complete
    assert "cannot be watched" in caplog.text
