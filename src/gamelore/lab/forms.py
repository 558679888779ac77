"""The form of a training run, made from the settings that the command line has too."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_origin

from gamelore.lab.events import FormField
from gamelore.learn.config import DEFAULT_TEXTS, TrainConfig, complete_options
from gamelore.learn.run import RunConfig
from gamelore.settings import (
    BY_NAME,
    Setting,
    SettingError,
    Use,
    find_choice,
    from_options,
    list_options,
)

FIRST = (
    "against",
    "values",
    "learner",
    "role",
    "alpha",
    "lambda",
    "epsilon",
    "matches",
    "minutes",
    "seed",
)
"""The settings that a form begins with; the others are behind their headings."""
MAIN = "Main settings"
OTHER = "Other settings"

_LEFT_OUT = {"snapshots"}  # the lab keeps snapshots by itself
_DEFAULTS = {"against": "novice", "matches": 3000}


def make_form() -> list[FormField]:
    """Return the fields of a training run, the main ones first."""
    found: dict[str, list[Use]] = {}
    for kind in (TrainConfig, RunConfig):
        found |= list_options(kind)
    fields = [
        _field(key, uses)
        for key, uses in found.items()
        if key not in _LEFT_OUT and uses[0].setting.kind is not Path
    ]
    first = {key: place for place, key in enumerate(FIRST)}
    return sorted(fields, key=lambda one: first.get(one.key, len(first)))


def _field(key: str, uses: list[Use]) -> FormField:
    one = uses[0].setting
    kind, choices = _kind(uses)
    limits = one.range
    return FormField(
        key=key,
        label=one.option.replace("-", " "),
        help=_help(key, one),
        group=MAIN if key in FIRST else (one.group or OTHER).replace("--", ""),
        kind=kind,
        choices=choices,
        default=_default(key, one),
        least=limits.least,
        above=limits.above,
        most=limits.most,
        shown_for=_conditions(uses),
    )


def _kind(uses: list[Use]) -> tuple[str, list[str]]:
    one = uses[0].setting
    if one.choices:
        return "choice", list(one.choices)
    if one.words:
        words = (word for use in uses for word in use.setting.words)
        return "choice", list(dict.fromkeys(words))
    if one.kind is bool:
        return "flag", []
    if one.kind is int:
        return "whole", []
    if one.kind is float:
        return "number", []
    return "text", []


def _default(key: str, one: Setting) -> Any:
    """Return what a field begins with; nothing where a default depends on others."""
    if key in _DEFAULTS:
        return _DEFAULTS[key]
    if one.choices:
        return find_choice(one, one.default)[0]
    if key in DEFAULT_TEXTS:
        return None
    value = one.default
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool) else None


def _help(key: str, one: Setting) -> str:
    text = one.text.replace("--", "").replace("*", "")
    return f"{text} By default {DEFAULT_TEXTS[key]}." if key in DEFAULT_TEXTS else text


def _conditions(uses: list[Use]) -> list[dict[str, str]]:
    """Return what must be chosen for a setting to exist; nothing if it always does."""
    found = [dict(use.chosen) for use in uses]
    return [] if any(not one for one in found) else found


def read_form(options: Mapping[str, Any]) -> tuple[TrainConfig, RunConfig]:
    """Return the settings that a form was filled in with.

    `SettingError` names the option at fault.
    """
    known = {kind: list_options(kind) for kind in (TrainConfig, RunConfig)}
    given: dict[type[Any], dict[str, Any]] = {TrainConfig: {}, RunConfig: {}}
    for key, value in options.items():
        kind = RunConfig if key in known[RunConfig] else TrainConfig
        uses = known[kind].get(key)
        given[kind][key] = value if uses is None else _convert(uses[0].setting, value)
    config = from_options(TrainConfig, complete_options(given[TrainConfig]))
    return config, from_options(RunConfig, given[RunConfig])


def _convert(one: Setting, value: Any) -> Any:
    """Return what was typed as the settings have it: numbers, and words by commas."""
    if one.choices and value not in one.choices:
        known = ", ".join(one.choices)
        raise SettingError(one.key, f"must be one of {known}, got {value!r:.40}")
    if one.kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and one.kind == BY_NAME:
        pairs = (part.rpartition("=") for part in value.split(",") if part.strip())
        return tuple((name.strip(), float(number)) for name, _, number in pairs)
    if isinstance(value, str) and get_origin(one.kind) is tuple:
        parts = tuple(part.strip() for part in value.split(",") if part.strip())
        return tuple(map(int, parts)) if one.kind == tuple[int, ...] else parts
    return value
