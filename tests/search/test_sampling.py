"""Search by samples on a slow engine, by a clock that the test moves."""

from __future__ import annotations

import time
from typing import Any

import pytest

from gamelore.engine import Interpreter, Playouts
from gamelore.engine.position import Position
from gamelore.engine.simulator import Rows
from gamelore.games import load
from gamelore.gdl import Move
from gamelore.player import Briefing, Clock, Player
from gamelore.search.mcts import TreePlayer
from gamelore.search.nested import NestedMonteCarloPlayer
from gamelore.search.playouts import MonteCarloPlayer

TICTACTOE = load("tictactoe")


class SlowInterpreter(Interpreter):
    """An interpreter on which time passes with every move."""

    def __init__(self, seconds: float) -> None:
        super().__init__(TICTACTOE)
        self.seconds = seconds
        self.now = 1000.0

    def advance(self, positions: Rows, *arguments: Any, **options: Any) -> Rows:
        self.now += self.seconds * len(positions)
        return super().advance(positions, *arguments, **options)

    def playouts(self, *arguments: Any, **options: Any) -> Playouts:
        playouts = super().playouts(*arguments, **options)
        self.now += self.seconds * int(playouts.lengths.sum())
        return playouts


@pytest.mark.parametrize("seconds", [0.005, 0.05, 0.3, 2.0])
@pytest.mark.parametrize(
    ("make", "under_way"),
    [(MonteCarloPlayer, 2), (NestedMonteCarloPlayer, 2), (TreePlayer, 3)],
)
def test_a_slow_engine_is_not_late(
    make: Any, under_way: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No later than the moves under way take."""
    simulator = SlowInterpreter(seconds)
    monkeypatch.setattr(time, "monotonic", lambda: simulator.now)
    player: Player = make(1)
    player.start(Briefing(simulator, "x"), Clock(10, simulator.now))
    position = Position.initial(simulator)
    heard: list[Move] = []
    for _ in range(3):
        clock = Clock(3.0, simulator.now, heard.append)
        assert player.choose(position, clock) in position.legal_moves("x")
        assert -under_way * seconds < clock.left < 3.0
    assert bool(heard) == (seconds < 0.3 or make is TreePlayer)
