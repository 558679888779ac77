"""Pictures: that they are made, show what they should, and come out the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gamelore.transfer import TreePattern
from gamelore.transfer.plots import draw_pattern, draw_sheet, letters

RED, GREEN, WHITE = "#c8372d", "#2f8f4e", "#ffffff"


def fills(path: Path) -> dict[str, int]:
    """How often each colour fills a shape with an outline: the nodes."""
    found: dict[str, int] = {}
    for colour in re.findall(
        r"fill: (#[0-9a-f]{6}); stroke: #333333", path.read_text()
    ):
        found[colour] = found.get(colour, 0) + 1
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # one square on top, one circle, one open leaf; a loss and a win are empty
        ("L (N W)", {RED: 2, GREEN: 1, WHITE: 2}),
        ("(D)", {RED: 1, GREEN: 1, WHITE: 1}),
        ("0 25 (N 100)", {RED: 2, GREEN: 1, WHITE: 3}),
        # levels alternate: the open node in the third is the opponent's again
        ("L (W (N))", {RED: 2, GREEN: 2, WHITE: 2}),
    ],
)
def test_a_picture_has_a_sign_for_every_node(
    tmp_path: Path, text: str, expected: dict[str, int]
) -> None:
    path = tmp_path / "pattern.svg"
    draw_pattern(TreePattern.parse(text), path)
    assert fills(path) == expected


def test_pictures_repeat(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        draw_pattern(TreePattern.parse("L (N W)"), tmp_path / name)
    one, two = (path.read_bytes() for path in sorted(tmp_path.iterdir()))
    assert one == two


def test_png(tmp_path: Path) -> None:
    draw_pattern(TreePattern.parse("L (N W)"), tmp_path / "pattern.png")
    assert (tmp_path / "pattern.png").read_bytes().startswith(b"\x89PNG")


def test_a_sheet_has_letters_values_and_a_legend(tmp_path: Path) -> None:
    patterns = [TreePattern.parse(text) for text in ("L (N W)", "(D)", "(W)")]
    path = tmp_path / "sheet.svg"
    draw_sheet(patterns, path, {patterns[0]: 40.179, patterns[2]: 63.36})
    text = path.read_text()
    for expected in ("(a)", "(b)", "(c)", "40.18", "63.36", "opponent to move", "draw"):
        assert f">{expected}<" in text
    draw_sheet(patterns[:1], path, first=26)
    assert ">(aa)<" in path.read_text()
    assert ">draw<" not in path.read_text()


def test_an_empty_sheet_can_be_drawn(tmp_path: Path) -> None:
    draw_sheet([], tmp_path / "sheet.svg")
    assert (tmp_path / "sheet.svg").exists()


def test_letters() -> None:
    assert [letters(n) for n in (0, 25, 26, 51, 52, 701, 702)] == [
        "a",
        "z",
        "aa",
        "az",
        "ba",
        "zz",
        "aaa",
    ]
