"""Tournaments as people write them: a file in TOML, read and checked.

Every error names the file, the key, and the way out.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from gamelore.errors import GameloreError, TournamentError
from gamelore.games import load
from gamelore.gdl import Game, Role
from gamelore.match.match import CHANCE

Value = TypeVar("Value", bool, int, float, str)

EXAMPLE = """\
# A tournament: every pair of players, in every game, in every role.
#   gamelore tournament tournament.toml
# plays it, and goes on with it after an interruption.

output = "results"      # folder of records and tables, beside this file
repeats = 10            # matches of each choice of players, game and roles
seed = 1                # decides what is drawn by lot
start_clock = 10        # seconds to get ready
play_clock = 2          # seconds for each move
scramble = false        # whether players get the rules under other names
at_once = 1             # matches at a time
assignments = 60        # per repeat, in games of three roles or more: if there are
                        # more ways to seat the players, so many are drawn by lot
move_limit = 10000      # a match that is longer ends there, with no goals

# Who plays: a name of yours, and a built-in player, the address of a player that is
# being served (gamelore serve), or a Python class. Learners keep what they learned in
# the output folder, or where `store` says.
[players]
searcher = "monte-carlo-100"
careful = "minimax"
chance = "random"
# served = "localhost:9147"
# mine = "my_package.my_module:MyPlayer"
# pupil = { player = "td", store = "pupil.db" }
# trained = "learned:net.course:4"   # what gamelore learn has saved, looking 4 ahead

# What is played: library games or rule sheets. Clocks and repeats of a game's own come
# before those above.
[[games]]
game = "tictactoe"

[[games]]
game = "connect-3"
play_clock = 1
repeats = 5

# [[games]]
# game = "rules/my-game.kif"
# name = "mine"
"""
"""What a file looks like, with everything that it can say."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")
_LONGEST_CLOCK = 86_400.0


@dataclass(frozen=True)
class Competitor:
    """One who takes part, under a name of the tournament's."""

    name: str
    spec: str
    """A built-in player, `host:port`, or `module:Class`."""
    store: Path
    """Where it keeps what it learns, if it does."""


@dataclass(frozen=True)
class Discipline:
    """One game of a tournament, and how it is played there."""

    name: str
    game: Game
    repeats: int
    start_clock: float
    play_clock: float

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles that players take, in order; `random` is none of them."""
        return tuple(role for role in self.game.roles if role != CHANCE)


@dataclass(frozen=True)
class Tournament:
    """All that a file says."""

    name: str
    competitors: tuple[Competitor, ...]
    disciplines: tuple[Discipline, ...]
    output: Path
    seed: int = 0
    scramble: bool = False
    at_once: int = 1
    assignments: int = 60
    """How many ways to seat the players in games of three roles or more, per repeat."""
    move_limit: int = 10_000

    def discipline(self, name: str) -> Discipline:
        return next(each for each in self.disciplines if each.name == name)


def read_tournament(path: str | Path) -> Tournament:
    """What a file says; `TournamentError` if it cannot be played."""
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
        values = tomllib.loads(text)
    except OSError as error:
        raise TournamentError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TournamentError(
            f"{path} is no TOML file: {error}"
            " (gamelore tournament --example prints one)"
        ) from error
    return tournament_of(values, path)


def tournament_of(values: Mapping[str, Any], path: Path) -> Tournament:
    """The tournament of a file's values; names of files are seen from its folder."""
    top = _Table(values, "", path)
    folder = path.parent
    output = folder / top.take("output", str, path.stem)
    common = _common_of(top)
    tournament = Tournament(
        name=path.stem,
        competitors=_competitors_of(top, output),
        disciplines=_disciplines_of(top, common),
        output=output,
        seed=top.take_number("seed", 0, 0, 2**63 - 1),
        scramble=top.take("scramble", bool, False),
        at_once=top.take_number("at_once", 1, 1, 64),
        assignments=top.take_number("assignments", 60, 1, 10_000),
        move_limit=top.take_number("move_limit", 10_000, 1, 10**6),
    )
    top.finish()
    _check_seats(tournament, path)
    return tournament


class _Table:
    """A table of the file, whose keys are taken one by one."""

    def __init__(self, values: object, key: str, path: Path) -> None:
        self.key = key
        self.path = path
        if not isinstance(values, Mapping):
            raise self.error(f"wants a table, got {_shown(values)}")
        self.values = values
        self._known: list[str] = []

    def error(self, message: str, key: str = "") -> TournamentError:
        """What is wrong with the table, or with one of its keys."""
        place = ".".join(part for part in (self.key, key) if part)
        return TournamentError(f"{self.path}: {place} {message}".replace(":  ", ": "))

    def take(self, key: str, kind: type[Value], default: Value | None = None) -> Value:
        """A key's value; `TournamentError` if it is missing and has no default."""
        value = self.take_any(key)
        if value is None:
            if default is None:
                raise self.error("is missing", key)
            return default
        if kind is float and type(value) is int:
            value = float(value)
        # Not isinstance: to Python true is a number too.
        if type(value) is not kind:
            raise self.error(f"wants {_KINDS[kind]}, got {_shown(value)}", key)
        return value

    def take_number(self, key: str, default: int, low: int, high: int) -> int:
        """A whole number within bounds."""
        value = self.take(key, int, default)
        if not low <= value <= high:
            raise self.error(f"must be from {low:,} to {high:,}, got {value}", key)
        return value

    def take_any(self, key: str) -> object:
        """A key's value as it is, `None` if there is none."""
        self._known.append(key)
        return self.values.get(key)

    def finish(self) -> None:
        """Refuse what nobody asked for."""
        for key in self.values:
            if key not in self._known:
                near = get_close_matches(key, self._known, n=1)
                keys = ", ".join(self._known)
                hint = f"did you mean {near[0]}?" if near else f"known are {keys}"
                raise self.error(f"is no key of a tournament; {hint}", key)


_KINDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text in quotes",
}


@dataclass(frozen=True)
class _Common:
    """What holds for the games that say nothing else."""

    repeats: int
    start_clock: float
    play_clock: float


_DEFAULTS = _Common(repeats=1, start_clock=10.0, play_clock=5.0)


def _common_of(table: _Table, default: _Common = _DEFAULTS) -> _Common:
    return _Common(
        table.take_number("repeats", default.repeats, 1, 10**6),
        _clock(table, "start_clock", default.start_clock),
        _clock(table, "play_clock", default.play_clock),
    )


def _clock(table: _Table, key: str, default: float) -> float:
    seconds = table.take(key, float, default)
    if not 0 < seconds <= _LONGEST_CLOCK:
        raise table.error(f"must be a positive number of seconds, got {seconds}", key)
    return seconds


def _competitors_of(top: _Table, output: Path) -> tuple[Competitor, ...]:
    """The players by name; each is a text, or a table with more to say."""
    given = top.take_any("players")
    if not given or not isinstance(given, Mapping):
        raise top.error(
            'needs at least one player, as in: chance = "random"', "[players]"
        )
    players = _Table(given, "players", top.path)
    twice = _first_repeated(players.values)
    if twice is not None:
        raise players.error("differs from another name in capitals only", twice)
    return tuple(
        _competitor_of(players, name, value, output)
        for name, value in players.values.items()
    )


def _competitor_of(
    players: _Table, name: str, value: object, output: Path
) -> Competitor:
    _check_name(name, lambda message: players.error(message, name))
    store = output / "stores" / f"{name}.db"
    if isinstance(value, str):
        return Competitor(name, value, store)
    table = _Table(value, f"players.{name}", players.path)
    spec = table.take("player", str)
    named = table.take("store", str, "")
    table.finish()
    return Competitor(name, spec, players.path.parent / named if named else store)


def _disciplines_of(top: _Table, common: _Common) -> tuple[Discipline, ...]:
    given = top.take_any("games")
    if not given or not isinstance(given, list):
        raise top.error(
            'needs at least one game, as in: games = ["tictactoe"]', "games"
        )
    found = [
        _discipline_of(value, number, top.path, common)
        for number, value in enumerate(given, start=1)
    ]
    twice = _first_repeated(each.name for each in found)
    if twice is not None:
        raise top.error(
            f"has two games called {twice}; give one of them another name,"
            ' as in: name = "fast"',
            "games",
        )
    return tuple(found)


def _discipline_of(
    value: object, number: int, path: Path, common: _Common
) -> Discipline:
    """A game by its name alone, or as a table with more to say."""
    given = {"game": value} if isinstance(value, str) else value
    table = _Table(given, f"games[{number}]", path)
    spec = table.take("game", str)
    game = _load(spec, table)
    name = table.take("name", str, game.name)
    own = _common_of(table, common)
    table.finish()
    _check_name(name, lambda message: table.error(message, "name"))
    return Discipline(name, game, own.repeats, own.start_clock, own.play_clock)


def _load(spec: str, table: _Table) -> Game:
    """A library game, or a rule sheet seen from the file's folder."""
    is_file = spec.endswith(".kif") or "/" in spec or "\\" in spec
    try:
        return load(table.path.parent / spec if is_file else spec)
    except (GameloreError, OSError) as error:
        raise table.error(f"cannot be played: {error}", "game") from error


def _check_name(name: str, error: Callable[[str], TournamentError]) -> None:
    """Names become parts of match ids and file names."""
    if not _NAME.fullmatch(name):
        raise error(
            f"has the name {name!r}: names are made of letters, digits, - and _,"
            " at most 60"
        )


def _check_seats(tournament: Tournament, path: Path) -> None:
    """Every game needs as many players as it has seats."""
    present = len(tournament.competitors)
    for discipline in tournament.disciplines:
        seats = len(discipline.roles)
        if seats == 0:
            raise TournamentError(f"{path}: {discipline.name} has no role to play")
        if seats > present:
            raise TournamentError(
                f"{path}: {discipline.name} needs {seats} players, and there are"
                f" {present}; add players or leave the game out"
                " (one player may take part under two names)"
            )


def _first_repeated(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        # Not all file systems tell capitals from small letters.
        if name.lower() in seen:
            return name
        seen.add(name.lower())
    return None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"
