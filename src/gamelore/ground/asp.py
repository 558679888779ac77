"""Rules as an answer-set program, and ground atoms back as terms.

`true` and `does` become choices over what `init`, `next` and `legal` can derive, so
that grounding finds every fluent and move there can be. Relations, functors and
constants are numbered (`r3`, `f1`, `c7`), since KIF tokens are not ASP's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gamelore.gdl import Atom, Compound, Term, Variable
from gamelore.ground.normal import Literal, NormalRule

_TOKEN = re.compile(r"[a-z]\d+|[(),]")


class Vocabulary:
    """Numbers for relations, functors and constants, and the way back."""

    def __init__(self) -> None:
        self._number: dict[tuple[str, str], str] = {}
        self._name: dict[str, str] = {}

    def code(self, kind: str, name: str) -> str:
        """Return the ASP name of a relation (`r`), functor (`f`) or constant (`c`)."""
        key = (kind, name)
        if key not in self._number:
            code = f"{kind}{len(self._number)}"
            self._number[key] = code
            self._name[code] = name
        return self._number[key]

    def name(self, code: str) -> str:
        """Return what a code stands for."""
        return self._name[code]

    def read(self, symbol: str) -> tuple[str, tuple[Term, ...]]:
        """Return a ground atom in ASP's form as a relation and its arguments."""
        tokens = _TOKEN.findall(symbol)
        stack: list[tuple[str, list[Term]]] = [("", [])]
        for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
            if following == "(":
                stack.append((self._name[token], []))
            elif token == ")":
                functor, arguments = stack.pop()
                stack[-1][1].append(Compound(functor, tuple(arguments)))
            elif token not in "(,":
                stack[-1][1].append(self._name[token])
        (atom,) = stack[0][1]
        if isinstance(atom, Compound):
            return atom.functor, atom.arguments
        return str(atom), ()


def to_asp(rules: Iterable[NormalRule], vocabulary: Vocabulary) -> str:
    """Return the whole program."""
    lines = [_rule(rule, vocabulary) for rule in rules]
    true, does, init, next_, legal = (
        vocabulary.code("r", name) for name in ("true", "does", "init", "next", "legal")
    )
    lines += [
        f"{{{true}(F)}}:-{init}(F).",
        f"{{{true}(F)}}:-{next_}(F).",
        f"{{{does}(R,M)}}:-{legal}(R,M).",
    ]
    return "\n".join(lines)


def _rule(rule: NormalRule, vocabulary: Vocabulary) -> str:
    names: dict[Variable, str] = {}
    head = _atom(rule.head, vocabulary, names)
    if not rule.body:
        return f"{head}."
    body = ",".join(_literal(literal, vocabulary, names) for literal in rule.body)
    return f"{head}:-{body}."


def _literal(
    literal: Literal, vocabulary: Vocabulary, names: dict[Variable, str]
) -> str:
    if literal.atom.relation == "distinct":
        left, right = (_term(t, vocabulary, names) for t in literal.atom.arguments)
        return f"{left}{'!=' if literal.positive else '='}{right}"
    text = _atom(literal.atom, vocabulary, names)
    return text if literal.positive else f"not {text}"


def _atom(atom: Atom, vocabulary: Vocabulary, names: dict[Variable, str]) -> str:
    return _apply(
        vocabulary.code("r", atom.relation), atom.arguments, vocabulary, names
    )


def _term(term: Term, vocabulary: Vocabulary, names: dict[Variable, str]) -> str:
    if isinstance(term, Variable):
        return names.setdefault(term, f"V{len(names)}")
    if isinstance(term, Compound):
        code = vocabulary.code("f", term.functor)
        return _apply(code, term.arguments, vocabulary, names)
    return vocabulary.code("c", term)


def _apply(
    code: str,
    arguments: Sequence[Term],
    vocabulary: Vocabulary,
    names: dict[Variable, str],
) -> str:
    if not arguments:
        return code
    return f"{code}({','.join(_term(t, vocabulary, names) for t in arguments)})"
