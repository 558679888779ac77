"""The whole comparison: train, test, compare, draw, report."""

from __future__ import annotations

from gamelore.experiments.cs221.claims import compare_learners
from gamelore.experiments.cs221.plots import draw_figures
from gamelore.experiments.cs221.report import CS221Findings, make_report, write_data
from gamelore.experiments.cs221.run import count_matches, run_cases
from gamelore.experiments.cs221.settings import CS221Settings
from gamelore.experiments.cs221.worked_example import work_example
from gamelore.experiments.experiment import Experiment
from gamelore.experiments.sweep import Sweep


def run(settings: CS221Settings, sweep: Sweep) -> CS221Findings:
    """Train and test all learners, and compare them."""
    results = run_cases(settings, sweep)
    claims = list(compare_learners(results))
    return CS221Findings(settings, work_example(), results, claims=claims)


EXPERIMENT = Experiment(
    settings=CS221Settings,
    count_matches=count_matches,
    run=run,
    write_data=write_data,
    draw_figures=draw_figures,
    make_report=make_report,
    quick={"scale": 0.005, "runs": 2, "tests": 40, "playouts": 2},
)
