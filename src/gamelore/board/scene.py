"""What a picture of a position shows, as plain data: the lab's JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Cell:
    """A place on a board."""

    id: str
    """Its coordinates as moves name them, with spaces between: `3 4`."""
    x: float
    """From the left, in cells; the centre."""
    y: float
    """From the top, in cells; the centre."""
    label: str
    shape: str = "square"
    """`square`, `hex`, `point`, or `hole` where the board has a gap."""
    shade: int = 0
    """1 on the dark cells of a checkered board."""


@dataclass(frozen=True)
class Piece:
    """What stands on a cell, or lies in a hand."""

    cell: str
    kind: str
    """Names the piece: two pieces look the same if their kinds are equal."""
    owner: str | None
    """The role it belongs to, if the rules say so."""
    label: str
    """A few letters for it."""
    shape: str
    colour: str
    """A name in the palette: `white`, `red`, …"""
    count: int | None = None
    """How many, where the rules count them."""


@dataclass(frozen=True)
class Line:
    """A wall or an edge between two points of the board."""

    x1: float
    y1: float
    x2: float
    y2: float
    kind: str
    colour: str


@dataclass(frozen=True)
class Counter:
    """A fact beside the board: what it is about, and its value."""

    label: str
    value: str
    owner: str | None = None


@dataclass(frozen=True)
class Hand:
    """Pieces beside the board."""

    label: str
    owner: str | None
    pieces: tuple[Piece, ...]


class Mark(NamedTuple):
    """Something to draw on top of a cell, such as a candidate move's value."""

    cell: str
    label: str = ""
    colour: str = ""
    """A CSS colour; the theme's own by default."""
    source: str = ""
    """The cell an arrow comes from; no arrow by default."""


@dataclass(frozen=True)
class BoardScene:
    """A position as a board shows it."""

    kind: str
    cells: tuple[Cell, ...] = ()
    pieces: tuple[Piece, ...] = ()
    lines: tuple[Line, ...] = ()
    links: tuple[Line, ...] = ()
    """Lines between neighbours, under the cells."""
    hands: tuple[Hand, ...] = ()
    counters: tuple[Counter, ...] = ()
    turn: tuple[str, ...] = ()
    """The roles to move, as far as facts say it."""
    rows: tuple[tuple[str, float], ...] = ()
    """Labels of the rows, with where they stand from the top."""
    columns: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()
    """Lines of text below the board."""
    style: str = "grid"
    """`grid`, `checker` or `stones`: how cells look."""
    colours: dict[str, str] = field(default_factory=dict)
    """By role, the colour of its pieces."""

    def as_json(self) -> dict[str, Any]:
        """Return the scene as what `json.dumps` takes."""
        return asdict(self)
