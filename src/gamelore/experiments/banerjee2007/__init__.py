"""Banerjee and Stone, General Game Learning using Knowledge Transfer (IJCAI 2007).

settings     sizes, and every reading the paper leaves open
run          one run: a source game, its features, target games
table1       the paper's table, and how ours matches it
analysis     the paper's claims, measured
figures      Figures 3 to 7, and intervals side by side
report       report.md and the data
reproduce    all of it
"""

from gamelore.experiments.banerjee2007.reproduce import matches_of, reproduce
from gamelore.experiments.banerjee2007.settings import QUICK, Settings
from gamelore.experiments.experiment import Experiment

EXPERIMENT = Experiment(Settings, reproduce, matches_of, QUICK)

__all__ = ["EXPERIMENT", "Settings", "reproduce"]
