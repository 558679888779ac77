"""Matches in the lab: whole games, take backs, sides, clocks, late clicks."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

import pytest
from tests.lab.running import Client, RunningLab

State = dict[str, Any]


def begin(client: Client, game: str, players: dict[str, str], **more: Any) -> str:
    """Open a match and follow it; return its id."""
    opened = client.ask("OpenMatch", game=game, players=players, seed=1, **more)
    assert opened["type"] == "MatchOpened", opened
    client.send("FollowMatch", match=opened["match"])
    return str(opened["match"])


def play(client: Client, match: str, role: str, move: str, step: int) -> State:
    return client.ask("PlayMove", match=match, role=role, move=move, step=step)


def person_to_move(role: str) -> Any:
    return lambda state: role in state["view"]["choosing"] and not state["thinking"]


def test_a_whole_match_against_an_agent(lab: RunningLab) -> None:
    with lab.client() as client:
        match = begin(client, "tictactoe", {"x": "person", "o": "random"})
        state = client.state(person_to_move("x"))
        while not state["view"]["terminal"]:
            choice = state["view"]["legal"]["x"][0]
            assert choice["cells"], "a mark is about a cell"
            step = len(state["moves"])
            client.send(
                "PlayMove", match=match, role="x", move=choice["move"], step=step
            )

            def goes_on(now: State, before: int = step) -> bool:
                view = now["view"]
                mine = len(view["legal"].get("x", [])) > 0 and not now["thinking"]
                return len(now["moves"]) > before and (view["terminal"] or mine)

            state = client.state(goes_on)
        assert set(state["view"]["goals"]) == {"x", "o"}
        assert len(state["labels"]) == len(state["moves"])


def test_two_persons_take_back_and_move_again(lab: RunningLab) -> None:
    with lab.client() as client:
        match = begin(client, "tictactoe", {"x": "person", "o": "person"})
        play(client, match, "x", "(mark 2 2)", 0)
        play(client, match, "o", "(mark 1 1)", 1)
        client.send("TakeBack", match=match)
        state = client.state(lambda state: len(state["moves"]) == 1)
        assert state["view"]["choosing"] == ["o"]
        client.send("TakeBack", match=match)
        client.state(lambda state: not state["moves"])
        answer = client.ask("TakeBack", match=match)
        assert answer["type"] == "Failure" and "take back" in answer["message"]


@pytest.mark.parametrize(
    ("role", "move", "step", "said"),
    [
        ("x", "(mark 9 9)", 0, "not legal"),
        ("x", "(mark 1 1)", 3, "gone on"),
        ("o", "(mark 1 1)", 0, "not played by a person"),
        ("x", "(mark", 0, ""),
    ],
)
def test_wrong_moves_are_refused(
    lab: RunningLab, role: str, move: str, step: int, said: str
) -> None:
    with lab.client() as client:
        match = begin(client, "tictactoe", {"x": "person", "o": "random"})
        answer = play(client, match, role, move, step)
        assert answer["type"] == "Failure" and said in answer["message"]


def test_sides_are_switched(lab: RunningLab) -> None:
    with lab.client() as client:
        match = begin(client, "tictactoe", {"x": "person", "o": "random"})
        client.send("SwitchSides", match=match)
        state = client.state(lambda state: len(state["moves"]) == 1)
        assert state["players"] == {"x": "random", "o": "person"}


def test_a_clock_that_runs_out_moves_at_random(lab: RunningLab) -> None:
    with lab.client() as client:
        players = {"x": "person", "o": "person"}
        begin(client, "tictactoe", players, seconds=0.05)
        state = client.state(lambda state: len(state["moves"]) >= 1)
        assert state["faults"][0]["role"] == "x"


def test_simultaneous_moves_wait_for_both(lab: RunningLab) -> None:
    with lab.client() as client:
        first = client.ask(
            "ShowPosition", place={"game": "rock-paper-scissors", "moves": []}
        )
        one, two = first["choosing"]
        match = begin(client, "rock-paper-scissors", {one: "person", two: "person"})
        moves = [first["legal"][role][0]["move"] for role in (one, two)]
        assert play(client, match, one, moves[0], 0)["type"] == "Done"
        client.send("PlayMove", match=match, role=two, move=moves[1], step=0)
        assert client.state(lambda state: len(state["moves"]) == 1)


def test_agents_wait_until_somebody_looks(lab: RunningLab) -> None:
    with lab.client() as client:
        players = {"x": "random", "o": "random"}
        opened = client.ask("OpenMatch", game="tictactoe", players=players)
        listed = client.ask("ListMatches")["matches"]
        mine = next(one for one in listed if one["match"] == opened["match"])
        assert mine["moves"] == 0
        client.send("FollowMatch", match=opened["match"])
        state = client.state(lambda state: state["view"]["terminal"])
        assert len(state["moves"]) >= 5


def test_fifty_pages_see_the_same_match(lab: RunningLab) -> None:
    with lab.client() as player:
        match = begin(player, "tictactoe", {"x": "person", "o": "person"})
        with ExitStack() as stack:
            watchers = [
                Client(stack.enter_context(lab.open_socket())) for _ in range(50)
            ]
            for watcher in watchers:
                watcher.send("FollowMatch", match=match)
            play(player, match, "x", "(mark 2 2)", 0)
            for watcher in watchers:
                state = watcher.state(lambda state: len(state["moves"]) == 1)
                assert state["labels"] == [["mark 2 2"]]


def test_a_match_begins_where_it_is_told(lab: RunningLab) -> None:
    with lab.client() as client:
        players = {"x": "person", "o": "person"}
        moves = [["(mark 2 2)"], ["noop", "(mark 1 1)"]]
        begin(client, "tictactoe", players, moves=moves)
        state = client.state(lambda state: True)
        assert state["moves"][0] == ["(mark 2 2)", "noop"]
        wrong = client.ask(
            "OpenMatch", game="tictactoe", players=players, moves=[["(mark 9 9)"]]
        )
        assert wrong["type"] == "Failure"


def test_records_go_out_and_come_back(lab: RunningLab) -> None:
    place = {"game": "tictactoe", "moves": [["(mark 2 2)"], ["(mark 1 1)"]]}
    with lab.client() as client:
        record = client.ask("ExportRecord", place=place, players=["ann", "bob"])
        again = client.ask("ImportRecord", text=record["text"])
        assert again["place"]["game"] == "tictactoe"
        assert again["place"]["moves"][0] == ["(mark 2 2)", "noop"]
        assert again["players"] == {"x": "ann", "o": "bob"}
        folder = lab.lab.workspace.matches
        (folder / "one.json").write_text(record["text"])
        (folder / "none.json").write_text("{}")
        listed = client.ask("ListMatches")
        found = [one["path"] for group in listed["groups"] for one in group["records"]]
        assert "matches/one.json" in found
        assert listed["left_out"] == 1
        opened = client.ask("FollowRecord", path="matches/one.json")
        assert opened["place"] == again["place"]
        assert client.ask("ImportRecord", text="{}")["type"] == "Failure"


def test_a_tournament_is_played_without_anybody_watching(lab: RunningLab) -> None:
    with lab.client() as client:
        started = client.ask(
            "StartTournament",
            game="tictactoe",
            agents=["random", "novice", "level-1"],
        )
        assert started["type"] == "TournamentStarted", started
        while True:
            listed = client.ask("ListMatches")
            mine = listed["tournaments"][0]
            if not mine["running"]:
                break
            time.sleep(0.1)
        assert mine["played"] == mine["matches"] == 6 and mine["message"] == ""
        group = next(g for g in listed["groups"] if started["name"] in g["folder"])
        assert len(group["records"]) == 6 and len(group["standings"]) == 3
        for agents in ([], ["random"], ["random", "random"], ["person", "random"]):
            answer = client.ask("StartTournament", game="tictactoe", agents=agents)
            assert answer["type"] == "Failure"
            assert "agents" in answer["message"], "the way out"
        stopped = client.ask("StopTournament", name=started["name"])
        assert stopped["type"] == "Failure"
