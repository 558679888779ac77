"""Settings: frozen dataclasses that are the command line, the JSON and the forms.

A field is described once: by its type, its default, the docstring that follows it, and
`setting(…)` where its option has another name or its values a range. From that come
checks, options in both directions, and JSON in both directions. A field may be a part
with settings of its own, or a choice between several kinds of parts; options are flat,
so that `--alpha` is the step size of whichever learner is chosen.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache
from itertools import pairwise
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

Kind = TypeVar("Kind")
Options = Mapping[str, Any]
"""Values by the names of options, with underscores: `opponent_depth`."""
JsonObject = dict[str, Any]
BY_NAME = tuple[tuple[str, float], ...]
"""The type of settings that give numbers to names."""


class SettingError(ValueError):
    """A setting that cannot be: its name, and what it must be."""

    def __init__(self, name: str, requirement: str) -> None:
        super().__init__(f"{name} {requirement}")
        self.name = name
        self.requirement = requirement


@dataclass(frozen=True)
class Range:
    """The numbers that a setting may be."""

    least: float | None = None
    above: float | None = None
    most: float | None = None

    def __contains__(self, value: float) -> bool:
        return (
            (self.least is None or value >= self.least)
            and (self.above is None or value > self.above)
            and (self.most is None or value <= self.most)
        )

    def __str__(self) -> str:
        low = self.above if self.least is None else self.least
        if self.most is None:
            if low == 0:
                return "must be positive" if self.least is None else "must be 0 or more"
            return f"must be {'above' if self.least is None else 'at least'} {low:,}"
        opening = "(" if self.least is None else "["
        return f"must be in {opening}{low:,}, {self.most:,}]"


@dataclass(frozen=True)
class Choice:
    """One kind of part that a setting can be chosen to be."""

    kind: type[Any] | None
    """Its dataclass; none if the choice is to have no such part."""
    make: Callable[..., Any] | None = None
    """What makes it of the fields that are given; the dataclass itself if not said."""
    without: tuple[str, ...] = ()
    """Fields that this choice does not have."""
    applies: Callable[[Any], bool] | None = None
    """Which instances of the dataclass are this choice; all if not said."""


@dataclass(frozen=True)
class Setting:
    """One field of a settings dataclass."""

    name: str = ""
    kind: Any = None
    """Its type, as annotated, without `None`."""
    default: Any = None
    owner: type[Any] = object
    """The dataclass."""
    optional: bool = False
    """Whether it may be `None`."""
    option: str = ""
    """The name of its option, without dashes in front."""
    has_own_name: bool = False
    """Whether that is not made from the name of the field, and so has no prefix."""
    group: str = ""
    """The heading under which its option is listed."""
    range: Range = Range()
    words: tuple[str, ...] = ()
    """The words that it may be, if it is one of several."""
    choices: Mapping[str, Choice] = field(default_factory=dict)
    prefix: str = ""
    """Comes before the names of the options of its parts."""
    none: str = ""
    """The word for `None` on the command line, where the default is something else."""
    names_choice: bool = False
    """Whether it holds the name of the choice that it is a field of."""
    other: str = ""
    """The choice that players of other names stand for on the command line, if any."""

    @property
    def text(self) -> str:
        """The docstring that follows it, in one line."""
        owner: Any = self.owner
        return _field_docstrings(owner).get(self.name, "")

    @property
    def is_part(self) -> bool:
        """Whether it is a dataclass with settings of its own."""
        return is_dataclass(self.kind) and not self.choices

    @property
    def key(self) -> str:
        """The name of its option with underscores."""
        return self.option.replace("-", "_")


def setting(
    default: Any = MISSING,
    *,
    factory: Any = MISSING,
    option: str = "",
    group: str = "",
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    **more: Any,
) -> Any:
    """Return a dataclass field; `least`, `above` and `most` bound its values.

    `more`: `words`, `choices`, `prefix`, `none`, `names_choice` and `other`, as in
    `Setting`.
    """
    described = {"option": option, "group": group, "range": Range(least, above, most)}
    if factory is not MISSING:
        return field(default_factory=factory, metadata={**described, **more})
    return field(default=default, metadata={**described, **more})


def describe(kind: type[Any]) -> tuple[Setting, ...]:
    """Return the fields of a settings dataclass, in order."""
    key: Any = kind
    return _describe(key)


@cache
def _describe(kind: Any) -> tuple[Setting, ...]:
    hints = get_type_hints(kind)
    found = []
    for one in fields(kind):
        more = one.metadata
        choices = more.get("choices", {})
        inner, optional = _without_none(hints[one.name])
        default = one.default
        if default is MISSING and one.default_factory is not MISSING:
            default = one.default_factory()
        found.append(
            Setting(
                one.name,
                inner,
                default,
                kind,
                optional,
                more.get("option") or one.name.replace("_", "-"),
                bool(more.get("option")),
                more.get("group", ""),
                more.get("range", Range()),
                more.get("words", ()) or _literals(inner),
                {
                    n: c if isinstance(c, Choice) else Choice(c)
                    for n, c in choices.items()
                },
                more.get("prefix", ""),
                more.get("none", ""),
                more.get("names_choice", False),
                more.get("other", ""),
            )
        )
    return tuple(found)


def check(settings: Any) -> None:
    """Raise `SettingError` for a field of the wrong type, range or choice.

    Settings call this in `__post_init__`, before rules that are their own.
    """
    for one in describe(type(settings)):
        value = getattr(settings, one.name)
        if one.choices or one.is_part or (one.optional and value is None):
            continue
        _check_value(one, value)


def _check_value(one: Setting, value: Any) -> None:
    if one.words:
        if value not in one.words:
            known = ", ".join(one.words)
            raise SettingError(one.name, f"must be one of {known}, got {value!r}")
    elif one.kind in (int, float):
        whole = one.kind is int
        if isinstance(value, bool) or not isinstance(
            value, int if whole else int | float
        ):
            number = "a whole number" if whole else "a number"
            raise SettingError(one.name, f"must be {number}, got {value!r}")
        if not math.isfinite(value):
            raise SettingError(one.name, f"must be finite, got {value}")
        if value not in one.range:
            raise SettingError(one.name, f"{one.range}, got {value}")
    elif one.kind == BY_NAME:
        _check_by_name(one, value)


def _check_by_name(one: Setting, pairs: tuple[tuple[str, float], ...]) -> None:
    names = [name for name, _ in pairs]
    for name, number in pairs:
        if not math.isfinite(number):
            raise SettingError(one.name, f"of {name} must be finite, got {number}")
        if names.count(name) > 1:
            raise SettingError(one.name, f"names {name} twice")


# ── JSON ────────────────────────────────────────────────────────────────────────────


def to_json(settings: Any) -> JsonObject:
    """Return settings as plain JSON values; a chosen part has its choice as `kind`."""
    record: JsonObject = {}
    for one in describe(type(settings)):
        value = getattr(settings, one.name)
        if one.names_choice:
            continue
        if one.choices:
            name, choice = find_choice(one, value)
            value = None if choice.kind is None else {"kind": name, **to_json(value)}
        elif one.is_part and value is not None:
            value = to_json(value)
        elif isinstance(value, tuple):
            value = [list(each) if isinstance(each, tuple) else each for each in value]
        record[one.name] = value
    return record


def from_json(kind: type[Kind], record: object) -> Kind:
    """Return the settings of such a record; `SettingError` says what is wrong."""
    settings: Kind = _read(kind, record, kind.__name__)
    return settings


def _read(kind: Any, record: object, place: str, chosen: str = "") -> Any:
    if not isinstance(record, dict):
        raise SettingError(place, f"must be an object, got {record!r}")
    known = {one.name: one for one in describe(kind)}
    unknown = record.keys() - known.keys() - ({"kind"} if chosen else set())
    if unknown:
        raise SettingError(place, f"has no setting {min(unknown)!r}")
    values = {n: _read_value(known[n], v) for n, v in record.items() if n in known}
    values |= {one.name: chosen for one in known.values() if one.names_choice}
    return kind(**values)


def _read_value(one: Setting, value: Any) -> Any:
    if one.choices:
        name = str(value.get("kind")) if isinstance(value, dict) else repr(value)
        if value is None:
            name = next((n for n, c in one.choices.items() if c.kind is None), name)
        if name not in one.choices:
            known = ", ".join(one.choices)
            raise SettingError(one.name, f"must be one of {known}, got {name}")
        part = one.choices[name].kind
        return None if part is None else _read(part, value, one.name, name)
    if one.is_part and value is not None:
        return _read(one.kind, value, one.name)
    try:
        return msgspec.convert(value, one.kind | None if one.optional else one.kind)
    except msgspec.ValidationError as error:
        raise SettingError(one.name, f"cannot be {value!r}: {error}") from None


def find_choice(one: Setting, value: object) -> tuple[str, Choice]:
    """Return the name of a choice, and the choice, that a part is."""
    for name, choice in one.choices.items():
        if choice.kind is None:
            if value is None:
                return name, choice
        elif type(value) is choice.kind and (
            choice.applies is None or choice.applies(value)
        ):
            named = [s.name for s in describe(choice.kind) if s.names_choice]
            if not named or getattr(value, named[0]) == name:
                return name, choice
    raise SettingError(
        one.name, f"cannot be saved, since nothing could read {value!r} back"
    )


def flatten(record: JsonObject, within: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every setting of a JSON record by its path: `learner.step_size`, 0.3.

    What is set by feature has the feature in its path: `shaping.(lost own)`, -1.0.
    """
    for name, value in record.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{within}{name}.")
        elif isinstance(value, list):
            yield from flatten(dict(value), f"{within}{name}.")
        else:
            yield f"{within}{name}", value


