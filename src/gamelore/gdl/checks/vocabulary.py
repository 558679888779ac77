"""Names that are asked for but never made, or made but never asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from gamelore.gdl.checks.sheet import Sheet
from gamelore.gdl.problems import Span
from gamelore.gdl.rules import ARITIES, Atom
from gamelore.gdl.source import quote
from gamelore.gdl.terms import Compound, Variable

_SUGGESTIONS = 20  # comparing names is slow: later problems get no suggestion
_CANDIDATES = 500


def check_vocabulary(sheet: Sheet) -> None:
    """Warn of names that nothing makes or nothing asks for: most are misspelt."""
    suggestions = Suggestions()
    check_relations(sheet, suggestions)
    check_facts(sheet, suggestions)
    check_moves(sheet, suggestions)


def check_relations(sheet: Sheet, suggestions: Suggestions) -> None:
    """Warn of relations in bodies without rules, and of those in no body."""
    asked = first_places(use.atom for use in sheet.uses)
    made = first_places(rule.head for rule in sheet.rules)
    own = made.keys() - ARITIES.keys()
    for name, place in asked.items():
        if name not in made and name not in ARITIES and not sheet.is_damaged(name):
            message = f"{quote(name)} is never derived{suggestions.like(name, own)}"
            sheet.report.warning("underived", message, place)
    unknown = asked.keys() - made.keys() - ARITIES.keys()
    for name, place in made.items():
        if name not in asked and name not in ARITIES and not sheet.is_damaged(name):
            message = f"{quote(name)} is never used{suggestions.like(name, unknown)}"
            sheet.report.warning("unused", message, place)


def check_facts(sheet: Sheet, suggestions: Suggestions) -> None:
    """Warn of facts that `true` asks for and no `init` or `next` makes."""
    heads = (r.head for r in sheet.rules if r.head.relation in ("init", "next"))
    asked = (use.atom for use in sheet.uses if use.atom.relation == "true")
    reason = "is never true: no `init` or `next` makes it"
    check_subjects(sheet, heads, asked, reason, suggestions)


def check_moves(sheet: Sheet, suggestions: Suggestions) -> None:
    """Warn of moves that `does` asks for and no `legal` allows."""
    heads = (rule.head for rule in sheet.rules if rule.head.relation == "legal")
    asked = (use.atom for use in sheet.uses if use.atom.relation == "does")
    reason = "is never done: no `legal` allows it"
    check_subjects(sheet, heads, asked, reason, suggestions)


def check_subjects(
    sheet: Sheet,
    makers: Iterable[Atom],
    asked: Iterable[Atom],
    reason: str,
    suggestions: Suggestions,
) -> None:
    made = {_subject(atom) for atom in makers}
    if "" in made:  # a variable, which may be anything
        return
    known = {"", *made}
    for atom in asked:
        name = _subject(atom)
        if name not in known and not sheet.is_damaged(name):
            message = f"{quote(name)} {reason}{suggestions.like(name, made)}"
            sheet.report.warning("underived", message, sheet.places.last(atom))
        known.add(name)


def _subject(atom: Atom) -> str:
    """Return the name of an atom's fact or move; empty for a variable."""
    subject = atom.arguments[-1] if atom.arguments else ""
    match subject:
        case Compound():
            return subject.functor
        case Variable():
            return ""
        case _:
            return subject


def first_places(atoms: Iterable[Atom]) -> dict[str, Span]:
    """Return where each relation first stands."""
    places: dict[str, Span] = {}
    for atom in atoms:
        places.setdefault(atom.relation, atom.span)
    return places


class Suggestions:
    """What a misspelt name was meant to be; for so many names and no more."""

    def __init__(self) -> None:
        self._left = _SUGGESTIONS

    def like(self, name: str, candidates: Collection[str]) -> str:
        """Return a question to end a message with, or nothing."""
        if not self._left or len(candidates) > _CANDIDATES:
            return ""
        self._left -= 1
        similar = get_close_matches(name, sorted(candidates), n=1, cutoff=0.7)
        return f"; did you mean {quote(similar[0])}?" if similar else ""
