"""The games library: rule sheets, their sizes, features, and plans of their boards."""

from gamelore.games.library import (
    board,
    entry,
    feature_names,
    features_text,
    library,
    load,
    load_features,
    plugin_games,
    rules_text,
)
from gamelore.games.library_entry import LibraryEntry

__all__ = [
    "LibraryEntry",
    "board",
    "entry",
    "feature_names",
    "features_text",
    "library",
    "load",
    "load_features",
    "plugin_games",
    "rules_text",
]
