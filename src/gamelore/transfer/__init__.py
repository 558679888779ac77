"""Features of game trees: found in one game, valued there, applied in the next.

survey      which features a game has
knowledge   what they were worth, where and against whom; files and a store
valuation   value tables to knowledge, and knowledge to initial values
rewards     which rewards of two games mean the same
hierarchy   values of deeper features, composed from shallow ones
agents learning on line, from game to game
pictures    features drawn (imports matplotlib; not imported here)
"""

from gamelore.transfer.agent import TransferAgent
from gamelore.transfer.files import load_knowledge, save_knowledge
from gamelore.transfer.hierarchy import Hierarchy, OpponentModel, fit_opponent
from gamelore.transfer.knowledge import Knowledge, Learned, Lesson
from gamelore.transfer.reward_map import RewardMap
from gamelore.transfer.store import KnowledgeStore
from gamelore.transfer.survey import (
    IncompleteSurveyWarning,
    Survey,
    find_patterns,
    pattern_index_for,
    reward_names,
    survey_patterns,
)
from gamelore.transfer.tree_pattern import TreePattern
from gamelore.transfer.valuation import (
    initial_values,
    learn_values,
    target_index,
    value_patterns,
)

__all__ = [
    "Hierarchy",
    "IncompleteSurveyWarning",
    "Knowledge",
    "KnowledgeStore",
    "Learned",
    "Lesson",
    "OpponentModel",
    "RewardMap",
    "Survey",
    "TransferAgent",
    "TreePattern",
    "find_patterns",
    "fit_opponent",
    "initial_values",
    "learn_values",
    "load_knowledge",
    "pattern_index_for",
    "reward_names",
    "save_knowledge",
    "survey_patterns",
    "target_index",
    "value_patterns",
]
