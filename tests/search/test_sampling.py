"""Search by samples on a slow engine, by a clock that the test moves."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import pytest

from gamelore.engine import Interpreter
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.gdl import Fact, Move, to_kif
from gamelore.player import Briefing, Clock, Player
from gamelore.search.mcts import TreePlayer
from gamelore.search.nested import NestedMonteCarloPlayer
from gamelore.search.playouts import MonteCarloPlayer

TICTACTOE = load("tictactoe")


class SlowInterpreter(Interpreter):
    """An interpreter on which time passes with every move."""

    def __init__(self, seconds: float, later: float) -> None:
        """`later`: what a move takes once three cells are marked."""
        super().__init__(TICTACTOE)
        self.seconds = seconds
        self.later = later
        self.now = 1000.0

    def _next_facts(
        self, facts: frozenset[Fact], joint: Iterable[Move]
    ) -> frozenset[Fact]:
        empty = sum(to_kif(fact).endswith(" b)") for fact in facts)
        self.now += self.seconds if empty > 6 else self.later
        return super()._next_facts(facts, joint)


@pytest.mark.parametrize(
    ("seconds", "later"),
    [(0.005, 0.005), (0.05, 0.05), (0.3, 0.3), (2.0, 2.0), (0.005, 1.0)],
)
@pytest.mark.parametrize(
    ("make", "under_way"),
    [(MonteCarloPlayer, 2), (NestedMonteCarloPlayer, 2), (TreePlayer, 3)],
)
def test_a_slow_engine_is_not_late(
    make: Any,
    under_way: int,
    seconds: float,
    later: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No later than the moves under way take."""
    simulator = SlowInterpreter(seconds, later)
    monkeypatch.setattr(time, "monotonic", lambda: simulator.now)
    player: Player = make(1)
    player.start(Briefing(simulator, "x"), Clock(10, simulator.now))
    position = Position.initial(simulator)
    heard: list[Move] = []
    for _ in range(3):
        clock = Clock(3.0, simulator.now, heard.append)
        assert player.choose(position, clock) in position.legal_moves("x")
        assert -under_way * later < clock.left < 3.0
    assert bool(heard) == (later < 0.3 or make is TreePlayer)


def test_moves_that_become_slower_make_nothing_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A playout of slow moves is broken off, though its first ones were fast."""
    simulator = SlowInterpreter(0.005, 2.0)
    monkeypatch.setattr(time, "monotonic", lambda: simulator.now)
    clock = Clock(3.0, simulator.now)
    TreePlayer(1).start(Briefing(simulator, "x"), clock)
    assert clock.left > 0
