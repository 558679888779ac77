"""Matches that are watched in a browser: of agents, tournaments, of other programs."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.lab.browsing import count_moves, needs_chromium, wait_for_moves
from tests.lab.running import RunningLab

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.ggp.live_record import SUFFIX as LIVE
from gamelore.ggp.manager.manager import run_match
from gamelore.ggp.manager.peers import LocalPeer
from gamelore.ggp.match_record import MatchFile, read_match, write_match

pytestmark = needs_chromium


def test_a_match_of_agents_is_held_stepped_shared_and_sped_up(
    page: Any, lab: RunningLab
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("nav >> text=Watch")
    page.select_option("#watch-game", "tictactoe")
    for number in (0, 1):
        page.select_option(f"#watch-{number}", "random")
    page.click('button.primary:has-text("Watch")')
    wait_for_moves(page, 2)
    page.click("text=Pause")
    page.wait_for_selector('button:has-text("Go on")')
    made = page.locator(".ply-button").first.inner_text()
    page.locator(".ply-button").first.click()
    page.wait_for_selector("text=/after 1 of [0-9]+ moves/")
    page.click("text=Copy link")
    page.wait_for_selector("text=the link to this position is copied")
    link = page.evaluate("navigator.clipboard.readText()")
    other = page.context.new_page()
    other.goto(link)
    other.wait_for_selector(".match .board svg")
    assert other.locator(".ply-button").all_inner_texts() == [made]
    other.close()
    page.bring_to_front()
    page.select_option('[aria-label="Speed"]', "0")
    page.click("text=Go on")
    page.keyboard.press("End")
    page.wait_for_selector(".result.over")


def test_a_tournament_is_started_and_its_standings_seen(page: Any) -> None:
    page.click("nav >> text=Watch")
    page.select_option("#watch-game", "tictactoe")
    page.click("text=Start the tournament")
    page.wait_for_selector("text=needs 2 different agents or more")
    page.select_option("#agents", ["random", "novice"])
    page.click("text=Start the tournament")
    page.wait_for_selector("text=2 of 2 matches of tictactoe: over")
    page.wait_for_selector('th:has-text("Score")')
    page.wait_for_selector('tr:has(td:text-is("novice")) >> td:text-is("2")')


def test_a_record_of_a_folder_is_opened_from_the_list(
    page: Any, lab: RunningLab
) -> None:
    record = _play(lab.lab.workspace.folder / "matches" / "cup")
    page.click("nav >> text=Watch")
    page.click('section:has-text("Records in matches/cup") >> a')
    page.wait_for_selector(".match .board svg")
    assert count_moves(page) == len(record.moves)
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
    assert count_moves(page) == steps


def _play(folder: Path) -> MatchFile:
    """Keep the record of a match between random players."""
    agents = [PlayerAgent(PLAYERS["random"], seed) for seed in (1, 2)]
    match = run_match(
        "tictactoe", [LocalPeer(a, f"r{n}") for n, a in enumerate(agents)]
    )
    return read_match(write_match(match, folder))
