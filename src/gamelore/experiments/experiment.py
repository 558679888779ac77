"""What an experiment is, and how it is rerun."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from gamelore.errors import GameloreError
from gamelore.experiments.output import (
    check_folder,
    results_folder,
    write_claims,
    write_text,
)
from gamelore.experiments.plots import FigureWriter
from gamelore.experiments.report import ExperimentReport, FindingsT, mark_smoke_test
from gamelore.experiments.sweep import Sweep

EXPERIMENTS = {
    "banerjee2007": "Banerjee and Stone (2007): knowledge transfer between games.",
    "wang2018": "Wang, Emmerich and Plaat (2018): Q-learning with playouts.",
    "abalearn2003": "Campos and Langlois (2003): risk-sensitive self-play in Abalone.",
    "cs221": "Stanford's CS221: TD-learning of evaluation functions.",
}
"""The experiments by the name of their package, each with a line on what it is."""

SettingsT = TypeVar("SettingsT")


@dataclass(frozen=True)
class Experiment(Generic[SettingsT, FindingsT]):
    """The steps of an experiment: the attribute `EXPERIMENT` of its package."""

    settings: type[SettingsT]
    """A frozen dataclass; each field with its docstring becomes an option."""
    count_matches: Callable[[SettingsT], int]
    """Returns how many matches settings ask for: the length of the progress bar."""
    run: Callable[[SettingsT, Sweep], FindingsT]
    """Plays all matches, and compares what was measured with the paper."""
    write_data: Callable[[FindingsT, Path], None]
    """Writes what figures and tables show into a folder, as CSV."""
    draw_figures: Callable[[FindingsT, FigureWriter], None]
    make_report: Callable[[FindingsT], ExperimentReport]
    quick: Mapping[str, Any] = field(default_factory=dict)
    """The settings of a smoke test, which takes a few seconds."""

    def reproduce(
        self,
        settings: SettingsT,
        folder: Path,
        sweep: Sweep | None = None,
        *,
        smoke_test: bool = False,
    ) -> tuple[FindingsT, ExperimentReport]:
        """Run the experiment, and write its folder once all of it is known."""
        check_folder(folder)
        findings = self.run(settings, sweep or Sweep())
        if smoke_test:
            findings = mark_smoke_test(findings)
        report = self.make_report(findings)
        name = self.settings.__module__.split(".")[-2]
        record = {"experiment": name, "smoke_test": smoke_test}
        with results_folder(folder, record | asdict(settings)) as draft:  # type: ignore[call-overload]
            self.write_data(findings, draft)
            if findings.claims:
                write_claims(draft / "claims.csv", findings.claims)
            figures = FigureWriter(draft, smoke_test)
            self.draw_figures(findings, figures)
            write_text(draft / "report.md", report.to_markdown(figures.captions))
        return findings, report


def find_experiment(name: str) -> Experiment[Any, Any]:
    """Return the experiment of that name, or raise `GameloreError`."""
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
