"""Games in which moves are often forced."""

from __future__ import annotations

import pytest

from gamelore.engine import CircuitSimulator, simulator
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.player import Briefing, Clock
from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.search.forced import has_forced_moves


@pytest.mark.parametrize(
    ("game", "expected"),
    [("english-draughts", True), ("connect-four", False), ("othello-6x6", False)],
)
def test_draughts_has_forced_moves(game: str, expected: bool) -> None:
    engine = simulator(load(game), "circuit")
    assert isinstance(engine, CircuitSimulator)
    assert has_forced_moves(engine) is expected


@pytest.mark.parametrize("game", ["english-draughts", "connect-four"])
def test_only_their_searches_are_extended(game: str) -> None:
    engine = simulator(load(game), "circuit")
    nodes = []
    for extending in (False, True):
        player = AlphaBetaPlayer(limits=SearchLimits(4, extending=extending))
        player.start(Briefing(engine, engine.roles[0]), Clock())
        position = Position(engine)
        for _ in range(6):
            position = next(position.successors())[1]
        player.choose(position, Clock())
        nodes.append(player.nodes)
    assert (nodes[0] != nodes[1]) is (game == "english-draughts")
