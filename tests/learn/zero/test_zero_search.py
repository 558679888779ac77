"""Searches of self-play in kernels, beside the same in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from tests.learn.zero.plain_search import PlainSearch

from gamelore.engine import CircuitSimulator, simulator
from gamelore.games import load
from gamelore.learn.zero._forest_kernels import PROVEN
from gamelore.learn.zero.self_play import (
    SearchLanes,
    SelfPlayLanes,
    list_considered,
    make_rule,
)
from gamelore.learn.zero.settings import ZeroSettings
from gamelore.learn.zero.window import ReplayWindow
from gamelore.search.mcts.leaf_values import sample_positions
from gamelore.values.policy_value import PolicyValueNetwork
from gamelore.values.policy_value_settings import PolicyValueSettings

SMALL = PolicyValueSettings(hidden=16, second_hidden=8)


def make_network(game: str) -> PolicyValueNetwork:
    engine = simulator(load(game), "circuit")
    assert isinstance(engine, CircuitSimulator)
    network = PolicyValueNetwork(engine, SMALL, seed=2)
    weights = network.copy_weights()
    weights["policy"] *= 8  # policies and values that differ from move to move
    weights["value"] *= 8
    network.load(weights)
    return network


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("tictactoe", ZeroSettings()),
        ("tictactoe", ZeroSettings(candidates=4, value_scale=0.2)),
        ("tictactoe", ZeroSettings(search="puct")),
        ("tictactoe", ZeroSettings(search="puct", forced_playouts=True)),
        ("rock-paper-scissors", ZeroSettings()),
        ("rock-paper-scissors", ZeroSettings(search="puct")),
        ("trio", ZeroSettings()),
        ("peg-solitaire", ZeroSettings(search="puct")),
    ],
)
def test_kernels_visit_what_plain_search_does(
    game: str, settings: ZeroSettings
) -> None:
    network = make_network(game)
    rule = make_rule(network.simulator, settings, 40)
    rows = sample_positions(network.simulator, 3)[::6][:6]
    lanes = SearchLanes(network, rule, len(rows), seed=9)
    lanes.forest.rows[:, 0] = rows
    lanes.search()
    forest = lanes.forest
    for b, row in enumerate(rows):
        edges = int(forest.counts[b, 0].sum())
        plain = PlainSearch(network, rule, row, forest.noise[b, :edges].tolist())
        found = [edge for of_role in plain.root.edges for edge in of_role]
        assert forest.tries[b, :edges].tolist() == [edge.tries for edge in found]
        np.testing.assert_allclose(
            forest.sums[b, :edges], [edge.total for edge in found], rtol=1e-6
        )
        assert (forest.status[b, 0] == PROVEN) == plain.root.proven
        if plain.root.proven:
            assert forest.values[b, 0].tolist() == plain.root.values


def test_threads_change_nothing() -> None:
    found = []
    for threads in (1, 3):
        network = make_network("tictactoe")
        settings = ZeroSettings(lanes=64, simulations=8, threads=threads)
        lanes, window = (
            SelfPlayLanes(network, settings, 5, 100),
            ReplayWindow(network.simulator, 2000),
        )
        for _ in range(12):
            lanes.step(window)
        found.append((lanes.state(), window.state(lanes.samples)))
    for one, other in zip(*found, strict=True):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name])


def test_sequential_halving_spends_all_simulations() -> None:
    table = list_considered(8, 24)
    for count in range(2, 9):
        tries = np.zeros(count, int)
        for wanted in table[count]:
            open_to_it = np.flatnonzero(tries == wanted)
            assert len(open_to_it), "some candidate must have been tried so often"
            tries[open_to_it[0]] += 1
        assert tries.sum() == 24
        assert tries.min() >= 1
    eight = np.bincount(table[8], minlength=1)
    assert eight[0] == 8  # all of them are tried once


@pytest.mark.parametrize("game", ["tictactoe", "rock-paper-scissors", "pig", "trio"])
def test_samples_have_the_results_of_their_matches(game: str) -> None:
    """Replay what the window holds of every match by its chain of samples."""
    network = make_network(game)
    engine = network.simulator
    settings = ZeroSettings(lanes=16, simulations=6, trace_decay=1.0, opening_share=0.5)
    lanes = SelfPlayLanes(network, settings, 4, 500)
    window = ReplayWindow(engine, 4000)
    ended = 0
    while ended < 30:
        rewards, lengths = lanes.step(window)
        ended += len(rewards)
        assert len(rewards) == len(lengths)
    arrays, total = window.arrays, lanes.samples
    assert total < window.size
    assert 0 < arrays.known.sum() < total
    known = np.flatnonzero(arrays.known)
    ends = arrays.ends[known]
    assert engine.terminal(ends).all()
    goals = engine.goals(ends).astype(float)
    scale = np.array([max(g, default=100) for g in engine.goal_values])
    players = network.players
    found = arrays.values[known][:, players]
    np.testing.assert_allclose(found, (goals / scale)[:, players], atol=1e-6)
    legal = np.hstack(engine.legal(arrays.rows[known]))
    for place, flags in zip(known, legal, strict=True):
        count = int(arrays.counts[place].sum())
        assert flags[arrays.moves[place, :count]].all()
        first = 0
        for each in arrays.counts[place]:
            if each:
                share = arrays.policy[place, first : first + each].sum()
                assert share == pytest.approx(1, abs=1e-5)
            first += each


def test_values_are_lambda_returns() -> None:
    """With λ = 0, what is learned is the value of the next search of the match."""
    found = []
    for decay in (0.0, 1.0):
        network = make_network("tictactoe")
        settings = ZeroSettings(
            lanes=8, simulations=6, trace_decay=decay, opening_share=0.0
        )
        lanes, window = (
            SelfPlayLanes(network, settings, 4, 500),
            ReplayWindow(network.simulator, 4000),
        )
        searched: dict[int, np.ndarray] = {}
        for _ in range(30):
            before = lanes.samples
            lanes.begin()
            lanes.step(window)
            for number in range(before, lanes.samples):
                if not window.arrays.known[number]:
                    searched[number] = window.arrays.values[number].copy()
        found.append((window.arrays, searched))
    one_step, results = found[0][0], found[1][0]
    np.testing.assert_array_equal(one_step.rows, results.rows)  # targets change no play
    checked = 0
    for number, value in found[0][1].items():
        before = int(one_step.before[number])
        if before >= 0 and one_step.known[before]:
            np.testing.assert_array_equal(one_step.values[before], value)
            checked += 1
    assert checked > 20
