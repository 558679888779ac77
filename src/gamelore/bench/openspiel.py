"""OpenSpiel on the same tasks: random rollouts, tree search, and its tabular learner.

The loop of the rollouts is in its C++: one search of one simulation whose evaluation is
many rollouts from the first position. The learner's loop is in Python, as it comes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gamelore.adapters.open_spiel_bots import MCTSBotSettings, make_bot
from gamelore.adapters.open_spiel_games import GAMES, MISSING, load_native
from gamelore.errors import GameloreError


def player(name: str) -> Callable[[int], None]:
    """What makes a number of OpenSpiel's rollouts of one of our games."""
    game = load_native(name)

    def roll_out(count: int) -> None:
        settings = MCTSBotSettings(solve=False, rollouts=count, simulations=1)
        make_bot(game, settings, seed=1).mcts_search(game.new_initial_state())

    return roll_out


def searcher(
    name: str, settings: MCTSBotSettings | None = None
) -> Callable[[int], int]:
    """What searches the first position of one of our games with a new MCTSBot for a
    number of simulations, and returns how many it made."""
    game, settings = load_native(name), settings or MCTSBotSettings()

    def search(count: int) -> int:
        bot = make_bot(game, replace(settings, simulations=count), seed=1)
        return int(bot.mcts_search(game.new_initial_state()).explore_count)

    return search


def learner(name: str, against: str = "random") -> Callable[[int], None]:
    """What lets OpenSpiel's Q-learner learn from matches against random play, or
    against another Q-learner if it is against `self`."""
    try:
        from open_spiel.python import rl_environment
        from open_spiel.python.algorithms import random_agent, tabular_qlearner
    except ImportError:
        raise GameloreError(MISSING) from None
    environment = rl_environment.Environment(GAMES[name])
    actions = environment.action_spec()["num_actions"]
    others = {"random": random_agent.RandomAgent, "self": tabular_qlearner.QLearner}
    agents = [
        tabular_qlearner.QLearner(player_id=0, num_actions=actions),
        others[against](player_id=1, num_actions=actions),
    ]

    def learn(count: int) -> None:
        for _ in range(count):
            step = environment.reset()
            while not step.last():
                mover = step.observations["current_player"]
                step = environment.step([agents[mover].step(step).action])
            for agent in agents:
                agent.step(step)

    return learn
