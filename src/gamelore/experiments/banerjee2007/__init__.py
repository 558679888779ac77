"""Banerjee and Stone, General Game Learning using Knowledge Transfer (IJCAI 2007).

settings        sizes, and every choice the paper leaves open
run             one run: a source game, its tree patterns, target games
table1          the paper's table, and how ours matches it
claims          the paper's claims beside what was measured
plots, report   Figures 3 to 7, intervals side by side, report.md and the data
reproduce       all of it
"""

from gamelore.experiments.banerjee2007.reproduce import EXPERIMENT

__all__ = ["EXPERIMENT"]
