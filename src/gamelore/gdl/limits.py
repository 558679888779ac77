"""How much a reader takes before it refuses."""

from __future__ import annotations

from dataclasses import dataclass, fields

DEEPEST = 200  # terms are compared and hashed recursively; this depth is always safe


@dataclass(frozen=True)
class ReaderLimits:
    """Bounds on rule text; the largest published games use a twentieth."""

    text: int = 1_000_000
    """Characters of a text, and bytes of a file."""
    token: int = 1000
    """Characters of one name."""
    depth: int = 100
    """Parentheses inside parentheses."""
    rules: int = 30_000
    """Rules and facts."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value < 1:
                raise ValueError(f"{field.name} must be positive, got {value}")
        if self.depth > DEEPEST:
            raise ValueError(f"depth must be at most {DEEPEST}, got {self.depth}")
