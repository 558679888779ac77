"""What the subcommands share: options, and numbers in words."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., object])


class Finite(click.FloatRange):
    """A number from a range; `nan` is none."""

    def __init__(self, lowest: float, highest: float) -> None:
        super().__init__(lowest, highest)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is no number.", param, ctx)
        return number


def engine_option(command: Command) -> Command:
    """`--engine`, as every command that simulates takes it."""
    return click.option(
        "--engine",
        type=click.Choice(["auto", "circuit", "interpreter"]),
        default="auto",
        show_default=True,
        help="What plays: the compiled circuit, the interpreter, or whichever can.",
    )(command)


def seed_option(command: Command) -> Command:
    """`--seed`, as every command that plays at random takes it."""
    return click.option(
        "--seed",
        type=click.IntRange(0, 2**63 - 1),
        default=0,
        show_default=True,
        help="Where random numbers start; the same seed repeats the same run.",
    )(command)


def json_option(command: Command) -> Command:
    """`--json`, for scripts."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def counted(number: int, noun: str) -> str:
    """`1 file`, `2,000 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
