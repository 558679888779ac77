"""Published experiments, each rerun with one command.

An experiment is a package of this one, with the same steps for every paper: settings,
run, claims (what the paper says beside what was measured), plots, report, reproduce,
and a README that lists where it departs from the paper. What they share lies beside
them:

experiment   the steps, and how they are run in order
sweep        independent tasks on several cores, and their seeds
statistics   averages with intervals
claims       claims, published numbers, verdicts
report       findings, tables, report.md
plots        figures in one style
output       folders that are complete or absent, CSV
"""

from gamelore.experiments.experiment import EXPERIMENTS, Experiment, find_experiment

__all__ = ["EXPERIMENTS", "Experiment", "find_experiment"]
