"""The page in a real browser: whole games by clicks, analysis, runs, rules, keys.

They drive Chromium, where it is found; `$GAMELORE_CHROMIUM` names another one.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab.running import EVIL_RULES, MARKUP, RunningLab

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.ggp.live_record import SUFFIX as LIVE
from gamelore.ggp.manager.manager import run_match
from gamelore.ggp.manager.peers import LocalPeer
from gamelore.ggp.match_record import MatchFile, read_match, write_match

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

CHROMIUM = os.environ.get("GAMELORE_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
WIDE = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
PATIENCE = 90_000
"""Milliseconds: on a busy machine, kernels and processes take long to load."""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any, lab: RunningLab, request: Any) -> Iterator[Any]:
    """A page of the lab; whatever goes wrong in it fails the test."""
    size = getattr(request, "param", WIDE)
    context = browser.new_context(viewport=size)
    context.set_default_timeout(PATIENCE)
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on(
        "console",
        lambda message: (
            faults.append(message.text) if message.type == "error" else None
        ),
    )
    opened.goto(lab.address)
    opened.wait_for_selector(".board svg")
    yield opened
    context.close()
    assert faults == []


def begin(page: Any, game: str, *players: str) -> None:
    """Choose a game and who plays, and start the match."""
    page.fill("#search", game)
    page.click(f'[data-game="{game}"]')
    page.wait_for_function(
        "game => document.querySelector('.chosen h1').textContent === game", arg=game
    )
    for number, player in enumerate(players):
        page.select_option(f"#player-{number}", player)
    page.click("text=Start the match")
    page.wait_for_selector(".match .board svg")


def is_over(page: Any) -> bool:
    return bool(page.query_selector(".result.over"))


def click_until_over(page: Any, most: int = 60) -> int:
    """Click cells that can be clicked, until the match is over; return how many."""
    for clicks in range(most):
        page.wait_for_selector(".board .live, .result.over")
        if is_over(page):
            return clicks
        before = page.locator(".ply-button").count()
        page.locator(".board .live").first.click()
        page.wait_for_function(
            "before => document.querySelectorAll('.ply-button').length > before",
            arg=before,
        )
    raise AssertionError("the match does not end")


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
    assert page.locator(".ply-button").count() == 1


def test_take_back_hint_and_sides(page: Any) -> None:
    begin(page, "tictactoe", "person", "person")
    page.locator(".board .live").nth(4).click()
    page.wait_for_selector(".ply-button")
    page.click("text=Take back")
    page.wait_for_selector("text=no move yet")
    page.keyboard.press("h")
    page.wait_for_selector(".hint-ring")
    page.click("text=Switch sides")


# ── analysis ────────────────────────────────────────────────────────────────────────


def test_analyse_and_step(page: Any) -> None:
    begin(page, "tictactoe", "person", "person")
    for cell in ("1 1", "2 1", "1 2", "2 2", "3 3", "2 3"):
        steps = page.locator(".ply-button").count()
        page.click(f'[data-cell="{cell}"].live')
        page.wait_for_function(
            "n => document.querySelectorAll('.ply-button').length > n", arg=steps
        )
    page.wait_for_selector(".result.over")
    page.keyboard.press("a")
    page.wait_for_selector(".graph .curve")
    page.wait_for_selector(".ply-button .sign.blunder")
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".candidate")
    assert page.inner_text(".candidates tbody tr >> nth=0").startswith("mark 1 3")
    page.hover(".candidates tbody tr >> nth=0")
    page.wait_for_selector(".ply")
    page.click(".candidates .pv.first >> nth=0")
    page.wait_for_selector("text=Back to the match")
    page.click("text=Back to the match")
    page.locator(".graph svg").click(position={"x": 20, "y": 20})
    page.keyboard.press("a")
    page.wait_for_selector(".result.over")


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


# ── watching ──────────────────────────────────────────────────────────────────────────


def test_a_record_of_a_folder_is_opened_from_the_list(
    page: Any, lab: RunningLab
) -> None:
    record = _play(lab.lab.workspace.folder / "matches" / "cup")
    page.click("nav >> text=Watch")
    page.click('section:has-text("Records in matches/cup") >> a')
    page.wait_for_selector(".match .board svg")
    assert page.locator(".ply-button").count() == len(record.moves)
    page.wait_for_selector(".graph .curve")
    page.keyboard.press("End")
    page.wait_for_selector(".result.over")


def test_a_match_of_another_program_is_followed_move_by_move(
    page: Any, lab: RunningLab
) -> None:
    """Its file is written here step by step, as a manager writes it."""
    folder = lab.lab.workspace.folder / "elsewhere"
    whole = replace(_play(folder), match="going-on")
    steps = len(whole.moves)

    def write(count: int) -> Path:
        part = replace(
            whole,
            moves=whole.moves[:count],
            states=whole.states[: count + 1],
            errors=whole.errors[: count + 1],
            times=(time.time_ns() // 1_000_000,) * (count + 1),
            completed=False,
            goals=(),
        )
        return write_match(part, folder, suffix=LIVE)

    path = write(0)
    page.goto(f"{lab.address}#/watch")
    page.click('section:has-text("Matches of other programs") >> a')
    page.wait_for_selector("text=going on in another program")
    assert not page.is_visible(".candidates"), "no search takes the players' time"
    for count in (1, 2):
        write(count)
        page.wait_for_function(
            "n => document.querySelectorAll('.ply-button').length === n", arg=count
        )
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("text=after 1 of 2 moves")
    write(3)
    page.wait_for_selector("text=after 1 of 3 moves")
    page.keyboard.press("End")
    write_match(whole, folder)
    path.unlink()
    page.wait_for_selector(".result.over")
    assert page.locator(".ply-button").count() == steps


def _play(folder: Path) -> MatchFile:
    """Keep the record of a match between random players."""
    agents = [PlayerAgent(PLAYERS["random"], seed) for seed in (1, 2)]
    match = run_match(
        "tictactoe", [LocalPeer(a, f"r{n}") for n, a in enumerate(agents)]
    )
    return read_match(write_match(match, folder))


# ── learning ────────────────────────────────────────────────────────────────────────


def test_a_run_is_started_watched_paused_and_resumed(page: Any) -> None:
    page.click("nav >> text=Learn")
    page.wait_for_selector("#run-game")
    page.select_option("#run-game", "tictactoe")
    page.fill("#option-matches", "9000000")
    page.fill("#option-alpha", "7")
    page.click("text=Start training")
    page.wait_for_selector("#option-alpha-wrong:visible")
    page.fill("#option-alpha", "")
    page.click("text=Start training")
    page.wait_for_selector('.run[data-status="running"]')
    page.wait_for_selector(".chart .point")
    page.reload()
    page.wait_for_selector('.run[data-status="running"]')
    page.click("text=Pause")
    page.wait_for_selector('.run[data-status="paused"]')
    page.click("text=Resume")
    page.wait_for_selector('.run[data-status="running"]')
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("text=Delete")
    page.wait_for_selector(".run", state="detached")


@pytest.mark.slow
def test_a_learned_player_is_met_compared_and_its_patterns_race(page: Any) -> None:
    page.click("nav >> text=Learn")
    page.wait_for_selector("#run-game")
    page.select_option("#run-game", "tictactoe")
    page.fill("#option-matches", "400")
    for number in (1, 2):
        page.fill("#option-seed", str(number))
        page.click("text=Start training")
        page.wait_for_function(
            "n => document.querySelectorAll('.run[data-status=done]').length === n",
            arg=number,
        )
    for box in page.locator(".run input[type=checkbox]").all():
        box.check()
    page.wait_for_function(
        "() => document.querySelectorAll('.chart .curve').length >= 2"
    )
    page.click(".run >> nth=0 >> text=Play against it")
    page.wait_for_selector(".match .board .live")
    page.locator(".board .live").first.click()
    page.wait_for_function("() => document.querySelectorAll('.ply-button').length >= 2")
    page.click("nav >> text=Transfer")
    page.wait_for_selector(".patterns svg")
    page.select_option("#target", "tictactoe-4x4")
    page.fill("#race-matches", "100")
    page.click("text=Start the race")
    page.wait_for_function(
        "() => document.querySelectorAll('.chart .point').length >= 2"
    )


# ── writing ─────────────────────────────────────────────────────────────────────────


def test_an_error_is_underlined_mended_and_the_game_played(page: Any) -> None:
    page.click("nav >> text=Write")
    page.wait_for_selector("text=Ready to play")
    page.wait_for_selector(".figures b")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Home")
    page.keyboard.insert_text("(role red blue)\n")
    page.wait_for_selector(".cm-lintRange-error")
    page.wait_for_selector(".problems .error")
    assert page.is_disabled("text=Play this draft")
    page.keyboard.press("Control+z")
    page.wait_for_selector("text=Ready to play")
    page.wait_for_selector(".cm-lintRange-error", state="detached")
    page.fill("#file-name", "claim")
    page.click("text=Save")
    page.wait_for_selector('[role=status]:has-text("saved")')
    page.click("text=Play this draft")
    page.wait_for_selector(".match .board .live")
    page.locator(".board .live").first.click()
    page.wait_for_selector(".ply-button")


def test_names_of_relations_are_completed(page: Any) -> None:
    page.click("nav >> text=Write")
    page.wait_for_selector("text=Ready to play")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("\n(<= (tak")
    page.keyboard.press("Control+Space")
    page.wait_for_selector(".cm-tooltip-autocomplete li")
    assert "taken" in page.inner_text(".cm-tooltip-autocomplete")


def test_names_that_are_markup_are_shown_as_text(page: Any, lab: RunningLab) -> None:
    with lab.client() as client:
        kept = client.ask("KeepDraft", text=EVIL_RULES, name=MARKUP)
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    page.goto(f"{lab.address}#/position/{kept['game']}")
    page.wait_for_selector(".match .board svg")
    page.wait_for_selector(".person-role")
    assert page.inner_text(".person-role") == MARKUP
    assert page.locator("main img, main script").count() == 0
    assert asked == []


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
