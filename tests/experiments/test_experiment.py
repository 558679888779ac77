"""Experiments are found by name, and their settings are options."""

from __future__ import annotations

import click
import pytest

from gamelore.cli.reproduce import make_command
from gamelore.errors import GameloreError
from gamelore.experiments import EXPERIMENTS, find_experiment
from gamelore.settings import describe


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
