"""Fluents seen from the side of who learns: what is one player's is the other's."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import CircuitSimulator, Rows, simulator
from gamelore.games import load
from gamelore.gdl.canonical.symmetry import Exchange, find_exchange
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.learners import Episode, ValueLearner
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.values.functions import ValueFunction
from gamelore.values.inputs import exchanged_fluents
from gamelore.values.settings import FunctionSettings, LinearSettings, NetworkSettings

OWN = NetworkSettings(hidden=6, initial_range=None, perspective="current-player")
LINEAR = LinearSettings(perspective="current-player", initial_value=0.02)
SAME = ("tictactoe", "connect-four", "breakthrough-6x6")


def load_engine(name: str) -> CircuitSimulator:
    sim = simulator(load(name))
    assert isinstance(sim, CircuitSimulator)
    return sim


def exchange_in(sim: CircuitSimulator) -> Exchange:
    exchange = find_exchange(sim.game)
    assert exchange is not None
    return exchange


def random_match(sim: CircuitSimulator, seed: int) -> Episode:
    players = {r: RandomPlayer(seed + i) for i, r in enumerate(sim.roles)}
    return Episode.of(sim, play_match(sim, players))


def map_rows(sim: CircuitSimulator, rows: Rows) -> Rows:
    exchange = exchange_in(sim)
    return np.stack([sim.encode(map(exchange.fact, sim.facts(row))) for row in rows])


def map_episode(sim: CircuitSimulator, episode: Episode) -> Episode:
    """The match with the players exchanged."""
    exchange = exchange_in(sim)
    moves: npt.NDArray[np.int32] = np.zeros_like(episode.moves)
    for role in (0, 1):
        for t, number in enumerate(episode.moves[:, role]):
            move = exchange.move(sim.moves[role][number])
            moves[t, 1 - role] = sim.move_number(1 - role, move)
    return Episode(map_rows(sim, episode.rows), moves)


@pytest.mark.parametrize("name", SAME)
def test_each_player_sees_itself_as_the_first(name: str) -> None:
    sim = load_engine(name)
    function = ValueFunction(StateGraph(sim), OWN)
    rows = random_match(sim, 3).rows
    seen = function.encode(rows, 0)
    assert (function.encode(map_rows(sim, rows), 1) == seen).all()
    assert (function.encode(rows, 1) != seen).any()
    images = exchanged_fluents(sim)
    assert images is not None
    assert sorted(images) == list(range(len(sim.compiled.fluents)))


@pytest.mark.parametrize("function", [OWN, LINEAR])
@pytest.mark.parametrize("name", SAME)
def test_an_exchanged_match_updates_the_same(
    name: str, function: FunctionSettings
) -> None:
    sim = load_engine(name)
    config = TrainConfig(TDSettings(step_size=0.02), SelfPlay(), function=function)
    episode = random_match(sim, 5)
    learned = []
    for role, match in ((0, episode), (1, map_episode(sim, episode))):
        trainer = Trainer(StateGraph(sim), config)
        ValueLearner(trainer.values(role)).learn(match)
        learned.append(trainer.state().weights)
    for key, weights in learned[0].items():
        assert learned[1][key] == pytest.approx(weights, abs=1e-6)
    first = Trainer(StateGraph(sim), config).state().weights
    assert any(np.abs(learned[0][key] - first[key]).max() > 1e-4 for key in first)


def test_where_players_differ_fluents_are_what_they_are() -> None:
    sim = load_engine("hex-4x4")
    assert exchanged_fluents(sim) is None
    rows = random_match(sim, 1).rows
    function = ValueFunction(StateGraph(sim), OWN)
    assert (function.encode(rows, 1) == function.encode(rows, 0)).all()


def test_the_first_players_view_is_of_no_side() -> None:
    sim = load_engine("tictactoe")
    function = ValueFunction(StateGraph(sim), NetworkSettings(perspective="first"))
    rows = random_match(sim, 1).rows
    assert (function.encode(rows, 1) == function.encode(rows, 0)).all()
