"""Reading and checking rules: GDL text → `Game`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gamelore.gdl.game import Game
from gamelore.gdl.limits import ReaderLimits
from gamelore.gdl.problems import Problem, Span
from gamelore.gdl.reader import read_term
from gamelore.gdl.rules import (
    And,
    Atom,
    Condition,
    Not,
    Or,
    Rule,
    find_atoms,
    find_variables,
)
from gamelore.gdl.terms import (
    Compound,
    Fact,
    Move,
    Role,
    Term,
    Variable,
    to_kif,
    variables,
)

if TYPE_CHECKING:
    from gamelore.gdl.canonical import CanonicalForm, canonical_form

__all__ = [
    "And",
    "Atom",
    "CanonicalForm",
    "Compound",
    "Condition",
    "Fact",
    "Game",
    "Move",
    "Not",
    "Or",
    "Problem",
    "ReaderLimits",
    "Role",
    "Rule",
    "Span",
    "Term",
    "Variable",
    "canonical_form",
    "find_atoms",
    "find_variables",
    "read_term",
    "to_kif",
    "variables",
]


def __getattr__(name: str) -> Any:
    # Canonical forms need numpy, which who only reads rules should not wait for.
    if name in ("CanonicalForm", "canonical_form"):
        return getattr(import_module("gamelore.gdl.canonical.form"), name)
    raise AttributeError(f"module 'gamelore.gdl' has no attribute {name!r}")
