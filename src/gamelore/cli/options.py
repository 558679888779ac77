"""What the subcommands share: options, and numbers in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from gamelore.agents.registry import FORMS, LEARNERS

Command = TypeVar("Command", bound=Callable[..., object])


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
    """`--seed`, as every command that draws lots takes it."""
    return click.option(
        "--seed",
        type=click.IntRange(0, 2**63 - 1),
        default=0,
        show_default=True,
        help="Where random numbers start; the same seed repeats the same run.",
    )(command)


PLAYERS = f"{', '.join(FORMS[:-1])} or {FORMS[-1]}"
"""All players by name, for help texts."""


def store_option(command: Command) -> Command:
    """`--store`, as every command takes it in which agents learn."""
    return click.option(
        "--store",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=f"File in which players that learn ({', '.join(LEARNERS)}) keep every"
        " match and what they learned; without one, it is lost at the end.",
    )(command)


def json_option(command: Command) -> Command:
    """`--json`, for scripts."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def counted(number: int, noun: str) -> str:
    """`1 file`, `2,000 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
