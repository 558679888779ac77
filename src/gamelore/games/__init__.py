"""The games library: rule sheets, their sizes, and their boards as text."""

from gamelore.games.library import Entry, board, entry, library, load, rules_text

__all__ = ["Entry", "board", "entry", "library", "load", "rules_text"]
