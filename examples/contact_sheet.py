"""Draw the boards of many games on one page.

    python examples/contact_sheet.py sheet.html                 every library game
    python examples/contact_sheet.py sheet.html --rules FOLDER  and its rule sheets
    python examples/contact_sheet.py sheet.html --png PAGES     as images, by Chromium

Each game is drawn twice: its initial position, and one some random moves later with the
last of them marked. Every second picture is dark.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from gamelore import Game, GameloreError, Move, library, load
from gamelore.board import Board, Theme, infer_board
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.gdl import Fact, to_kif
from gamelore.ground import ground
from gamelore.ground.grounder import GroundLimits

PER_PAGE = 20
STYLE = """
body{font:12px sans-serif;margin:2px;width:2440px;background:#fff}
.card{float:left;width:606px;height:360px;overflow:hidden}
.card{border:1px solid #ccc;margin:1px}
.card svg{max-width:300px}
"""


@dataclass(frozen=True)
class Card:
    """One game on the sheet."""

    name: str
    kind: str
    milliseconds: float
    pictures: tuple[str, str]

    def to_html(self) -> str:
        """Return the card as HTML."""
        title = f"<b>{escape(self.name)}</b> {self.kind}, {self.milliseconds:.0f} ms"
        return f'<div class="card">{title}<br>{"".join(self.pictures)}</div>'


def play(
    game: Game, plies: int, seconds: float, seed: int
) -> Iterator[tuple[tuple[Move, ...], frozenset[Fact]]]:
    """Return random joint moves and the facts after each, within a time limit."""
    simulator = Interpreter(game)
    rng = random.Random(f"{game.name} {seed}")
    row = simulator.initial_row()
    yield (), simulator.facts(row)
    end = time.monotonic() + seconds
    for _ in range(plies):
        view = simulator.observe(row)
        if view.terminal or time.monotonic() > end or not all(view.legal):
            return
        joint = tuple(rng.choice(moves) for moves in view.legal)
        numbers = [simulator.move_number(r, move) for r, move in enumerate(joint)]
        row = simulator.advance_one(row, numbers)
        yield joint, simulator.facts(row)


def find_board(game: Game, options: argparse.Namespace) -> tuple[Board, float]:
    """Return a game's board, and the milliseconds that its inference took."""
    fluents = moves = None
    if not options.rules_only:
        try:
            grounded = ground(game, GroundLimits(seconds=options.seconds))
            fluents = grounded.fluents
            moves = [move for of_role in grounded.moves for move in of_role]
        except GameloreError as error:
            print(f"{game.name}: {error}", file=sys.stderr)
    start = time.process_time()
    board = infer_board(game, fluents, moves)
    return board, 1000 * (time.process_time() - start)


def draw(game: Game, options: argparse.Namespace, number: int) -> Card:
    """Return the card of a game."""
    board, milliseconds = find_board(game, options)
    steps = [*play(game, options.plies, options.seconds, options.seed)]
    first, (joint, last) = steps[0][1], steps[-1]
    before = steps[-2][1] if len(steps) > 1 else None
    done = next((move for move in joint if board.find_cells(move)), None)
    if done is None and joint:
        done = max(joint, key=lambda move: len(to_kif(move)))
    theme: Theme = "dark" if number % 2 else "light"
    pictures = (
        board.draw_svg(first, size=300, theme="light"),
        board.draw_svg(last, size=300, theme=theme, last_move=done, previous=before),
    )
    return Card(game.name, board.kind, milliseconds, pictures)


def write_images(cards: list[Card], folder: Path) -> None:
    """Write the sheet as pages of 20 games, each a PNG."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("no Chromium found to make images with")
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(cards), PER_PAGE):
        page = folder / f"page-{start // PER_PAGE + 1:02d}.html"
        write_page(cards[start : start + PER_PAGE], page)
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu"]
        command += ["--hide-scrollbars", "--window-size=2444,1830"]
        command += [f"--screenshot={page.with_suffix('.png')}", page.resolve().as_uri()]
        subprocess.run(command, check=True, capture_output=True)
        page.unlink()


def write_page(cards: list[Card], path: Path) -> None:
    """Write cards as one HTML page."""
    body = "\n".join(card.to_html() for card in cards)
    head = f'<meta charset="utf-8"><title>Boards</title><style>{STYLE}</style>'
    path.write_text(f"<!doctype html>{head}\n{body}\n", encoding="utf-8")


def main() -> None:
    """Draw the sheet that the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("page", type=Path, help="the HTML file to write")
    parser.add_argument("--rules", type=Path, help="a folder of rule sheets")
    parser.add_argument("--png", type=Path, help="a folder for images of the pages")
    parser.add_argument("--plies", type=int, default=14, help="random moves to make")
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="limit for each game"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--rules-only", action="store_true", help="do not ground the rules first"
    )
    options = parser.parse_args()
    games = [load(entry.name) for entry in library()]
    if options.rules is not None:
        games += [load(path) for path in sorted(options.rules.glob("*.kif"))]
    cards = []
    for number, game in enumerate(games):
        print(f"\r{number + 1} of {len(games)}", end="", file=sys.stderr, flush=True)
        cards.append(draw(game, options, number))
    print(file=sys.stderr)
    write_page(cards, options.page)
    print(f"{len(cards)} games on {options.page}")
    if options.png is not None:
        write_images(cards, options.png)


if __name__ == "__main__":
    main()
