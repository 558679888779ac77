"""Games of other packages: rule sheets that their entry points lead to.

An entry point of the group `gamelore.games` names the path of a rule sheet, or a
function that returns one. Board files and features files stand beside it, as they do
beside any rule sheet.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from gamelore.errors import GameloreError
from gamelore.games.boards import BoardPlan
from gamelore.games.library_entry import LibraryEntry
from gamelore.gdl import Game
from gamelore.gdl.reader import read_text
from gamelore.plugins import Plugin


def load_sheet(path: Path) -> Game:
    """Return the game of a rule sheet, drawn as the board file beside it says."""
    game = Game.from_file(path)
    own = sheet_board(path)
    return game if own is None else replace(game, renderer=own)


def sheet_board(path: Path) -> BoardPlan | None:
    """Return what the board file beside a rule sheet says, if there is one."""
    from gamelore.games.board_file import read_board  # needs msgspec, a slow import

    return read_board(path)


def plugin_sheet(plugin: Plugin) -> Path:
    """Return the rule sheet that a plug-in brings; `PluginError` if there is none."""
    found = plugin.load()
    if callable(found):
        try:
            found = found()
        except Exception as error:  # foreign code
            raise plugin.fault(f"{type(error).__name__}: {error}") from error
    if not isinstance(found, str | os.PathLike):
        kind = type(found).__name__
        raise plugin.fault(f"{plugin.target} is no path of a rule sheet, but {kind}")
    sheet = Path(found)
    if not sheet.is_file():
        raise plugin.fault(f"there is no rule sheet {sheet}")
    return sheet


def plugin_entry(plugin: Plugin) -> LibraryEntry:
    """Return what a rule sheet tells of its game: the roles, and its first line."""
    sheet = plugin_sheet(plugin)
    try:
        game = Game.from_file(sheet)
    except GameloreError as error:
        raise plugin.fault(str(error)) from error
    return LibraryEntry(
        name=plugin.name,
        description=_first_comment(read_text(sheet)),
        roles=game.roles,
        moves="single-player" if len(game.roles) == 1 else None,
        family=plugin.name,
        size=(),
        continues=None,
        package=plugin.package,
    )


def _first_comment(text: str) -> str:
    """Return the first line of a rule sheet, if it is a comment."""
    first = text.lstrip().partition("\n")[0]
    return first.strip("; ") if first.startswith(";") else ""
