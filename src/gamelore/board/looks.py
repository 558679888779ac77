"""How pieces look: colour by owner, shape by kind, letters where shapes run out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gamelore.board.families import Words
from gamelore.board.order import is_number
from gamelore.board.usage import Usage

COLOURS = (
    "white",
    "black",
    "red",
    "blue",
    "green",
    "yellow",
    "orange",
    "purple",
    "teal",
    "pink",
    "brown",
    "grey",
)
"""The palette's names: what `svg` has colours for."""

_OTHER_NAMES = {
    "magenta": "purple",
    "violet": "purple",
    "cyan": "teal",
    "gray": "grey",
    "gold": "yellow",
    "silver": "grey",
    "light": "white",
    "dark": "black",
    "wall": "grey",
    "dirt": "brown",
    "ground": "brown",
    "arrow": "grey",
    "hole": "grey",
}

BY_ROLE = ("blue", "orange", "green", "purple", "teal", "yellow", "red", "brown")
"""Colours of roles whose names are none, in order."""

NEUTRAL = ("teal", "orange", "purple", "green", "yellow", "blue", "brown", "red")

CHECKERED = frozenset(
    ("pawn", "knight", "bishop", "rook", "queen", "king", "man", "crown")
)
"""Shapes of pieces that stand on checkered boards."""

CHESS = ("pawn", "knight", "bishop", "rook", "queen", "king")
_CHESS_LETTERS = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook"} | {
    "q": "queen",
    "k": "king",
}
_BLOCKS = ("wall", "dirt", "ground", "block", "blk", "arrow", "hole", "blocked")
_EMPTY = frozenset(
    ("b", "blank", "empty", "e", "none", "free", "vacant", "nothing", "nil")
) | frozenset(("clear", "open", "0", "s0", "zero", "_", "-", "."))
_EMPTY_STARTS = ("zero", "no_", "empty", "blank", "nolight", "s0")


@dataclass(frozen=True)
class Look:
    """What a piece of one kind looks like."""

    kind: str
    owner: str | None
    colour: str
    shape: str
    label: str


def looks_empty(name: str) -> bool:
    """Whether a constant's name says that a cell is empty."""
    return name.lower() in _EMPTY or name.lower().startswith(_EMPTY_STARTS)


def find_empty(
    contents: Sequence[Words], possible: Iterable[Words], owned: Iterable[str]
) -> frozenset[Words]:
    """Return the contents that mean an empty cell, on a board where all have one.

    They are the most frequent one at the start, unless another is named as empty.
    """
    possible = set(possible) | set(contents)
    if not contents or len(contents[0]) != 1:
        return frozenset()
    counts = {one: contents.count(one) for one in sorted(possible)}
    named = [one for one in counts if looks_empty(one[0])]
    if named:
        return frozenset((max(named, key=lambda one: counts[one]),))
    most = max(counts, key=lambda one: counts[one])
    often = counts[most] >= 0.4 * len(contents) and counts[most] < len(contents)
    if often and most[0] not in set(owned) and not is_number(most[0]):
        return frozenset((most,))
    return frozenset()


def find_owner(words: Words, roles: Sequence[str], usage: Usage) -> str | None:
    """Return the role that a piece belongs to: named in it, or alone in its rules."""
    for word in words:
        if word in roles:
            return word
    lowered = {role.lower(): role for role in roles}
    for word in words:
        for role in sorted(lowered, key=len, reverse=True):
            if len(role) >= 3 and role in word.lower():
                return lowered[role]
    for word in words:
        if is_number(word):
            continue
        by_role = usage.companions.get(word)
        if by_role:
            role, count = by_role.most_common(1)[0]
            if count >= 0.75 * by_role.total():
                return role
    return None


def find_colour(text: str) -> str | None:
    """Return the colour that a name has in it."""
    lowered = text.lower()
    for name in (*COLOURS, *_OTHER_NAMES):
        if lowered == name or re.search(rf"(?<![a-z]){name}|{name}(?![a-z])", lowered):
            return _OTHER_NAMES.get(name, name)
    return None


