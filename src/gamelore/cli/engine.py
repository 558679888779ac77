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
from gamelore.kernels import kernel_folder


def prepare(
    game: str | Game, engine: str, features: FeatureRules | None = None
) -> Simulator:
    """Load and compile a game; a fallback to the interpreter is told on stderr."""
    rules = game if isinstance(game, Game) else load(game)
    announce_kernels()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with waiting(f"preparing {rules.name}"):
            prepared = simulator(rules, cast(Engine, engine), features=features)
    for warning in caught:
        click.echo(f"warning: {warning.message}", err=True)
    return prepared


def announce_kernels(module: str = "gamelore.engine.compiled._kernels") -> None:
    """Say so where a module's kernels have never been compiled on this machine."""
    if not kernel_folder(module).exists():
        message = "compiling kernels, once on this machine: this takes up to a minute"
        click.echo(message, err=True)
