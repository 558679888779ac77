"""Learning by reinforcement: matches → values."""

from gamelore.learn.agent import LearningAgent
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint, save_checkpoint
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.learned_player import SnapshotPlayer
from gamelore.learn.learners import Episode, Learner, QLearner, TDLearner
from gamelore.learn.match_log import MatchLog
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.opponents import FeaturePlayer
from gamelore.learn.presets import Preset, preset_for
from gamelore.learn.role_values import PatternValues, Values
from gamelore.learn.schedules import Cosine, Fixed, Geometric, Schedule, StepDecay
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.snapshots import Snapshot
from gamelore.learn.trainer import Record, State, Trainer
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.settings import LinearSettings, NetworkSettings
from gamelore.values.table import Cell, Cells, Table

__all__ = [
    "Cell",
    "Cells",
    "Checkpoint",
    "Cosine",
    "Episode",
    "FeaturePlayer",
    "Fixed",
    "Geometric",
    "GreedyPlayer",
    "Learner",
    "LearningAgent",
    "LinearSettings",
    "Lookahead",
    "MatchLog",
    "MatchTrainer",
    "NTupleSettings",
    "NetworkSettings",
    "PatternValues",
    "Preset",
    "QLearner",
    "QSettings",
    "Record",
    "Schedule",
    "SelfPlay",
    "Snapshot",
    "SnapshotPlayer",
    "State",
    "StepDecay",
    "TDLearner",
    "TDSettings",
    "Table",
    "TrainConfig",
    "Trainer",
    "ValueFunction",
    "ValueFunctionEvaluator",
    "Values",
    "load_checkpoint",
    "preset_for",
    "save_checkpoint",
]
