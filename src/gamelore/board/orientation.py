"""Which coordinate runs across, and whether the other runs up or down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamelore.board.coordinates import Encoding
from gamelore.board.families import Words
from gamelore.board.layout import Plane
from gamelore.board.looks import Look
from gamelore.board.order import Axis
from gamelore.board.usage import Usage

_ACROSS = ("x", "c", "col", "column", "file", "f")
_ALONG = ("y", "r", "row", "rank", "line", "level")


def find_plane(
    main: Encoding,
    axes: Sequence[Axis | None],
    roles: Sequence[str],
    looks: Mapping[Words, Look],
    usage: Usage,
) -> Plane:
    """Return how the last two coordinates of a board are drawn.

    The sides stand opposite each other at the start, the first role's at the bottom.
    Otherwise letters run across and numbers up; and names such as `x` and `row` help.
    """
    if len(axes) < 2 or axes[-1] is None or axes[-2] is None:
        return Plane(1, upward=False)
    pair = (axes[-2], axes[-1])
    places = main.where[-2:] if main.use == "cells" else (0, 1)
    vertical, first_is_low = _separate(main, pair, roles, looks)
    hint, falling = _hint(main, pair, places, usage)
    if vertical is not None:
        return Plane(1 - vertical, upward=first_is_low)
    floor = _find_floor(main, pair)
    if floor is not None:
        return Plane(1 - floor, upward=True)
    if hint is not None:
        horizontal = hint
        along = pair[1 - horizontal]
        rows = _says(main, places[1 - horizontal], along, usage, ("r", "row", "line"))
        return Plane(horizontal, upward=falling or not rows)
    return Plane(1, upward=False)


def _separate(
    main: Encoding,
    pair: tuple[Axis, Axis],
    roles: Sequence[str],
    looks: Mapping[Words, Look],
) -> tuple[int | None, bool]:
    """Return the coordinate that separates two owners at the start, and whether the
    first one's is smaller."""
    places = main.where[-2:]
    sums: dict[str, list[float]] = {}
    for words in main.family.initial:
        look = looks.get(main.find_content(words))
        if look is None or look.owner is None or main.use != "cells":
            continue
        entry = sums.setdefault(look.owner, [0.0, 0.0, 0.0])
        for k in range(2):
            entry[k] += pair[k].rank.get(words[places[k]], 0)
        entry[2] += 1
    owners = [role for role in roles if role in sums and sums[role][2] >= 2]
    if len(owners) < 2:
        return None, False
    first, second = sums[owners[0]], sums[owners[1]]
    apart = [
        (second[k] / second[2] - first[k] / first[2]) / pair[k].length for k in range(2)
    ]
    larger = 0 if abs(apart[0]) > abs(apart[1]) else 1
    if abs(apart[larger]) < 0.25 or abs(apart[1 - larger]) > 0.2:
        return None, False
    return larger, apart[larger] > 0


def _find_floor(main: Encoding, pair: tuple[Axis, Axis]) -> int | None:
    """Return the coordinate whose first line has a content of its own, as a floor."""
    if main.use != "cells" or not main.full:
        return None
    places = main.where[-2:]
    cells: dict[Words, list[Words]] = {}
    for words in main.family.initial:
        cell = tuple(words[i] for i in places)
        cells.setdefault(main.find_content(words), []).append(cell)
    for own in cells.values():
        for k in range(2):
            if len(own) >= 0.7 * len(pair[1 - k].names) and all(
                cell[k] == pair[k].names[0] for cell in own
            ):
                return k
    return None


def _hint(
    main: Encoding, pair: tuple[Axis, Axis], places: Sequence[int], usage: Usage
) -> tuple[int | None, bool]:
    """Return which coordinate runs across, None if nothing says, and whether pieces
    fall: then moves name that coordinate alone."""
    letters = [axis.names[0].isalpha() for axis in pair]
    if letters[0] != letters[1]:
        return (0 if letters[0] else 1), False
    across = [
        _says(main, p, a, usage, _ACROSS) for p, a in zip(places, pair, strict=True)
    ]
    along = [
        _says(main, p, a, usage, _ALONG) for p, a in zip(places, pair, strict=True)
    ]
    votes = [across[0] + along[1], across[1] + along[0]]
    dropped = [
        any(
            counts[main.family.key, places[k]]
            for (move, i), counts in usage.links.items()
            if move.endswith("/1") and i == 0
        )
        for k in range(2)
    ]
    if dropped[0] != dropped[1]:
        return (0 if dropped[0] else 1), True
    if votes[0] == votes[1]:
        return None, False
    return (0 if votes[0] > votes[1] else 1), False


def _says(
    main: Encoding, place: int, axis: Axis, usage: Usage, words: Sequence[str]
) -> int:
    """Whether an argument's constants or variables are named like one of the words."""
    prefix = axis.names[0].lower().rstrip("0123456789_-")
    if prefix in words and axis.kind != "number":
        return 1
    names = usage.names[main.family.key, place]
    hits = sum(
        count for name, count in names.items() if name.rstrip("0123456789'_") in words
    )
    return int(hits > 0.5 * sum(names.values()) > 0)
