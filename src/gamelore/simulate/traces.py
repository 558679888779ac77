"""Recorded playouts: read, write, record.

A trace is a file of JSON lines, compressed if its name ends in `.gz`. The first line
names the game, its rule sheet and its roles; every other line is one playout. Facts and
moves are KIF text with one space between tokens, lists of them are sorted.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from gamelore.errors import TraceError
from gamelore.games import load
from gamelore.gdl import Fact, Game, Move, to_kif
from gamelore.simulate.position import Position
from gamelore.simulate.simulator import Simulator

Texts: TypeAlias = tuple[str, ...]


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
class Trace:
    """Playouts of one game."""

    game: str
    kif: str
    """The rule sheet, relative to a folder of games; or the name of a library game."""
    roles: Texts
    playouts: tuple[RecordedPlayout, ...]


def read_trace(path: str | Path) -> Trace:
    """The trace in a file; `TraceError` names file and line where it cannot be read."""
    path = Path(path)
    lines = _read_lines(path)
    first = next(lines, None)
    if first is None:
        raise TraceError(f"{path}: the file is empty")
    header = _Line(f"{path}:1", first)
    roles = header.texts("roles")
    playouts = tuple(
        _read_playout(_Line(f"{path}:{number}", line), len(roles))
        for number, line in enumerate(lines, start=2)
        if line.strip()
    )
    return Trace(header.text("game"), header.text("kif"), roles, playouts)


def write_trace(trace: Trace, path: str | Path) -> None:
    """Write a trace; the same trace gives the same bytes."""
    header = {"game": trace.game, "kif": trace.kif, "roles": trace.roles}
    lines = [header, *(vars(playout) for playout in trace.playouts)]
    compact = (json.dumps(line, separators=(",", ":")) for line in lines)
    content = "".join(f"{line}\n" for line in compact).encode()
    path = Path(path)
    path.write_bytes(
        gzip.compress(content, mtime=0) if path.suffix == ".gz" else content
    )


def load_game(trace: Trace, folder: Path) -> Game:
    """The game of a trace, from the folder of games or from the library."""
    sheet = folder / trace.kif
    return Game.from_file(sheet) if sheet.suffix == ".kif" else load(trace.kif)


def record(
    simulator: Simulator, playouts: int, seed: int = 0, move_limit: int = 10_000
) -> Trace:
    """Random playouts of a game; the same from every engine."""
    game = simulator.game
    recorded = tuple(
        _record_playout(simulator, Random(f"{seed} {i}"), move_limit)
        for i in range(playouts)
    )
    return Trace(game.name, game.source or game.name, simulator.roles, recorded)


def _record_playout(
    simulator: Simulator, random: Random, move_limit: int
) -> RecordedPlayout:
    positions = [Position(simulator)]
    legal: list[tuple[Texts, ...]] = []
    moves: list[Texts] = []
    while not positions[-1].is_terminal and len(moves) < move_limit:
        here = positions[-1]
        choices = [here.legal_moves(role) for role in here.roles]
        if not all(choices):
            break
        joint = [random.choice(options) for options in choices]
        legal.append(tuple(_texts(options) for options in choices))
        moves.append(_texts(joint))
        positions.append(here.advance(joint))
    return RecordedPlayout(
        states=tuple(_texts(position.facts) for position in positions),
        legal=tuple(legal),
        moves=tuple(moves),
        terminal=tuple(position.is_terminal for position in positions),
        goals=tuple(tuple(position.goals.values()) for position in positions),
        complete=positions[-1].is_terminal,
    )


def _texts(terms: list[Move] | tuple[Fact, ...]) -> Texts:
    return tuple(map(to_kif, terms))


def _read_lines(path: Path) -> Iterator[str]:
    number = 0
    try:
        with path.open("rb") as file:
            lines = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file
            for number, line in enumerate(lines, start=1):  # noqa: B007
                yield line.decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise TraceError(f"{path}:{number + 1}: cannot be read: {error}") from error


class _Line:
    """The JSON object of one line, whose values are checked as they are taken."""

    def __init__(self, place: str, text: str) -> None:
        self.place = place
        try:
            self._values = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.error(f"not JSON: {error}") from error
        if not isinstance(self._values, dict):
            raise self.error("not a JSON object")

    def error(self, message: str) -> TraceError:
        return TraceError(f"{self.place}: {message}")

    def get(self, key: str) -> Any:
        if key not in self._values:
            raise self.error(f"{key!r} is missing")
        return self._values[key]

    def text(self, key: str) -> str:
        value = self.get(key)
        if not isinstance(value, str):
            raise self.error(f"{key!r} must be a text")
        return value

    def flag(self, key: str) -> bool:
        value = self.get(key)
        if not isinstance(value, bool):
            raise self.error(f"{key!r} must be true or false")
        return value

    def texts(self, key: str) -> Texts:
        return self._texts(key, self.get(key))

    def items(self, key: str, count: int | None = None) -> list[Any]:
        return self._list(key, self.get(key), count)

    def table(self, key: str, rows: int, columns: int) -> list[list[Any]]:
        """A list of lists of the given sizes."""
        return [self._list(key, row, columns) for row in self.items(key, rows)]

    def _list(self, key: str, value: object, count: int | None) -> list[Any]:
        if not isinstance(value, list):
            raise self.error(f"{key!r} must be a list, or a list of lists")
        if count is not None and len(value) != count:
            raise self.error(f"{key!r} has {len(value)} items where {count} belong")
        return value

    def _texts(self, key: str, value: object) -> Texts:
        texts = self._list(key, value, None)
        if not all(isinstance(text, str) for text in texts):
            raise self.error(f"{key!r} must hold texts")
        return tuple(texts)

    def states(self) -> tuple[Texts, ...]:
        states = tuple(self._texts("states", state) for state in self.items("states"))
        if not states:
            raise self.error("'states' is empty")
        return states

    def legal(self, rows: int, roles: int) -> tuple[tuple[Texts, ...], ...]:
        table = self.table("legal", rows, roles)
        return tuple(tuple(self._texts("legal", cell) for cell in row) for row in table)

    def goals(self, rows: int, roles: int) -> tuple[tuple[int | None, ...], ...]:
        table = self.table("goals", rows, roles)
        if not all(value is None or type(value) is int for row in table for value in row):
            raise self.error("'goals' must hold whole numbers and null")
        return tuple(map(tuple, table))

    def flags(self, key: str, count: int) -> tuple[bool, ...]:
        values = self.items(key, count)
        if not all(isinstance(value, bool) for value in values):
            raise self.error(f"{key!r} must hold true and false")
        return tuple(values)


def _read_playout(line: _Line, roles: int) -> RecordedPlayout:
    states = line.states()
    steps = len(states) - 1
    moves = line.table("moves", steps, roles)
    return RecordedPlayout(
        states=states,
        legal=line.legal(steps, roles),
        moves=tuple(line._texts("moves", joint) for joint in moves),
        terminal=line.flags("terminal", len(states)),
        goals=line.goals(len(states), roles),
        complete=line.flag("complete"),
    )
