"""Verifying recorded playouts, to find every difference from what a simulator says.

Shapes: n positions of a record, playout after playout; R roles; K words per position.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine.simulator import NO_GOAL, Row, Rows, Simulator
from gamelore.engine.verify.playout_record import PlayoutRecord, RecordedPlayout, Texts
from gamelore.errors import GdlError, IllegalMoveError, PositionError
from gamelore.gdl import Role, Term, read_term, to_kif

Kind: TypeAlias = Literal[
    "roles", "state", "legal", "move", "terminal", "goal", "complete", "failure"
]

BATCH = 4096
"""Positions asked about at a time: legal moves of many positions take memory."""


@dataclass(frozen=True)
class Difference:
    """Something that a record and a simulator do not agree on."""

    game: str
    kind: Kind
    expected: str
    """What the record says; of sets, what it alone has."""
    found: str
    """What the simulator says; of sets, what it alone has."""
    playout: int | None = None
    """From 0, in the order of the record; None where it is the whole record."""
    step: int | None = None
    """Which state of the playout, from 0."""
    role: Role | None = None

    def __str__(self) -> str:
        place = self.game
        if self.playout is not None:
            place += f", playout {self.playout}"
        if self.step is not None:
            place += f", step {self.step}"
        what = self.kind if self.role is None else f"{self.kind} of {self.role}"
        return (
            f"{place}: {what}: expected {self.expected or 'nothing more'},"
            f" found {self.found or 'nothing more'}"
        )


@dataclass(frozen=True)
class VerifyReport:
    """What came of verifying one record."""

    game: str
    engine: str
    """The engine that played; empty where there was none."""
    playouts: int
    positions: int
    differences: tuple[Difference, ...]
    setup_seconds: float = 0.0
    """Until the game was read and compiled."""
    seconds: float = 0.0
    """Of verifying, without the set-up."""


@dataclass(frozen=True)
class VerifyTotals:
    """Sums over the reports of many records."""

    games: int = 0
    playouts: int = 0
    positions: int = 0
    differences: int = 0

    @classmethod
    def of(cls, reports: Iterable[VerifyReport]) -> VerifyTotals:
        """The sums over these reports."""
        kept = list(reports)
        return cls(
            len(kept),
            sum(report.playouts for report in kept),
            sum(report.positions for report in kept),
            sum(len(report.differences) for report in kept),
        )

    def __str__(self) -> str:
        return (
            f"{self.games} games, {self.playouts} playouts, "
            f"{self.positions} positions, {self.differences} differences"
        )


def verify(record: PlayoutRecord, simulator: Simulator) -> VerifyReport:
    """Compare everything a record says with what the simulator says."""
    started = time.perf_counter()
    differences = tuple(_Verification(record, simulator).differences())
    return VerifyReport(
        game=record.game,
        engine=simulator.engine,
        playouts=len(record.playouts),
        positions=sum(playout.positions for playout in record.playouts),
        differences=differences,
        seconds=time.perf_counter() - started,
    )


class _Place(NamedTuple):
    """One state of a record."""

    playout: int
    step: int
    recorded: RecordedPlayout

    @property
    def is_last(self) -> bool:
        return self.step == len(self.recorded.moves)


class _Verification:
    """One record, whose positions go through the simulator in batches."""

    def __init__(self, record: PlayoutRecord, simulator: Simulator) -> None:
        self.record = record
        self.simulator = simulator
        self._terms: dict[str, Term] = {}
        self._rows: dict[Texts, Row | str] = {}
        """Per state its row, or why it has none."""

    def differences(self) -> Iterator[Difference]:
        roles = self.simulator.roles
        if self.record.roles != roles:
            expected, found = " ".join(self.record.roles), " ".join(roles)
            yield Difference(self.record.game, "roles", expected, found)
            return
        places = [
            _Place(number, step, recorded)
            for number, recorded in enumerate(self.record.playouts)
            for step in range(recorded.positions)
        ]
        yield from self._initial()
        for start in range(0, len(places), BATCH):
            yield from self._batch(places[start : start + BATCH])

    def _initial(self) -> Iterator[Difference]:
        found = self._read_texts(self.simulator.initial_row())
        for number, recorded in enumerate(self.record.playouts):
            if set(recorded.states[0]) != found:
                place = _Place(number, 0, recorded)
                yield self._between("state", place, recorded.states[0], found)

    def _batch(self, places: list[_Place]) -> Iterator[Difference]:
        known: list[_Place] = []
        rows: list[Row] = []
        for place in places:
            row = self._row(place.recorded.states[place.step])
            if isinstance(row, str):
                yield self._difference("state", place, "a position", row)
            else:
                known.append(place)
                rows.append(row)
        if not known:
            return
        stacked = np.stack(rows)
        yield from self._compare_ends(known, stacked)
        moved = [i for i, place in enumerate(known) if not place.is_last]
        if moved:
            from_places, from_rows = [known[i] for i in moved], stacked[moved]
            yield from self._compare_legal(from_places, from_rows)
            yield from self._compare_next(from_places, from_rows)

    def _compare_ends(self, places: list[_Place], rows: Rows) -> Iterator[Difference]:
        """Terminal flags and goals."""
        terminal = self.simulator.terminal(rows)
        goals = self.simulator.goals(rows)
        for place, ended, values in zip(places, terminal, goals, strict=True):
            recorded, step = place.recorded, place.step
            if recorded.terminal[step] != ended:
                yield self._difference(
                    "terminal", place, recorded.terminal[step], ended
                )
            if place.is_last and recorded.complete != ended:
                yield self._difference("complete", place, recorded.complete, ended)
            for role, expected in enumerate(recorded.goals[step]):
                found = None if values[role] == NO_GOAL else int(values[role])
                if expected != found:
                    yield self._difference("goal", place, expected, found, role)

    def _compare_legal(self, places: list[_Place], rows: Rows) -> Iterator[Difference]:
        for role, flags in enumerate(self.simulator.legal(rows)):
            names = [to_kif(move) for move in self.simulator.moves[role]]
            for place, of_place in zip(places, flags, strict=True):
                found = {names[i] for i in np.flatnonzero(of_place)}
                expected = place.recorded.legal[place.step][role]
                if found != set(expected):
                    yield self._between("legal", place, expected, found, role)

    def _compare_next(self, places: list[_Place], rows: Rows) -> Iterator[Difference]:
        """The positions that the joint moves lead to."""
        possible: list[int] = []
        joint: list[list[int]] = []
        for i, place in enumerate(places):
            numbers = self._move_numbers(place)
            if isinstance(numbers, Difference):
                yield numbers
            else:
                possible.append(i)
                joint.append(numbers)
        if not possible:
            return
        moves: npt.NDArray[np.int32] = np.array(joint, dtype=np.int32)
        # An illegal move is a difference in what is legal, which has been reported.
        after = self.simulator.advance(rows[possible], moves, checked=False)
        for i, row in zip(possible, after, strict=True):
            place = places[i]._replace(step=places[i].step + 1)
            expected = place.recorded.states[place.step]
            target = self._row(expected)
            if isinstance(target, str) or not np.array_equal(target, row):
                yield self._between("state", place, expected, self._read_texts(row))

    def _move_numbers(self, place: _Place) -> list[int] | Difference:
        """The joint move made in a place, by the simulator's numbers."""
        numbers = []
        for role, text in enumerate(place.recorded.moves[place.step]):
            try:
                numbers.append(self.simulator.move_number(role, self._term(text)))
            except (GdlError, IllegalMoveError) as error:
                return self._difference("move", place, text, str(error), role)
        return numbers

    def _row(self, state: Texts) -> Row | str:
        row = self._rows.get(state)
        if row is None:
            try:
                row = self.simulator.encode(map(self._term, state))
            except (GdlError, PositionError) as error:
                row = str(error)
            self._rows[state] = row
        return row

    def _term(self, text: str) -> Term:
        term = self._terms.get(text)
        if term is None:
            term = self._terms[text] = read_term(text)
        return term

    def _read_texts(self, row: Row) -> set[str]:
        return set(map(to_kif, self.simulator.facts(row)))

    def _between(
        self,
        kind: Kind,
        place: _Place,
        expected: Iterable[str],
        found: set[str],
        role: int | None = None,
    ) -> Difference:
        """The difference between two sets of texts."""
        missing = " ".join(sorted(set(expected) - found))
        extra = " ".join(sorted(found - set(expected)))
        return self._difference(kind, place, missing, extra, role)

    def _difference(
        self,
        kind: Kind,
        place: _Place,
        expected: object,
        found: object,
        role: int | None = None,
    ) -> Difference:
        name = None if role is None else self.simulator.roles[role]
        return Difference(
            self.record.game,
            kind,
            str(expected),
            str(found),
            place.playout,
            place.step,
            name,
        )
