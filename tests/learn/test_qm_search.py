"""How Q-learners search where their tables know nothing."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections import Counter
from typing import Literal

import pytest

from gamelore.engine import Interpreter, Simulator, simulator
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.gdl import to_kif
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.learners import QLearner
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.qm_search import Searcher
from gamelore.learn.schedules import Fixed
from gamelore.learn.settings import QSettings
from gamelore.learn.trainer import Trainer
from gamelore.player import Briefing, Clock, Player
from gamelore.search.nested import NestedMonteCarloPlayer, NestedSettings

NESTED = QSettings(playouts=20, level=2)
FORCED = "(cell 1 1 x) (cell 1 2 o) (cell 2 2 x) (cell 3 3 o) (control x)"
"""Two moves of x make a double threat."""
THREAT = "(cell 1 1 x) (cell 2 2 o) (cell 3 3 x) (cell 1 2 o) (cell 3 2 x) (control o)"
"""x would complete its row at 3 1."""
BUSY = "import time\nend = time.time() + 60\nwhile time.time() < end: pass"


@pytest.fixture(scope="module")
def tictactoe() -> Simulator:
    return simulator(load("tictactoe"))


def ignorant(
    sim: Simulator, role: str, settings: QSettings, seed: int = 0
) -> GreedyPlayer:
    """A player with an empty table."""
    player = GreedyPlayer(QLearner(StateGraph(sim), role, settings).values, seed=seed)
    player.start(Briefing(sim, role), Clock())
    return player


def choices(player: Player, position: Position) -> Counter[str]:
    """What a player does when asked again and again."""
    return Counter(to_kif(player.choose(position, Clock())) for _ in range(400))


# ── nested search in kernels ────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(5))
def test_nested_search_finds_a_forced_win(tictactoe: Simulator, seed: int) -> None:
    player = ignorant(tictactoe, "x", NESTED, seed)
    found = to_kif(player.choose(Position(tictactoe, FORCED), Clock()))
    assert found in ("(mark 2 1)", "(mark 3 1)")


@pytest.mark.parametrize("clock", [math.inf, 60.0])
def test_nested_search_answers_a_threat(tictactoe: Simulator, clock: float) -> None:
    player = ignorant(tictactoe, "o", NESTED)
    position = Position(tictactoe, THREAT)
    found = Counter(to_kif(player.choose(position, Clock(clock))) for _ in range(5))
    assert found == {"(mark 3 1)": 5}


def test_the_kernel_chooses_as_the_player_does(tictactoe: Simulator) -> None:
    """With one sample per move the choice is a lottery; its odds must be the same."""
    position = Position(tictactoe, "(cell 1 1 x) (control o)")
    fast = ignorant(tictactoe, "o", QSettings(playouts=1, level=2))
    slow = NestedMonteCarloPlayer(0, NestedSettings(samples=1))
    slow.start(Briefing(tictactoe, "o"), Clock())
    mine, theirs = choices(fast, position), choices(slow, position)
    assert len(theirs) > 1
    for move in mine | theirs:  # three deviations at the most
        assert mine[move] == pytest.approx(theirs[move], abs=45)


def test_nested_search_knows_chance() -> None:
    sim = simulator(load("pig"))
    player = ignorant(sim, sim.roles[0], QSettings(playouts=2, level=2))
    assert player.choose(Position(sim), Clock()) in sim.moves[0]


# ── time ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("engine", ["circuit", "interpreter"])
def test_a_run_by_the_clock_searches_every_position_once(
    monkeypatch: pytest.MonkeyPatch,
    engine: Literal["circuit", "interpreter"],
    level: int,
) -> None:
    searched: list[bytes] = []
    choose = Searcher.choose

    def note(searcher: Searcher, node: int, clock: Clock | None = None) -> int:
        searched.append(searcher.graph.row(node).tobytes())
        return choose(searcher, node, clock)

    monkeypatch.setattr(Searcher, "choose", note)
    graph = StateGraph(simulator(load("tictactoe"), engine))
    config = TrainConfig(QSettings(search_time=1, level=level), schedule=Fixed(0.0))
    trainer = Trainer(graph, config)
    trainer.run(30)
    assert len(searched) == len(set(searched)) == len(trainer.table)


def test_by_the_clock_bulk_and_open_path_are_one_but_for_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def last(searcher: Searcher, node: int, clock: Clock | None = None) -> int:
        edges = searcher.graph.edges(node)
        return int(searcher.graph.nodes.first[node]) + len(edges) - 1

    monkeypatch.setattr(Searcher, "choose", last)
    config = TrainConfig(
        QSettings(search_time=50), role="alternate", schedule=Fixed(0.2)
    )
    tables = []
    for kind in (Trainer, MatchTrainer):
        trainer = kind(StateGraph(simulator(load("hex-3x3"))), config)
        trainer.run(60)
        tables.append([t.values.tobytes() for t in trainer.tables.values()])
    assert tables[0] == tables[1]


def lateness(sim: Simulator, settings: QSettings) -> list[float]:
    """How far beyond its time each decision went; negative if in time."""
    assert settings.search_time is not None
    player = ignorant(sim, sim.roles[0], settings)
    position = Position(sim)
    player.choose(position, Clock())  # kernels are compiled by now
    late = []
    for _ in range(5):
        started = time.monotonic()
        player.choose(position, Clock())
        late.append(time.monotonic() - started - settings.search_time / 1000)
    return late


@pytest.mark.timing
@pytest.mark.parametrize("name", ["tictactoe", "connect-four", "breakthrough"])
@pytest.mark.parametrize("level", [1, 2])
def test_search_time_is_kept_while_the_machine_is_busy(name: str, level: int) -> None:
    settings = QSettings(search_time=50, level=level)
    busy = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        # others may hold the machine up for longer than any budget: best of three
        sim = simulator(load(name))
        late = min((lateness(sim, settings) for _ in range(3)), key=max)
    finally:
        busy.kill()
        busy.wait()
    assert max(late) < 0.010
    assert min(late) > -0.025, "half of the time is used"


@pytest.mark.timing
def test_a_clock_ends_a_search_of_many_playouts() -> None:
    sim = simulator(load("connect-four"))
    for level in (1, 2):
        player = ignorant(sim, "red", QSettings(playouts=10**6, level=level))
        started = time.monotonic()
        player.choose(Position(sim), Clock(1.0))
        assert time.monotonic() - started < 1.0


def test_the_interpreter_searches_too() -> None:
    sim = Interpreter(load("tictactoe"))
    for settings in (QSettings(playouts=5), QSettings(playouts=1, level=2)):
        player = ignorant(sim, "o", settings)
        assert to_kif(player.choose(Position(sim, THREAT), Clock())).startswith("(mark")


def test_budgets_are_one_or_the_other() -> None:
    with pytest.raises(ValueError, match="give one"):
        QSettings(playouts=5, search_time=5)
    with pytest.raises(ValueError, match="level 2 needs playouts or search_time"):
        QSettings(level=2)
    assert QSettings(search_time=50).searches
    assert not QSettings().searches
