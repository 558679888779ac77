"""The options of `gamelore learn` for value functions, and for how long to learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from gamelore.cli.function_plans import VALUES, choices
from gamelore.cli.presets import show_presets


def read_shaping(
    context: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, float], ...]:
    """Each `FEATURE=REWARD` as a feature and what its going up by 1 earns."""
    rewards = []
    for text in given:
        feature, _, reward = text.rpartition("=")
        try:
            rewards.append((" ".join(feature.split()), float(reward)))
        except ValueError:
            raise click.BadParameter(
                f"{text!r} is not FEATURE=REWARD, as in '(lost other)=1'"
            ) from None
    return tuple(rewards)


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
        " which is cheaper.  [default: moves]",
    ),
    click.option(
        "--ends",
        type=click.Choice(choices("ends")),
        help="What the end of a match is worth to the position before it: its reward,"
        " what a function learned of it, or both.  [default: known]",
    ),
    click.option(
        "--view",
        type=click.Choice(choices("view")),
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
        help="Inputs of a function: features of the game by name, or a features file.",
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
        callback=read_shaping,
        metavar="FEATURE=REWARD",
        help="A reward along the way, for each 1 that a feature goes up; may be"
        " repeated.",
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
