"""Specs of agents that play on other machines, with the files that they name."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from gamelore.agents.registry import AgentSpec
from gamelore.cache import cache_folder
from gamelore.errors import GameloreError
from gamelore.files import write_atomic


@dataclass(frozen=True)
class ShippedSpec:
    """A spec, and the content of its file if it plays by one."""

    spec: AgentSpec
    content: bytes | None = None

    @classmethod
    def pack(cls, spec: AgentSpec) -> ShippedSpec:
        """Return a spec with what it needs elsewhere; `GameloreError` if it is gone."""
        if not spec.is_learned:
            return cls(spec)
        try:
            return cls(spec, Path(spec.target).read_bytes())
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise GameloreError(f"cannot read {spec.target}: {reason}") from error

    def unpack(self) -> AgentSpec:
        """Return the spec for this machine; the file is written to the cache, once."""
        if self.content is None:
            return self.spec
        digest = hashlib.sha256(self.content).hexdigest()
        name = Path(self.spec.target).name
        path = cache_folder() / "shipped" / digest[:32] / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, self.content)
        return replace(self.spec, target=str(path))
