"""Searches for pages: reports, lines of play, mistakes, and that they stop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.lab.running import RunningLab

from gamelore.errors import GameloreError
from gamelore.lab import desk as desks
from gamelore.lab.analyses import Spot, find_hint, review_match, search_position
from gamelore.lab.desk import Desk
from gamelore.lab.events import Event as LabEvent
from gamelore.lab.requests import Analyse, Place, StopAnalysis
from gamelore.lab.shared import MOST_SEARCHES, Lab
from gamelore.lab.shelf import GameShelf, LabGame, complete_joint
from gamelore.lab.workspace import Workspace

ONE_MOVE_WINS = [["(mark 1 1)"], ["(mark 2 1)"], ["(mark 1 2)"], ["(mark 2 2)"]]


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> LabGame:
    workspace = Workspace(tmp_path_factory.mktemp("shelf"))
    workspace.create()
    return GameShelf(workspace).prepare("tictactoe")


def spot(game: LabGame, moves: list[list[str]]) -> Spot:
    positions = game.locate(Place("tictactoe", moves))
    return Spot(game, positions[-1], len(moves))


def test_reports_grow_until_the_last(game: LabGame) -> None:
    reports = list(search_position(spot(game, []), 1.0, 3, Event()))
    assert [report.over for report in reports][-1] is True
    assert not any(report.over for report in reports[:-1])
    counts = [report.playouts for report in reports]
    assert counts == sorted(counts)
    best = reports[-1].candidates[0]
    assert len(best.line) == len(best.labels) == len(best.spots) > 1
    assert best.cells == [best.spot]


def test_a_win_is_found_and_proven(game: LabGame) -> None:
    *_, report = search_position(spot(game, ONE_MOVE_WINS), 5.0, 3, Event())
    assert report.solved and report.value == 100 and report.first == 100
    assert report.candidates[0].label == "mark 1 3"
    assert find_hint(spot(game, ONE_MOVE_WINS)).label == "mark 1 3"


def test_the_first_player_is_the_point_of_view(game: LabGame) -> None:
    *_, report = search_position(
        spot(game, [*ONE_MOVE_WINS[:2], ["(mark 3 3)"]]), 5.0, 3, Event()
    )
    assert report.role == "o" and report.first == 100 - report.value


def test_a_search_stops_when_it_is_told(game: LabGame) -> None:
    stopped = Event()
    reports = search_position(spot(game, []), 600.0, 3, stopped)
    stopped.set()
    assert list(reports) == []


def test_a_blunder_is_marked(game: LabGame) -> None:
    """Not to take the win, and to let the other win, is a blunder."""
    moves = [*ONE_MOVE_WINS, ["(mark 3 3)"], ["(mark 2 3)"]]
    place = Place("tictactoe", moves)
    points = {one.step: one for one in review_match(game, place, 2000, Event())}
    assert points[4].mistake == "blunder" and points[4].best == "mark 1 3"
    assert points[6].first == 0
    assert points[0].mistake == ""


def test_places_that_cannot_be_are_refused(game: LabGame) -> None:
    position = game.locate(Place("tictactoe", []))[0]
    assert len(complete_joint(position, ["(mark 1 1)"])) == 2
    for wrong in (["(mark 9 9)"], ["noop", "noop"], [], ["a", "b", "c"]):
        with pytest.raises(GameloreError):
            complete_joint(position, wrong)


def test_goals_that_add_up(game: LabGame, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.create()
    assert game.goal_sum == 100
    assert GameShelf(workspace).prepare("peg-solitaire").goal_sum is None


def test_another_analysis_ends_the_first(lab: RunningLab) -> None:
    place = {"game": "connect-four", "moves": []}
    with lab.client() as client:
        first = client.send("Analyse", place=place, seconds=600)
        client.wait_for(lambda event: event.get("re") == first)
        second = client.ask("Analyse", place=place, seconds=600)
        assert second["type"] == "AnalysisReport"
        assert client.ask("StopAnalysis")["type"] == "Done"
        # both threads are free again: so many searches in a row could not run else
        for _ in range(5):
            assert client.ask("AskHint", place=place)["type"] == "Hint"


def test_searches_end_with_their_pages(lab: RunningLab) -> None:
    """More searches than there can be at once have begun, and none holds up others."""
    place = {"game": "connect-four", "moves": []}
    for _ in range(MOST_SEARCHES + 1):
        with lab.client() as client:
            assert client.ask("Analyse", place=place, seconds=600)["re"] == 1
    with lab.client() as client:
        assert client.ask("AskHint", place=place)["type"] == "Hint"


class _Silent:
    """A page that nobody reads."""

    def send(self, event: LabEvent) -> None:
        pass

    def push(self, content: bytes, slot: str) -> None:
        pass


@pytest.mark.parametrize("then", [StopAnalysis, Analyse])
def test_a_search_that_is_not_wanted_any_more_never_begins(
    game: LabGame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: type
) -> None:
    """It was asked for, but what is to be searched was still being prepared."""
    first, second = Place("tictactoe", []), Place("tictactoe", [["(mark 1 1)"]])
    searched = []

    def search(spot: Spot, *more: Any) -> Iterator[LabEvent]:
        searched.append(spot.step)
        return iter(())

    monkeypatch.setattr(desks, "search_position", search)

    async def play() -> None:
        lab = Lab(Workspace(tmp_path))
        desk = Desk(lab, _Silent())
        prepared = asyncio.Event()

        async def locate(place: Place) -> tuple[LabGame, list[Any]]:
            if place is first:
                await prepared.wait()
            return game, game.locate(place)

        monkeypatch.setattr(desk, "_locate", locate)
        begun = asyncio.create_task(desk.handle(Analyse(place=first)))
        await asyncio.sleep(0)
        if then is Analyse:
            await desk.handle(Analyse(place=second))
        else:
            await desk.handle(StopAnalysis())
        prepared.set()
        await begun
        await lab.close()

    asyncio.run(play())
    assert searched == ([1] if then is Analyse else [])


def test_a_review_is_stopped(lab: RunningLab) -> None:
    moves = [[f"(drop {column})"] for column in (4, 4, 4, 3, 3, 5, 5, 2, 6, 1)]
    place = {"game": "connect-four", "moves": moves}
    with lab.client() as client:
        number = client.send("Review", place=place, playouts=50_000)
        client.send("StopReview")
        client.wait_for(lambda event: event["type"] == "ReviewEnd")
        found = [one for one in client.seen if one["type"] == "ReviewPoint"]
        assert len(found) < len(moves) and all(one["re"] == number for one in found)
