"""Training runs and transfer in a browser: started, watched, met, compared."""

from __future__ import annotations

import signal
import time
from typing import Any

import pytest
from tests.lab.browsing import PATIENCE, needs_chromium, wait_for_moves
from tests.lab.running import RunningLab

pytestmark = needs_chromium


def open_form(page: Any, matches: int) -> None:
    """Begin to fill in the form of a run of tic-tac-toe."""
    page.set_default_timeout(4 * PATIENCE)  # a first run compiles kernels
    page.click("nav >> text=Learn")
    page.wait_for_selector("#run-game")
    page.select_option("#run-game", "tictactoe")
    page.fill("#option-matches", str(matches))


def remove_run(page: Any) -> None:
    """Delete the only run."""
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("text=Delete")
    page.wait_for_selector(".run", state="detached")


def test_a_run_is_started_watched_paused_and_resumed(
    page: Any, lab: RunningLab
) -> None:
    open_form(page, matches=900_000_000)
    page.fill("#option-alpha", "7")
    page.click("text=Start training")
    page.wait_for_selector("#option-alpha-wrong:visible")
    page.wait_for_selector('.help:text-matches("^alpha: .")')
    page.fill("#option-alpha", "")
    page.click("text=Start training")
    page.wait_for_selector('.run[data-status="running"]')
    page.wait_for_selector(".run >> text=/matches · .*\\/s/")
    page.wait_for_selector(".chart .point")
    page.wait_for_selector(".watch-board svg.gl-board")
    page.wait_for_selector("text=/What it expects for x.* of 100/")
    page.reload()
    page.wait_for_selector('.run[data-status="running"]')
    page.click("text=Pause")
    page.wait_for_selector('.run[data-status="paused"]')
    page.click('button:text-is("Resume")')
    page.wait_for_selector('.run[data-status="running"]')
    key = page.get_attribute(".run", "data-run")
    process = lab.lab.runs.find(key).process
    assert process is not None
    process.send_signal(signal.SIGKILL)
    page.wait_for_selector('.run[data-status="failed"] .error-text:has-text("resume")')
    page.click('button:text-is("Resume")')
    page.wait_for_selector('.run[data-status="running"]')
    remove_run(page)


def test_a_run_lives_on_without_a_page_and_is_played_against(
    page: Any, lab: RunningLab
) -> None:
    """It learns the second role, so that is the one it plays."""
    open_form(page, matches=900_000_000)
    page.select_option("#option-role", "second")
    page.click("summary:has-text('Files')")
    page.fill("#option-snapshot_every", "50000")
    page.click("text=Start training")
    page.wait_for_selector('.run[data-status="running"]')
    key = page.get_attribute(".run", "data-run")
    page.goto("about:blank")
    run = lab.lab.runs.find(key)
    before = run.matches
    end = time.monotonic() + 4 * PATIENCE / 1000
    while run.matches == before or not run.folder.snapshots():
        assert time.monotonic() < end, run.spec.message
        time.sleep(0.1)
    page.goto(f"{lab.address}#/learn")
    page.wait_for_selector('.run[data-status="running"]')
    snapshot = page.locator(".run select option").nth(1)
    page.select_option(".run select", snapshot.get_attribute("value"))
    page.click("text=Play against it")
    page.wait_for_selector('.person[data-role="o"]:has-text("after")')
    page.locator(".board .live").first.click()
    wait_for_moves(page, 2)
    assert run.status == "running"
    page.click("nav >> text=Learn")
    remove_run(page)


@pytest.mark.slow
def test_a_learned_player_is_met_compared_and_its_patterns_race(
    page: Any, lab: RunningLab
) -> None:
    other = page.context.new_page()
    other.goto(f"{lab.address}#/transfer")
    other.wait_for_selector("text=There is no run yet")
    open_form(page, matches=400)
    for number in (1, 2):
        page.fill("#option-seed", str(number))
        page.click("text=Start training")
        page.wait_for_function(
            "n => document.querySelectorAll('.run[data-status=done]').length === n",
            arg=number,
        )
    other.wait_for_selector("#source option", state="attached")
    other.close()
    for box in page.locator(".run input[type=checkbox]").all():
        box.check()
    page.wait_for_function(
        "() => document.querySelectorAll('.chart .curve').length >= 2"
    )
    page.click(".run >> nth=0 >> text=Play against it")
    page.wait_for_selector(".match .board .live")
    page.locator(".board .live").first.click()
    wait_for_moves(page, 2)
    page.click("nav >> text=Transfer")
    page.wait_for_selector(".patterns svg")
    page.select_option("#target", "tictactoe-4x4")
    page.fill("#race-matches", "100")
    page.click("text=Start the race")
    page.wait_for_function(
        "() => document.querySelectorAll('.chart .point').length >= 2"
    )
