"""Settings describe themselves, and become the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import click
import pytest

from gamelore.cli.reproduce import make_command
from gamelore.errors import GameloreError
from gamelore.experiments import EXPERIMENTS, find_experiment
from gamelore.settings import describe


@dataclass(frozen=True)
class Sample:
    """A sample."""

    runs: int = 10
    """How many, and a text
    over two lines."""
    bare: float = 0.5
    kind: Literal["a", "b"] = "a"
    """Which."""


def test_field_docstrings_are_found() -> None:
    runs, bare, kind = describe(Sample)
    assert (runs.name, runs.kind, runs.default) == ("runs", int, 10)
    assert runs.text == "How many, and a text over two lines."
    assert bare.text == ""
    assert kind.kind == Literal["a", "b"]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_setting_is_an_option_with_a_text(name: str) -> None:
    experiment = find_experiment(name)
    options = {
        option.name: option
        for option in make_command(name, experiment).params
        if isinstance(option, click.Option)
    }
    for setting in describe(experiment.settings):
        assert setting.text, f"{name}: {setting.name} has no docstring"
        assert options[setting.name].help
    assert {"out", "jobs", "quick"} <= options.keys()
    experiment.settings(**experiment.quick)


def test_an_unknown_experiment_is_named() -> None:
    with pytest.raises(GameloreError, match=r"did you mean banerjee2007\?"):
        find_experiment("banerje2007")
