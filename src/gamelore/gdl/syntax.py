"""KIF text to a tree of words and groups, going on after each mistake."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

from gamelore.gdl.limits import ReaderLimits
from gamelore.gdl.source import ProblemReport, Source

# `(<=` is a token of its own: it can only begin a rule, so whatever is open before it
# was never closed.
_TOKEN = re.compile(r";[^\r\n]*|\(\s*<=(?![^\s();])|[()]|[^\s();]+")
_WORD = re.compile(r";[^\r\n]*|([^\s();]+)")
_RULE_START = re.compile(r"\(\s*<=(?![^\s();])|^\(", re.MULTILINE)
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\ufeff\ud800-\udfff]")

# What begins a line with one of these goes on with a rule rather than begins one.
_ONLY_IN_BODIES = re.compile(r"\(\s*(true|does|not|or|and|distinct)\b", re.IGNORECASE)


class Word(NamedTuple):
    """A name or a variable, and the offset where it starts."""

    text: str
    start: int

    @property
    def stop(self) -> int:
        return self.start + len(self.text)


class Group(NamedTuple):
    """What stands between two parentheses, at `text[start:stop]`."""

    children: list[Node]
    start: int
    stop: int


Node: TypeAlias = Word | Group


class Tree(NamedTuple):
    """The top-level nodes of a text, and the words in what could not be read."""

    nodes: list[Node]
    damaged: set[str]


def parse(report: ProblemReport, limits: ReaderLimits) -> Tree:
    """Return the tree of a text; report mistakes."""
    scanner = _Scanner(report, limits)
    text = report.source.text
    if len(text) > limits.text:
        message = f"more than {limits.text:,} characters of rules"
        report.error("too-large", message, report.source.span(0, 1))
    else:
        scanner.scan(0, len(text))
    return Tree(scanner.nodes, scanner.damaged)


def words_in(source: Source, start: int, stop: int) -> set[str]:
    """Return the words in a piece of text, comments left out."""
    return {m[1] for m in _WORD.finditer(source.text, start, stop) if m[1]}


def parse_at(source: Source, start: int) -> Node:
    """Return the node that starts at an offset, in text known to be in order."""
    outer: list[tuple[list[Node], int]] = []
    children: list[Node] = []
    for match in _TOKEN.finditer(source.text, start):
        token, at = match.group(), match.start()
        if token == ")":
            parent, opened = outer.pop()
            parent.append(Group(children, opened, at + 1))
            children = parent
        elif token[0] == "(":
            outer.append((children, at))
            children = []
        elif token[0] != ";":
            children.append(Word(token, at))
        if children and not outer:
            break
    return children[0]


class _Scanner:
    """Builds the tree; after a mistake it goes on where a rule seems to start."""

    def __init__(self, report: ProblemReport, limits: ReaderLimits) -> None:
        self.source = report.source
        self.report = report
        self.limits = limits
        self.nodes: list[Node] = []
        self.damaged: set[str] = set()
        self.good_words: set[str] = set()

    def scan(self, start: int, stop: int, splitting: bool = False) -> None:
        """Read `text[start:stop]`; `splitting` takes line starts as starts of rules."""
        resume: int | None = start
        while resume is not None and not self.report.is_full:
            resume = self._scan_until_lost(resume, stop, splitting)

    def _scan_until_lost(self, start: int, stop: int, splitting: bool) -> int | None:
        """Read on until the text ends, or return from where to go on."""
        children = self.nodes
        outer: list[tuple[list[Node], int]] = []  # each open group's parent and offset
        previous_stop = start
        for match in _TOKEN.finditer(self.source.text, start, stop):
            token, at = match.group(), match.start()
            if token == ")":
                if not outer:
                    self._refuse_closing(at)
                    if self.report.is_full:
                        return None
                else:
                    parent, opened = outer.pop()
                    parent.append(Group(children, opened, at + 1))
                    children = parent
            elif token[0] == "(":
                if outer and (
                    len(token) > 1
                    or (splitting and self._starts_rule(at, previous_stop, outer[0][1]))
                ):
                    return self._recover(outer, at, splitting)
                if len(outer) == self.limits.depth:
                    return self._skip_depths(outer[0][1], at, stop)
                if not outer and self._has_too_many_rules(at):
                    return None
                outer.append((children, at))
                children = []
                if len(token) > 1:
                    children.append(Word("<=", match.end() - 2))
            elif token[0] != ";":
                if not outer and self._has_too_many_rules(at):
                    return None
                if token not in self.good_words and self._is_good(token, at):
                    self.good_words.add(token)
                children.append(Word(token, at))
            previous_stop = match.end()
        return self._recover(outer, stop, splitting) if outer else None

    def _recover(
        self, outer: list[tuple[list[Node], int]], at: int, splitting: bool
    ) -> int:
        """Deal with groups still open where a rule starts or the text ends."""
        opened = outer[0][1]
        if splitting:
            self._refuse_opening(opened, at, len(outer))
        else:
            self.scan(opened, at, splitting=True)
        return at

    def _starts_rule(self, at: int, previous_stop: int, opened: int) -> bool:
        """Return whether a parenthesis that starts a line seems to start a rule."""
        return (
            self.source.breaks_line(previous_stop, at)
            and self.source.column(at) <= self.source.column(opened)
            and not _ONLY_IN_BODIES.match(self.source.text, at)
        )

    def _refuse_opening(self, opened: int, stop: int, count: int) -> None:
        message = "this parenthesis is never closed"
        if count > 1:
            inside = "one" if count == 2 else str(count - 1)
            message += f", nor {inside} inside it"
        self.report.error("unclosed", message, self.source.span(opened, opened + 1))
        self.damaged |= words_in(self.source, opened, stop)

    def _refuse_closing(self, at: int) -> None:
        message = "this parenthesis closes nothing"
        self.report.error("unopened", message, self.source.span(at, at + 1))

    def _skip_depths(self, opened: int, at: int, stop: int) -> int:
        """Refuse a group nested too deep; return where a rule starts after it."""
        message = f"parentheses nested more than {self.limits.depth} deep"
        self.report.error("too-deep", message, self.source.span(at, at + 1))
        start = _RULE_START.search(self.source.text, at + 1, stop)
        resume = start.start() if start else stop
        self.damaged |= words_in(self.source, opened, resume)
        return resume

    def _has_too_many_rules(self, at: int) -> bool:
        if len(self.nodes) < self.limits.rules:
            return False
        message = f"more than {self.limits.rules:,} rules"
        self.report.error("too-large", message, self.source.span(at, at + 1))
        return True

    def _is_good(self, word: str, at: int) -> bool:
        """Refuse words too long, nameless, or with characters that no text may have."""
        start, stop = at, at + len(word)
        unreadable = _UNREADABLE.search(word)
        if len(word) > self.limits.token:
            code, message = (
                "too-large",
                f"a name of over {self.limits.token:,} characters",
            )
        elif word == "?":
            code, message = "variable", "`?` is a variable without a name"
        elif unreadable:
            start, stop = at + unreadable.start(), at + unreadable.end()
            code, message = "unreadable", f"{_name_character(unreadable[0])} in a name"
        else:
            return True
        self.report.error(code, message, self.source.span(start, stop))
        return False


def _name_character(character: str) -> str:
    """Return a character that cannot be shown, by its number."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how a byte that is not UTF-8 was kept
        return f"byte 0x{code - 0xDC00:02x}, which is not UTF-8,"
    return f"invisible character U+{code:04X}"
