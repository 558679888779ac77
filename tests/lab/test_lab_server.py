"""Hostile requests: other origins, paths, markup in names, size, nonsense, silence."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lab.running import EVIL_RULES, MARKUP, Client, RunningLab, run_lab
from tests.marks import mark_slow
from websockets.exceptions import ConnectionClosed, InvalidStatus

from gamelore.lab import connection, runs, server, tournaments
from gamelore.lab.access import COOKIE, HEADERS
from gamelore.lab.connection import LARGEST_FRAME, MOST_MISTAKES

# ── who may come in ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", None, "http://127.0.0.1:1"]
)
def test_sockets_of_other_pages_are_refused(
    lab: RunningLab, origin: str | None
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        lab.open_socket(origin=origin)
    assert refused.value.response.status_code == 403


def test_rebound_names_are_refused(lab: RunningLab) -> None:
    assert lab.get("/", host="evil.example").status == 421
    with pytest.raises(InvalidStatus):
        lab.open_socket(origin="http://evil.example", host="evil.example")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_is_written_by_http(lab: RunningLab, method: str) -> None:
    assert lab.get("/", method).status == 405


def test_every_answer_has_its_headers(lab: RunningLab) -> None:
    for path in ("/", "/static/js/main.js", "/schema.json", "/nowhere"):
        answer = lab.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2fserver.py",
        "/static//etc/passwd",
        "/static/js/../../server.py",
        "/static/",
        "/..",
    ],
)
def test_only_files_of_the_page_are_served(lab: RunningLab, path: str) -> None:
    assert lab.get(path).status == 404


def test_a_token_is_asked_for(tmp_path: Path) -> None:
    with run_lab(tmp_path, token="secret") as running:
        assert running.get("/").status == 401
        assert running.get("/?token=wrong").status == 401
        answer = running.get("/?token=secret")
        cookie = answer.headers["set-cookie"]
        assert answer.status == 303 and answer.headers["location"] == "/"
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie
        assert running.get("/", cookie=f"{COOKIE}=secret").status == 200
        with pytest.raises(InvalidStatus):
            running.open_socket()
        with running.open_socket(cookie=f"{COOKIE}=secret") as socket:
            assert json.loads(socket.recv())["type"] == "Welcome"


# ── what they may say ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "path", ["../x.kif", "/etc/passwd", "a/../../x.kif", ".hidden.kif", "x.txt", ""]
)
def test_paths_stay_inside(lab: RunningLab, path: str) -> None:
    with lab.client() as client:
        assert client.ask("ReadFile", path=path)["type"] == "Failure"
        saved = client.ask("SaveFile", path=path, text="(role x)", version=None)
        assert saved["type"] == "Failure"
        shown = client.ask("ShowPosition", place={"game": f"file:{path}", "moves": []})
        assert shown["type"] == "Failure"


@pytest.mark.parametrize(
    "spec",
    ["os:system", "learned:/etc/passwd", "run:../x", "run:abc:9", "td", "nobody", ""],
)
def test_players_are_no_way_in(lab: RunningLab, spec: str) -> None:
    with lab.client() as client:
        players = {"x": "person", "o": spec}
        answer = client.ask("OpenMatch", game="tictactoe", players=players)
        assert answer["type"] == "Failure"


def test_markup_in_rules_stays_text(lab: RunningLab) -> None:
    """A game whose every name is markup is drawn without any."""
    with lab.client() as client:
        kept = client.ask("KeepDraft", text=EVIL_RULES, name=MARKUP)
        assert kept["type"] == "GameKept", kept
        view = client.ask("ShowPosition", place={"game": kept["game"], "moves": []})
        assert "<script" not in view["svg"] and "<img" not in view["svg"]
        assert "<style" not in view["svg"]


@settings(deadline=None, max_examples=30)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200),
        st.recursive(
            st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=9)),
            lambda inner: st.one_of(
                st.lists(inner, max_size=3),
                st.dictionaries(
                    st.sampled_from(["type", "id", "place", "game", "x"]), inner
                ),
            ),
        ).map(json.dumps),
    )
)
def test_nonsense_is_answered(lab: RunningLab, frame: str | bytes) -> None:
    with lab.client() as client:
        client.socket.send(frame)
        assert client.receive()["type"] == "Failure"
        assert client.ask("ListFiles")["type"] == "FileList"


def test_deep_nesting_and_much_nonsense(lab: RunningLab) -> None:
    with lab.client() as client:
        client.socket.send("[" * 100_000)
        assert client.receive()["type"] == "Failure"
        with pytest.raises(ConnectionClosed):
            for _ in range(MOST_MISTAKES + 5):
                client.socket.send("{")
            while True:
                client.receive()


def test_messages_beyond_the_limit_end_the_socket(lab: RunningLab) -> None:
    with lab.client() as client, pytest.raises(ConnectionClosed):
        client.socket.send("x" * (LARGEST_FRAME + 1))
        client.socket.recv()
    with lab.client() as client:
        assert client.ask("CheckDraft", text="x" * 1_000_001)["type"] == "Failure"


# ── many of them ────────────────────────────────────────────────────────────────────


def test_a_hundred_silent_sockets_harm_nobody(lab: RunningLab) -> None:
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(lab.open_socket())
        with lab.client() as client:
            assert client.ask("ListFiles")["type"] == "FileList"


@pytest.mark.parametrize("most", mark_slow([20, 250], {250}))
def test_there_is_a_limit_of_sockets(
    lab: RunningLab, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(server, "MOST_SOCKETS", most)
    with ExitStack() as stack, pytest.raises(InvalidStatus):
        for _ in range(most + 1):
            stack.enter_context(lab.open_socket())
    with lab.client() as client:
        assert client.ask("ListFiles")["type"] == "FileList"


def test_too_many_requests_at_once_are_refused(lab: RunningLab) -> None:
    with lab.client() as client:
        numbers = [
            client.send("AskHint", place={"game": "tictactoe", "moves": []})
            for _ in range(40)
        ]
        answers = _collect(client, numbers)
        refused = [one for one in answers if one["type"] == "Failure"]
        assert refused and all("at once" in one["message"] for one in refused)


def _collect(client: Client, numbers: list[int]) -> list[dict[str, Any]]:
    left = set(numbers)
    answers = []
    while left:
        event = client.receive()
        if event.get("re") in left:
            left.discard(event["re"])
            answers.append(event)
    return answers


def test_what_takes_too_long_is_ended(
    lab: RunningLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.05)
    with lab.client() as client:
        place = {"game": "connect-four", "moves": []}  # not solved that soon
        number = client.send("Analyse", place=place, seconds=600)
        answer = client.wait_for(
            lambda event: event.get("re") == number and event["type"] == "Failure"
        )
        assert answer["message"] == "that took too long"


@pytest.mark.parametrize(
    ("module", "limit", "said"),
    [
        (runs, "MOST_RUNS", "remove some"),
        (runs, "MOST_RUNNING", "pause one"),
        (tournaments, "MOST_AT_ONCE", "wait for one"),
    ],
)
def test_there_is_a_limit_of_runs_and_tournaments(
    lab: RunningLab,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    limit: str,
    said: str,
) -> None:
    monkeypatch.setattr(module, limit, 0)
    with lab.client() as client:
        if module is runs:
            refused = client.ask("StartRun", game="tictactoe")
        else:
            agents = ["random", "level-1"]
            refused = client.ask("StartTournament", game="tictactoe", agents=agents)
        assert refused["type"] == "Failure" and said in refused["message"]
