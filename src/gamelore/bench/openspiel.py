"""OpenSpiel on the same tasks: its random rollouts, and its tabular learner.

The loop of the rollouts is in its C++: one search of one simulation whose evaluation is
many rollouts from the first position. The learner's loop is in Python, as it comes.
"""

from __future__ import annotations

from collections.abc import Callable

from gamelore.errors import GameloreError

GAMES = {
    "tictactoe": "tic_tac_toe",
    "connect-four": "connect_four",
    "othello": "othello",
    "breakthrough": "breakthrough",
    "english-draughts": "checkers",
    "hex-11x11": "hex(board_size=11)",
}
"""Our names, and OpenSpiel's for the same game."""

_MISSING = "OpenSpiel is not installed; `pip install 'gamelore[peers]'` brings it"


def player(name: str) -> Callable[[int], None]:
    """What makes a number of OpenSpiel's rollouts of one of our games."""
    try:
        import pyspiel  # an extra: only who compares needs it
    except ImportError:
        raise GameloreError(_MISSING) from None
    if name not in GAMES:
        known = ", ".join(GAMES)
        raise GameloreError(
            f"OpenSpiel has no {name!r} to compare with; it has: {known}"
        )
    game = pyspiel.load_game(GAMES[name])

    def roll_out(count: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=count, seed=1)
        bot = pyspiel.MCTSBot(
            game=game,
            evaluator=evaluator,
            uct_c=2.0,
            max_simulations=1,
            max_memory_mb=100,
            solve=False,
            seed=1,
            verbose=False,
        )
        bot.mcts_search(game.new_initial_state())

    return roll_out


def learner(name: str, against: str = "random") -> Callable[[int], None]:
    """What lets OpenSpiel's Q-learner learn from matches against random play, or
    against another Q-learner if it is against `self`."""
    try:
        from open_spiel.python import rl_environment
        from open_spiel.python.algorithms import random_agent, tabular_qlearner
    except ImportError:
        raise GameloreError(_MISSING) from None
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
