"""Knowledge in files and stores: which of the two a path is, loading, and adding."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from pathlib import Path

from gamelore.errors import KnowledgeError
from gamelore.transfer.knowledge import Knowledge
from gamelore.transfer.knowledge_file import read_knowledge_file, save_knowledge
from gamelore.transfer.store import KnowledgeStore

_STORES = (".db", ".sqlite", ".sqlite3")


def is_store(path: Path) -> bool:
    """Return whether a path names a SQLite store rather than a JSON file."""
    return path.suffix in _STORES


def load_knowledge(path: str | Path) -> Knowledge:
    """Return all that a knowledge file or a store holds."""
    path = Path(path)
    if not is_store(path):
        return read_knowledge_file(path)
    if not path.exists():
        raise KnowledgeError(f"there is no file {path}")
    with KnowledgeStore(path) as store:
        return store.select()


def load_sources(paths: Iterable[Path], opponent: str | None = None) -> Knowledge:
    """Return what files and stores hold together, of one opponent if it is given.

    `KnowledgeError` if that is nothing.
    """
    known = reduce(or_, map(load_knowledge, paths), Knowledge())
    if opponent is not None:
        known = known.select(opponent=opponent)
    if not known.results:
        against = f" against {opponent}" if opponent else ""
        raise KnowledgeError(f"nothing was learned{against} that could be transferred")
    return known


def check_destination(path: Path, overwrite: bool = False) -> None:
    """Raise the `KnowledgeError` that `add_knowledge` would, before hours of work."""
    if not path.parent.is_dir():
        raise KnowledgeError(f"there is no folder {path.parent}")
    if path.exists() and not (overwrite and not is_store(path)):
        load_knowledge(path)


def add_knowledge(
    knowledge: Knowledge, path: str | Path, *, overwrite: bool = False
) -> None:
    """Add source results to a file or store; `overwrite` replaces a file instead."""
    path = Path(path)
    if is_store(path):
        with KnowledgeStore(path) as store:
            store.add(knowledge)
        return
    if path.exists() and not overwrite:
        knowledge |= read_knowledge_file(path)
    save_knowledge(knowledge, path, overwrite=overwrite)
