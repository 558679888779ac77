"""The games library: rule sheets, their sizes, features, and plans of their boards."""

from gamelore.games.library import (
    LibraryEntry,
    board,
    entry,
    feature_names,
    features_text,
    library,
    load,
    load_features,
    rules_text,
)

__all__ = [
    "LibraryEntry",
    "board",
    "entry",
    "feature_names",
    "features_text",
    "library",
    "load",
    "load_features",
    "rules_text",
]
