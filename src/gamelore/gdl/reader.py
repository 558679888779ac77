"""KIF text to rules, with the place of everything kept."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import NamedTuple

from gamelore.errors import GdlError, UnknownGameError
from gamelore.gdl.limits import ReaderLimits
from gamelore.gdl.problems import Problem, Span
from gamelore.gdl.rules import ARITIES, CONNECTIVES, And, Atom, Condition, Not, Or, Rule
from gamelore.gdl.source import ProblemReport, Source, quote
from gamelore.gdl.syntax import Group, Node, Word, parse, words_in
from gamelore.gdl.terms import Compound, Term, Variable

KEYWORDS = frozenset((*ARITIES, *CONNECTIVES))

DEFAULT_LIMITS = ReaderLimits()


class ParsedRules(NamedTuple):
    """The rules in a text, and the words in those parts that could not be read."""

    rules: list[Rule]
    damaged: set[str]


def read_rules(
    text: str, source: str = "", limits: ReaderLimits = DEFAULT_LIMITS
) -> tuple[list[Rule], list[Problem]]:
    """Return every rule that can be read, and every mistake of syntax."""
    report = ProblemReport(Source(text, source))
    return read_source(report, limits).rules, report.problems


def read_source(
    report: ProblemReport, limits: ReaderLimits = DEFAULT_LIMITS
) -> ParsedRules:
    """Return every rule that can be read; report mistakes."""
    tree = parse(report, limits)
    builder = _RuleBuilder(report)
    rules, damaged = [], tree.damaged
    for node in tree.nodes:
        try:
            rules.append(builder.rule(node))
        except _Malformed as mistake:
            report.error(mistake.code, mistake.message, mistake.span)
            damaged |= words_in(report.source, node.start, node.stop)
            if report.is_full:
                break
    return ParsedRules(rules, damaged)


def read_term(text: str, limits: ReaderLimits = DEFAULT_LIMITS) -> Term:
    """Return the one term a text is; `GdlError` if it is not well formed."""
    report = ProblemReport(Source(text))
    nodes = parse(report, limits).nodes
    if not report.problems:
        try:
            if len(nodes) == 1:
                return _RuleBuilder(report).term(nodes[0])
            message = f"one term expected, found {len(nodes) or 'none'}"
            start, stop = (nodes[1].start, nodes[1].stop) if nodes else (0, 1)
            report.error("term", message, report.source.span(start, stop))
        except _Malformed as mistake:
            report.error(mistake.code, mistake.message, mistake.span)
    raise GdlError(report.problems)


def read_text(path: str | Path, limits: ReaderLimits = DEFAULT_LIMITS) -> str:
    """Return the text of a rule sheet, in UTF-8 or with a byte order mark.

    Bytes that are not UTF-8 are kept as lone surrogates: they do no harm in comments,
    and the reader refuses them in names.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(limits.text + 1)
    except FileNotFoundError:
        raise UnknownGameError(f"no such file: {path}") from None
    except (OSError, ValueError) as error:  # ValueError: a name no file can have
        reason = getattr(error, "strerror", None) or error
        raise _refuse_file(path, "file", f"cannot be read: {reason}".lower()) from None
    if len(content) > limits.text:
        raise _refuse_file(path, "too-large", f"more than {limits.text:,} bytes")
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace")
    return content.decode("utf-8", "surrogateescape")


_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def _refuse_file(path: str | Path, code: str, message: str) -> GdlError:
    return GdlError([Problem("error", code, message, Span(1, 1), source=str(path))])


class _Malformed(Exception):  # noqa: N818 - never leaves this module
    """A node that is not what must stand in its place."""

    def __init__(self, code: str, message: str, span: Span) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span


class _RuleBuilder:
    """Turns the nodes of one source into rules."""

    def __init__(self, report: ProblemReport) -> None:
        self.source = report.source

    def rule(self, node: Node) -> Rule:
        """Return a rule from a top-level node: `(<= head body…)` or a fact."""
        if isinstance(node, Group) and _word(node) == "<=":
            if len(node.children) == 1:
                raise self._malformed("head", "a rule without a head", node)
            _, head, *body = node.children
            conditions = tuple(self.condition(child) for child in body)
            return Rule(self._head(head), conditions, self._span(node))
        return Rule(self._head(node), (), self._span(node))

    def condition(self, node: Node) -> Condition:
        """Return a condition from a node of a body."""
        word = _keyword(_word(node))
        if isinstance(node, Word) or word not in CONNECTIVES:
            return self.atom(node)
        rest = node.children[1:]
        if word == "not":
            if len(rest) != 1:
                message = f"`not` takes one condition, not {len(rest) or 'none'}"
                raise self._malformed("connective", message, node)
            return Not(self.condition(rest[0]), self._span(node))
        if not rest:
            raise self._malformed("connective", f"`{word}` without a condition", node)
        parts = tuple(self.condition(child) for child in rest)
        connective = Or if word == "or" else And
        return connective(parts, self._span(node))

    def atom(self, node: Node) -> Atom:
        """Return a relation applied to terms.

        `(p)` is another relation than `p`, as it is for the engines that most sheets
        were written for; its parentheses are part of its name.
        """
        if isinstance(node, Word):
            name = self._name(node, "a condition")
            return Atom(_keyword(name), (), self._span(node))
        name = _keyword(self._name(self._first(node), "a relation"))
        if len(node.children) == 1 and name not in KEYWORDS:
            name = f"({name})"
        arguments = tuple(self.term(child) for child in node.children[1:])
        return Atom(name, arguments, self._span(node))

    def term(self, node: Node) -> Term:
        """Return a constant, a variable or a compound term."""
        if isinstance(node, Word):
            if node.text[0] == "?":
                return Variable(node.text[1:])
            return self._name(node, "a term")
        name = self._name(self._first(node), "a function")
        if len(node.children) == 1:
            return f"({name})"
        return Compound(name, tuple(self.term(child) for child in node.children[1:]))

    def _head(self, node: Node) -> Atom:
        if _keyword(_word(node)) in CONNECTIVES:
            message = f"{quote(_word(node))} cannot be the head of a rule"
            raise self._malformed("head", message, node)
        return self.atom(node)

    def _first(self, group: Group) -> Node:
        if not group.children:
            raise self._malformed("empty", "empty parentheses", group)
        return group.children[0]

    def _name(self, node: Node, place: str) -> str:
        """Return the node's word, which must be a plain name."""
        if isinstance(node, Group):
            found = "a list" if node.children else "empty parentheses"
            raise self._malformed("name", f"{found} where {place} needs a name", node)
        if node.text[0] == "?":
            message = f"variable {quote(node.text)} where {place} needs a name"
            raise self._malformed("variable", message, node)
        if node.text == "<=":
            raise self._malformed("name", "`<=` can only begin a rule", node)
        return node.text

    def _span(self, node: Node) -> Span:
        return self.source.span(node.start, node.stop)

    def _malformed(self, code: str, message: str, node: Node) -> _Malformed:
        return _Malformed(code, message, self._span(node))


def _word(node: Node) -> str:
    """Return the word that a node is or begins with, if any."""
    if isinstance(node, Group):
        node = node.children[0] if node.children else Word("", node.start)
    return node.text if isinstance(node, Word) else ""


def _keyword(word: str) -> str:
    """Return GDL's own words in lower case; any other as it is."""
    lower = word.lower()
    return lower if lower in KEYWORDS else word
