"""Campos and Langlois (2003): Abalearn, risk-sensitive self-play in Abalone, rerun.

settings        the methods, and every choice the paper leaves open
run             training agents, and testing them in between
games           agents against each other, and against deep search
variants        self-play with other choices
claims          the paper's numbers and statements beside ours
plots, report   figures, report.md and the data
reproduce       all of it
"""

from gamelore.experiments.abalearn2003.reproduce import EXPERIMENT

__all__ = ["EXPERIMENT"]
