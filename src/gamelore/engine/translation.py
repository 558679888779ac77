"""The same game in other rules: positions of one sheet as positions of another.

Two authors write the same game in different rules: with cells that are blank or with
none, upside down, under any names. Their boards are inferred from the rules, so what is
on a cell of one can be laid on a cell of the other; which pieces and which side of the
board belong together is tried. A translation is taken only if random matches agree in
every position: the same successors, ends and goals. Nothing is said about positions
that are never met, so players check every position they are asked about.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.board.planes import WHOLE, PlaneLayout
from gamelore.engine.simulator import Row, Rows, Simulator
from gamelore.errors import GameloreError
from gamelore.gdl import Move

_MATCHES = 16  # random ones, in which both must agree
_MOST_STEPS = 300  # of them
_WATCHED = 4  # random matches that show which facts say whose turn it is
_COUNTED = 64  # random matches in which contents of cells are counted …
_PLIES = 8  # … at first
_LIKELIEST = 6  # planes that are tried in place of another
_ALIKE = 0.8  # of the cells that a kind of content can be on, so many are the same
_MOST_TRIED = 64  # assignments of contents to one another

_EXACT = 1e-6  # of a cell's width: how near a cell must come to another

_BLANK = -1  # in place of a fluent: nothing else is on the cell
_NEVER = -2  # in place of a fluent: one that cannot be true

_Cells: TypeAlias = dict[int, int]
"""By place on the board, the fluent that says of it what is there."""
_Point: TypeAlias = tuple[int, int]
"""A row and a column."""


@dataclass(frozen=True)
class Translation:
    """How positions of one game are those of another."""

    played: Simulator
    """The game that positions are given in."""
    known: Simulator
    """The game that they are translated to."""
    roles: tuple[int, ...]
    """By role of the known game, that of the played one."""
    fluents: npt.NDArray[np.int64]
    """int64 [F of the known game]: that of the played game, or a number below 0"""
    flipped: npt.NDArray[np.bool_]
    """bool [F]: whether it is true where that of the played game is not"""
    beside: npt.NDArray[np.int64]
    """int64 [F, ·]: what else might be on a cell that should be blank; -1 for none"""

    def translate(self, rows: Rows) -> Rows:
        """Return positions of the played game as those of the known one."""
        facts = self.played.fact_matrix(rows, checked=False)
        padded = np.concatenate([facts, np.zeros((len(facts), 1), np.bool_)], axis=1)
        found = padded[:, np.maximum(self.fluents, -1)]  # -1: the column that is False
        found[:, self.fluents == _NEVER] = False
        blank = self.fluents == _BLANK
        found[:, blank] = ~padded[:, self.beside[blank]].any(axis=2)
        found ^= self.flipped
        width = 64 * self.known.width
        bits = np.zeros((len(rows), width), np.bool_)
        bits[:, : found.shape[1]] = found
        return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)

    def agrees(self, rows: Rows) -> bool:
        """Return whether both games say the same of these positions and of all that
        they lead to."""
        own = self.translate(rows)
        ended = self.played.terminal(rows, checked=False)
        if (self.known.terminal(own, checked=False) != ended).any():
            return False
        if ended.any():
            goals = self.played.goals(rows[ended], checked=False)[:, self.roles]
            if (self.known.goals(own[ended], checked=False) != goals).any():
                return False
        if ended.all():
            return True
        one = self.played.expand(rows[~ended], checked=False)
        other = self.known.expand(own[~ended], checked=False)
        return _pairs(one.parents, self.translate(one.successors)) == _pairs(
            other.parents, other.successors
        )

    def match_moves(self, row: Row, role: int) -> dict[Move, Move] | None:
        """Return the move of a role in the played game for each in the known one.

        `role`: of the known game, the only one with a choice. Nothing if the games do
        not agree on the position, which must not be terminal.
        """
        rows = row[np.newaxis]
        own = self.translate(rows)
        if self.known.terminal(own, checked=False)[0]:
            return None
        one = self.played.expand(rows, checked=False)
        other = self.known.expand(own, checked=False)
        theirs = self.roles[role]
        by_row = {
            successor.tobytes(): self.played.moves[theirs][int(moves[theirs])]
            for successor, moves in zip(
                self.translate(one.successors), one.moves, strict=True
            )
        }
        found = [successor.tobytes() for successor in other.successors]
        if by_row.keys() != set(found):
            return None
        return {
            self.known.moves[role][int(moves[role])]: by_row[successor]
            for successor, moves in zip(found, other.moves, strict=True)
        }


def find_translation(
    played: Simulator, known: Simulator, end: float = math.inf
) -> Translation | None:
    """Return how positions of one game are those of another, if they are the same.

    For games of two roles that move in turns, on a board with rows and columns. `end`:
    by the monotonic clock, when to give up.
    """
    theirs, ours = _Sheet.read(played), _Sheet.read(known)
    if theirs is None or ours is None:
        return None
    roles = (0, 1) if theirs.first == ours.first else (1, 0)
    turns = _match_turns(theirs, ours, roles)
    if turns is None:
        return None
    for places in _map_boards(ours.layout, theirs.layout):
        contents = _Contents(theirs, ours, places)
        for assigned in contents.assign():
            found = contents.join(assigned, turns, roles)
            if time.monotonic() >= end:
                return None
            if found.agrees(played.initial_row()[np.newaxis]) and _agree(found, end):
                return found
    return None


@dataclass(frozen=True)
class _Sheet:
    """A game, its board, and what is true in random matches."""

    simulator: Simulator
    layout: PlaneLayout
    first: int
    """The role that moves first."""
    shares: npt.NDArray[np.float64]
    """float64 [plies, F]: the share of positions in which a fluent is true."""

    @classmethod
    def read(cls, simulator: Simulator) -> _Sheet | None:
        """Return what a game shows; nothing if it is not of the kind."""
        if len(simulator.roles) != 2 or "random" in simulator.roles:
            return None
        first = _find_mover(simulator, simulator.initial_row())
        if first is None:
            return None
        try:
            layout = simulator.board.lay_out_planes(simulator.fluents)
        except GameloreError:
            return None
        random = np.random.default_rng(0)
        rows = np.repeat(simulator.initial_row()[np.newaxis], _COUNTED, axis=0)
        shares = np.zeros((_PLIES, len(simulator.fluents)))
        for ply in range(_PLIES):
            shares[ply] = simulator.fact_matrix(rows, checked=False).mean(axis=0)
            rows = _advance(simulator, rows, random)
            if not len(rows):
                break
        return cls(simulator, layout, first, shares)

    def list_planes(self, places: Mapping[int, int]) -> dict[int, _Cells]:
        """Return the fluents of each plane of cells, by place on the other board."""
        planes: dict[int, _Cells] = {}
        pairs = zip(self.layout.planes, self.layout.places, strict=True)
        for fluent, (plane, place) in enumerate(pairs):
            if place != WHOLE:
                planes.setdefault(plane, {})[places[place]] = fluent
        return planes

    def list_beside(self) -> list[int]:
        """Return the fluents that are on no cell."""
        return [n for n, place in enumerate(self.layout.places) if place == WHOLE]

    def count(self, cells: _Cells) -> npt.NDArray[np.float64]:
        """Return on how many of the cells something is, by ply."""
        counts: npt.NDArray[np.float64] = self.shares[:, list(cells.values())].sum(
            axis=1
        )
        return counts


def _agree(translation: Translation, end: float) -> bool:
    """Return whether both games agree in all positions of some random matches."""
    random = np.random.default_rng(0)
    played = translation.played
    rows = np.repeat(played.initial_row()[np.newaxis], _MATCHES, axis=0)
    for _ in range(_MOST_STEPS):
        if time.monotonic() >= end or not translation.agrees(rows):
            return False
        rows = _advance(played, rows, random)
        if not len(rows):
            return True
    return True


def _advance(played: Simulator, rows: Rows, random: np.random.Generator) -> Rows:
    """Return a random successor of every position that has one."""
    rows = rows[~played.terminal(rows, checked=False)]
    if not len(rows):
        return rows
    expansion = played.expand(rows, checked=False)
    counts = np.bincount(expansion.parents, minlength=len(rows))
    firsts = np.cumsum(counts) - counts
    following: Rows = expansion.successors[firsts + random.integers(counts)]
    return following


def _pairs(parents: npt.NDArray[np.int32], rows: Rows) -> set[tuple[int, bytes]]:
    return {(int(n), row.tobytes()) for n, row in zip(parents, rows, strict=True)}


# ── turns ───────────────────────────────────────────────────────────────────────────


def _find_mover(simulator: Simulator, row: Row) -> int | None:
    """Return the only role with a choice."""
    view = simulator.observe(row)
    choosing = [n for n, moves in enumerate(view.legal) if len(moves) > 1]
    return choosing[0] if len(choosing) == 1 else None


def _match_turns(
    played: _Sheet, known: _Sheet, roles: Sequence[int]
) -> dict[int, tuple[int, bool]] | None:
    """Return a fluent of the played game for each of the known one that is on no cell,
    and whether it is its opposite. Each must say whose turn it is.
    """
    own = known.list_beside()
    mine = _find_turn_facts(known.simulator, own)
    found = _find_turn_facts(played.simulator, played.list_beside())
    if mine.keys() != set(own):
        return None
    turns = {}
    for fluent, role in mine.items():
        same = [n for n, one in found.items() if one == roles[role]]
        opposite = [n for n, one in found.items() if one != roles[role]]
        if not same and not opposite:
            return None
        turns[fluent] = (same or opposite)[0], not same
    return turns


def _find_turn_facts(simulator: Simulator, fluents: Sequence[int]) -> dict[int, int]:
    """Return those of the fluents that are true just while some role is to move, with
    that role, in some random matches."""
    random = np.random.default_rng(0)
    rows = np.repeat(simulator.initial_row()[np.newaxis], _WATCHED, axis=0)
    possible = {(fluent, role) for fluent in fluents for role in (0, 1)}
    for _ in range(_MOST_STEPS):
        facts = simulator.fact_matrix(rows, checked=False)
        for row, true in zip(rows, facts, strict=True):
            mover = _find_mover(simulator, row)
            if mover is not None and not simulator.observe(row).terminal:
                possible = {
                    (fluent, role)
                    for fluent, role in possible
                    if true[fluent] == (role == mover)
                }
        rows = _advance(simulator, rows, random)
        if not len(rows):
            break
    return dict(possible)


# ── boards ──────────────────────────────────────────────────────────────────────────


def _map_boards(ours: PlaneLayout, theirs: PlaneLayout) -> Iterator[dict[int, int]]:
    """Yield for each cell of our board one of theirs, by their places, in all ways in
    which corners come to corners: eight on a square, twelve on a hexagon."""
    cells, others = _list_points(ours), _list_points(theirs)
    corners, targets = _find_corners(cells), _find_corners(others)
    count = len(corners)
    if len(cells) != len(others) or len(targets) != count or count < 3:
        return
    known = {point: place for place, point in others.items()}
    source = np.array([(*corner, 1) for corner in corners[:3]], np.float64)
    for step in (1, -1):
        for start in range(count):
            image = [targets[(start + step * n) % count] for n in range(3)]
            affine = np.linalg.solve(source, np.array(image, np.float64))
            found = {}
            for place, (row, column) in cells.items():
                y, x = np.array([row, column, 1.0]) @ affine
                near = round(y), round(x)
                exact = abs(y - near[0]) + abs(x - near[1]) < _EXACT
                if not exact or near not in known:
                    break
                found[place] = known[near]
            else:
                yield found


def _list_points(layout: PlaneLayout) -> dict[int, _Point]:
    """Return row and column of every place at which there is a cell."""
    places = sorted({place for place in layout.places if place != WHOLE})
    return {place: divmod(place, layout.width) for place in places}


def _find_corners(cells: dict[int, _Point]) -> list[_Point]:
    """Return the corners of the cells' convex hull, one after the other."""
    points = sorted(cells.values())
    hull: list[_Point] = []
    for ordered in (points, points[::-1]):
        half: list[_Point] = []
        for point in ordered:
            while len(half) > 1 and _turn(half[-2], half[-1], point) <= 0:
                half.pop()
            half.append(point)
        hull += half[:-1]
    return hull


