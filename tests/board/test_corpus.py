"""Boards of public games, where the corpus is there: every one can be drawn."""

from __future__ import annotations

import gzip
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from gamelore import Game
from gamelore.board import Board, infer_board
from gamelore.gdl import Fact, read_term

FEW = ("ticTacToe", "chess_200", "hex", "dotsAndBoxes", "hanoi", "merrills", "nim1")


def positions(corpus: Path, name: str) -> Iterator[tuple[list[Fact], list[str]]]:
    """The first, a middle and the last position of one playout, with what was moved."""
    with gzip.open(corpus / "traces" / f"{name}.jsonl.gz", "rt") as lines:
        next(lines)
        playout = json.loads(next(lines))
    states, moves = playout["states"], playout["moves"]
    for i in sorted({0, len(states) // 2, len(states) - 1}):
        yield [read_term(fact) for fact in states[i]], moves[i - 1] if i else []


def check_drawings(corpus: Path, name: str) -> Board:
    game = Game.from_file(corpus / "games" / f"{name}.kif")
    board = infer_board(game)
    previous = None
    for facts, moves in positions(corpus, name):
        terms = [read_term(move) for move in moves]
        last = terms[0] if terms else None
        ET.fromstring(board.draw_svg(facts, last_move=last, previous=previous))
        text, scene = board.draw_text(facts), board.describe(facts)
        json.dumps(scene.as_json())
        cells = {cell.id for cell in scene.cells}
        assert {piece.cell for piece in scene.pieces} <= cells
        for term in terms:
            if board.kind != "stacks":
                assert set(board.find_cells(term)) <= cells
        for piece in scene.pieces:
            words = piece.kind.split()
            assert any(word in text for word in [*words, "-".join(words)]), piece
        previous = facts
    return board


@pytest.mark.parametrize("name", FEW)
def test_games_are_drawn(corpus: Path, name: str) -> None:
    assert check_drawings(corpus, name).kind != "facts"


@pytest.mark.slow
def test_every_game_is_drawn(corpus: Path) -> None:
    names = sorted(path.stem for path in (corpus / "games").glob("*.kif"))
    kinds = {name: check_drawings(corpus, name).kind for name in names}
    without = {name for name, kind in kinds.items() if kind == "facts"}
    assert len(without) <= 0.2 * len(names), without


@pytest.mark.parametrize(
    "name", ["breakthrough", "connectFour_9x6", "conn4", "ticTacToe"]
)
def test_renamed_symbols_give_the_same_cells(corpus: Path, name: str) -> None:
    """Chains of facts order what names no longer do."""
    text = (corpus / "games" / f"{name}.kif").read_text()
    plain = infer_board(Game.from_kif(text))
    words = re.compile(r"(?<=[\s(])[1-9](?=[\s)])")
    renamed = infer_board(
        Game.from_kif(words.sub(lambda match: "zqxjkvbpyg"[int(match[0])] + "w", text))
    )
    assert (renamed.kind, len(renamed.cells)) == (plain.kind, len(plain.cells))
