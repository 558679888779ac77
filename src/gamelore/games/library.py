"""The games that come with gamelore, by name; and any rule sheet, by path.

What `load` takes:

    load("tictactoe")        three in a row on its usual board
    load("othello-6x6")      a size of a family
    load("my-game.kif")      a file
    load("corners")          a game that another package brings, by its name

Features files stand beside rule sheets: `my-game.features.kif`, or, where there are
several, `my-game.WHICH.features.kif`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path

from gamelore.errors import GameloreError, UnknownGameError
from gamelore.games.boards import BoardPlan
from gamelore.games.families import FAMILIES, Family, Size
from gamelore.games.library_entry import LibraryEntry
from gamelore.games.plugin_games import (
    load_sheet,
    plugin_entry,
    plugin_sheet,
    sheet_board,
)
from gamelore.games.template import expand
from gamelore.gdl import Game
from gamelore.gdl.features import FeatureRules
from gamelore.gdl.reader import read_text
from gamelore.plugins import Plugin, find_plugins

RULES = Path(__file__).parent / "rules"
FEATURE_FILES = Path(__file__).parent / "features"
FEATURES = ".features.kif"

_SIZE = re.compile(r"[0-9]{1,9}(?:[x-][0-9]{1,9})*")


@cache
def library() -> tuple[LibraryEntry, ...]:
    """Every game that `gamelore games` lists; families have more sizes than these."""
    return tuple(
        _entry(family, size)
        for family in FAMILIES
        for size in family.listed or (family.usual,)
    )


def plugin_games() -> tuple[tuple[LibraryEntry, ...], tuple[GameloreError, ...]]:
    """Return the games that other packages bring, and why others cannot be used."""
    entries: list[LibraryEntry] = []
    faults: list[GameloreError] = []
    for name, plugin in find_plugins("games").items():
        try:
            if _find_family(name):
                raise plugin.fault("a game of the library has its name")
            entries.append(plugin_entry(plugin))
        except GameloreError as error:
            faults.append(error)
    return tuple(entries), tuple(faults)


def entry(name: str) -> LibraryEntry:
    """The library's entry of that name, of any size; `UnknownGameError` if none."""
    plugin = _find_plugin(name)
    return plugin_entry(plugin) if plugin else _entry(*_find(name))


def rules_text(name: str) -> str:
    """The rule sheet of a library game, comments included, in the size named."""
    plugin = _find_plugin(name)
    if plugin is not None:
        return read_text(plugin_sheet(plugin))
    family, size = _find(name)
    return _rules_text(family, size)


def board(name: str) -> BoardPlan:
    """Return how the positions of a library game are drawn."""
    plugin = _find_plugin(name)
    if plugin is not None:
        return sheet_board(plugin_sheet(plugin)) or BoardPlan()
    family, size = _find(name)
    return family.board(size)


def load(name_or_path: str | Path) -> Game:
    """A library game by name, or the game of a rule sheet by path."""
    if _is_path(name_or_path):
        return load_sheet(Path(name_or_path))
    plugin = _find_plugin(str(name_or_path))
    if plugin is not None:
        game = load_sheet(plugin_sheet(plugin))
        return replace(game, name=plugin.name, source=plugin.name)
    return _load(*_find(str(name_or_path)))


@lru_cache(maxsize=64)
def _load(family: Family, size: Size) -> Game:
    name = family.game_name(size)
    game = Game.from_kif(_rules_text(family, size), name=name, source=name)
    return replace(game, renderer=family.board(size))


def feature_names(name: str) -> tuple[str, ...]:
    """The features files that come with a library game."""
    folder, start = _feature_files(name)
    files = folder.glob(f"{start}*{FEATURES}")
    return tuple(sorted(f.name[len(start) : -len(FEATURES)] for f in files))


def features_text(name: str, which: str) -> str:
    """A features file of a library game, comments included, in the size named."""
    if which not in feature_names(name):
        known = ", ".join(feature_names(name)) or "none"
        whose = name if _find_plugin(name) else _find(name)[0].name
        raise UnknownGameError(
            f"{whose} has no features {which!r}; it comes with {known}, and the"
            " path of a features file ends in .kif"
        )
    folder, start = _feature_files(name)
    text = (folder / f"{start}{which}{FEATURES}").read_text(encoding="utf-8")
    if _find_plugin(name):
        return text
    family, size = _find(name)
    return expand(text, family.parameters(size))


def load_features(which: str | Path, game: Game) -> FeatureRules:
    """Features of a library game by name, or those of a features file by path."""
    if _is_path(which):
        return FeatureRules.from_file(which, game)
    text = features_text(game.name, str(which))
    return FeatureRules.from_kif(text, game, name=str(which), source=str(which))


def _feature_files(name: str) -> tuple[Path, str]:
    """Return the folder of a game's features files, and how their names begin."""
    plugin = _find_plugin(name)
    if plugin is not None:
        sheet = plugin_sheet(plugin)
        return sheet.parent, f"{sheet.stem}."
    family, _ = _find(name)
    return FEATURE_FILES, f"{family.sheet or family.name}."


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


def _find_plugin(name: str) -> Plugin | None:
    """The plug-in of a name that no family has."""
    return None if _find_family(name) else find_plugins("games").get(name)


def _find_family(name: str) -> Family | None:
    """The family that a name stands for; the longest family name decides."""
    families = [
        family
        for family in FAMILIES
        if name == family.name or name.startswith(f"{family.name}-")
    ]
    return max(families, key=lambda family: len(family.name), default=None)


def _find(name: str) -> tuple[Family, Size]:
    """The family and size a name stands for."""
    family = _find_family(name)
    if family is None:
        raise UnknownGameError(_unknown(name))
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
    names |= {known: known for known in find_plugins("games")}
    close = get_close_matches(name.lower(), names, n=1)
    hint = f"did you mean {names[close[0]]}? " if close else ""
    return (
        f"no library game is called {name!r}; {hint}`gamelore games` lists them all,"
        " and the path of a rule sheet ends in .kif"
    )
