"""The games library: rule sheets, their sizes, features, and boards as text."""

from gamelore.games.library import (
    Entry,
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
    "Entry",
    "board",
    "entry",
    "feature_names",
    "features_text",
    "library",
    "load",
    "load_features",
    "rules_text",
]
