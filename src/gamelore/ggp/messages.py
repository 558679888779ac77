"""The messages of the GGP protocol as values: KIF text in, KIF text out.

    ( INFO )
    ( PREVIEW (rules…) seconds )
    ( START match role (rules…) startclock playclock )
    ( PLAY match NIL )           ( PLAY match (move…) )
    ( STOP match (move…) )       ( ABORT match )

Verbs are read in any case; all other words stay as they are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from gamelore.errors import MessageError
from gamelore.gdl import (
    Compound,
    Game,
    Move,
    ReaderLimits,
    Role,
    Term,
    Variable,
    to_kif,
)

LIMITS = ReaderLimits()
"""How much text a message may have, and how deep it may be nested."""

NOTHING = "nil"
"""Stands for the joint move before the first, in any case."""

LONGEST_CLOCK = 1e7
"""Seconds; a third of a year."""

_TOKEN = re.compile(r";[^\r\n]*|[()]|[^\s();]+")
_UNREADABLE = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\ufeff\ud800-\udfff]"
)
_WORD = r"[^\s();]++"
_START = re.compile(
    rf"\s*+\(\s*+(start)\s++({_WORD})\s++({_WORD})\s*+\("
    rf"(.*)\)\s*+({_WORD})\s++({_WORD})\s*+\)\s*+",
    re.IGNORECASE | re.DOTALL,
)
_MOVES = re.compile(
    rf"\s*+\(\s*+(play|stop)\s++({_WORD})(?:\s*+\((.*)\)|\s++{NOTHING})\s*+\)\s*+",
    re.IGNORECASE | re.DOTALL,
)
_SHOWN = 60  # characters of a message that an error repeats
_RULES_KEPT = 16  # how many rules are remembered as text and terms …
_LONGEST_KEPT = 200_000  # … and how many characters of each at most
_MOVES_KEPT = 4096  # the same of joint moves
_LONGEST_MOVES_KEPT = 500


@dataclass(frozen=True)
class Info:
    """Asks for the player's name, and whether it is free."""


@dataclass(frozen=True)
class Preview:
    """Shows rules that a match may be about later."""

    rules: tuple[Term, ...]
    clock: float


@dataclass(frozen=True)
class Start:
    """Begins a match."""

    match: str
    role: Role
    rules: tuple[Term, ...]
    start_clock: float
    play_clock: float


@dataclass(frozen=True)
class Play:
    """Asks for a move."""

    match: str
    moves: tuple[Move, ...] | None
    """The joint move just made, in the order of the roles; `None` before the first."""


@dataclass(frozen=True)
class Stop:
    """Ends a match after a last joint move."""

    match: str
    moves: tuple[Move, ...] | None


@dataclass(frozen=True)
class Abort:
    """Ends a match without a result."""

    match: str


Message: TypeAlias = Info | Preview | Start | Play | Stop | Abort


@dataclass(frozen=True)
class About:
    """What a player answers to INFO."""

    name: str = ""
    status: str = ""
    """`available` or `busy`; empty where it does not say."""
    species: str = ""


_Tree: TypeAlias = "str | list[_Tree]"


# ── reading ─────────────────────────────────────────────────────────────────────────


def read_message(text: str) -> Message:
    """The message in a text; `MessageError` says what is wrong with it.

    What most messages are made of, rules and joint moves, has often been met before:
    these parts are found without a look at every word, and remembered.
    """
    _check_length(text)
    found = _MOVES.fullmatch(text) or _START.fullmatch(text)
    if found is None:
        return _read_any(text)
    verb, match = found[1].lower(), found[2]
    try:
        _check_name(match)
        if verb == "play":
            return Play(match, _read_joint_move(found[3] or ""))
        if verb == "stop":
            return Stop(match, _read_joint_move(found[3] or ""))
        _check_name(found[3])
        clocks = _clock(found[5]), _clock(found[6])
        return Start(match, found[3], _read_rules(found[4]), *clocks)
    except MessageError as error:
        raise MessageError(str(error), verb, match) from None


