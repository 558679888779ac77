"""What an experiment is to those who run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from gamelore.errors import GameloreError

Advance: TypeAlias = Callable[[int], None]
"""Takes how many more matches are done."""

EXPERIMENTS = {
    "banerjee2007": "Banerjee and Stone (2007): knowledge transfer between games.",
    "wang2018": "Wang, Emmerich and Plaat (2018): Q-learning with playouts.",
    "abalearn2003": "Campos and Langlois (2003): risk-sensitive self-play in Abalone.",
    "cs221": "Stanford's CS221: TD-learning of evaluation functions.",
}
"""The experiments by the name of their package, each with a line on what it is."""


@dataclass(frozen=True)
class Experiment:
    """An experiment: the attribute `EXPERIMENT` of its package."""

    settings: type[Any]
    """A frozen dataclass; each field with its docstring becomes an option."""
    reproduce: Callable[[Any, Path, int, Advance], str]
    """Runs it with settings, writes a folder, on so many cores, reports how far it is;
    says in a few lines what came out."""
    matches: Callable[[Any], int]
    """How many matches these settings ask for: the length of the progress bar."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """The settings that `--quick` changes, to finish in a few seconds."""


def find_experiment(name: str) -> Experiment:
    """The experiment of that name; `GameloreError` if there is none."""
    if name not in EXPERIMENTS:
        near = get_close_matches(name, EXPERIMENTS, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        known = ", ".join(EXPERIMENTS)
        raise GameloreError(
            f"no experiment is called {name!r}; {hint}there are {known}"
        )
    experiment = import_module(f"gamelore.experiments.{name}").EXPERIMENT
    assert isinstance(experiment, Experiment)
    return experiment
