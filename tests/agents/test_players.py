"""What every built-in player must do, and what the Monte Carlo player should."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import product

import pytest
from tests.marks import mark_slow

from gamelore.agents.builtin import PLAYERS
from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import simulator as choose_simulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.games import load
from gamelore.gdl import Game, Move, to_kif
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock, Player
from gamelore.search.mcts import TreePlayer, TreeSettings
from gamelore.search.nested import NestedMonteCarloPlayer, NestedSettings
from gamelore.search.playouts import MonteCarloPlayer, MonteCarloSettings

TURN_TAKERS = {"novice", "weak", "minimax", "heuristic"}
"""Who needs games in which one role moves at a time."""

GAMES = ["tictactoe", "nim", "rock-paper-scissors", "trio-3x3", "pig"]
FEW = MonteCarloSettings(playouts=40)

CHOICE = """
(role chooser) (init start) (prize a 0) (prize b 100) (prize c 50)
(<= (legal chooser ?m) (prize ?m ?g))
(<= (next (took ?m)) (does chooser ?m))
(<= terminal (true (took ?m)))
(<= (goal chooser ?g) (true (took ?m)) (prize ?m ?g))
"""

BLIND = """
(role one) (role two) (init start)
(option bold) (option safe)
(<= (legal one ?m) (option ?m)) (<= (legal two ?m) (option ?m))
(<= (next (took ?r ?m)) (does ?r ?m))
(<= terminal (true (took one ?m)))
(<= (goal one 90) (true (took one bold)))
(<= (goal one 10) (true (took one safe)))
(<= (goal two 50) terminal)
(<= (goal one 0) (true start)) (<= (goal two 0) (true start))
"""


def small(name: str, seed: int) -> Player:
    """A built-in player with a budget fit for the interpreter."""
    if name == "monte-carlo":
        return MonteCarloPlayer(seed, MonteCarloSettings(playouts=10))
    if name == "mcts":
        return TreePlayer(seed, TreeSettings(playouts=10))
    if name == "nested":
        return NestedMonteCarloPlayer(seed, NestedSettings(samples=1))
    return PLAYERS[name](seed)


def versus(x: Player, o: Player) -> dict[str, Player]:
    return {"x": x, "o": o}


def started(player: Player, simulator: Simulator, role: str) -> Player:
    player.start(Briefing(simulator, role), Clock())
    return player


def pair_players_with_games() -> Iterator[object]:
    """Yield games and players; what takes seconds on the interpreter is slow."""
    for game, name in product(GAMES, PLAYERS):
        alike = game == "rock-paper-scissors" and name in TURN_TAKERS - {"minimax"}
        slow = alike or (game, name) == ("pig", "nested")
        yield pytest.param(game, name, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("steps", mark_slow([6, 12], {12}))
@pytest.mark.parametrize(("game", "name"), pair_players_with_games())
def test_players_play_every_kind_of_game_without_a_fault(
    name: str, game: str, steps: int
) -> None:
    simulator = Interpreter(load(game))
    roles = [role for role in simulator.roles if role != "random"]
    players: dict[str, Player] = {role: RandomPlayer(7) for role in roles}
    players[roles[-1]] = small(name, seed=1)
    record = play_match(simulator, players, move_limit=steps)
    if name in TURN_TAKERS and game == "rock-paper-scissors":
        assert {fault.kind for fault in record.faults} == {"failed"}
        assert "two roles have a choice at once" in record.faults[0].message
    else:
        assert record.faults == ()


@pytest.mark.parametrize("name", PLAYERS)
def test_the_same_seed_gives_the_same_match(name: str) -> None:
    simulator = Interpreter(load("tictactoe"))

    def play(seed: int) -> object:
        players = versus(small(name, seed), small(name, seed + 1))
        return play_match(simulator, players).moves

    assert play(1) == play(1)
    assert play(1) != play(2)


@pytest.mark.parametrize("role", ["x", "o"])
def test_monte_carlo_takes_a_win(role: str) -> None:
    board = "(cell 1 1 x) (cell 1 2 x) (cell 2 1 o) (cell 2 2 o)"
    position = Position(Interpreter(load("tictactoe")), f"{board} (control {role})")
    player = started(MonteCarloPlayer(0, FEW), position.simulator, role)
    win = {"x": "(mark 1 3)", "o": "(mark 2 3)"}[role]
    assert to_kif(player.choose(position, Clock())) == win


@pytest.mark.parametrize("seed", range(5))
def test_monte_carlo_takes_the_best_of_three(seed: int) -> None:
    simulator = Interpreter(Game.from_kif(CHOICE))
    player = started(MonteCarloPlayer(seed, FEW), simulator, "chooser")
    assert player.choose(Position.initial(simulator), Clock()) == "b"


@pytest.mark.parametrize("replies", [1, 2, 16])
def test_monte_carlo_chooses_when_all_move_at_once(replies: int) -> None:
    simulator = Interpreter(Game.from_kif(BLIND))
    settings = MonteCarloSettings(playouts=40, replies=replies)
    player = started(MonteCarloPlayer(0, settings), simulator, "one")
    assert player.choose(Position.initial(simulator), Clock()) == "bold"


def test_monte_carlo_beats_random_play() -> None:
    simulator = Interpreter(load("tictactoe"))
    total = 0
    for seed in range(10):
        players = versus(RandomPlayer(seed), MonteCarloPlayer(seed, FEW))
        total += play_match(simulator, players).goals[1] or 0
    assert total >= 700, "random play gets the second player 290 of 1000"


@pytest.mark.usefixtures("thread_clock")
def test_monte_carlo_keeps_its_clock() -> None:
    simulator = Interpreter(load("connect-four"))
    settings = MonteCarloSettings(playouts=10**9)
    player = started(MonteCarloPlayer(0, settings), simulator, "red")
    assert keeps_time(player, simulator, 1.0, most=1.0)


def keeps_time(
    player: Player, simulator: Simulator, seconds: float, most: float
) -> bool:
    """Whether one of three choices takes less: others may hold the machine up."""

    def choose() -> float:
        before = time.monotonic()
        player.choose(Position.initial(simulator), Clock(seconds, started=before))
        return time.monotonic() - before

    return any(choose() < most for _ in range(3))


@pytest.mark.usefixtures("thread_clock")
def test_monte_carlo_keeps_its_own_time() -> None:
    simulator = Interpreter(load("connect-four"))
    settings = MonteCarloSettings(playouts=10**9, seconds=0.5)
    player = started(MonteCarloPlayer(0, settings), simulator, "red")
    assert keeps_time(player, simulator, math.inf, most=1.0)


@pytest.mark.parametrize("name", ["monte-carlo", "nested", "minimax", "heuristic"])
def test_those_who_think_tell_of_their_best_move(name: str) -> None:
    simulator = choose_simulator(load("connect-four"))
    player = started(PLAYERS[name](0), simulator, "red")
    position = Position.initial(simulator)
    heard: list[Move] = []
    chosen = player.choose(position, Clock(0.5, heard=heard.append))
    assert heard
    assert {*heard} <= {*position.legal_moves("red")}
    if name in ("minimax", "heuristic"):
        assert heard[-1] == chosen


def test_who_listens_makes_no_difference() -> None:
    simulator = Interpreter(load("tictactoe"))
    position = Position.initial(simulator)
    choices = []
    for heard in (None, lambda move: None):
        player = started(MonteCarloPlayer(3, FEW), simulator, "x")
        choices.append([player.choose(position, Clock(heard=heard)) for _ in range(5)])
    assert choices[0] == choices[1]


def test_a_clock_for_those_who_know_moves_by_other_names() -> None:
    heard: list[Move] = []
    clock = Clock(5.0, heard=heard.append)
    other = clock.rename(lambda move: f"our-{move}")
    other.note("move")
    assert heard == ["our-move"]
    assert (other.seconds, other.started) == (clock.seconds, clock.started)
    bare = Clock()
    bare.note("move")
    assert bare.rename(lambda move: f"our-{move}") is bare


def test_choosing_before_the_start_is_an_error() -> None:
    simulator = Interpreter(load("tictactoe"))
    with pytest.raises(RuntimeError, match="start must be called"):
        MonteCarloPlayer().choose(Position.initial(simulator), Clock())


@pytest.mark.parametrize("name", ["playouts", "seconds", "replies"])
@pytest.mark.parametrize("value", [0, -1, math.nan])
def test_settings_are_checked(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be positive, got"):
        MonteCarloSettings(**{name: value})  # type: ignore[arg-type]