def _read_any(text: str) -> Message:
    """A message by all of its words."""
    tree = _only(_trees(text), "message")
    words: list[_Tree] = tree if isinstance(tree, list) else [tree]
    if not words or not isinstance(words[0], str):
        raise MessageError(f"a message begins with a verb: {_shown(text)}")
    verb, words = words[0].lower(), words[1:]
    try:
        return _message(verb, words)
    except MessageError as error:
        match = words[0] if words and isinstance(words[0], str) else ""
        raise MessageError(str(error), verb, match) from None


def read_move(text: str) -> Move:
    """A player's answer to PLAY; `MessageError` where it is not one ground term."""
    _check_length(text)
    return _move(_only(_trees(text), "move"))


def read_about(text: str) -> About:
    """A player's answer to INFO; `MessageError` where it is not KIF.

    Some players answer with a bare status.
    """
    _check_length(text)
    tree = _only(_trees(text), "answer to INFO")
    if isinstance(tree, str):
        return About(status=tree.lower())
    said: dict[str, str] = {}
    for pair in tree:
        if isinstance(pair, list) and len(pair) > 1 and isinstance(pair[0], str):
            said[pair[0].lower()] = " ".join(_flat(part) for part in pair[1:])
    status = said.get("status", "").lower()
    return About(said.get("name", ""), status, said.get("species", ""))


def _message(verb: str, words: list[_Tree]) -> Message:
    """A message from its verb and what follows it; any but a START in order."""
    match verb, words:
        case "info", _:
            return Info()
        case "preview", [list(rules), str(clock)]:
            return Preview(_rules(rules), _clock(clock))
        case "play", [str(match), str(nil)] if nil.lower() == NOTHING:
            return Play(match, None)
        case "stop", [str(match), str(nil)] if nil.lower() == NOTHING:
            return Stop(match, None)
        case (("play" | "stop"), [str(), str(word)]):
            message = f"{verb} needs a list of moves or nil, not {_shown(word)}"
            raise MessageError(message)
        case (("play" | "stop"), [str(), str(), _, _]):
            raise MessageError(
                f"{verb} with a turn and a last move is of games with hidden"
                " information, which are not played"
            )
        case "abort", [str(match), *_]:
            return Abort(match)
        case (("preview" | "start" | "play" | "stop" | "abort"), _):
            raise MessageError(f"{verb} does not go with these {len(words)} parts")
    raise MessageError(f"unknown verb {_shown(verb)}")


