"""Learning by reinforcement: matches → values."""

from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.files import load_checkpoint, save_checkpoint
from gamelore.learn.learners import Episode, Learner, QLearner, TDLearner
from gamelore.learn.open_training import OpenTraining
from gamelore.learn.players import GreedyPlayer
from gamelore.learn.schedules import Cosine, Fixed, Geometric, Schedule
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.store import Course, CourseStore
from gamelore.learn.tables import Cell, Cells, Table
from gamelore.learn.training import Plan, Record, State, Training
from gamelore.learn.values import FeatureValues, Values

__all__ = [
    "Cell",
    "Cells",
    "Checkpoint",
    "Cosine",
    "Course",
    "CourseStore",
    "Episode",
    "FeatureValues",
    "Fixed",
    "Geometric",
    "GreedyPlayer",
    "Learner",
    "Lookahead",
    "OpenTraining",
    "Plan",
    "QLearner",
    "QSettings",
    "Record",
    "Schedule",
    "State",
    "TDLearner",
    "TDSettings",
    "Table",
    "Training",
    "Values",
    "load_checkpoint",
    "save_checkpoint",
]
