"""The options of `gamelore learn` for value functions, and for how long to learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from gamelore.cli.function_config import VALUES, choices
from gamelore.cli.presets import show_presets


def read_by_feature(
    context: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, float], ...]:
    """Each `FEATURE=NUMBER` as a feature and its number."""
    numbers: dict[str, float] = {}
    for text in given:
        feature, _, number = text.rpartition("=")
        name = " ".join(feature.split())
        if name in numbers:
            raise click.BadParameter(f"{name} is named twice: give a feature once")
        try:
            numbers[name] = float(number)
        except ValueError:
            raise click.BadParameter(
                f"{text!r} is not {param.metavar}, as in '(lost other)=1'"
            ) from None
    return tuple(numbers.items())


def read_numbers(
    context: click.Context, param: click.Parameter, given: str | None
) -> tuple[int, ...] | None:
    """Numbers of matches, as in `100,1000,10000`."""
    if given is None:
        return None
    parts = [part.strip() for part in given.split(",")]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        raise click.BadParameter(f"{given!r} must be numbers, as in 100,1000,10000")
    return tuple(sorted(set(map(int, parts))))


FUNCTION_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--values",
        type=click.Choice(VALUES),
        default="table",
        show_default=True,
        help="What values are kept in: a table of positions, a linear function, or a"
        " network with one hidden layer.",
    ),
    click.option(
        "--hidden", type=int, help="Hidden units of a network.  [default: 40]"
    ),
    click.option(
        "--activation",
        type=click.Choice(choices("activation")),
        help="Of hidden units.  [default: sigmoid]",
    ),
    click.option(
        "--output",
        type=click.Choice(choices("output")),
        help="What a function makes of its sum.  [default: sigmoid; linear: identity]",
    ),
    click.option(
        "--initial-range",
        type=float,
        help="A network's first weights are drawn from plus or minus this.  [default:"
        " 0.01]",
    ),
    click.option(
        "--scaled",
        is_flag=True,
        help="Draw them from a range that shrinks with the number of inputs instead.",
    ),
    click.option(
        "--updates",
        type=click.Choice(choices("updates")),
        help="Whether each move changes a function, or all moves of a match at once,"
        " which is cheaper.  [default: online]",
    ),
    click.option(
        "--ends",
        type=click.Choice(choices("terminal_target")),
        help="What the end of a match is worth to the position before it: its reward,"
        " what a function learned of it, or both.  [default: reward]",
    ),
    click.option(
        "--view",
        type=click.Choice(choices("perspective")),
        help="Whose goals a function values: the first player's, or those of who has"
        " just moved.  [default: first]",
    ),
    click.option(
        "--reward-range",
        type=float,
        nargs=2,
        metavar="LOW HIGH",
        help="What the lowest and the highest goal count to a function.  [default:"
        " 0 1]",
    ),
    click.option(
        "--features",
        metavar="NAME|FILE",
        help="Features of the game by name, or a features file: inputs of a function,"
        " and what --shaping goes by.",
    ),
    click.option(
        "--fluents/--no-fluents",
        default=None,
        help="Whether each fact that can be true is an input.  [default: if there are"
        " no --features]",
    ),
    click.option(
        "--shaping",
        multiple=True,
        callback=read_by_feature,
        metavar="FEATURE=REWARD",
        help="A reward along the way, for each 1 that a feature goes up; may be"
        " repeated. In a table it is added to goals as it is.",
    ),
    click.option(
        "--sees-rewards",
        is_flag=True,
        help="Let a function's moves be chosen by what they earn along the way, too.",
    ),
    click.option(
        "--scaling",
        multiple=True,
        callback=read_by_feature,
        metavar="FEATURE=FACTOR",
        help="What a feature is multiplied by before it is an input; may be repeated.",
    ),
)

LENGTH_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--minutes",
        type=click.FloatRange(min=0, min_open=True),
        help="How long to learn, instead of --matches; with both, what is over first.",
    ),
    click.option(
        "--preset",
        is_flag=True,
        help="Learn by settings that were found to be good for the game, for as long as"
        " they say.",
    ),
    click.option(
        "--presets",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show_presets,
        help="List the games that have such settings, and end.",
    ),
)

SNAPSHOT_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--snapshots",
        callback=read_numbers,
        metavar="N,N,…",
        help="Keep what was learned after these matches too, in files beside that of"
        " --save, for gamelore arena.",
    ),
    click.option(
        "--snapshot-every",
        type=click.IntRange(min=1),
        metavar="N",
        help="The same after every N matches.",
    ),
)
