"""The player that searches a tree: budgets, threads, and what it plays."""

from __future__ import annotations

import itertools
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import Simulator, simulator
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.gdl import to_kif
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock
from gamelore.search.mcts import TreePlayer, TreeSettings


@pytest.fixture(scope="module")
def connect() -> Simulator:
    return simulator(load("connect-four"))


def make(engine: Simulator, role: str, **settings: Any) -> TreePlayer:
    player = TreePlayer(5, TreeSettings(**{"nodes": 50_000, **settings}))
    player.start(Briefing(engine, role), Clock())
    return player


@pytest.mark.parametrize("threads", [1, 2])
def test_a_budget_of_playouts_gives_the_same_search(
    connect: Simulator, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = Position.initial(connect)
    found = []
    for step in (1e-6, 1e-3, 0.5):  # seconds between looks at the clock
        times = itertools.count()
        monkeypatch.setattr(time, "monotonic", lambda t=times, s=step: next(t) * s)
        player = make(connect, "red", playouts=9000, threads=threads)
        player.choose(position, Clock(started=0.0))
        found.append(player.last)
    assert found[0] == found[1] == found[2]
    assert found[0] is not None
    assert 9000 <= found[0].playouts < 9000 + threads * 512


@pytest.mark.parametrize(
    ("settings", "trees"), [({}, 3), ({"playouts": 2000}, 1), ({"threads": 2}, 2)]
)
def test_it_searches_a_tree_for_each_thread_it_may_use(
    connect: Simulator, settings: dict[str, Any], trees: int
) -> None:
    player = TreePlayer(5, TreeSettings(nodes=50_000, **settings))
    player.start(Briefing(connect, "red", threads=3), Clock(0.2))
    assert len(player._trees) == trees


def test_it_stops_when_the_value_is_proven() -> None:
    engine = simulator(load("tictactoe"))
    player = make(engine, "x")
    player.choose(Position.initial(engine), Clock(60.0))
    assert player.last is not None
    assert player.last.solved
    assert player.last.value == 50


@pytest.mark.parametrize("name", ["tictactoe", "connect-four-4x4"])
def test_small_games_are_never_lost(name: str) -> None:
    engine = simulator(load(name))
    for seed in range(6):
        role = seed % 2
        own = TreePlayer(seed, TreeSettings(playouts=20_000, nodes=50_000))
        names = engine.roles[role], engine.roles[1 - role]
        players = dict(zip(names, (own, RandomPlayer(seed)), strict=True))
        record = play_match(engine, players, seed=seed)  # type: ignore[arg-type]
        assert record.goals[role] in (50, 100)


@pytest.mark.parametrize("name", ["tictactoe", "nim", "connect-four-4x4", "hex-4x4"])
def test_small_games_are_solved_and_played_perfectly(name: str) -> None:
    engine = simulator(load(name))
    players = [TreePlayer(seed, TreeSettings(nodes=500_000)) for seed in (1, 2)]
    for player, role in zip(players, engine.roles, strict=True):
        player.start(Briefing(engine, role), Clock())
    position = Position.initial(engine)
    promised: float | None = None  # to the first role
    while not position.is_terminal:
        mover = position.mover
        moves = {role: position.legal_moves(role)[0] for role in engine.roles}
        if mover is not None:
            player = players[engine.roles.index(mover)]
            moves[mover] = player.choose(position, Clock(300.0))
            assert player.last is not None
            assert player.last.solved
            value = player.last.value
            value = value if mover == engine.roles[0] else 100 - value
            assert promised in (None, value)
            promised = value
        position = position.advance(*moves.values())
    assert position.goals[engine.roles[0]] == promised


def test_a_forced_move_is_made_at_once(connect: Simulator) -> None:
    player = make(connect, "yellow")
    move = player.choose(Position.initial(connect), Clock())
    assert to_kif(move) == "noop"
    assert player.last is None


def test_it_thinks_on_the_others_time(connect: Simulator) -> None:
    player = TreePlayer(1, TreeSettings(playouts=2000, nodes=50_000))
    briefing = Briefing(connect, "red", ponders=True)
    player.start(briefing, Clock())
    position = Position.initial(connect)
    move = player.choose(position, Clock())
    thread = player._pondering._thread
    assert thread is not None
    before = player._trees[0].playouts
    while player._trees[0].playouts == before:
        time.sleep(0.001)
    player.rest()
    assert not thread.is_alive()
    position = position.advance(move)
    reply = position.legal_moves("yellow")[0]
    position = position.advance(reply)
    assert player.choose(position, Clock()) in position.legal_moves("red")
    player.rest()


def test_it_does_not_think_on_after_its_match(connect: Simulator) -> None:
    player = TreePlayer(1, TreeSettings(nodes=50_000))
    player.start(Briefing(connect, "red", ponders=True), Clock())
    position = Position.initial(connect)
    noted = Event()
    clock = Clock(600.0, heard=lambda move: noted.set())
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(player.choose, position, clock)
        noted.wait()
        player.rest()  # the match is over, and the answer will be late
        assert answer.result() in position.legal_moves("red")
    assert not player._pondering.is_active
    player.start(Briefing(connect, "red", ponders=True), Clock())
    player.choose(position, Clock(0.2))
    assert player._pondering.is_active
    player.rest()


def test_it_can_be_sent_to_another_process(connect: Simulator) -> None:
    player = make(connect, "red", playouts=2000)
    player.choose(Position.initial(connect), Clock())
    copy = pickle.loads(pickle.dumps(player))
    copy.start(Briefing(connect, "red"), Clock())
    again = copy.choose(Position.initial(connect), Clock())
    assert again in Position.initial(connect).legal_moves("red")
