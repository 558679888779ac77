"""Transfer: tree patterns found in one game, valued there, applied in the next.

tree_pattern     the shape of the game tree under an afterstate
discovery        which tree patterns a game has
knowledge        their values, with the game and the opponent they come from
knowledge_file   knowledge as JSON
store, storage   knowledge in SQLite; both kinds by path
estimation       value table → knowledge
initialisation   knowledge → initial values in another game
reward_map       which rewards of two games correspond
composed         values of deeper patterns, composed from shallow ones
agent            an agent that learns online, from game to game
plots            drawings of tree patterns (imports matplotlib; not imported here)
"""

from gamelore.transfer.agent import TransferAgent
from gamelore.transfer.composed import ComposedValues, OpponentModel, fit_opponent
from gamelore.transfer.discovery import (
    IncompleteSearchWarning,
    PatternCounts,
    count_patterns,
    find_patterns,
    make_pattern_index,
    name_rewards,
)
from gamelore.transfer.estimation import (
    estimate_patterns,
    extract_from_trainer,
    extract_knowledge,
)
from gamelore.transfer.initialisation import (
    describe_reward_maps,
    initialise_roles,
    initialise_values,
    make_target_index,
)
from gamelore.transfer.knowledge import Knowledge, PatternEstimate, SourceResult
from gamelore.transfer.knowledge_file import save_knowledge
from gamelore.transfer.reward_map import RewardMap
from gamelore.transfer.storage import (
    add_knowledge,
    check_destination,
    load_knowledge,
    load_sources,
)
from gamelore.transfer.store import KnowledgeStore
from gamelore.transfer.tree_pattern import TreePattern

__all__ = [
    "ComposedValues",
    "IncompleteSearchWarning",
    "Knowledge",
    "KnowledgeStore",
    "OpponentModel",
    "PatternCounts",
    "PatternEstimate",
    "RewardMap",
    "SourceResult",
    "TransferAgent",
    "TreePattern",
    "add_knowledge",
    "check_destination",
    "count_patterns",
    "describe_reward_maps",
    "estimate_patterns",
    "extract_from_trainer",
    "extract_knowledge",
    "find_patterns",
    "fit_opponent",
    "initialise_roles",
    "initialise_values",
    "load_knowledge",
    "load_sources",
    "make_pattern_index",
    "make_target_index",
    "name_rewards",
    "save_knowledge",
]
