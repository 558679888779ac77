"""Files of recorded playouts.

A playout record is a file of JSON lines, compressed if its name ends in `.gz`. The
first line names the game, its rule sheet and its roles; every other line is one
playout. Facts and moves are KIF text with one space between tokens, lists of them are
sorted.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from gamelore.errors import PlayoutRecordError

Texts: TypeAlias = tuple[str, ...]

T = TypeVar("T", str, bool, int)


@dataclass(frozen=True)
class RecordedPlayout:
    """One playout of S states, by R roles."""

    states: tuple[Texts, ...]
    """[S]: the facts that are true"""
    legal: tuple[tuple[Texts, ...], ...]
    """[S - 1][R]: the legal moves, in the states that were moved from"""
    moves: tuple[Texts, ...]
    """[S - 1][R]: the joint moves made"""
    terminal: tuple[bool, ...]
    """[S]"""
    goals: tuple[tuple[int | None, ...], ...]
    """[S][R]: None where the rules derive none, or more than one"""
    complete: bool
    """Whether it ended by the rules, rather than being cut off."""

    @property
    def positions(self) -> int:
        return len(self.states)


@dataclass(frozen=True)
class PlayoutRecord:
    """Playouts of one game."""

    game: str
    kif: str
    """The rule sheet, relative to a folder of games; or the name of a library game."""
    roles: Texts
    playouts: tuple[RecordedPlayout, ...]


def read_playout_record(path: str | Path) -> PlayoutRecord:
    """Return the record in a file; `PlayoutRecordError` names file and line."""
    path = Path(path)
    lines = _read_lines(path)
    first = next(lines, None)
    if first is None:
        raise PlayoutRecordError(f"{path}: the file is empty")
    header = _JsonLine(f"{path}:1", first)
    roles = header.texts("roles")
    playouts = tuple(
        _read_playout(_JsonLine(f"{path}:{number}", line), len(roles))
        for number, line in enumerate(lines, start=2)
        if line.strip()
    )
    return PlayoutRecord(header.text("game"), header.text("kif"), roles, playouts)


def write_playout_record(record: PlayoutRecord, path: str | Path) -> None:
    """Write a record; the same record gives the same bytes."""
    header = {"game": record.game, "kif": record.kif, "roles": record.roles}
    lines = [header, *(vars(playout) for playout in record.playouts)]
    compact = (json.dumps(line, separators=(",", ":")) for line in lines)
    content = "".join(f"{line}\n" for line in compact).encode()
    path = Path(path)
    path.write_bytes(
        gzip.compress(content, mtime=0) if path.suffix == ".gz" else content
    )


def _read_lines(path: Path) -> Iterator[str]:
    number = 0
    try:
        with path.open("rb") as file:
            lines = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file
            for line in lines:
                yield line.decode()
                number += 1
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise PlayoutRecordError(
            f"{path}:{number + 1}: cannot be read: {error}"
        ) from error


class _JsonLine:
    """The JSON object of one line, whose values are checked as they are taken."""

    def __init__(self, place: str, text: str) -> None:
        self._place = place
        try:
            self._values = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._error(f"not JSON: {error}") from error
        if not isinstance(self._values, dict):
            raise self._error("not a JSON object")

    def text(self, key: str) -> str:
        return self._checked(key, self._get(key), str)

    def flag(self, key: str) -> bool:
        return self._checked(key, self._get(key), bool)

    def texts(self, key: str) -> Texts:
        return self._texts(key, self._get(key))

    def states(self) -> tuple[Texts, ...]:
        states = self._list("states", self._get("states"))
        if not states:
            raise self._error("'states' is empty")
        return tuple(self._texts("states", state) for state in states)

    def flags(self, key: str, count: int) -> tuple[bool, ...]:
        flags = self._list(key, self._get(key), count)
        return tuple(self._checked(key, flag, bool) for flag in flags)

    def moves(self, rows: int, roles: int) -> tuple[Texts, ...]:
        return tuple(
            self._texts("moves", row) for row in self._table("moves", rows, roles)
        )

    def legal(self, rows: int, roles: int) -> tuple[tuple[Texts, ...], ...]:
        table = self._table("legal", rows, roles)
        return tuple(tuple(self._texts("legal", cell) for cell in row) for row in table)

    def goals(self, rows: int, roles: int) -> tuple[tuple[int | None, ...], ...]:
        return tuple(
            tuple(None if v is None else self._checked("goals", v, int) for v in row)
            for row in self._table("goals", rows, roles)
        )

    def _error(self, message: str) -> PlayoutRecordError:
        return PlayoutRecordError(f"{self._place}: {message}")

    def _get(self, key: str) -> object:
        if key not in self._values:
            raise self._error(f"{key!r} is missing")
        return self._values[key]

    def _checked(self, key: str, value: object, kind: type[T]) -> T:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            wanted = {str: "text", bool: "true or false", int: "a whole number"}[kind]
            raise self._error(f"{key!r}: {wanted} expected, found {value!r:.50}")
        return value

    def _list(self, key: str, value: object, count: int | None = None) -> list[object]:
        if not isinstance(value, list):
            raise self._error(f"{key!r}: a list expected, found {value!r:.50}")
        if count is not None and len(value) != count:
            raise self._error(f"{key!r}: {count} items expected, found {len(value)}")
        return value

    def _texts(self, key: str, value: object) -> Texts:
        return tuple(self._checked(key, text, str) for text in self._list(key, value))

    def _table(self, key: str, rows: int, columns: int) -> list[list[object]]:
        table = self._list(key, self._get(key), rows)
        return [self._list(key, row, columns) for row in table]


def _read_playout(line: _JsonLine, roles: int) -> RecordedPlayout:
    states = line.states()
    steps = len(states) - 1
    return RecordedPlayout(
        states=states,
        legal=line.legal(steps, roles),
        moves=line.moves(steps, roles),
        terminal=line.flags("terminal", len(states)),
        goals=line.goals(len(states), roles),
        complete=line.flag("complete"),
    )