def _clock(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= LONGEST_CLOCK:
        raise MessageError(f"a clock is a number of seconds, not {_shown(word)}")
    return seconds


# ── terms ───────────────────────────────────────────────────────────────────────────


def _read_joint_move(text: str) -> tuple[Move, ...] | None:
    """The moves in a text; None where there are none."""
    if len(text) > _LONGEST_MOVES_KEPT:
        return tuple(map(_move, _trees(text)))
    return _known_joint_move(text)


@lru_cache(maxsize=_MOVES_KEPT)
def _known_joint_move(text: str) -> tuple[Move, ...] | None:
    return tuple(map(_move, _trees(text))) or None


def _read_rules(text: str) -> tuple[Term, ...]:
    """The rules in a text, one term each."""
    if len(text) > _LONGEST_KEPT:
        return _rules(_trees(text))
    return _known_rules(text)


@lru_cache(maxsize=_RULES_KEPT)
def _known_rules(text: str) -> tuple[Term, ...]:
    return _rules(_trees(text))


def _rules(trees: list[_Tree]) -> tuple[Term, ...]:
    if len(trees) > LIMITS.rules:
        raise MessageError(f"more than {LIMITS.rules:,} rules")
    return tuple(map(_term, trees))


def _move(tree: _Tree) -> Move:
    term = _term(tree)
    if "?" in (text := to_kif(term)) and re.search(r"(^|[\s(])\?", text):
        raise MessageError(f"a move has no variables: {_shown(text)}")
    return term


def _term(tree: _Tree) -> Term:
    """A term from its tree; the same as `gdl.read_term` makes of its text."""
    if isinstance(tree, str):
        if tree[0] != "?":
            return tree
        if len(tree) == 1:
            raise MessageError("`?` is a variable without a name")
        return Variable(tree[1:])
    if not tree:
        raise MessageError("empty parentheses where a term must be")
    functor, *arguments = tree
    if not isinstance(functor, str) or functor[0] == "?":
        raise MessageError(f"{_shown(_flat(functor))} where a name must be")
    if not arguments:
        return f"({functor})"
    return Compound(functor, tuple(map(_term, arguments)))


def _trees(text: str) -> list[_Tree]:
    """The words and lists in a text."""
    _check_characters(text)
    outer: list[list[_Tree]] = []
    children: list[_Tree] = []
    for token in _TOKEN.findall(text):
        if token == "(":
            if len(outer) == LIMITS.depth:
                raise MessageError(f"parentheses nested over {LIMITS.depth} deep")
            outer.append(children)
            children = []
        elif token == ")":
            if not outer:
                raise MessageError("a parenthesis closes nothing")
            outer[-1].append(children)
            children = outer.pop()
        elif token[0] != ";":
            if len(token) > LIMITS.token:
                _check_name(token)
            children.append(token)
    if outer:
        raise MessageError("a parenthesis is never closed")
    return children


def _only(trees: list[_Tree], what: str) -> _Tree:
    if len(trees) != 1:
        raise MessageError(f"one {what} expected, found {len(trees) or 'none'}")
    return trees[0]


def _check_length(text: str) -> None:
    if len(text) > LIMITS.text:
        raise MessageError(f"a message of over {LIMITS.text:,} characters")


def _check_name(word: str) -> None:
    if len(word) > LIMITS.token:
        raise MessageError(f"a word of over {LIMITS.token:,} characters")
    _check_characters(word)


def _check_characters(text: str) -> None:
    if not text.isprintable() and (unreadable := _UNREADABLE.search(text)):
        raise MessageError(f"unreadable character U+{ord(unreadable[0]):04X}")


def _flat(tree: _Tree) -> str:
    """A tree as text again."""
    if isinstance(tree, str):
        return tree
    return f"({' '.join(map(_flat, tree))})"


def _shown(text: str) -> str:
    """Text as an error repeats it: one line, printable, not too long."""
    flat = " ".join(text[: 2 * _SHOWN].split())
    cut = flat if len(flat) <= _SHOWN else f"{flat[: _SHOWN - 1]}…"
    return ascii(cut) if not cut.isprintable() else f"`{cut}`"


# ── writing ─────────────────────────────────────────────────────────────────────────


def write_message(message: Message) -> str:
    """The text of a message; `read_message` reads it back."""
    match message:
        case Info():
            return "( INFO )"
        case Preview(rules, clock):
            return f"( PREVIEW {_list(rules)} {_seconds(clock)} )"
        case Start(match, role, rules, start_clock, play_clock):
            clocks = f"{_seconds(start_clock)} {_seconds(play_clock)}"
            return f"( START {match} {role} {_known_text(rules)} {clocks} )"
        case Play(match, moves):
            return f"( PLAY {match} {_list(moves) if moves else 'NIL'} )"
        case Stop(match, moves):
            return f"( STOP {match} {_list(moves) if moves else 'NIL'} )"
        case Abort(match):
            return f"( ABORT {match} )"


def write_about(about: About) -> str:
    """What a player answers to INFO; `read_about` reads it back."""
    pairs = [("name", about.name), ("status", about.status), ("species", about.species)]
    return f"( {' '.join(f'( {key} {value} )' for key, value in pairs if value)} )"


def list_rules(game: Game) -> tuple[Term, ...]:
    """A game's rules as terms, to be sent."""
    return _read_rules(game.to_kif())


def make_game(rules: Sequence[Term], name: str = "unnamed") -> Game:
    """The game with these rules, checked; `GdlError` with every error in them."""
    return Game.from_kif("\n".join(map(to_kif, rules)), name)


@lru_cache(maxsize=_RULES_KEPT)
def _known_text(rules: tuple[Term, ...]) -> str:
    """The text of rules, which are sent to all players and match after match."""
    return _list(rules)


def _list(terms: Sequence[Term]) -> str:
    return f"( {' '.join(map(to_kif, terms))} )"


def _seconds(clock: float) -> str:
    """Whole seconds without a point: some players read nothing else."""
    return str(int(clock)) if clock == int(clock) else str(clock)
