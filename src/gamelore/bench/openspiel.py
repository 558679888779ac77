"""OpenSpiel's own random rollouts, with the loop in its C++.

One search of one simulation whose evaluation is many rollouts from the first position.
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


def player(name: str) -> Callable[[int], None]:
    """What makes a number of OpenSpiel's rollouts of one of our games."""
    try:
        import pyspiel  # an extra: only who compares needs it
    except ImportError:
        raise GameloreError(
            "OpenSpiel is not installed; `pip install 'gamelore[peers]'` brings it"
        ) from None
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
