"""Facts of tests, as text."""

from __future__ import annotations

from gamelore.gdl import Fact, read_term


def read_facts(*texts: str) -> list[Fact]:
    """Return the facts that texts in KIF say."""
    return [read_term(text) for text in texts]
