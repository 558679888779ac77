"""Where things stand inside an atom.

Terms are plain values without places, so that they are cheap; the few that a problem
must point at are looked up in the text again.
"""

from __future__ import annotations

from collections.abc import Iterator

from gamelore.gdl.problems import Span
from gamelore.gdl.rules import Atom
from gamelore.gdl.source import Source
from gamelore.gdl.syntax import Group, Node, Word, parse_at
from gamelore.gdl.terms import Variable


class Places:
    """Finds the parts of atoms in the text they were read from."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._span: Span | None = None
        self._words: dict[str, Word] = {}
        self._last: Node | None = None
        self._groups: dict[tuple[str, int], Group] = {}

    def variable(self, atom: Atom, variable: Variable) -> Span:
        """Return the first place of a variable in an atom."""
        self._look_at(atom)
        return self._find_span(self._words.get(str(variable)), atom)

    def last(self, atom: Atom) -> Span:
        """Return the place of an atom's last argument."""
        self._look_at(atom)
        return self._find_span(self._last, atom)

    def compound(self, atom: Atom, functor: str, arity: int) -> Span:
        """Return the first place in an atom of a functor with so many arguments."""
        self._look_at(atom)
        return self._find_span(self._groups.get((functor, arity)), atom)

    def _find_span(self, node: Node | None, atom: Atom) -> Span:
        return self._source.span(node.start, node.stop) if node else atom.span

    def _look_at(self, atom: Atom) -> None:
        """Read the atom's text again, once for many questions about it."""
        if atom.span == self._span:
            return
        self._span, self._words, self._groups = atom.span, {}, {}
        root = parse_at(self._source, self._source.offset(atom.span))
        self._last = root.children[-1] if isinstance(root, Group) else None
        for node in _inside(root):
            if isinstance(node, Word):
                self._words.setdefault(node.text, node)
            elif node.children and isinstance(node.children[0], Word):
                name = node.children[0].text
                self._groups.setdefault((name, len(node.children) - 1), node)


def _inside(node: Node) -> Iterator[Node]:
    """Return the nodes inside a node, left to right, without the relation's name."""
    waiting = list(reversed(node.children[1:])) if isinstance(node, Group) else []
    while waiting:
        inner = waiting.pop()
        yield inner
        if isinstance(inner, Group):
            waiting.extend(reversed(inner.children))
