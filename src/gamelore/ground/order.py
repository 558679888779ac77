"""Terms in the order in which people would list them."""

from __future__ import annotations

from gamelore.gdl import Term, to_kif


def natural_order(term: Term) -> list[tuple[int, str]]:
    """Return a sorting key by which numbers are sorted by value, not as text."""
    words = to_kif(term).replace("(", " ").replace(")", " ").split()
    return [(int(w), "") if w.isdigit() and w.isascii() else (-1, w) for w in words]
