"""One schema: what the server understands is what the page says."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import msgspec

from gamelore.lab import events, requests
from gamelore.lab.desk import Desk
from gamelore.lab.schema import make_schema
from gamelore.lab.server import STATIC

SCHEMA: dict[str, Any] = json.loads(make_schema())
SCRIPTS = {path.name: path.read_text("utf-8") for path in (STATIC / "js").glob("*.js")}


def test_every_message_is_in_the_schema() -> None:
    assert SCHEMA["requests"] == [r.__name__ for r in get_args(requests.AnyRequest)]
    assert SCHEMA["events"] == [e.__name__ for e in get_args(events.AnyEvent)]
    for name in (*SCHEMA["requests"], *SCHEMA["events"]):
        assert SCHEMA["components"][name]["properties"]["type"] == {"enum": [name]}


def test_every_request_is_carried_out() -> None:
    desk = Desk(None, None)  # type: ignore[arg-type]
    assert desk._handlers.keys() == {*get_args(requests.AnyRequest)}


def test_the_page_says_what_the_schema_has() -> None:
    asked = re.compile(r'\b(?:ask|stream|post)\(\s*"(\w+)"(?:,\s*\{([^}]*)\})?')
    found = {
        name: match[1]
        for name, text in SCRIPTS.items()
        for match in asked.finditer(text)
    }
    assert found and set(found.values()) <= set(SCHEMA["requests"])
    said = {kind for text in SCRIPTS.values() for kind in asked.findall(text)}
    assert {kind for kind, _ in said} == set(SCHEMA["requests"]) - {"ListFiles"}


def test_the_page_hears_what_the_schema_has() -> None:
    heard = re.compile(r"\b([A-Z]\w+): \(\{ detail")
    kinds = {kind for text in SCRIPTS.values() for kind in heard.findall(text)}
    assert kinds and kinds <= set(SCHEMA["events"])


def test_messages_read_back() -> None:
    place = requests.Place("tictactoe", [["(mark 1 1)", "noop"]])
    for message in (requests.Analyse(place=place, id=3), requests.ListMatches()):
        again = msgspec.json.decode(
            msgspec.json.encode(message), type=requests.AnyRequest
        )
        assert again == message


def test_nothing_is_inline_or_from_elsewhere() -> None:
    page = (STATIC / "index.html").read_text("utf-8")
    assert not re.search(r"<style|<script(?![^>]*src=)|\son\w+=|style=", page)
    for name, text in {**SCRIPTS, "index.html": page}.items():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|eval\(", text), (
            name
        )
        hosts = set(re.findall(r"https?://([\w.]+)", text))
        assert hosts <= {"www.w3.org"}, name


def test_the_page_is_light() -> None:
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 1_000_000
    vendored = STATIC / "vendor" / "codemirror.js"
    assert vendored.stat().st_size < 600_000
    assert (STATIC / "vendor" / "LICENSE.txt").exists()
