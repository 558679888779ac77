"""A general game learner: rules in, play and learning out.

The words, from rules to knowledge:

    rules        GDL text; `Game` once read and checked
    role         who plays; `random` is chance
    position     what is true at one moment; `Position`, or a row of bits in arrays
    move         what a role does; a joint move is one of each role
    goal         what a role gets at the end, 0 to 100
    simulator    plays by the rules: compiled to a circuit, or interpreted
    playout      a match of random moves to its end
    state graph  positions by number, with where their moves lead
    player       chooses moves, never learns
    learner      learns values, never chooses; `Trainer` is a course of matches
    afterstate   the position a player's own move leads to
    feature      the shape of the game tree under an afterstate, the same in any game
    knowledge    what features were worth, against whom

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
    from gamelore.engine import Playouts, Simulator, simulator
    from gamelore.engine.position import Position
    from gamelore.engine.verify.perft import perft
    from gamelore.errors import GameloreError, GdlError, IllegalMoveError
    from gamelore.games import library, load
    from gamelore.gdl import Game, Problem
    from gamelore.graph import StateGraph
    from gamelore.learn.config import TrainConfig
    from gamelore.learn.schedules import Cosine, Fixed, Geometric
    from gamelore.learn.settings import Lookahead, QSettings, TDSettings
    from gamelore.learn.trainer import Trainer
    from gamelore.match.match import MatchRecord, play_match
    from gamelore.player import Player
    from gamelore.search.policies import PlayerSettings
    from gamelore.values.table import Table

__version__ = "0.1.0"

__all__ = [
    "Cosine",
    "Fixed",
    "Game",
    "GameloreError",
    "GdlError",
    "Geometric",
    "IllegalMoveError",
    "Lookahead",
    "MatchRecord",
    "Player",
    "PlayerSettings",
    "Playouts",
    "Position",
    "Problem",
    "QSettings",
    "Simulator",
    "StateGraph",
    "TDSettings",
    "Table",
    "TrainConfig",
    "Trainer",
    "library",
    "load",
    "perft",
    "play_match",
    "simulator",
]

_HOMES = {
    "gamelore.graph": ("StateGraph",),
    "gamelore.errors": ("GameloreError", "GdlError", "IllegalMoveError"),
    "gamelore.games": ("library", "load"),
    "gamelore.gdl": ("Game", "Problem"),
    "gamelore.learn": (
        "Cosine",
        "Fixed",
        "Geometric",
        "Lookahead",
        "TrainConfig",
        "QSettings",
        "TDSettings",
        "Table",
        "Trainer",
    ),
    "gamelore.match": ("MatchRecord", "play_match"),
    "gamelore.player": ("Player",),
    "gamelore.search.policies": ("PlayerSettings",),
    "gamelore.engine": ("Playouts", "Simulator", "simulator"),
    "gamelore.engine.verify.perft": ("perft",),
    "gamelore.engine.position": ("Position",),
}
"""Where each public name lives: it is imported when it is first asked for, so that who
only reads rules does not wait for what simulates them."""


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'gamelore' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
