"""A general game learner: rules in; play, learning and transfer out.

The levels, from rules to knowledge, with their main names:

    rules         GDL text; `Game` once it is read and checked, `load` by name
    role          who plays; the role `random` is chance
    move          what a role does; a joint move has one of each role
    position      what is true at one moment; `Position`, or a row of bits in arrays
    goal          what a role gets at the end, 0 to 100: its reward
    simulator     plays by the rules, for many positions at once: `simulator`
    playout       a match of random moves to its end
    state graph   positions by number, with the successors of each: `StateGraph`
    evaluator     estimates the values of positions: `Evaluator`
    player        chooses moves, never learns: `TreePlayer`, `AlphaBetaPlayer`
    analysis      what a tree search found, a `Candidate` for each move: `Analysis`
    agent         plays matches under one name, and may learn: `make_agent`
    match         a game played by players from start to end: `play_match`
    afterstate    the position that a player's own move leads to
    value         the expected reward of a position or move: `Table`, or a function
    trainer       plays matches against an opponent and learns values: `Trainer`
    training run  a trainer with checkpoints, evaluation and events: `TrainingRun`
    snapshot      what a training run has learned, to play by: `Snapshot`
    feature       a number that rules beside a game compute for each position
    tree pattern  the shape of the game tree under an afterstate: `TreePattern`
    knowledge     the values of tree patterns, transferable to other games: `Knowledge`

A session:

    >>> import gamelore
    >>> game = gamelore.load("tictactoe")
    >>> game.roles
    ('x', 'o')
    >>> position = gamelore.Position(game).advance("(mark 2 2)")
    >>> position.mover
    'o'
    >>> len(position.legal_moves("o"))
    8
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gamelore.agents import Agent, RandomPlayer, make_agent
    from gamelore.engine import Playouts, Simulator, simulator
    from gamelore.engine.position import Position
    from gamelore.engine.verify.perft import perft
    from gamelore.errors import GameloreError, GdlError, IllegalMoveError
    from gamelore.games import library, load
    from gamelore.gdl import Game, Move, Problem
    from gamelore.graph import StateGraph
    from gamelore.learn import (
        Cosine,
        Fixed,
        Geometric,
        LearningAgent,
        Lookahead,
        QSettings,
        SelfPlay,
        Snapshot,
        TDSettings,
        TrainConfig,
        Trainer,
    )
    from gamelore.learn.run import RunConfig, TrainingRun
    from gamelore.match import MatchRecord, play_match
    from gamelore.match.batch import play_batch
    from gamelore.player import Briefing, Clock, Player
    from gamelore.search import (
        AlphaBetaPlayer,
        Evaluator,
        MonteCarloPlayer,
        NestedMonteCarloPlayer,
        PlayerSettings,
        SearchLimits,
    )
    from gamelore.search.mcts import Analysis, Candidate, TreePlayer, TreeSettings
    from gamelore.transfer import (
        Knowledge,
        TransferAgent,
        TreePattern,
        extract_from_trainer,
        find_patterns,
        initialise_roles,
        load_knowledge,
        save_knowledge,
    )
    from gamelore.values.ntuple.settings import NTupleSettings
    from gamelore.values.settings import LinearSettings, NetworkSettings
    from gamelore.values.table import Table

    __version__: str

__all__ = [
    "Agent",
    "AlphaBetaPlayer",
    "Analysis",
    "Briefing",
    "Candidate",
    "Clock",
    "Cosine",
    "Evaluator",
    "Fixed",
    "Game",
    "GameloreError",
    "GdlError",
    "Geometric",
    "IllegalMoveError",
    "Knowledge",
    "LearningAgent",
    "LinearSettings",
    "Lookahead",
    "MatchRecord",
    "MonteCarloPlayer",
    "Move",
    "NTupleSettings",
    "NestedMonteCarloPlayer",
    "NetworkSettings",
    "Player",
    "PlayerSettings",
    "Playouts",
    "Position",
    "Problem",
    "QSettings",
    "RandomPlayer",
    "RunConfig",
    "SearchLimits",
    "SelfPlay",
    "Simulator",
    "Snapshot",
    "StateGraph",
    "TDSettings",
    "Table",
    "TrainConfig",
    "Trainer",
    "TrainingRun",
    "TransferAgent",
    "TreePattern",
    "TreePlayer",
    "TreeSettings",
    "extract_from_trainer",
    "find_patterns",
    "initialise_roles",
    "library",
    "load",
    "load_knowledge",
    "make_agent",
    "perft",
    "play_batch",
    "play_match",
    "save_knowledge",
    "simulator",
]

_HOMES = {
    "gamelore.agents": ("Agent", "RandomPlayer", "make_agent"),
    "gamelore.engine": ("Playouts", "Simulator", "simulator"),
    "gamelore.engine.position": ("Position",),
    "gamelore.engine.verify.perft": ("perft",),
    "gamelore.errors": ("GameloreError", "GdlError", "IllegalMoveError"),
    "gamelore.games": ("library", "load"),
    "gamelore.gdl": ("Game", "Move", "Problem"),
    "gamelore.graph": ("StateGraph",),
    "gamelore.learn": (
        "Cosine",
        "Fixed",
        "Geometric",
        "LearningAgent",
        "Lookahead",
        "QSettings",
        "SelfPlay",
        "Snapshot",
        "TDSettings",
        "TrainConfig",
        "Trainer",
    ),
    "gamelore.learn.run": ("RunConfig", "TrainingRun"),
    "gamelore.match": ("MatchRecord", "play_match"),
    "gamelore.match.batch": ("play_batch",),
    "gamelore.player": ("Briefing", "Clock", "Player"),
    "gamelore.search": (
        "AlphaBetaPlayer",
        "Evaluator",
        "MonteCarloPlayer",
        "NestedMonteCarloPlayer",
        "PlayerSettings",
        "SearchLimits",
    ),
    "gamelore.search.mcts": ("Analysis", "Candidate", "TreePlayer", "TreeSettings"),
    "gamelore.transfer": (
        "Knowledge",
        "TransferAgent",
        "TreePattern",
        "extract_from_trainer",
        "find_patterns",
        "initialise_roles",
        "load_knowledge",
        "save_knowledge",
    ),
    "gamelore.values.ntuple.settings": ("NTupleSettings",),
    "gamelore.values.settings": ("LinearSettings", "NetworkSettings"),
    "gamelore.values.table": ("Table",),
}
"""The module of each public name. It is imported when the name is first used, so that a
program that only reads rules does not wait for numba and clingo."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'gamelore' has no attribute {name!r}")


def _version() -> str:
    """Return the version that was installed; tags of the repository decide it."""
    import importlib.metadata  # slow, and hardly anybody asks

    try:
        return importlib.metadata.version("gamelore")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
