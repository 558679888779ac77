"""Games of OpenSpiel under our simulators' interface, and our players in them."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is an extra")

import pyspiel

from gamelore.adapters.open_spiel_simulator import OpenSpielSimulator
from gamelore.agents import make_agent
from gamelore.agents.agent import MatchEntry
from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.errors import (
    ArgumentError,
    GameloreError,
    IllegalMoveError,
    PositionError,
)
from gamelore.games import load
from gamelore.match.match import play_match
from gamelore.player import Clock

GAMES = ("tic_tac_toe", "pig(winscore=6)", "matrix_rps", "oshi_zumo(coins=3)")


@pytest.mark.parametrize("name", GAMES)
def test_positions_follow_openspiel(name: str) -> None:
    """By moves, as by actions: the same legal ones, the same end, the same order."""
    engine, rng = OpenSpielSimulator(name), random.Random(name)
    position = Position(engine)
    state = engine.spiel.new_initial_state()
    while not state.is_terminal():
        assert not position.is_terminal
        legal = [position.legal_moves(role) for role in engine.roles]
        joint = [rng.choice(moves) for moves in legal]
        actions = [engine.move_number(r, move) - 1 for r, move in enumerate(joint)]
        if state.is_simultaneous_node():
            state.apply_actions(actions[: state.num_players()])
        else:
            (action,) = (a for a in actions if a >= 0)
            state.apply_action(action)
        position = position.advance(joint)
        assert str(engine.state(position.row)) == str(state)
        assert Position(engine, position.facts) == position
    assert position.is_terminal
    goals = [position.goal(role) or 0 for role in engine.roles if role != "random"]
    lowest, highest = engine.spiel.min_utility(), engine.spiel.max_utility()
    scaled = [100 * (u - lowest) / (highest - lowest) for u in state.returns()]
    assert goals == pytest.approx(scaled, abs=0.5)


def test_random_playouts_give_the_same_means_as_our_rules() -> None:
    theirs = OpenSpielSimulator("tic_tac_toe").playouts(count=1000, seed=1)
    ours = simulator(load("tictactoe")).playouts(count=100_000, seed=1)
    assert theirs.mean_goals[0] == pytest.approx(ours.mean_goals[0], abs=5)
    assert set(theirs.length_counts) == {5, 6, 7, 8, 9}
    assert sum(theirs.goal_counts[0].values()) == 1000


@pytest.mark.parametrize("spec", ["monte-carlo-20", "mcts-50", "minimax-2"])
def test_our_players_win_against_random(spec: str) -> None:
    engine = OpenSpielSimulator("connect_four(rows=4,columns=4)")
    agent, won = make_agent(spec, seed=1), 0
    for seed in range(3):
        entry = MatchEntry(f"m{seed}", engine, engine.roles[0])
        player = agent.enter(entry, Clock())
        opponent = RandomPlayer(seed)
        record = play_match(
            engine, dict(zip(engine.roles, (player, opponent), strict=True))
        )
        assert record.complete
        assert not record.faults
        agent.finish(entry, record)
        won += (record.goals[0] or 0) >= 50
    assert won >= 2


def test_chance_is_the_role_random() -> None:
    engine = OpenSpielSimulator("pig(winscore=6)")
    assert engine.roles == ("player-0", "player-1", "random")
    position = Position(engine).advance({"player-0": "(play 0)"})
    assert len(position.legal_moves("random")) == 6
    assert position.mover == "random"


def test_it_can_be_pickled() -> None:
    engine = OpenSpielSimulator("tic_tac_toe")
    position = Position(engine).advance("(play 4)").advance("(play 0)")
    again = pickle.loads(pickle.dumps(position))
    assert again == position
    assert again.simulator is not engine


def test_arrays_are_checked() -> None:
    engine = OpenSpielSimulator("tic_tac_toe")
    rows = engine.initial_row()[None]
    assert engine.fact_matrix(rows).shape == (1, 0)
    with pytest.raises(ArgumentError, match="below 1, got 7"):
        engine.legal(np.array([[7]], np.uint64))
    with pytest.raises(IllegalMoveError, match="not a legal move"):
        engine.advance(rows, np.array([[0, 0]], np.int32))
    with pytest.raises(IllegalMoveError, match="resign is no move of player-0"):
        engine.move_number(0, "resign")
    with pytest.raises(PositionError, match="are missing"):
        Position(engine, "(made 2 player-1 0)")
    with pytest.raises(PositionError, match="no fact of tic_tac_toe"):
        Position(engine, "(control x)")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kuhn_poker", "kuhn_poker hides something from its players"),
        ("no_such_game", "OpenSpiel cannot load no_such_game: Unknown game"),
    ],
)
def test_what_cannot_be_played(name: str, message: str) -> None:
    with pytest.raises(GameloreError, match=message):
        OpenSpielSimulator(name)


def test_chance_must_be_uniform() -> None:
    engine = OpenSpielSimulator(pyspiel.load_game("2048"))
    with pytest.raises(GameloreError, match="not equally likely"):
        engine.playouts(count=1, seed=1)
