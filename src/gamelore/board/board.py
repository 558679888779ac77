"""A board: draws the positions of one game, and finds the cells of its moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from gamelore.board.describe import describe_position
from gamelore.board.infer import BoardModel, infer_model
from gamelore.board.moves import find_move_cells
from gamelore.board.planes import PlaneLayout, lay_out_planes
from gamelore.board.scene import BoardScene, Mark
from gamelore.board.svg import SvgOptions, draw_scene_svg
from gamelore.board.text import draw_scene
from gamelore.gdl import Fact, Game, Move, to_kif

Theme = Literal["auto", "light", "dark"]


class Board:
    """How the positions of a game are drawn."""

    def __init__(self, model: BoardModel) -> None:
        self._model = model

    @property
    def kind(self) -> str:
        """`square`, `hex`, `line`, `graph`, `stacks`, `table`, or `facts`.

        A table has a row for each role; facts are listed where there is no board.
        """
        return self._model.kind

    @property
    def cells(self) -> tuple[str, ...]:
        """The names of the cells."""
        return tuple(
            grid.name(cell) for grid in self._model.grids for cell in grid.layout.points
        )

    def describe(self, facts: Iterable[Fact]) -> BoardScene:
        """Return what a picture of the position shows, as plain data."""
        return describe_position(self._model, facts)

    def draw_text(self, facts: Iterable[Fact]) -> str:
        """Return the position as lines of text.

        A game that brings a renderer is drawn by it; where no board was found, facts
        are listed.
        """
        facts = sorted(facts, key=to_kif)
        if self._model.renderer is not None:
            return self._model.renderer(facts)
        if self.kind == "facts":
            return "\n".join(map(to_kif, facts))
        return draw_scene(self.describe(facts))

    def draw_svg(
        self,
        facts: Iterable[Fact],
        *,
        last_move: Move | None = None,
        previous: Iterable[Fact] | None = None,
        theme: Theme = "auto",
        size: int | None = None,
        flipped: bool = False,
        over: bool = False,
        marks: Iterable[Mark] = (),
    ) -> str:
        """Return the position as an SVG image.

        The cells of `last_move` are marked. Where it names a whole column or nothing,
        the cells that changed since the facts of `previous` are. `size` is the longer
        side in pixels; `flipped` turns the board by half a turn. Where the match is
        `over`, nobody is to move.
        """
        scene = self.describe(facts)
        if over:
            scene = replace(scene, turn=())
        touched = self._touched(scene, last_move, previous)
        options = SvgOptions(self._model.game, theme, size, flipped)
        return draw_scene_svg(scene, options, touched, tuple(marks))

    def find_cells(self, move: Move) -> tuple[str, ...]:
        """Return the names of the cells that a move is about, source first."""
        return find_move_cells(self._model, move)

    def lay_out_planes(self, fluents: Sequence[Fact]) -> PlaneLayout:
        """Return where each of the facts that can be true is in planes of the board.

        `ArgumentError` if the board has no rows and columns.
        """
        return lay_out_planes(self._model, fluents)

    def _touched(
        self,
        scene: BoardScene,
        last_move: Move | None,
        previous: Iterable[Fact] | None,
    ) -> tuple[str, ...]:
        cells = self.find_cells(last_move) if last_move is not None else ()
        if previous is None or (cells and len(cells) <= 2):
            return cells
        before = {(piece.cell, piece.kind) for piece in self.describe(previous).pieces}
        after = {(piece.cell, piece.kind) for piece in scene.pieces}
        changed = {cell for cell, _ in before ^ after}
        within = [cell for cell in cells if cell in changed]
        return tuple(within) or tuple(sorted(changed))


def infer_board(
    game: Game,
    fluents: Iterable[Fact] | None = None,
    moves: Iterable[Move] | None = None,
) -> Board:
    """Return the board of a game, inferred from its rules.

    `fluents` are the facts that can be true and `moves` those that can be made, where
    the ground game is known: cells are then exactly those that occur.
    """
    return Board(infer_model(game, fluents, moves))
