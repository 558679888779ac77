"""Board plans: where a game's author draws each fact, and as what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gamelore.gdl import Compound, Fact

Place: TypeAlias = tuple[str, ...]
"""The first arguments of a fact: the coordinates, as moves name them."""

Glyphs: TypeAlias = dict[tuple[str, ...], str]
"""What is drawn, by a fact's functor and the arguments after its coordinates."""


@dataclass(frozen=True)
class BoardPlan:
    """How the facts of a position are drawn.

    A fact such as `(cell 2 3 x)` is drawn at the place `("2", "3")` as the glyph of
    `("cell", "x")`. Of two facts at one place, the one whose glyph is listed later is
    seen.
    """

    places: Mapping[Place, tuple[int, int]] = field(default_factory=dict)
    """The line and the column of each place in the drawing, counted from 0."""
    glyphs: Glyphs = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)
    """Lines below the board, by functor: `"{} to move"` takes the fact's arguments."""
    row_labels: tuple[str, ...] = ()
    """In front of each line, from the top."""
    column_labels: tuple[str, ...] = ()
    """Above each column, from the left."""
    vacant: str = "."
    """Drawn at a place without a fact."""
    slant: int = 0
    """How many spaces each line starts to the right of the one above."""
    numbered: bool = False
    """Whether each place shows its own coordinate after its glyph."""
    pitch: int = 0
    """Characters from one column to the next; by default the widest cell's and one."""
    shape: Literal["square", "hex"] = "square"
    """What cells are in pictures."""
    style: Literal["grid", "checker", "stones"] = "grid"
    """How cells look in pictures: `stones` has lines that cross under them."""

    def __call__(self, facts: Iterable[Fact]) -> str:
        """Return the position as lines of text: a plan is a game's renderer."""
        return self.render(facts)

    def render(self, facts: Iterable[Fact]) -> str:
        """The position as lines of text, without an end of line after the last."""
        facts = list(facts)
        return "\n".join([*self._drawing(facts), *self._legend(facts)])

    def _drawing(self, facts: list[Fact]) -> list[str]:
        if not self.places:
            return []
        seen = self._glyphs_by_place(facts)
        cells = {
            spot: seen.get(place, self.vacant) + ("".join(place) * self.numbered)
            for place, spot in self.places.items()
        }
        width = max(map(len, [*cells.values(), *self.column_labels]))
        margin = max(map(len, self.row_labels), default=0)
        height = 1 + max(line for line, _ in cells)
        lines = [
            " " * (self.slant * line)
            + (self.row_labels[line].rjust(margin) + "  " if self.row_labels else "")
            for line in range(height)
        ]
        starts = [len(line) for line in lines]
        pitch = self.pitch or width + 1
        for (line, column), cell in sorted(cells.items()):
            lines[line] = lines[line].ljust(starts[line] + pitch * column) + cell
        if self.column_labels:
            header = " ".join(label.ljust(width) for label in self.column_labels)
            lines.insert(0, " " * (margin + 2) + header)
        return [line.rstrip() for line in lines]

    def _glyphs_by_place(self, facts: list[Fact]) -> dict[Place, str]:
        rank = {key: number for number, key in enumerate(self.glyphs)}
        size = len(next(iter(self.places)))
        drawn: list[tuple[int, Place, str]] = []
        for fact in facts:
            if isinstance(fact, Compound):
                words = tuple(map(str, fact.arguments))
                key = (fact.functor, *words[size:])
                if key in rank:
                    drawn.append((rank[key], words[:size], self.glyphs[key]))
        return {place: glyph for _, place, glyph in sorted(drawn)}

    def _legend(self, facts: list[Fact]) -> list[str]:
        """Captions in their listed order, facts of one functor in natural order."""
        by_functor: dict[str, list[tuple[str, ...]]] = {}
        for fact in facts:
            functor = fact.functor if isinstance(fact, Compound) else str(fact)
            words = fact.arguments if isinstance(fact, Compound) else ()
            by_functor.setdefault(functor, []).append(tuple(map(str, words)))
        return [
            caption.format(*words)
            for functor, caption in self.captions.items()
            for words in sorted(by_functor.get(functor, ()), key=_natural)
        ]


def grid(
    size: tuple[int, ...],
    glyphs: Glyphs,
    captions: Mapping[str, str],
    *,
    upward: bool = False,
    slant: int = 0,
    style: Literal["grid", "checker", "stones"] = "grid",
) -> BoardPlan:
    """A board of so many rows and columns; `upward` has row 1 at the bottom."""
    rows, columns = size
    row_labels = [str(row) for row in range(1, rows + 1)]
    column_labels = [str(column) for column in range(1, columns + 1)]
    if upward:
        row_labels.reverse()
    return BoardPlan(
        places={
            (row, column): (line, place)
            for line, row in enumerate(row_labels)
            for place, column in enumerate(column_labels)
        },
        glyphs=glyphs,
        captions=captions,
        row_labels=tuple(row_labels),
        column_labels=tuple(column_labels),
        slant=slant,
        shape="hex" if slant else "square",
        style=style,
    )


def _natural(words: tuple[str, ...]) -> list[tuple[int, str]]:
    """Sorts `2` before `10`, and numbers before words."""
    return [(int(w), "") if w.isdecimal() else (1 << 30, w) for w in words]
