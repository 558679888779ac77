"""Tournaments under way: in order, side by side, interrupted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from threading import Event, Lock
from typing import Any

import pytest

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.engine import simulator
from gamelore.errors import GameloreError, StuckError, TournamentError
from gamelore.games import load
from gamelore.ggp.manager.peers import LocalPeer
from gamelore.ggp.match_record import read_match
from gamelore.ggp.tournament.config import Tournament, make_tournament
from gamelore.ggp.tournament.folder import TournamentFolder
from gamelore.ggp.tournament.runner import TournamentRunner, play_fixtures
from gamelore.ggp.tournament.schedule import Fixture, schedule


def tournament(tmp_path: Path, players: int = 3, **values: Any) -> Tournament:
    names = {f"p{n}": "random" for n in range(players)}
    games = {"games": ["tictactoe"], "players": names}
    return make_tournament({**games, **values}, tmp_path / "cup.toml")


class FakeRunner:
    """Notes who plays at the same time; the first matches last until so many do."""

    def __init__(self, at_once: int = 1) -> None:
        self.at_once = at_once
        self.played: list[Fixture] = []
        self.most = 0
        self._playing: Counter[str] = Counter()
        self._running = 0
        self._lock = Lock()
        self._all_play = Event()

    def play(self, fixture: Fixture, halt: Event) -> None:
        with self._lock:
            self._running += 1
            self.most = max(self.most, self._running)
            self._playing.update(fixture.players)
            assert max(self._playing.values()) == 1, "somebody plays two matches"
            if self._running == self.at_once:
                self._all_play.set()
        assert self._all_play.wait(60)
        with self._lock:
            self._running -= 1
            self._playing.subtract(fixture.players)
            self.played.append(fixture)


def test_one_at_a_time_is_in_order(tmp_path: Path) -> None:
    fixtures = schedule(tournament(tmp_path, repeats=3))
    runner, heard = FakeRunner(), list[Fixture]()
    assert play_fixtures(fixtures, runner.play, 1, heard.append) == {}
    assert runner.played == heard == [*fixtures]


@pytest.mark.parametrize(("players", "at_once", "most"), [(6, 3, 3), (4, 8, 2)])
def test_side_by_side_nobody_plays_twice(
    tmp_path: Path, players: int, at_once: int, most: int
) -> None:
    fixtures = schedule(tournament(tmp_path, players, repeats=3))
    runner, heard = FakeRunner(most), list[Fixture]()
    assert play_fixtures(fixtures, runner.play, at_once, heard.append) == {}
    assert Counter(runner.played) == Counter(heard) == Counter(fixtures)
    assert runner.most == most


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_stuck_match_does_not_keep_the_others(tmp_path: Path, at_once: int) -> None:
    fixtures = schedule(tournament(tmp_path, 4))
    runner = FakeRunner()

    def play(fixture: Fixture, halt: Event) -> None:
        if fixture.players == ("p1", "p2"):
            raise StuckError("p1 has no legal move")
        runner.play(fixture, halt)

    stuck = play_fixtures(fixtures, play, at_once)
    assert [fixture.players for fixture in stuck] == [("p1", "p2")]
    assert len(runner.played) == len(fixtures) - 1


@pytest.mark.parametrize("at_once", [1, 2])
@pytest.mark.parametrize("error", [TournamentError, KeyboardInterrupt])
def test_other_errors_end_it(
    tmp_path: Path, at_once: int, error: type[BaseException]
) -> None:
    fixtures = schedule(tournament(tmp_path, 4))
    runner = FakeRunner()

    def play(fixture: Fixture, halt: Event) -> None:
        if len(runner.played) >= 3:
            raise error("enough")
        runner.play(fixture, halt)

    with pytest.raises(error):
        play_fixtures(fixtures, play, at_once)
    assert 3 <= len(runner.played) < 3 + at_once


def test_an_interrupt_gives_up_what_is_under_way(tmp_path: Path) -> None:
    fixtures = schedule(tournament(tmp_path, 4))
    under_way = Event()
    given_up = []

    def play(fixture: Fixture, halt: Event) -> None:
        if fixture == fixtures[0]:
            assert under_way.wait(60)
            raise KeyboardInterrupt
        under_way.set()
        if halt.wait(60):
            given_up.append(fixture)

    with pytest.raises(KeyboardInterrupt):
        play_fixtures(fixtures, play, at_once=2)
    assert len(given_up) == 1


def make_runner(cup: Tournament) -> TournamentRunner:
    peers = {
        each.name: LocalPeer(PlayerAgent(PLAYERS[each.spec], n), each.name)
        for n, each in enumerate(cup.competitors)
    }
    simulators = {
        each.name: simulator(each.game, "interpreter") for each in cup.disciplines
    }
    return TournamentRunner(TournamentFolder(cup), simulators, peers)


def test_matches_are_kept_as_they_end(tmp_path: Path) -> None:
    cup = tournament(tmp_path, games=["nim", "trio"], repeats=2, scramble=True)
    fixtures = schedule(cup)
    folder = TournamentFolder(cup)
    with folder.opened():
        play_fixtures(fixtures, make_runner(cup).play, at_once=3)
        results = folder.results(fixtures)
    assert [*results] == [*fixtures]
    for fixture, result in results.items():
        record = read_match(folder.matches / f"{fixture.id}.json")
        assert record.players == fixture.players == result.players
        assert record.goals == result.goals
        assert record.tournament == "cup" and record.scrambled
        assert record.details is not None and record.details.seed == fixture.seed


def test_chance_is_no_player_of_the_result(tmp_path: Path) -> None:
    cup = tournament(tmp_path, players=2, games=["pig"])
    assert "random" in load("pig").roles
    folder, fixtures = TournamentFolder(cup), schedule(cup)
    with folder.opened():
        play_fixtures(fixtures, make_runner(cup).play)
        results = folder.results(fixtures)
    assert all({*each.goals} == {0, 100} for each in results.values())
    assert {each.players for each in results.values()} == {("p0", "p1"), ("p1", "p0")}


def test_a_match_is_given_up_at_its_next_move(tmp_path: Path) -> None:
    cup = tournament(tmp_path)
    halt = Event()
    halt.set()
    fixture = schedule(cup)[0]
    with pytest.raises(GameloreError, match="given up"):
        make_runner(cup).play(fixture, halt)
    assert not TournamentFolder(cup).results([fixture])


def test_a_match_cut_short_has_no_goals(tmp_path: Path) -> None:
    cup = tournament(tmp_path, move_limit=2)
    folder, fixture = TournamentFolder(cup), schedule(cup)[0]
    with folder.opened():
        play_fixtures([fixture], make_runner(cup).play)
        assert folder.results([fixture])[fixture].goals == (None, None)
