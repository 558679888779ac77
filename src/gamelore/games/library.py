"""The games that come with gamelore, by name; and any rule sheet, by path.

What `load` takes:

    load("tictactoe")        three in a row on its usual board
    load("othello-6x6")      a size of a family
    load("my-game.kif")      a file

Features files stand beside rule sheets: `my-game.features.kif`, or, where there are
several, `my-game.WHICH.features.kif`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from gamelore.errors import UnknownGameError
from gamelore.games.board_file import read_board
from gamelore.games.boards import BoardPlan
from gamelore.games.families import FAMILIES, Family, MoveKind, Size
from gamelore.games.template import expand
from gamelore.gdl import Game, Role
from gamelore.gdl.features import FeatureRules

RULES = Path(__file__).parent / "rules"
FEATURE_FILES = Path(__file__).parent / "features"
FEATURES = ".features.kif"

_SIZE = re.compile(r"[0-9]{1,9}(?:[x-][0-9]{1,9})*")


@dataclass(frozen=True)
class LibraryEntry:
    """What the library knows of one game without reading its rules."""

    name: str
    description: str
    roles: tuple[Role, ...]
    moves: MoveKind
    family: str
    size: Size
    """Rows and columns, heaps, or a number of points; empty if there is one size."""
    continues: str | None
    """The relation that holds while a turn of several moves goes on: until it no longer
    does, those moves count as one."""

    @property
    def players(self) -> int:
        """How many players it takes; `random` is none."""
        return sum(role != "random" for role in self.roles)


@cache
def library() -> tuple[LibraryEntry, ...]:
    """Every game that `gamelore games` lists; families have more sizes than these."""
    return tuple(
        _entry(family, size)
        for family in FAMILIES
        for size in family.listed or (family.usual,)
    )


def entry(name: str) -> LibraryEntry:
    """The library's entry of that name, of any size; `UnknownGameError` if none."""
    return _entry(*_find(name))


def rules_text(name: str) -> str:
    """The rule sheet of a library game, comments included, in the size named."""
    family, size = _find(name)
    return _rules_text(family, size)


def board(name: str) -> BoardPlan:
    """Return how the positions of a library game are drawn."""
    family, size = _find(name)
    return family.board(size)


def load(name_or_path: str | Path) -> Game:
    """A library game by name, or the game of a rule sheet by path."""
    if _is_path(name_or_path):
        game = Game.from_file(name_or_path)
        own = read_board(Path(name_or_path))
        return game if own is None else replace(game, renderer=own)
    family, size = _find(str(name_or_path))
    name = family.game_name(size)
    game = Game.from_kif(_rules_text(family, size), name=name, source=name)
    return replace(game, renderer=family.board(size))


def feature_names(name: str) -> tuple[str, ...]:
    """The features files that come with a library game."""
    family, _ = _find(name)
    start = f"{family.sheet or family.name}."
    files = FEATURE_FILES.glob(f"{start}*{FEATURES}")
    return tuple(sorted(f.name[len(start) : -len(FEATURES)] for f in files))


def features_text(name: str, which: str) -> str:
    """A features file of a library game, comments included, in the size named."""
    family, size = _find(name)
    if which not in feature_names(name):
        known = ", ".join(feature_names(name)) or "none"
        raise UnknownGameError(
            f"{family.name} has no features {which!r}; it comes with {known}, and the"
            " path of a features file ends in .kif"
        )
    sheet = f"{family.sheet or family.name}.{which}{FEATURES}"
    template = (FEATURE_FILES / sheet).read_text(encoding="utf-8")
    return expand(template, family.parameters(size))


def load_features(which: str | Path, game: Game) -> FeatureRules:
    """Features of a library game by name, or those of a features file by path."""
    if _is_path(which):
        return FeatureRules.from_file(which, game)
    text = features_text(game.name, str(which))
    return FeatureRules.from_kif(text, game, name=str(which), source=str(which))


def _is_path(name_or_path: str | Path) -> bool:
    path = Path(name_or_path)
    return (
        isinstance(name_or_path, Path) or path.suffix == ".kif" or len(path.parts) > 1
    )


def _rules_text(family: Family, size: Size) -> str:
    template = (RULES / family.sheet_name).read_text(encoding="utf-8")
    return expand(template, family.parameters(size))


def _entry(family: Family, size: Size) -> LibraryEntry:
    description = family.description
    if size:
        numbers = family.size_text.format(*size)
        if len(size) > family.size_text.count("{}"):
            numbers = family.size_text.format(", ".join(map(str, size)))
        description = f"{description} ({numbers})"
    return LibraryEntry(
        name=family.game_name(size),
        description=description,
        roles=family.roles,
        moves=family.moves,
        family=family.name,
        size=size,
        continues=family.continues,
    )


def _find(name: str) -> tuple[Family, Size]:
    """The family and size a name stands for; the longest family name decides."""
    families = [
        family
        for family in FAMILIES
        if name == family.name or name.startswith(f"{family.name}-")
    ]
    if not families:
        raise UnknownGameError(_unknown(name))
    family = max(families, key=lambda family: len(family.name))
    if name == family.name:
        return family, family.usual
    suffix = name[len(family.name) + 1 :]
    if not _SIZE.fullmatch(suffix):
        raise UnknownGameError(_unknown(name))
    size = family.completed(_read_size(suffix, family.separator))
    fault = family.size_fault(size)
    if fault:
        raise UnknownGameError(
            f"{family.name} has no size {suffix}: {fault}"
            " (`gamelore games` lists the library's games)"
        )
    return family, size


def _read_size(suffix: str, separator: str) -> Size:
    """The numbers of a size, or none if they are separated by anything else."""
    numbers = suffix.split(separator)
    return tuple(map(int, numbers)) if all(map(str.isdecimal, numbers)) else ()


def _unknown(name: str) -> str:
    names = {known.name: known.name for known in library()}
    for family in FAMILIES:
        names |= dict.fromkeys((family.name, *family.other_names), family.name)
    close = get_close_matches(name.lower(), names, n=1)
    hint = f"did you mean {names[close[0]]}? " if close else ""
    return (
        f"no library game is called {name!r}; {hint}`gamelore games` lists them all,"
        " and the path of a rule sheet ends in .kif"
    )
