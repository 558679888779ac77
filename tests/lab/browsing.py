"""Drives a page of the lab in Chromium, where it is found.

`$GAMELORE_CHROMIUM` names another browser than the first one in the path.
"""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest

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

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no chromium")


def begin(page: Any, game: str, *players: str, clock: str = "") -> None:
    """Choose a game, who plays and the clock, and start the match."""
    page.fill("#search", game)
    page.click(f'[data-game="{game}"]')
    page.wait_for_function(
        "game => document.querySelector('.chosen h1').textContent === game", arg=game
    )
    for number, player in enumerate(players):
        page.select_option(f"#player-{number}", player)
    page.select_option("#clock", clock)
    page.click("text=Start the match")
    page.wait_for_selector(".match .board svg")


def count_moves(page: Any) -> int:
    """Return how many moves are listed."""
    return int(page.locator(".ply-button").count())


def wait_for_moves(page: Any, least: int) -> None:
    """Wait until so many moves are listed, or more."""
    page.wait_for_function(
        "n => document.querySelectorAll('.ply-button').length >= n", arg=least
    )


def click_until_over(page: Any, most: int = 60) -> int:
    """Click cells that can be clicked, until the match is over; return how many."""
    for clicks in range(most):
        page.wait_for_selector(".board .live, .result.over")
        if page.query_selector(".result.over"):
            return clicks
        before = count_moves(page)
        page.locator(".board .live").first.click()
        wait_for_moves(page, before + 1)
    raise AssertionError("the match does not end")


def set_hidden(page: Any, hidden: bool, first: str = "") -> None:
    """Have the page believe that nobody sees it, or that somebody does.

    `first`: a script that runs just before, so that nothing happens in between.
    """
    page.evaluate(
        f"""hidden => {{
            {first}
            const seen = {{ value: hidden, configurable: true }};
            Object.defineProperty(document, "hidden", seen);
            document.dispatchEvent(new Event("visibilitychange"));
        }}""",
        hidden,
    )
