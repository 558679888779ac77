"""Plug-ins: what other packages add to gamelore, found by their entry points.

A package names what it brings in its `pyproject.toml`:

    [project.entry-points."gamelore.agents"]
    cautious = "my_package.players:CautiousPlayer"
    [project.entry-points."gamelore.evaluators"]
    material = "my_package.evaluators:Material"
    [project.entry-points."gamelore.games"]
    corners = "my_package.games:CORNERS"

Names are found without importing anything; a package is imported when one of its
plug-ins is used, and only then does a fault in it matter.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gamelore.errors import PluginError

PluginKind: TypeAlias = Literal["agents", "evaluators", "games"]

_NOUNS: dict[PluginKind, str] = {
    "agents": "player",
    "evaluators": "evaluator",
    "games": "game",
}


@dataclass(frozen=True)
class Plugin:
    """One thing that another package brings."""

    kind: PluginKind
    name: str
    package: str
    """What pip calls the package."""
    target: str
    """The import path of what it is."""
    rivals: tuple[str, ...] = ()
    """Other packages that bring something of the same kind and name."""

    def __str__(self) -> str:
        return f"{_NOUNS[self.kind]} {self.name!r} of the package {self.package}"

    def load(self) -> Any:
        """Return what the entry point names; `PluginError` if that is not possible."""
        if self.rivals:
            packages = " and ".join((self.package, *self.rivals))
            raise PluginError(
                f"several packages bring a {_NOUNS[self.kind]} {self.name!r}:"
                f" {packages}; uninstall all but one"
            )
        module, _, names = self.target.partition(":")
        try:
            found: Any = import_module(module)
            for name in filter(None, names.split(".")):
                found = getattr(found, name)
            return found
        except Exception as error:  # foreign code
            raise self.fault(f"{type(error).__name__}: {error}") from error

    def fault(self, reason: str) -> PluginError:
        """Return the error that says why it cannot be used."""
        return PluginError(f"the {self} cannot be used: {reason}")


def find_plugins(kind: PluginKind) -> Mapping[str, Plugin]:
    """Return the plug-ins of a kind by name, sorted, without importing them."""
    return _find(kind, tuple(sys.path))


@lru_cache(maxsize=32)
def _find(kind: PluginKind, path: tuple[str, ...]) -> Mapping[str, Plugin]:
    """`path` is only a part of the key: packages are looked for in `sys.path`."""
    if not _may_have_plugins(path):
        return {}
    import importlib.metadata  # slow, and most installations have no plug-in

    found: dict[str, Plugin] = {}
    for point in importlib.metadata.entry_points(group=f"gamelore.{kind}"):
        package = point.dist.name if point.dist is not None else "unknown"
        target = f"{point.module}:{point.attr}"
        first = found.setdefault(point.name, Plugin(kind, point.name, package, target))
        if package not in (first.package, *first.rivals):
            found[point.name] = replace(first, rivals=(*first.rivals, package))
    return dict(sorted(found.items()))


def _may_have_plugins(path: tuple[str, ...]) -> bool:
    """Return whether an installed package may have entry points for gamelore."""
    for place in map(Path, path):
        if place.is_file():  # an archive, which only importlib can read
            return True
        for kind in ("dist-info", "egg-info"):
            for file in place.glob(f"*.{kind}/entry_points.txt"):
                if b"[gamelore." in file.read_bytes():
                    return True
    return False
