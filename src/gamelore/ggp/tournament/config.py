"""Tournaments as people write them: a file in TOML, read and checked.

Every error names the file, the key, and the way out.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec

from gamelore.errors import GameloreError, TournamentError
from gamelore.games import load
from gamelore.gdl import Game, Role
from gamelore.ggp.validation import convert
from gamelore.match.record import CHANCE

EXAMPLE = """\
# A tournament: every pair of players, in every game, in every role.
#   gamelore tournament tournament.toml
# runs it, and resumes it after an interruption.

output = "results"      # folder of records and tables, beside this file
repeats = 10            # matches of each choice of players, game and roles
seed = 1                # of all random numbers
start_clock = 10        # seconds to prepare
play_clock = 2          # seconds for each move
grace = 1               # seconds after the play clock in which a move still counts
scramble = false        # rename all symbols in the rules that are sent
at_once = 1             # matches at the same time
assignments = 60        # limit for games of three roles or more: if there are more
                        # assignments of players to roles, each repeat draws 60
move_limit = 10000      # a match ends after so many moves, without goals

# The players. Each has a name of your choice, and is a built-in player, the address of
# a player on the network (gamelore serve), or a Python class. Players that learn save
# their values in the output folder, or in the file `store`.
[players]
searcher = "mcts"
careful = "minimax"
chance = "random"
# served = "localhost:9147"
# mine = "my_package.my_module:MyPlayer"
# learner = { player = "td", store = "learner.db" }
# trained = "learned:net.ckpt:4"   # saved by gamelore learn, searches 4 moves ahead

# The games: library games or rule sheets. A game may have its own repeats, start_clock,
# play_clock and grace, which replace those above.
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
"""An example of a file, with all keys."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")
_DAY = 86_400  # seconds

MakeError: TypeAlias = Callable[[str], TournamentError]
"""Makes an exception that names the file, from a message that names the key."""


def _from_to(low: int, high: int) -> msgspec.Meta:
    return msgspec.Meta(
        ge=low, le=high, description=f"must be from {low:,} to {high:,}"
    )


Repeats: TypeAlias = Annotated[int, _from_to(1, 10**6)]
Seconds: TypeAlias = Annotated[
    float,
    msgspec.Meta(gt=0, le=_DAY, description="must be a positive number of seconds"),
]
Grace: TypeAlias = Annotated[
    float, msgspec.Meta(ge=0, le=3600, description="must be from 0 to 3,600 seconds")
]


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
    grace: float = 1.0

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles that players take, in order; `random` is none of them."""
        return tuple(role for role in self.game.roles if role != CHANCE)


@dataclass(frozen=True)
class Tournament:
    """A tournament, as its file describes it."""

    name: str
    competitors: tuple[Competitor, ...]
    disciplines: tuple[Discipline, ...]
    output: Path
    seed: int = 0
    scramble: bool = False
    at_once: int = 1
    assignments: int = 60
    """How many of them, in games of three roles or more, per repeat."""
    move_limit: int = 10_000

    def discipline(self, name: str) -> Discipline:
        return next(each for each in self.disciplines if each.name == name)


class _PlayerTable(msgspec.Struct, forbid_unknown_fields=True):
    """A player with more to say than who it is."""

    player: str
    store: str = ""


class _GameTable(msgspec.Struct, forbid_unknown_fields=True):
    """A game with more to say than which it is; None is what the file says of all."""

    game: str
    name: str = ""
    repeats: Repeats | None = None
    start_clock: Seconds | None = None
    play_clock: Seconds | None = None
    grace: Grace | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """All keys of a file."""

    output: str = ""
    repeats: Repeats = 1
    start_clock: Seconds = 10.0
    play_clock: Seconds = 5.0
    grace: Grace = 1.0
    seed: Annotated[int, _from_to(0, 2**63 - 1)] = 0
    scramble: bool = False
    at_once: Annotated[int, _from_to(1, 64)] = 1
    assignments: Annotated[int, _from_to(1, 10_000)] = 60
    move_limit: Annotated[int, _from_to(1, 10**6)] = 10_000
    players: dict[str, Any] = {}
    games: list[Any] = []


