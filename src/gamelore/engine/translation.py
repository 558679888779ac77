"""The same game in other rules: positions of one sheet as positions of another.

Two authors write the same game in different rules: with cells that are blank or with
none, upside down, under any names. Their boards are inferred from the rules, so what is
on a cell of one can be laid on a cell of the other; which pieces and which side of the
board belong together is tried. A translation is taken only if random matches agree in
every position: the same successors, ends and goals. Nothing is said about positions
that are never met, so players check every position they are asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from gamelore.board.planes import WHOLE, PlaneLayout
from gamelore.engine.simulator import Row, Rows, Simulator
from gamelore.errors import GameloreError
from gamelore.gdl import Move

_MATCHES = 16  # random ones, in which both must agree
_MOST_STEPS = 300  # of them
_WATCHED = 4  # random matches that show which facts say whose turn it is
_ALIKE = 0.8  # of the cells that a kind of content can be on, so many are the same
_MOST_TRIED = 64  # assignments of contents to one another

_BLANK = -1  # in place of a fluent: nothing else is on the cell
_NEVER = -2  # in place of a fluent: one that cannot be true

_Cells = dict[int, int]
"""By place on the board, the fluent that says of it what is there."""


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
        not agree on the position.
        """
        rows = row[np.newaxis]
        if not self.agrees(rows):
            return None
        one = self.played.expand(rows, checked=False)
        other = self.known.expand(self.translate(rows), checked=False)
        theirs = self.roles[role]
        by_row = {
            successor.tobytes(): self.played.moves[theirs][int(moves[theirs])]
            for successor, moves in zip(
                self.translate(one.successors), one.moves, strict=True
            )
        }
        return {
            self.known.moves[role][int(moves[role])]: by_row[successor.tobytes()]
            for successor, moves in zip(other.successors, other.moves, strict=True)
        }


def find_translation(played: Simulator, known: Simulator) -> Translation | None:
    """Return how positions of one game are those of another, if they are the same.

    For games of two roles that move in turns, on a board with rows and columns.
    """
    if len(played.roles) != 2 or len(known.roles) != 2 or "random" in played.roles:
        return None
    try:
        theirs = played.board.lay_out_planes(played.fluents)
        ours = known.board.lay_out_planes(known.fluents)
    except GameloreError:
        return None
    if sorted((theirs.height, theirs.width)) != sorted((ours.height, ours.width)):
        return None
    first = _find_mover(played, played.initial_row())
    own_first = _find_mover(known, known.initial_row())
    if first is None or own_first is None:
        return None
    roles = (0, 1) if first == own_first else (1, 0)
    turns = _match_turns(played, theirs, known, ours, roles)
    if turns is None:
        return None
    for places in _symmetries(ours, theirs):
        contents = _Contents(played, theirs, known, ours, places)
        for assigned in contents.assign():
            found = contents.join(assigned, turns, roles)
            if found.agrees(played.initial_row()[np.newaxis]) and _agree(found):
                return found
    return None


def _agree(translation: Translation) -> bool:
    """Return whether both games agree in all positions of some random matches."""
    random = np.random.default_rng(0)
    played = translation.played
    rows = np.repeat(played.initial_row()[np.newaxis], _MATCHES, axis=0)
    for _ in range(_MOST_STEPS):
        if not translation.agrees(rows):
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
    played: Simulator,
    theirs: PlaneLayout,
    known: Simulator,
    ours: PlaneLayout,
    roles: Sequence[int],
) -> dict[int, tuple[int, bool]] | None:
    """Return a fluent of the played game for each of the known one that is on no cell,
    and whether it is its opposite. Each must say whose turn it is.
    """
    own = [n for n, place in enumerate(ours.places) if place == WHOLE]
    mine = _find_turn_facts(known, own)
    others = [n for n, place in enumerate(theirs.places) if place == WHOLE]
    found = _find_turn_facts(played, others)
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


def _symmetries(ours: PlaneLayout, theirs: PlaneLayout) -> Iterator[list[int]]:
    """Yield for each place of our board the place of theirs, in up to eight ways."""
    grid = np.arange(theirs.height * theirs.width).reshape(theirs.height, theirs.width)
    for turned in (grid, grid.T):
        if turned.shape == (ours.height, ours.width):
            for one in (turned, turned[::-1], turned[:, ::-1], turned[::-1, ::-1]):
                yield one.ravel().tolist()


class _Contents:
    """Which contents of the cells of two boards may be the same."""

    def __init__(
        self,
        played: Simulator,
        theirs: PlaneLayout,
        known: Simulator,
        ours: PlaneLayout,
        places: Sequence[int],
    ) -> None:
        """`places`: for each place of our board, that of theirs."""
        self._played, self._known = played, known
        self._theirs = _list_planes(theirs, range(theirs.height * theirs.width))
        self._ours = _list_planes(ours, places)
        rows = played.initial_row()[np.newaxis], known.initial_row()[np.newaxis]
        self._at_first = played.fact_matrix(rows[0])[0], known.fact_matrix(rows[1])[0]

    def assign(self) -> Iterator[tuple[int | None, ...]]:
        """Yield a plane of theirs for each of ours, or None: that nothing is there."""
        options = [
            [*(n for n in self._theirs if self._may_be(cells, self._theirs[n])), None]
            for cells in self._ours.values()
        ]
        tried = 0
        for assigned in product(*options):
            named = [one for one in assigned if one is not None]
            if len(set(named)) == len(named) >= len(assigned) - 1:
                tried += 1
                if tried > _MOST_TRIED:
                    return
                yield assigned

    def _may_be(self, ours: _Cells, theirs: _Cells) -> bool:
        """Return whether contents are on the same cells, at first and at all."""
        common = ours.keys() & theirs.keys()
        if len(common) < _ALIKE * len(ours.keys() | theirs.keys()):
            return False
        their_facts, our_facts = self._at_first
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
        count = len(self._known.fluents)
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
        return Translation(self._played, self._known, roles, fluents, flipped, beside)


def _list_planes(layout: PlaneLayout, places: Sequence[int]) -> dict[int, _Cells]:
    """Return the fluents of each plane of cells, by place on the other board."""
    planes: dict[int, _Cells] = {}
    pairs = zip(layout.planes, layout.places, strict=True)
    for fluent, (plane, place) in enumerate(pairs):
        if place != WHOLE:
            planes.setdefault(plane, {})[places[place]] = fluent
    return planes
