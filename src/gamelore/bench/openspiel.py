"""OpenSpiel on the same tasks: random rollouts, tree search, and its tabular learner.

The loop of the rollouts is in its C++: one search of one simulation whose evaluation is
many rollouts from the first position. The learner's loop is in Python, as it comes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from gamelore.errors import GameloreError

GAMES = {
    "tictactoe": "tic_tac_toe",
    "connect-four": "connect_four",
    "othello": "othello",
    "breakthrough": "breakthrough",
    "english-draughts": "checkers",
    "hex-7x7": "hex(board_size=7)",
    "hex-11x11": "hex(board_size=11)",
    "gomoku": "gomoku",
}
"""Our names, and OpenSpiel's for the same game."""

_MISSING = "OpenSpiel is not installed; `pip install 'gamelore[peers]'` brings it"
_UNLIMITED = 2**31 - 1  # simulations: a clock ends the search


def _import() -> Any:
    try:
        import pyspiel  # an extra: only who compares needs it
    except ImportError:
        raise GameloreError(_MISSING) from None
    return pyspiel


@dataclass(frozen=True)
class MCTSBotSettings:
    """How OpenSpiel's MCTSBot searches, in C++, with random rollouts as evaluation.

    The defaults of `uct_c`, `solve` and memory are those of OpenSpiel's own example
    programs; one rollout is the default of that in Python, ten of that in C++.
    """

    uct_c: float = 2.0
    """Exploration, for values from -1 to 1."""
    solve: bool = True
    """Whether proven results are backed up."""
    rollouts: int = 1
    """Rollouts of each simulation."""
    simulations: int = 10_000
    """Simulations of a decision that no clock limits."""
    memory_mb: int = 1000
    """Memory of the tree at most."""


def load(name: str) -> Any:
    """Return OpenSpiel's game for one of our names; `GameloreError` without one."""
    pyspiel = _import()
    if name not in GAMES:
        known = ", ".join(GAMES)
        raise GameloreError(
            f"OpenSpiel has no {name!r} to compare with; it has: {known}"
        )
    return pyspiel.load_game(GAMES[name])


def make_bot(
    game: Any, settings: MCTSBotSettings, seed: int, *, seconds: float | None = None
) -> Any:
    """Return an MCTSBot for one of OpenSpiel's games.

    `seconds`: of a search, in the place of its number of simulations.
    """
    pyspiel = _import()
    return pyspiel.MCTSBot(
        game=game,
        evaluator=pyspiel.RandomRolloutEvaluator(
            n_rollouts=settings.rollouts, seed=seed
        ),
        uct_c=settings.uct_c,
        max_simulations=settings.simulations if seconds is None else _UNLIMITED,
        max_memory_mb=settings.memory_mb,
        solve=settings.solve,
        seed=seed,
        verbose=False,
        max_wall_clock_time=-1.0 if seconds is None else seconds,
    )


def player(name: str) -> Callable[[int], None]:
    """What makes a number of OpenSpiel's rollouts of one of our games."""
    game = load(name)

    def roll_out(count: int) -> None:
        settings = MCTSBotSettings(solve=False, rollouts=count, simulations=1)
        make_bot(game, settings, seed=1).mcts_search(game.new_initial_state())

    return roll_out


def searcher(
    name: str, settings: MCTSBotSettings | None = None
) -> Callable[[int], int]:
    """What searches the first position of one of our games with a new MCTSBot for a
    number of simulations, and returns how many it made."""
    game, settings = load(name), settings or MCTSBotSettings()

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