# ── options ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Use:
    """A setting that an option sets."""

    setting: Setting
    chosen: tuple[tuple[str, str], ...] = ()
    """Keys of options, and what must be chosen there for the setting to exist."""


def list_options(kind: type[Any]) -> dict[str, list[Use]]:
    """Return the options of settings by key, each with all settings that it can set."""
    found: dict[str, list[Use]] = {}
    for use in _walk(kind, Setting(), ()):
        found.setdefault(use.setting.key, []).append(use)
    return found


def from_options(kind: type[Kind], given: Options) -> Kind:
    """Return the settings that options ask for, with defaults for what is not given.

    `SettingError` names the option at fault as it is typed: `--alpha`.
    """
    used: set[str] = set()
    settings: Kind = _build(kind, Choice(kind), "", given, used)
    known = list_options(kind)
    for key in sorted(given.keys() - used):
        if key not in known:
            raise SettingError(spell_option(key), "is not known")
        option, _ = known[key][0].chosen[-1]
        chosen = {**to_options(settings), **given}[option]
        places = dict(use.chosen[-1][::-1] for use in known[key])
        wanted = " or ".join(one for one, place in places.items() if place == option)
        spelled = spell_option(option)
        requirement = f"has no meaning for {spelled} {chosen}: it is for {wanted}"
        raise SettingError(spell_option(key), requirement)
    return settings


