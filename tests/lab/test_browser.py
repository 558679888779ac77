"""The page in a real browser: whole games by clicks, analysis, keys, axe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.lab.browsing import (
    PHONE,
    WIDE,
    begin,
    click_until_over,
    count_moves,
    needs_chromium,
    set_hidden,
    wait_for_moves,
)
from tests.lab.running import RunningLab

from gamelore.ggp.match_record import read_match

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

pytestmark = needs_chromium


# ── playing ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("page", [WIDE, PHONE], indirect=True, ids=["wide", "phone"])
@pytest.mark.parametrize("game", ["tictactoe", "connect-four"])
def test_a_whole_game_by_clicks(page: Any, game: str) -> None:
    begin(page, game, "person", "random")
    assert click_until_over(page) >= 3
    assert "over" in page.get_attribute(".result", "class")
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert width <= 0, "nothing sticks out to the right"


def test_pieces_are_moved_from_cell_to_cell(page: Any) -> None:
    begin(page, "breakthrough-6x6", "person", "person")
    page.locator(".board .live").first.click()
    page.locator(".board .target").first.click()
    page.wait_for_selector(".ply-button")
    assert count_moves(page) == 1


def test_clock_hint_take_back_sides_and_a_new_match(page: Any) -> None:
    begin(page, "tictactoe", "person", "random", clock="120")
    page.wait_for_selector('.person[data-role="x"] .clock:text-matches("^[12]:[0-9]")')
    page.keyboard.press("h")
    page.wait_for_selector(".hint-ring")
    page.locator(".board .live").nth(4).click()
    wait_for_moves(page, 2)
    page.click("text=Take back")
    page.wait_for_selector("text=no move yet")
    page.click("text=Switch sides")
    page.wait_for_selector('.person[data-role="o"]:has-text("you")')
    wait_for_moves(page, 1)
    match = page.url
    page.click("text=New match")
    page.wait_for_function("match => location.href !== match", arg=match)
    page.wait_for_selector('.person[data-role="o"]:has-text("you")')


def test_a_clock_that_runs_out_is_seen(page: Any) -> None:
    begin(page, "tictactoe", "person", "person", clock="5")
    page.wait_for_selector("text=/x: .*; a random move was made/")
    assert count_moves(page) == 1


# ── analysis ────────────────────────────────────────────────────────────────────────


def test_analyse_and_step(page: Any) -> None:
    begin(page, "tictactoe", "person", "person")
    for cell in ("1 1", "2 1", "1 2", "2 2", "3 3", "2 3"):
        steps = count_moves(page)
        page.click(f'[data-cell="{cell}"].live')
        wait_for_moves(page, steps + 1)
    page.wait_for_selector(".result.over")
    page.keyboard.press("a")
    page.wait_for_selector(".graph .curve")
    page.wait_for_selector(".ply-button .sign.blunder")
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".candidate")
    page.wait_for_selector('.eval[aria-valuenow="100"]')
    assert page.inner_text(".candidates tbody tr >> nth=0").startswith("mark 1 3")
    page.hover(".candidates tbody tr >> nth=0")
    page.wait_for_selector(".ply")
    page.click(".candidates .pv.first >> nth=0")
    page.wait_for_selector('.ply-button[aria-current]:has-text("mark 1 3")')
    page.click("text=Back to the match")
    page.wait_for_selector('.ply-button:has-text("mark 3 3")')
    page.locator(".graph svg").click(position={"x": 20, "y": 20})
    page.wait_for_selector('.graph[aria-valuenow="0"]')
    page.keyboard.press("a")
    page.wait_for_selector(".result.over")


def test_a_search_goes_deeper_and_stops_when_nobody_looks(
    page: Any, lab: RunningLab
) -> None:
    asked: list[dict[str, Any]] = []
    page.on(
        "websocket",
        lambda socket: socket.on(
            "framesent", lambda frame: asked.append(json.loads(frame))
        ),
    )
    moves = [[f"(drop {column})"] for column in (4, 4, 4)]  # is not solved soon
    place = quote(json.dumps(moves))
    page.goto(f"{lab.address}#/position/connect-four/{place}")
    page.reload()
    page.wait_for_selector(".candidates tbody tr")
    page.click("text=Deeper")
    page.wait_for_selector('.search-head:has-text("searching")')
    searches = [one for one in asked if one["type"] == "Analyse"]
    assert [one["seconds"] for one in searches] == [6, 60]
    review = "document.querySelector('.analysis > .row button').click();"
    set_hidden(page, True, review)
    page.wait_for_selector('.search-head:has-text("stopped")')
    kinds = [one["type"] for one in asked]
    assert kinds[-3:] == ["Review", "StopReview", "StopAnalysis"]
    set_hidden(page, False)
    page.wait_for_selector(".graph .curve")
    page.click("text=Deeper")
    page.wait_for_selector('.search-head:has-text("searching")')
    page.click("nav >> text=Write")
    page.wait_for_selector(".cm-content")
    kinds = [one["type"] for one in asked]
    assert "StopAnalysis" in kinds[len(kinds) - kinds[::-1].index("Analyse") :]


def test_a_link_leads_to_a_position(page: Any, lab: RunningLab) -> None:
    moves = "%5B%5B%22(mark%202%202)%22%2C%22noop%22%5D%5D"
    page.goto(f"{lab.address}#/position/tictactoe/{moves}")
    page.wait_for_selector('.ply-button:has-text("mark 2 2")')
    page.wait_for_selector(".candidates tbody tr")


def test_a_match_is_exported_and_imported(page: Any, tmp_path: Path) -> None:
    begin(page, "tictactoe", "person", "person")
    page.click('[data-cell="2 2"].live')
    page.wait_for_selector(".ply-button")
    with page.expect_download() as saved:
        page.click("text=Export")
    saved.value.save_as(tmp_path / "match.json")
    assert len(read_match(tmp_path / "match.json").moves) == 1
    page.click("nav >> text=Play")
    with page.expect_file_chooser() as chooser:
        page.click("text=Import a match record")
    chooser.value.set_files(tmp_path / "match.json")
    page.wait_for_selector('.ply-button:has-text("mark 2 2")')


# ── for everybody ───────────────────────────────────────────────────────────────────


def test_by_keyboard_alone(page: Any) -> None:
    page.focus("#search")
    page.keyboard.type("tictactoe")
    page.focus("#player-1")
    page.keyboard.type("You")
    page.focus("#player-0")
    page.keyboard.type("You")
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "submit":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector(".match .board .live")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("'cell' in document.activeElement.dataset"):
            break
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    cell = page.evaluate("document.activeElement.dataset.cell")
    page.keyboard.press("Enter")
    page.wait_for_selector(f'.ply-button:has-text("{cell}")')
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    assert page.evaluate("'cell' in document.activeElement.dataset")
    page.keyboard.press("u")
    page.wait_for_selector("text=no move yet")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_serious_finding_of_axe(page: Any, theme: str, lab: RunningLab) -> None:
    page.emulate_media(color_scheme=theme)
    checker = axe.Axe()
    found = []
    for address, ready in (
        ("#/play", ".setup-form select"),
        ("#/position/tictactoe", ".candidates tbody tr"),
        ("#/watch", ".setup-form select"),
        ("#/learn", "#run-game"),
        ("#/transfer", "#target"),
        ("#/write", ".figures b"),
    ):
        page.goto(f"{lab.address}{address}")
        page.wait_for_selector(ready)
        results = checker.run(page)
        for one in results.response["violations"]:
            if one["impact"] in ("serious", "critical"):
                where = [node["html"][:200] for node in one["nodes"][:3]]
                found.append((address, one["id"], where))
    assert found == []


def test_nothing_is_loaded_from_elsewhere(page: Any, lab: RunningLab) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{lab.address}?again#/write")
    page.wait_for_selector(".cm-content")
    own = (lab.address, f"ws://{lab.host}/", "blob:", "data:")
    assert asked and all(url.startswith(own) for url in asked)