def _turn(one: _Point, other: _Point, third: _Point) -> int:
    """Return whether three points turn left (above 0), right, or not at all."""
    down, right = other[0] - one[0], other[1] - one[1]
    return down * (third[1] - one[1]) - right * (third[0] - one[0])


class _Contents:
    """Which contents of the cells of two boards may be the same."""

    def __init__(
        self, played: _Sheet, known: _Sheet, places: Mapping[int, int]
    ) -> None:
        """`places`: for each place of our board, that of theirs."""
        self._played, self._known = played, known
        self._theirs = played.list_planes({n: n for n in played.layout.places})
        self._ours = known.list_planes(places)

    def assign(self) -> list[tuple[int | None, ...]]:
        """Return planes of theirs for all of ours, the likeliest first.

        None in place of one: that nothing is there. Contents that are on as many cells
        in random matches are likely the same.
        """
        options = [self._rank(cells) for cells in self._ours.values()]
        found = []
        for chosen in product(*options):
            named = [plane for _, plane in chosen if plane is not None]
            if len(set(named)) == len(named) >= len(chosen) - 1:
                found.append(chosen)
        found.sort(key=lambda chosen: sum(distance for distance, _ in chosen))
        return [tuple(plane for _, plane in chosen) for chosen in found[:_MOST_TRIED]]

    def _rank(self, cells: _Cells) -> list[tuple[float, int | None]]:
        """Return the planes that may be one of ours, with how much they differ."""
        own = self._known.count(cells)
        ranked = sorted(
            (float(np.abs(self._played.count(theirs) - own).sum()), plane)
            for plane, theirs in self._theirs.items()
            if self._may_be(cells, theirs)
        )
        blank = float(np.abs(len(cells) - own).sum())
        return [*ranked[:_LIKELIEST], (blank, None)]

    def _may_be(self, ours: _Cells, theirs: _Cells) -> bool:
        """Return whether contents are on the same cells, at first and at all."""
        common = ours.keys() & theirs.keys()
        if len(common) < _ALIKE * len(ours.keys() | theirs.keys()):
            return False
        their_facts, our_facts = self._played.shares[0], self._known.shares[0]
        return {place for place, fluent in ours.items() if our_facts[fluent]} == {
            place for place, fluent in theirs.items() if their_facts[fluent]
        }

    def join(
        self,
        assigned: Sequence[int | None],
        turns: dict[int, tuple[int, bool]],
        roles: tuple[int, ...],
    ) -> Translation:
        """Return the translation by an assignment."""
        count = len(self._known.simulator.fluents)
        named = [self._theirs[one] for one in assigned if one is not None]
        fluents = np.full(count, _NEVER, np.int64)
        flipped = np.zeros(count, np.bool_)
        beside = np.full((count, max(1, len(named))), -1, np.int64)
        for cells, one in zip(self._ours.values(), assigned, strict=True):
            for place, fluent in cells.items():
                if one is None:
                    fluents[fluent] = _BLANK
                    others = [other[place] for other in named if place in other]
                    beside[fluent, : len(others)] = others
                else:
                    fluents[fluent] = self._theirs[one].get(place, _NEVER)
        for fluent, (other, opposite) in turns.items():
            fluents[fluent], flipped[fluent] = other, opposite
        return Translation(
            self._played.simulator,
            self._known.simulator,
            roles,
            fluents,
            flipped,
            beside,
        )