def read_tournament(path: str | Path) -> Tournament:
    """Return what a file says; `TournamentError` if it cannot be played."""
    path = Path(path)
    try:
        values = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise TournamentError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TournamentError(
            f"{path} is no TOML file: {error}"
            " (gamelore tournament --example prints one)"
        ) from error
    return make_tournament(values, path)


def make_tournament(values: Mapping[str, Any], path: Path) -> Tournament:
    """Return the tournament of a file's values; files are seen from its folder."""

    def error(message: str) -> TournamentError:
        return TournamentError(f"{path}: {message}")

    file = convert(values, _File, "", error)
    output = path.parent / (file.output or path.stem)
    if not file.players:
        raise error('[players] needs at least one player, as in: chance = "random"')
    if not file.games:
        raise error('games needs at least one game, as in: games = ["tictactoe"]')
    twice = _first_repeated(file.players)
    if twice is not None:
        raise error(f"players.{twice} differs from another name in capitals only")
    competitors = tuple(
        _make_competitor(name, value, path.parent, output, error)
        for name, value in file.players.items()
    )
    disciplines = tuple(
        _make_discipline(value, f"games[{number}]", file, path.parent, error)
        for number, value in enumerate(file.games, start=1)
    )
    twice = _first_repeated(each.name for each in disciplines)
    if twice is not None:
        hint = 'give one of them another name, as in: name = "fast"'
        raise error(f"games has two games called {twice}; {hint}")
    tournament = Tournament(
        name=path.stem,
        competitors=competitors,
        disciplines=disciplines,
        output=output,
        seed=file.seed,
        scramble=file.scramble,
        at_once=file.at_once,
        assignments=file.assignments,
        move_limit=file.move_limit,
    )
    _check_players(tournament, error)
    return tournament


def _make_competitor(
    name: str, value: object, folder: Path, output: Path, error: MakeError
) -> Competitor:
    """Return a player; it is given as a text, or as a table with more to say."""
    key = f"players.{name}"
    _check_name(name, key, error)
    given = {"player": value} if isinstance(value, str) else value
    table = convert(given, _PlayerTable, key, error)
    store = folder / table.store if table.store else output / "stores" / f"{name}.db"
    return Competitor(name, table.player, store)


def _make_discipline(
    value: object, key: str, file: _File, folder: Path, error: MakeError
) -> Discipline:
    """Return a game; it is given by its name alone, or as a table with more to say."""
    given = {"game": value} if isinstance(value, str) else value
    table = convert(given, _GameTable, key, error)
    try:
        game = _load(table.game, folder)
    except (GameloreError, OSError) as reason:
        raise error(f"{key}.game cannot be played: {reason}") from reason
    name = table.name or game.name
    _check_name(name, f"{key}.name", error)
    clocks = (
        file.start_clock if table.start_clock is None else table.start_clock,
        file.play_clock if table.play_clock is None else table.play_clock,
        file.grace if table.grace is None else table.grace,
    )
    return Discipline(name, game, table.repeats or file.repeats, *clocks)


def _load(spec: str, folder: Path) -> Game:
    """Return a library game, or the game of a rule sheet seen from a folder."""
    is_file = spec.endswith(".kif") or "/" in spec or "\\" in spec
    return load(folder / spec if is_file else spec)


def _check_name(name: str, key: str, error: MakeError) -> None:
    """Check a name: names become parts of match ids and file names."""
    if not _NAME.fullmatch(name):
        raise error(
            f"{key} has the name {name!r}: names are made of letters, digits, - and _,"
            " at most 60"
        )


def _check_players(tournament: Tournament, error: MakeError) -> None:
    """Check that there are enough players for every game."""
    present = len(tournament.competitors)
    for discipline in tournament.disciplines:
        name, needed = discipline.name, len(discipline.roles)
        if needed == 0:
            raise error(f"{name} has no role to play")
        if needed > present:
            raise error(
                f"{name} needs {needed} players, and there are {present}; add players"
                " or leave the game out (one player may take part under two names)"
            )


def _first_repeated(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        # Not all file systems tell capitals from small letters.
        if name.lower() in seen:
            return name
        seen.add(name.lower())
    return None
