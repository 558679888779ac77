"""The values of a JSON record, taken out with checks that name what is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from gamelore.errors import GdlError, RecordError
from gamelore.gdl import Compound, Fact, Move, ReaderLimits, Term, read_term, variables

_LIMITS = ReaderLimits()

T = TypeVar("T")


class Fields:
    """A JSON object whose values are asked for by key and kind."""

    def __init__(self, values: Mapping[str, Any], source: str) -> None:
        self._values = values
        self._source = source

    @classmethod
    def parse(cls, text: str, source: str) -> Fields:
        """The object in a text; `RecordError` if there is none."""
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise RecordError(f"{source} is no match record: {error}") from None
        if not isinstance(values, dict):
            raise RecordError(f"{source} is no match record: it is no JSON object")
        return cls(values, source)

    def __contains__(self, key: str) -> bool:
        return self._values.get(key) is not None

    def error(self, key: str, message: str) -> RecordError:
        """What is wrong with a value."""
        return RecordError(f"{self._source} is damaged: {key} {message}")

    def text(self, key: str, default: str | None = None) -> str:
        return self._take(key, str, "text", default)

    def flag(self, key: str, default: bool | None = None) -> bool:
        return self._take(key, bool, "true or false", default)

    def number(self, key: str, default: float | None = None) -> float:
        value = self._values.get(key)
        if value is None and default is not None:
            return default
        return self._number(key, value)

    def numbers(
        self, key: str, default: tuple[int, ...] | None = None
    ) -> tuple[int, ...]:
        return tuple(
            int(self._number(f"{key}[{i}]", value))
            for i, value in enumerate(self._list(key, default))
        )

    def goals(self, key: str) -> tuple[int | None, ...]:
        """Numbers, some of which may be missing."""
        return tuple(
            None if value is None else int(self._number(f"{key}[{i}]", value))
            for i, value in enumerate(self._list(key))
        )

    def words(
        self, key: str, default: tuple[str, ...] | None = None
    ) -> tuple[str, ...]:
        return self._words(key, self._list(key, default))

    def word_lists(
        self, key: str, default: tuple[tuple[str, ...], ...] | None = None
    ) -> tuple[tuple[str, ...], ...]:
        return tuple(
            self._words(f"{key}[{i}]", self._check_list(f"{key}[{i}]", words))
            for i, words in enumerate(self._list(key, default))
        )

    def states(self, key: str) -> tuple[tuple[Fact, ...], ...]:
        """Positions: `( ( cell 1 1 b ) … )` each."""
        return tuple(
            self._facts(f"{key}[{i}]", text) for i, text in enumerate(self.words(key))
        )

    def joint_moves(self, key: str) -> tuple[tuple[Move, ...], ...]:
        return tuple(
            tuple(self._move(f"{key}[{i}]", move) for move in joint)
            for i, joint in enumerate(self.word_lists(key))
        )

    def move(self, key: str) -> Move | None:
        """A move, where there is one."""
        text = self.text(key, default="")
        return self._move(key, text) if text else None

    def part(self, key: str) -> Fields:
        """An object inside."""
        return Fields(self._take(key, dict, "an object", None), self._source)

    def parts(self, key: str) -> tuple[Fields, ...]:
        """A list of objects inside."""
        values = self._list(key)
        for i, value in enumerate(values):
            if not isinstance(value, dict):
                raise self.error(f"{key}[{i}]", "is no object")
        return tuple(Fields(value, f"{self._source}") for value in values)

    def _take(self, key: str, kind: type[T], name: str, default: T | None) -> T:
        value = self._values.get(key)
        if value is None:
            if default is None:
                raise self.error(key, "is missing")
            return default
        if not isinstance(value, kind):
            raise self.error(key, f"is not {name}")
        return value

    def _list(self, key: str, default: tuple[Any, ...] | None = None) -> list[Any]:
        if default is not None and self._values.get(key) is None:
            return list(default)
        return self._take(key, list, "a list", None)

    def _check_list(self, key: str, value: object) -> list[Any]:
        if not isinstance(value, list | tuple):
            raise self.error(key, "is not a list")
        return list(value)

    def _words(self, key: str, values: list[Any]) -> tuple[str, ...]:
        for value in values:
            if not isinstance(value, str):
                raise self.error(key, "holds something other than text")
        return tuple(values)

    def _number(self, key: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(key, "is missing" if value is None else "is not a number")
        if abs(value) > 2**63 or value != value:
            raise self.error(key, "is not a number that fits")
        return value

    def _facts(self, key: str, text: str) -> tuple[Fact, ...]:
        inner = text.strip()
        if not (inner.startswith("(") and inner.endswith(")")):
            raise self.error(key, "is not a list of facts")
        inner = inner[1:-1].strip()
        if not inner:
            return ()
        term = self._term(key, f"(facts {inner})")
        return term.arguments if isinstance(term, Compound) else ()

    def _move(self, key: str, text: str) -> Move:
        return self._term(key, text)

    def _term(self, key: str, text: str) -> Term:
        try:
            term = read_term(text, _LIMITS)
        except GdlError as error:
            problem = error.problems[0].message
            raise self.error(key, f"cannot be read: {problem}") from None
        if any(True for _ in variables(term)):
            raise self.error(key, "holds a variable")
        return term
