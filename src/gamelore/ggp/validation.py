"""Values of JSON and TOML files as structs; errors name the key and the value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

T = TypeVar("T")

_AT = re.compile(r"(?P<reason>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
_KIND = re.compile(r"Expected `(?P<wanted>[^`]*)`(?:, got `(?P<got>[^`]*)`)?.*")
_FIELD = re.compile(r"Object (?P<what>contains unknown|missing required) field `(.*)`")
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")
_LONGEST = 40  # letters of a value that a message shows

_WORDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "array": "a list",
    "object": "a table",
}


def convert(
    values: object, kind: type[T], key: str, error: Callable[[str], Exception]
) -> T:
    """Return values as a struct; `key` says where in the file they are.

    `error` makes the exception that is raised where they are none, from a message. A
    field's own rule is the description in its `msgspec.Meta`: "must be from 1 to 64".
    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as problem:
        raise error(_describe(str(problem), values, kind, key)) from None


def show(value: object) -> str:
    """Return a value as a message shows it."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}…"


def _describe(problem: str, values: object, kind: type, key: str) -> str:
    """Return what is wrong, in the words of somebody who wrote the file."""
    found = _AT.fullmatch(problem)
    assert found is not None
    path = [name or int(number) for name, number in _STEP.findall(found["path"] or "")]
    field = _FIELD.fullmatch(found["reason"])
    if field is not None:
        path.append(field[2])
    place = _write_path(key, path)
    if field is not None and field["what"].startswith("missing"):
        return f"{place} is missing"
    if field is not None:
        known = [each.encode_name for each in msgspec.structs.fields(kind)]
        near = get_close_matches(field[2], known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
        return f"{place} is no key of such a file; {hint}"
    value = _look_up(values, path)
    if value is None:
        return f"{place} is missing"
    rule = _find_rule(kind, path)
    wanted = _KIND.fullmatch(found["reason"])
    if wanted is None or (wanted["got"] is None and rule):
        return f"{place} {rule or 'is not as it should be'}, got {show(value)}"
    if wanted["got"] is None:
        bound = found["reason"].replace("`", "").removeprefix("Expected ")
        return f"{place} must be {bound}, got {show(value)}"
    kinds = [_WORDS[each] for each in wanted["wanted"].split(" | ") if each in _WORDS]
    return f"{place} wants {' or '.join(kinds)}, got {show(value)}"


def _write_path(key: str, path: list[str | int]) -> str:
    text = key
    for step in path:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}"
    return text.lstrip(".") or "it"


def _look_up(values: object, path: list[str | int]) -> object:
    try:
        for step in path:
            values = values[step]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        return None
    return values


def _find_rule(kind: type, path: list[str | int]) -> str:
    """Return the description of the field that a path begins with."""
    if not path or not isinstance(path[0], str):
        return ""
    hints = get_type_hints(kind, include_extras=True)
    names = {
        each.encode_name: each.name
        for each in msgspec.structs.fields(kind)  # the field's name in the file
    }
    return next(_descriptions(hints.get(names.get(path[0], ""))), "")


def _descriptions(annotation: Any) -> Iterator[str]:
    for meta in getattr(annotation, "__metadata__", ()):
        if isinstance(meta, msgspec.Meta) and meta.description:
            yield meta.description
    for part in get_args(annotation):
        if not isinstance(part, msgspec.Meta):
            yield from _descriptions(part)