def to_options(settings: Any, prefix: str = "") -> dict[str, Any]:
    """Return the options that ask for such settings, by key."""
    found: dict[str, Any] = {}
    for one in _placed(type(settings), prefix):
        value = getattr(settings, one.name)
        if one.choices:
            found[one.key], _ = find_choice(one, value)
        if one.choices or one.is_part:
            found |= {} if value is None else to_options(value, one.prefix)
        else:
            found[one.key] = value
    return found


def spell_option(key: str) -> str:
    """Return an option as it is typed: `--opponent-depth`."""
    return f"--{key.replace('_', '-')}"


def _placed(kind: type[Any], prefix: str, group: str = "") -> Iterator[Setting]:
    """Yield the settings that have options, with the prefix and group of their part."""
    for one in describe(kind):
        if not one.names_choice:
            option = one.option if one.has_own_name else f"{prefix}{one.option}"
            yield replace(one, option=option, group=one.group or group)


def _walk(
    kind: type[Any], part: Setting, chosen: tuple[tuple[str, str], ...]
) -> Iterator[Use]:
    for one in _placed(kind, part.prefix, part.group):
        if one.is_part:
            yield from _walk(one.kind, one, chosen)
            continue
        yield Use(one, chosen)
        for name, choice in one.choices.items():
            if choice.kind is not None:
                for use in _walk(choice.kind, one, (*chosen, (one.key, name))):
                    if use.setting.name not in choice.without:
                        yield use


def _build(
    kind: Any,
    choice: Choice,
    prefix: str,
    given: Options,
    used: set[str],
    name: str = "",
) -> Any:
    """Return settings made of the options for them, and note which were used."""
    values: dict[str, Any] = {
        one.name: name for one in describe(kind) if one.names_choice
    }
    options: dict[str, str] = {}
    for one in _placed(kind, prefix):
        if one.name in choice.without:
            continue
        options[one.name] = spell_option(one.key)
        if one.choices:
            used.add(one.key)
            chosen = given.get(one.key) or find_choice(one, one.default)[0]
            part = one.choices[chosen]
            values[one.name] = part.kind and _build(
                part.kind, part, one.prefix, given, used, chosen
            )
        elif one.is_part:
            parts = (other.key for other in _placed(one.kind, one.prefix))
            asked = [key for key in parts if key in given]
            options[one.name] = spell_option((asked or [one.key])[0])
            if asked or not one.optional:
                values[one.name] = _build(
                    one.kind, Choice(one.kind), one.prefix, given, used
                )
        elif one.key in given:
            used.add(one.key)
            values[one.name] = given[one.key]
    try:
        return (choice.make or kind)(**values)
    except SettingError as error:
        option = options.get(error.name, error.name)
        raise SettingError(option, error.requirement) from None


# ── docstrings of fields ────────────────────────────────────────────────────────────


def _without_none(kind: Any) -> tuple[Any, bool]:
    """Return a type without `None`, and whether it had it."""
    if get_origin(kind) not in (Union, UnionType):
        return kind, False
    parts = tuple(part for part in get_args(kind) if part is not type(None))
    optional = len(parts) < len(get_args(kind))
    return (parts[0] if len(parts) == 1 else Union[parts]), optional  # noqa: UP007


def _literals(kind: Any) -> tuple[str, ...]:
    return get_args(kind) if get_origin(kind) is Literal else ()


@cache
def _field_docstrings(kind: Any) -> dict[str, str]:
    """Return the string after each annotated field, which Python itself drops."""
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if is_dataclass(base):
            texts |= _own_docstrings(base)
    return texts


def _own_docstrings(kind: Any) -> dict[str, str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef))
    return {
        one.target.id: " ".join(following.value.value.split())
        for one, following in pairwise(body)
        if isinstance(one, ast.AnnAssign)
        and isinstance(one.target, ast.Name)
        and isinstance(following, ast.Expr)
        and isinstance(following.value, ast.Constant)
        and isinstance(following.value.value, str)
    }
