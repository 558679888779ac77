"""Agents: who plays matches under one name, and the built-in players."""

from gamelore.agents.agent import Agent, Entry, PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.agents.random_player import RandomPlayer

__all__ = ["PLAYERS", "Agent", "Entry", "PlayerAgent", "RandomPlayer"]
