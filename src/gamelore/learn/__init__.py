"""Learning by reinforcement: matches → values."""

from gamelore.learn.schedules import Cosine, Fixed, Geometric, Schedule
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.tables import Cell, Table
from gamelore.learn.training import Plan, Record, Training
from gamelore.learn.values import FeatureValues, Values

__all__ = [
    "Cell",
    "Cosine",
    "FeatureValues",
    "Fixed",
    "Geometric",
    "Lookahead",
    "Plan",
    "QSettings",
    "Record",
    "Schedule",
    "TDSettings",
    "Table",
    "Training",
    "Values",
]
