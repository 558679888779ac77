"""Which options were given, and which have no meaning beside others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

Options = Mapping[str, Any]
Settings = TypeVar("Settings")


def given(kind: Callable[..., Settings], **values: Any) -> Settings:
    """Settings with the values that are given; their own defaults for the others."""
    return kind(**{name: value for name, value in values.items() if value is not None})


def is_given(value: object) -> bool:
    """Whether an option was used: flags are off and lists empty if not."""
    return value is not None and value is not False and value != ()


def refuse(options: Options, where: str, *names: str) -> None:
    """`UsageError` for options that would change nothing."""
    for name in names:
        if is_given(options[name]):
            raise click.UsageError(f"{option(name)} has no meaning for {where}")


def option(name: str) -> str:
    """An option as it is written."""
    return f"--{name.replace('_', '-')}"
