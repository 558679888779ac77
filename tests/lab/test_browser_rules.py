"""Rules written in a browser: errors at their place, completion, files, names."""

from __future__ import annotations

from typing import Any

from tests.lab.browsing import needs_chromium
from tests.lab.running import EVIL_RULES, MARKUP, RunningLab

pytestmark = needs_chromium


def test_an_error_is_underlined_mended_and_the_game_played(
    page: Any, lab: RunningLab
) -> None:
    page.click("nav >> text=Write")
    page.wait_for_selector("text=Ready to play")
    page.wait_for_selector(".write .board svg")
    assert page.locator(".legal code").count() == 16
    for figure in ("mean goal of red", "moves in a match", "matches a second"):
        page.wait_for_selector(f'.figure:has-text("{figure}") b')
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
    page.wait_for_selector('[role=status]:text-is("saved")')
    assert "(role red)" in (lab.lab.workspace.folder / "claim.kif").read_text()
    page.click("text=Play this draft")
    page.wait_for_selector(".match .board .live")
    page.locator(".board .live").first.click()
    page.wait_for_selector(".ply-button")


def test_templates_are_opened_and_what_is_typed_is_coloured(page: Any) -> None:
    page.click("nav >> text=Write")
    page.wait_for_selector("text=Ready to play")
    page.select_option("#files", "template:tictactoe")
    page.wait_for_selector('.legal code:has-text("mark 1 1")')
    page.wait_for_selector("text=a new game: give it a name to save it")
    colours = page.locator(".cm-line span").evaluate_all(
        "spans => new Set(spans.map((one) => getComputedStyle(one).color)).size"
    )
    assert colours >= 3
    page.click("text=Save")
    page.wait_for_selector("text=give the game a file name first")


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
