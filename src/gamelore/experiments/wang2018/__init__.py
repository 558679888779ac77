"""Wang, Emmerich and Plaat (2018): Q-learning and QM-learning, rerun.

settings            the learners behind each figure
run                 training them
measures            four ways to measure a "win rate"
best_response       the best response to the random player, computed exactly
claims              the paper's numbers and statements beside ours
published_program   how the authors' published program departs from the paper
extensions          what it takes to play perfectly
plots, report       figures, report.md and the data
reproduce           all of it
"""

from gamelore.experiments.wang2018.reproduce import EXPERIMENT

__all__ = ["EXPERIMENT"]
