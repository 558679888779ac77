"""Options made from settings dataclasses, and help in groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args, get_origin

import click
from click.core import ParameterSource

from gamelore.agents.registry import AgentSpec
from gamelore.errors import GameloreError
from gamelore.settings import (
    BY_NAME,
    Setting,
    Use,
    find_choice,
    list_options,
)

MAIN = "Main options"
OTHER = "Other options"

_REPEATED: dict[Any, Any] = {}  # the types of options that may be given several times


class GroupedOption(click.Option):
    """An option that is listed under a heading."""

    def __init__(self, *arguments: Any, group: str = "", **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help lists its options under headings, the main ones first."""

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write one section for each heading, in the order in which they come up."""
        sections: dict[str, list[tuple[str, str]]] = {MAIN: []}
        rest: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                group = getattr(parameter, "group", "")
                (sections.setdefault(group, []) if group else rest).append(record)
        for heading, records in {**sections, OTHER: rest}.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


class FeatureNumber(click.ParamType[Any]):
    """`FEATURE=NUMBER`, as in `(lost other)=1`."""

    name = "FEATURE=NUMBER"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, float]:
        """Return the feature, with single spaces, and the number."""
        if isinstance(value, tuple):
            return value
        feature, _, number = str(value).rpartition("=")
        try:
            return " ".join(feature.split()), float(number)
        except ValueError:
            self.fail(f"{value!r} is not {self.name}, as in '(lost other)=1'")


class CommaList(click.ParamType[Any]):
    """Words or whole numbers with commas between them."""

    def __init__(self, kind: type[str] | type[int]) -> None:
        self.kind = kind
        self.name = "N,N,…" if kind is int else "NAME,NAME,…"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[Any, ...]:
        """Return the parts; numbers in order, each once."""
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in str(value).split(",") if part.strip()]
        if self.kind is str:
            return tuple(parts)
        if not parts or not all(one.isascii() and one.isdecimal() for one in parts):
            self.fail(f"{value!r} must be numbers, as in 100,1000,10000")
        return tuple(sorted(set(map(int, parts))))


class NumberOr(click.ParamType[Any]):
    """A number, or a word that stands for none."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.name = f"NUMBER|{word}"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Return the number, or the word."""
        if value == self.word:
            return value
        return click.FLOAT.convert(value, param, ctx)


_REPEATED |= {
    BY_NAME: FeatureNumber(),
    tuple[Path, ...]: click.Path(exists=True, dir_okay=False, path_type=Path),
}


def setting_options(
    kinds: Iterable[type[Any]],
    main: Sequence[str] = (),
    defaults: Mapping[str, str] | None = None,
) -> list[click.Option]:
    """Return the options of settings dataclasses, those named in `main` first.

    An option has no default of its own: what is not typed stays as the settings say.
    `defaults`: by key, what is said of defaults that depend on other options.
    """
    found: dict[str, list[Use]] = {}
    for kind in kinds:
        found |= list_options(kind)
    first = [key for key in main if key in found]
    keys = [*first, *(key for key in found if key not in main)]
    return [
        _make_option(found[key], key in main, (defaults or {}).get(key)) for key in keys
    ]


def given_options(context: click.Context, kind: type[Any]) -> dict[str, Any]:
    """Return what was typed for such settings, by key; words for none as `None`."""
    found: dict[str, Any] = {}
    for key, uses in list_options(kind).items():
        if context.get_parameter_source(key) is ParameterSource.COMMANDLINE:
            value, word = context.params[key], uses[0].setting.none
            found[key] = None if word and value == word else value
    return found


class ChoiceOrAgent(click.Choice[str]):
    """One of some words, or the spec of an agent."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the text, if it names something."""
        if value in self.choices:
            return value
        try:
            return str(AgentSpec.parse(value))
        except GameloreError as error:
            words = ", ".join(map(str, self.choices))
            self.fail(f"{error}; or one of {words}", param, ctx)


def _make_option(uses: list[Use], is_main: bool, default: str | None) -> click.Option:
    one = uses[0].setting
    flag = f"--{one.option}"
    help_text = _summary(one.text) + _shown_default(uses, default)
    more: dict[str, Any] = {"help": help_text, "group": MAIN if is_main else one.group}
    if one.kind is bool:
        if one.default is not False or one.optional:
            flag += f"/--no-{one.option}"
        return GroupedOption([flag, one.key], default=None, is_flag=True, **more)
    if one.kind in _REPEATED:
        repeated = _REPEATED[one.kind]
        return GroupedOption([flag, one.key], type=repeated, multiple=True, **more)
    return GroupedOption([flag, one.key], type=_click_type(uses), **more)


def _click_type(uses: list[Use]) -> Any:
    """Return what click makes of an annotation."""
    one = uses[0].setting
    if one.choices:
        names = list(one.choices)
        return ChoiceOrAgent(names) if one.other else click.Choice(names)
    if one.none:
        return NumberOr(one.none)
    if one.words:
        words = (word for use in uses for word in use.setting.words)
        return click.Choice(list(dict.fromkeys(words)))
    if one.kind is Path:
        return click.Path(dir_okay=False, path_type=Path)
    if get_origin(one.kind) is tuple:
        return CommaList(get_args(one.kind)[0])
    return one.kind


def _summary(text: str) -> str:
    """Return the first sentence of a docstring."""
    head, end, _ = text.replace("*", "").partition(". ")
    return f"{head}." if end else head


def _shown_default(uses: list[Use], said: str | None) -> str:
    """Return the default in brackets, with those of other choices behind it."""
    if said is not None:
        return f"  [default: {said}]"
    defaults: dict[str, list[str]] = {}
    for use in uses:
        chosen = use.chosen[-1][1] if use.chosen else ""
        defaults.setdefault(_spell(use.setting), []).append(chosen)
    (first, _), *others = defaults.items()
    parts = [first] if first else []
    parts += [f"{', '.join(names)}: {text}" for text, names in others if text]
    return f"  [default: {'; '.join(parts)}]" if parts else ""


def _spell(one: Setting) -> str:
    """Return a default as it would be typed; empty if there is nothing to say."""
    value: Any = one.default
    if one.choices:
        return find_choice(one, value)[0]
    if value is None:
        return one.none
    if value is False or value == ():
        return ""
    if value is True:
        return "on"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
