"""Reading and checking rules: GDL text → `Game`."""

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
    atoms_of,
    variables_of,
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

__all__ = [
    "And",
    "Atom",
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
    "atoms_of",
    "read_term",
    "to_kif",
    "variables",
    "variables_of",
]