def make_looks(
    kinds: Iterable[Words], roles: Sequence[str], usage: Usage
) -> dict[Words, Look]:
    """Return the looks of all kinds of pieces of a board, each one of its own."""
    kinds = sorted(set(kinds))
    owners = {kind: find_owner(kind, roles, usage) for kind in kinds}
    colours = _choose_colours(kinds, owners, roles)
    bases = {kind: _base(kind, owners[kind]) for kind in kinds}
    labels = _choose_labels({base for base in bases.values() if base})
    chess = _is_chess(bases.values())
    several = {
        owner: len({bases[k] for k in kinds if owners[k] == owner})
        for owner in set(owners.values())
    }
    looks = {}
    for kind in kinds:
        base = bases[kind]
        shape = _choose_shape(base, chess, several[owners[kind]])
        label = base if is_number(base) else labels.get(base, "")
        if shape == "disc" and several[owners[kind]] == 1:
            label = ""
        looks[kind] = Look(" ".join(kind), owners[kind], colours[kind], shape, label)
    return looks


def role_colours(roles: Sequence[str]) -> dict[str, str]:
    """Return the colour of each role: the one in its name, or else one of its own."""
    by_role: dict[str, str] = {}
    free = [c for c in BY_ROLE if c not in {find_colour(role) for role in roles}]
    for role in roles:
        named = find_colour(role)
        if named is None or named in by_role.values():
            named = free.pop(0) if free else "grey"
        by_role[role] = named
    return by_role


def _choose_colours(
    kinds: Sequence[Words], owners: Mapping[Words, str | None], roles: Sequence[str]
) -> dict[Words, str]:
    by_role = role_colours(roles)
    colours: dict[Words, str] = {}
    neutral = [c for c in NEUTRAL if c not in by_role.values()] or list(NEUTRAL)
    loose = 0
    for kind in kinds:
        owner = owners[kind]
        named = find_colour(" ".join(kind))
        if named is not None:
            colours[kind] = named
        elif owner is not None:
            colours[kind] = by_role[owner]
        elif any(map(is_number, kind)):
            colours[kind] = "plain"
        else:
            colours[kind] = neutral[loose % len(neutral)]
            loose += 1
    return colours


def _base(kind: Words, owner: str | None) -> str:
    """Return a piece's name without its owner's."""
    words = [word for word in kind if word != owner]
    if not words:
        return ""
    text = " ".join(words)
    if owner is not None:
        short = re.sub(rf"(?i){re.escape(owner)}[-_]?", "", text)
        if short:
            return short
        if len(text) > 1 and text[0].lower() == owner[0].lower():
            return text[1:]
    return text


def _is_chess(bases: Iterable[str]) -> bool:
    """Whether pieces are those of chess, by name or by the letters usual for them."""
    names = {base.lower() for base in bases}
    if len(names & set(CHESS)) >= 1:
        return True
    letters = {name[-1] for name in names if len(name) == 2 and name[0] in "wb"}
    return len(letters & set(_CHESS_LETTERS)) >= 2


def _choose_shape(base: str, chess: bool, several: int) -> str:
    lowered = base.lower()
    if is_number(base):
        return "number"
    if lowered in ("x", "ex", "ecks", "cross"):
        return "cross"
    if lowered in ("o", "oh", "nought", "ring"):
        return "ring"
    if chess:
        last = lowered[-1:] if len(lowered) <= 2 else ""
        name = lowered if lowered in CHESS else _CHESS_LETTERS.get(last, "")
        if name:
            return name
    if lowered in _BLOCKS:
        return "block"
    return "disc" if several <= 1 or not base else "token"


def _choose_labels(bases: Iterable[str]) -> dict[str, str]:
    """Return a few letters for each name, different ones where possible."""
    labels: dict[str, str] = {}
    used: set[str] = set()
    for base in sorted(bases):
        clean = re.sub(r"\W+", "", base) or base
        tail = re.search(r"[0-9]+$", clean)
        options = [clean] if len(clean) <= 2 else []
        options += [clean[:1].upper(), clean[:1].upper() + clean[1:2]]
        if tail:
            options = [clean[:1] + tail[0], tail[0], *options]
        options += [clean[0].upper() + letter for letter in clean[1:]]
        options += [clean[:3], clean[:5], clean]
        label = next((one for one in options if one and one not in used), clean)
        used.add(label)
        labels[base] = label
    return labels
