"""Published experiments, each rerun with one command.

An experiment is a package of this one: its settings, how it runs, how its results are
read, drawn and reported, and a README that lists where it departs from the paper. What
experiments share lies beside them:

settings     dataclasses whose field docstrings become options
parallel     independent tasks on several cores, and their seeds
statistics   averages with intervals, and verdicts
output       folders that are complete or absent, tables
"""

from gamelore.experiments.experiment import EXPERIMENTS, Experiment, find_experiment

__all__ = ["EXPERIMENTS", "Experiment", "find_experiment"]
