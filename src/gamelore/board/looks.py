"""How pieces look: colour by owner, shape by kind, letters where shapes run out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

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
_DRAUGHTS = {"pawn": "man", "king": "crown"}
_BLOCKS = ("wall", "dirt", "ground", "block", "blk", "arrow", "hole", "blocked")
_EMPTY = frozenset(
    ("b", "blank", "empty", "e", "none", "free", "vacant", "nothing", "nil")
) | frozenset(("clear", "open", "off", "0", "s0", "zero", "_", "-", "."))
_SIDES = {
    "east": ("east", "right"),
    "west": ("west", "left"),
    "north": ("north", "above", "up"),
    "south": ("south", "below", "down"),
}
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
    contents: Sequence[Words], possible: Iterable[Words], owned: set[str], full: bool
) -> frozenset[Words]:
    """Return the contents that mean an empty cell.

    They are named so and not rare at the start; or, on a board where every cell has a
    content, they are the most frequent one, unless it belongs to a role.
    """
    possible = set(possible) | set(contents)
    if any(len(one) != 1 for one in possible) or not possible:
        return frozenset()
    counts = {one: contents.count(one) for one in sorted(possible)}
    named = [
        one
        for one in counts
        if looks_empty(one[0])
        and (10 * counts[one] >= len(contents) or _only_numbers(possible - {one}))
    ]
    if named:
        return frozenset((max(named, key=lambda one: counts[one]),))
    if not contents:
        return frozenset()
    most = max(counts, key=lambda one: counts[one])
    often = counts[most] >= 0.4 * len(contents) and counts[most] < len(contents)
    if full and often and most[0] not in owned and not is_number(most[0]):
        return frozenset((most,))
    return frozenset()


def _only_numbers(contents: Iterable[Words]) -> bool:
    return all(is_number(one[0]) for one in contents)


def find_direction(name: str) -> str:
    """Return the side that a name has in it: `east` for `blockedEast`, or nothing."""
    lowered = name.lower()
    for side, words in _SIDES.items():
        if any(lowered == word or lowered.endswith(word) for word in words):
            return side
    return ""


def block_look(looks: Mapping[Words, Look], kind: Words) -> dict[Words, Look]:
    """Return the looks with one kind drawn as a block, unless it has an owner."""
    look = looks.get(kind)
    if look is None or look.owner is not None or look.shape not in ("disc", "token"):
        return dict(looks)
    return {**looks, kind: replace(look, shape="block", colour="grey", label="")}


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
    bases = {kind: base_name(kind, owners[kind]) for kind in kinds}
    labels = _choose_labels({base for base in bases.values() if base})
    men = [bases[kind] for kind in kinds if owners[kind] or not looks_empty(kind[-1])]
    chess, draughts = _is_chess(men), _is_draughts(men)
    several = {
        owner: len({bases[k] for k in kinds if owners[k] == owner})
        for owner in set(owners.values())
    }
    looks = {}
    for kind in kinds:
        base = bases[kind]
        shape = _choose_shape(base or kind[-1], chess, several[owners[kind]])
        if draughts and shape in _DRAUGHTS:
            shape = _DRAUGHTS[shape]
        label = base if is_number(base) else labels.get(base, "")
        numbers = [word for word in kind if is_number(word)]
        if len(kind) > 1 and len(numbers) == 1:
            others = [word for word in kind if word != numbers[0]]
            plain = all(looks_empty(word) and word != "b" for word in others)
            label, shape = numbers[0], "number" if plain else "token"
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


def base_name(kind: Words, owner: str | None) -> str:
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


def _is_draughts(bases: Iterable[str]) -> bool:
    """Whether pieces are those of draughts: men, and perhaps kings."""
    names = {_chess_name(base) for base in bases}
    return "pawn" in names and names <= {"pawn", "king", ""}


def _chess_name(base: str) -> str:
    lowered = base.lower()
    last = lowered[-1:] if len(lowered) <= 2 else ""
    return lowered if lowered in CHESS else _CHESS_LETTERS.get(last, "")


def _choose_shape(base: str, chess: bool, several: int) -> str:
    lowered = base.lower()
    if is_number(base):
        return "number"
    if lowered in ("x", "ex", "ecks", "cross"):
        return "cross"
    if lowered in ("o", "oh", "nought", "ring"):
        return "ring"
    if chess:
        name = _chess_name(base)
        if name:
            return name
    if lowered in ("man", "checker"):
        return "man"
    if lowered in _BLOCKS:
        return "block"
    return "disc" if several <= 1 else "token"


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
