"""Algorithms of OpenSpiel on our games: they find what is known of small ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is an extra")

import pyspiel
from open_spiel.python import policy, rl_environment
from open_spiel.python.algorithms import (
    cfr,
    exploitability,
    mcts,
    minimax,
    random_agent,
    tabular_qlearner,
)

import gamelore.adapters.open_spiel

NIM = "gamelore(game=nim-1-2)"
"""Who moves first wins, only by taking one from the heap of two."""
WINNING = "(take 2 1)"

BLUFF = """
(role left) (role right) (init open) (hand a) (hand b)
(<= (legal ?p ?h) (role ?p) (hand ?h))
(<= (next (shown ?p ?h)) (does ?p ?h))
(<= terminal (not (true open)))
(<= (both ?g ?h) (true (shown left ?g)) (true (shown right ?h)))
(<= wins (both a a)) (<= loses (both a b)) (<= loses (both b a))
(<= (goal left 100) wins) (<= (goal left 0) loses) (<= (goal left 50) (both b b))
(<= (goal right 0) wins) (<= (goal right 100) loses) (<= (goal right 50) (both b b))
"""
"""Utilities 1, -1; -1, 0: at the equilibrium both play a in 1/3 of all matches."""


@pytest.fixture
def bluff(tmp_path: Path) -> Any:
    (tmp_path / "bluff.kif").write_text(BLUFF)
    return pyspiel.load_game(f"gamelore(game={tmp_path / 'bluff.kif'})")


def test_the_module_is_what_registers_the_game() -> None:
    assert gamelore.adapters.open_spiel.NAME == "gamelore"


def test_tree_search_in_cpp_and_in_python_finds_the_winning_move() -> None:
    game = pyspiel.load_game(NIM)
    state = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 200, 10, True, 1, False)
    # Its `step` releases the lock of the interpreter, and so crashes with any game in
    # Python, OpenSpiel's own among them.
    found = bot.mcts_search(state).best_child().action
    assert state.action_to_string(found) == WINNING
    rng = np.random.RandomState(1)
    slow = mcts.MCTSBot(game, 2.0, 100, mcts.RandomRolloutEvaluator(1, rng), True, rng)
    assert state.action_to_string(slow.step(state)) == WINNING


def test_minimax_knows_who_wins() -> None:
    game = pyspiel.load_game(NIM)
    value, action = minimax.alpha_beta_search(game)
    assert value == 1
    assert game.new_initial_state().action_to_string(action) == WINNING


def test_cfr_solves_nim() -> None:
    game = pyspiel.load_game(NIM)
    solver = cfr.CFRPlusSolver(game)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert exploitability.exploitability(game, average) < 0.05
    uniform = policy.UniformRandomPolicy(game)
    assert exploitability.exploitability(game, uniform) > 0.3
    chosen = average.action_probabilities(game.new_initial_state())
    state = game.new_initial_state()
    assert chosen[state.string_to_action(WINNING)] > 0.9


def test_cfr_finds_the_mixed_equilibrium_of_simultaneous_moves(bluff: Any) -> None:
    turns = pyspiel.convert_to_turn_based(bluff)
    solver = pyspiel.CFRSolver(turns)
    for _ in range(1000):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert pyspiel.exploitability(turns, average) < 0.02
    state = turns.new_initial_state()
    chosen = average.action_probabilities(state)
    assert chosen[state.string_to_action("a")] == pytest.approx(1 / 3, abs=0.05)


def test_tabular_q_learning_learns_the_winning_move() -> None:
    environment = rl_environment.Environment(NIM)
    actions = environment.action_spec()["num_actions"]
    np.random.seed(1)  # OpenSpiel's learner draws from there
    learner = tabular_qlearner.QLearner(0, actions, step_size=0.5)
    agents = [learner, random_agent.RandomAgent(1, actions)]
    for _ in range(300):
        step = environment.reset()
        while not step.last():
            mover = step.observations["current_player"]
            step = environment.step([agents[mover].step(step).action])
        for agent in agents:
            agent.step(step)
    chosen = learner.step(environment.reset(), is_evaluation=True).action
    state = pyspiel.load_game(NIM).new_initial_state()
    assert state.action_to_string(chosen) == WINNING
