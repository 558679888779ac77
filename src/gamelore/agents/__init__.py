"""Agents: who plays matches under one name.

agent       the interface: enter a match, finish it, close
registry    the one table of names, and the one parser of specs such as minimax-4
builtin     the built-in players
fallback    a player that hands over to another where it cannot play
renamed     a player that knows the game under other names
"""

from gamelore.agents.agent import Agent, MatchEntry, PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.agents.random_player import RandomPlayer
from gamelore.agents.registry import AgentSpec, make_agent

__all__ = [
    "PLAYERS",
    "Agent",
    "AgentSpec",
    "MatchEntry",
    "PlayerAgent",
    "RandomPlayer",
    "make_agent",
]
