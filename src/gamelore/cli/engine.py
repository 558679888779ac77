"""The simulator that a command asks for, with whatever there is to say about it."""

from __future__ import annotations

import warnings
from typing import cast

import click

from gamelore.cli.progress import waiting
from gamelore.engine.choose import Engine, simulator
from gamelore.engine.simulator import Simulator
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.gdl.features import FeatureRules


def prepare(
    game: str | Game, engine: str, features: FeatureRules | None = None
) -> Simulator:
    """Load and compile a game; a fallback to the interpreter is told on stderr."""
    rules = game if isinstance(game, Game) else load(game)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with waiting(f"preparing {rules.name}"):
            prepared = simulator(rules, cast(Engine, engine), features=features)
    for warning in caught:
        click.echo(f"warning: {warning.message}", err=True)
    return prepared
