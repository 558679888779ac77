"""Settings of value functions from options, and the options that they come from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args, get_type_hints

import click

from gamelore.cli.given import Options, given, refuse
from gamelore.values.settings import FunctionSettings, LinearSettings, NetworkSettings

VALUES = ("table", "linear", "network")
"""What values are kept in."""

FUNCTION_OPTIONS = (
    "hidden",
    "activation",
    "output",
    "initial_range",
    "scaled",
    "updates",
    "ends",
    "view",
    "reward_range",
    "sees_rewards",
    "scaling",
)
"""Options that only value functions have."""

_NETWORK = ("hidden", "activation", "initial_range", "scaled")
_TABLE = ("default_value", "on_sight", "from", "depth", "rule", "self_values")


def choices(setting: str) -> tuple[str, ...]:
    """What a setting of networks may be."""
    return get_args(get_type_hints(NetworkSettings)[setting])


def function_from(options: Options) -> FunctionSettings | None:
    """The value function that options ask for; nothing if it is a table."""
    kind = options["values"]
    if kind == "table":
        refuse(options, "--values table", *FUNCTION_OPTIONS)
        if options["fluents"] is not None:  # --no-fluents is false, but given
            raise click.UsageError("--fluents has no meaning for --values table")
        if options["features"] is not None and not options["shaping"]:
            raise click.UsageError(
                "--features has no meaning for --values table without --shaping: a"
                " table learns of features by what they earn"
            )
        return None
    refuse(options, f"--values {kind}", *_TABLE)
    if options["initial"] not in (None, "default"):
        raise click.UsageError(
            f"--initial {options['initial']} is for --values table: a function says of"
            " every position what it is worth"
        )
    if options["sees_rewards"] and not options["shaping"]:
        raise click.UsageError("--sees-rewards has no meaning without --shaping")
    lowest, highest = options["reward_range"] or (None, None)
    settings = {
        "output": options["output"],
        "updates": options["updates"],
        "terminal_target": options["ends"],
        "perspective": options["view"],
        "lowest_reward": lowest,
        "highest_reward": highest,
        "fluents": options["fluents"],
        "reward_in_selection": options["sees_rewards"],
        "scaling": options["scaling"],
    }
    if kind == "linear":
        refuse(options, "--values linear", *_NETWORK)
        return given(LinearSettings, **settings)
    if options["scaled"] and options["initial_range"] is not None:
        raise click.UsageError("--scaled takes the place of --initial-range: give one")
    network = given(
        NetworkSettings,
        **settings,
        hidden=options["hidden"],
        activation=options["activation"],
        initial_range=options["initial_range"],
    )
    return replace(network, initial_range=None) if options["scaled"] else network


def options_of_function(settings: FunctionSettings | None) -> dict[str, Any]:
    """The options of a value function by name."""
    if settings is None:
        return {"values": "table"}
    options: dict[str, Any] = {
        "values": "linear",
        "output": settings.output,
        "updates": settings.updates,
        "ends": settings.terminal_target,
        "view": settings.perspective,
        "reward_range": (settings.lowest_reward, settings.highest_reward),
        "fluents": settings.fluents,
        "sees_rewards": settings.reward_in_selection,
        "scaling": settings.scaling,
    }
    if isinstance(settings, NetworkSettings):
        options |= {
            "values": "network",
            "hidden": settings.hidden,
            "activation": settings.activation,
            "initial_range": settings.initial_range,
            "scaled": settings.initial_range is None,
        }
    return options
