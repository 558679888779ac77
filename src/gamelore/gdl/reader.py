"""KIF text to rules, with the place of everything kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from gamelore.gdl.problems import Problem, Span
from gamelore.gdl.rules import And, Atom, Condition, Not, Or, Rule
from gamelore.gdl.terms import Compound, Term, Variable

KEYWORDS = frozenset(
    "role init true next legal does goal terminal distinct base input sees "
    "not or and".split()
)

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")


class Node(NamedTuple):
    text: str
    children: tuple[Node, ...] | None
    span: Span


def read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def read_rules(text: str, source: str = "") -> tuple[list[Rule], list[Problem]]:
    stack: list[list[Node]] = [[]]
    spans: list[Span] = []
    line, line_start, scanned = 1, 0, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", scanned, match.start())
        line_start = text.rfind("\n", 0, match.start()) + 1
        scanned = match.start()
        token = match.group()
        span = Span(line, match.start() - line_start + 1, len(token))
        if token[0] == ";":
            continue
        if token == "(":
            stack.append([])
            spans.append(span)
        elif token == ")":
            children = stack.pop()
            stack[-1].append(Node("", tuple(children), spans.pop()))
        else:
            stack[-1].append(Node(token, None, span))
    return [_rule(node) for node in stack[0]], []


def _keyword(token: str) -> str:
    return token.lower() if token.lower() in KEYWORDS else token


def _rule(node: Node) -> Rule:
    if node.children and node.children[0].text == "<=":
        return Rule(
            _atom(node.children[1]),
            tuple(_condition(child) for child in node.children[2:]),
            node.span,
        )
    return Rule(_atom(node), (), node.span)


def _atom(node: Node) -> Atom:
    if node.children is None:
        return Atom(_keyword(node.text), (), node.span)
    head, *rest = node.children
    return Atom(_keyword(head.text), tuple(_term(child) for child in rest), node.span)


def _condition(node: Node) -> Condition:
    if node.children:
        word = _keyword(node.children[0].text)
        rest = node.children[1:]
        if word == "not":
            return Not(_condition(rest[0]), node.span)
        if word == "or":
            return Or(tuple(map(_condition, rest)), node.span)
        if word == "and":
            return And(tuple(map(_condition, rest)), node.span)
    return _atom(node)


def _term(node: Node) -> Term:
    if node.children is None:
        if node.text[0] == "?":
            return Variable(node.text[1:])
        return node.text
    head, *rest = node.children
    if not rest:
        return head.text
    return Compound(head.text, tuple(map(_term, rest)))


def read_term(text: str) -> Term:
    """One ground term from its text."""
    rules, _ = read_rules(f"(true {text})")
    return rules[0].head.arguments[0]
