"""Counts that others have published, and the known outcomes of random play."""

from __future__ import annotations

from random import Random

import pytest

from gamelore.engine.choose import simulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.verify.perft import complete_games, perft, reachable
from gamelore.games import entry, load

PUBLISHED = {
    "connect-four": [7, 49, 343, 2401, 16807, 117649, 823536],
    "othello": [4, 12, 56, 244, 1396, 8200, 55092, 390216],
    "english-draughts": [7, 49, 302, 1469, 7361, 36768, 179740],
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_turns(name: str) -> None:
    counts = PUBLISHED[name]
    found = perft(simulator(load(name)), len(counts), entry(name).continues)
    assert found == counts


@pytest.mark.parametrize("name", PUBLISHED)
def test_turns_by_the_interpreter(name: str) -> None:
    found = perft(Interpreter(load(name)), 3, entry(name).continues)
    assert found == PUBLISHED[name][:3]


def test_single_jumps_are_more_than_turns() -> None:
    jumps = perft(simulator(load("english-draughts")), 7)
    assert jumps[:4] == PUBLISHED["english-draughts"][:4]
    assert jumps[6] != PUBLISHED["english-draughts"][6]


def test_tictactoe_in_full() -> None:
    sim = simulator(load("tictactoe"))
    assert complete_games(sim) == 255_168
    assert reachable(sim) == 5_478


def test_a_game_that_ends_has_no_further_turns() -> None:
    assert perft(simulator(load("nim-1-1")), 4) == [2, 2, 0, 0]


@pytest.mark.parametrize(
    ("name", "first", "length"),
    [("tictactoe", 64.8, 7.62), ("connect-four", 55.7, 21.3)],
)
def test_random_play(name: str, first: float, length: float) -> None:
    count = 100_000
    playouts = simulator(load(name)).playouts(count=count, seed=11)
    assert playouts.mean_goals[0, 0] == pytest.approx(first, abs=0.6)
    assert playouts.lengths[0] / count == pytest.approx(length, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "peer"),
    [
        ("tictactoe", "tic_tac_toe"),
        ("connect-four", "connect_four"),
        ("othello", "othello"),
        ("breakthrough", "breakthrough"),
        ("english-draughts", "checkers"),
        ("hex-11x11", "hex"),
    ],
)
def test_random_matches_are_as_long_as_a_peer_says(name: str, peer: str) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    random, count, total, squares = Random(5), 1000, 0, 0
    game = pyspiel.load_game(peer)
    for _ in range(count):
        state, length = game.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
            length += 1
        total, squares = total + length, squares + length * length
    mean = total / count
    deviation = ((squares / count - mean**2) / count) ** 0.5
    playouts = simulator(load(name)).playouts(count=20_000, seed=7)
    assert abs(playouts.lengths[0] / 20_000 - mean) < 4 * deviation + 0.01
