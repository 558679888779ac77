"""Players of benchmarks: what texts stand for, and the time they get."""

from __future__ import annotations

import math

import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.bench.players import (
    Opening,
    PacedPlayer,
    count_playouts,
    parse_player,
    with_reserve,
)
from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Move
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock
from gamelore.search.mcts import TreePlayer


def test_settings_follow_the_name() -> None:
    player = parse_player("mcts decisive=off exploration=0.5 playouts=64")(3)
    assert isinstance(player, TreePlayer)
    assert not player.settings.decisive
    assert player.settings.exploration == 0.5
    assert player.settings.playouts == 64


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("mcts decisive", "NAME=VALUE"),
        ("mcts decisive=maybe", "a number, on or off"),
        ("mcts decisive=2", "decisive cannot be 2"),
        ("mcts strength=9", "no setting 'strength'"),
        ("openspiel luck=1", "no setting 'luck'"),
        ("random seed=1", "random has no settings"),
        ("mtcs", "did you mean mcts"),
    ],
)
def test_texts_that_name_no_player(text: str, wrong: str) -> None:
    with pytest.raises(GameloreError, match=wrong):
        parse_player(text)


def test_any_agent_plays() -> None:
    sim = simulator(load("tictactoe"))
    players = {
        role: PacedPlayer(parse_player(text)(seed))
        for seed, (role, text) in enumerate(
            zip(sim.roles, ("mcts-200", "random"), strict=True)
        )
    }
    record = play_match(sim, players)
    assert record.complete
    assert not record.faults
    assert len(players["x"].times) == (len(record.moves) + 1) // 2 - (
        len(record.moves) == 9  # the last of nine moves is forced
    )


@pytest.mark.parametrize("text", ["mcts-200", "mcts playouts=200"])
def test_playouts_of_a_decision_are_counted(text: str) -> None:
    sim = simulator(load("connect-four"))
    player = parse_player(text)(0)
    player.start(Briefing(sim, "red"), Clock())
    player.choose(Position(sim), Clock())
    counted = count_playouts(player)
    assert counted is not None
    assert 200 <= counted < 2000
    assert count_playouts(RandomPlayer(0)) is None


@pytest.mark.parametrize("seconds", [0.05, 0.2, 0.24, 1.0, 30.0])
def test_a_search_may_use_the_whole_pace(seconds: float) -> None:
    clock = Clock(with_reserve(seconds))
    assert clock.budget + (clock.seconds - clock.left) == pytest.approx(
        seconds, abs=1e-2
    )


def test_every_decision_gets_a_new_clock() -> None:
    class Noting:
        def __init__(self) -> None:
            self.clocks: list[float] = []

        def start(self, briefing: Briefing, clock: Clock) -> None:
            self.clocks.append(clock.seconds)

        def choose(self, position: Position, clock: Clock) -> Move:
            self.clocks.append(clock.seconds)
            return position.legal_moves("x")[0]

    noting = Noting()
    sim = simulator(load("tictactoe"))
    play_match(sim, {"x": PacedPlayer(noting, 2.0), "o": RandomPlayer(1)})
    assert noting.clocks[0] == math.inf
    assert set(noting.clocks[1:]) == {with_reserve(2.0)}


def test_openings_are_the_same_whoever_plays() -> None:
    sim = simulator(load("connect-3"))
    found = []
    for seed in (3, 4):
        for order in (1, -1):
            texts = ("random", "mcts-20")[::order]
            players = {
                role: PacedPlayer(parse_player(text)(1), opening=Opening(4, (seed,)))
                for role, text in zip(sim.roles, texts, strict=True)
            }
            found.append(play_match(sim, players).moves[:5])
    assert [one[:4] for one in found[::2]] == [one[:4] for one in found[1::2]]
    assert found[0][:4] != found[2][:4]
