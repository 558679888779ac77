"""Nested Monte Carlo search: what it finds, and how strong that makes it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import Simulator, simulator
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.gdl import to_kif
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock, Player
from gamelore.search.nested import NestedMonteCarloPlayer, NestedSearch, NestedSettings

THREAT = "(cell 1 1 x) (cell 2 2 o) (cell 3 3 x) (cell 1 2 o) (cell 3 2 x) (control o)"
"""x would complete its row at 3 1."""


@pytest.fixture(scope="module")
def tictactoe() -> Simulator:
    return simulator(load("tictactoe"))


def choice(game: Simulator, facts: str, role: str, settings: NestedSettings) -> str:
    player = NestedMonteCarloPlayer(3, settings)
    player.start(Briefing(game, role), Clock())
    return to_kif(player.choose(Position(game, facts), Clock()))


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize(("role", "win"), [("x", "(mark 1 3)"), ("o", "(mark 2 3)")])
def test_it_takes_a_win(tictactoe: Simulator, level: int, role: str, win: str) -> None:
    board = "(cell 1 1 x) (cell 1 2 x) (cell 2 1 o) (cell 2 2 o)"
    settings = NestedSettings(level=level, samples=3)
    assert choice(tictactoe, f"{board} (control {role})", role, settings) == win


def test_it_answers_a_threat(tictactoe: Simulator) -> None:
    settings = NestedSettings(samples=10)
    assert choice(tictactoe, THREAT, "o", settings) == "(mark 3 1)"


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_a_forced_win(tictactoe: Simulator, seed: int) -> None:
    board = "(cell 1 1 x) (cell 1 2 o) (cell 2 2 x) (cell 3 3 o) (control x)"
    player = NestedMonteCarloPlayer(seed)
    player.start(Briefing(tictactoe, "x"), Clock())
    found = to_kif(player.choose(Position(tictactoe, board), Clock()))
    assert found in ("(mark 2 1)", "(mark 3 1)"), "the two moves with a double threat"


def test_a_playout_of_level_one_takes_a_win_at_hand(tictactoe: Simulator) -> None:
    search = NestedSearch(tictactoe, np.random.default_rng(0))
    board = "(cell 1 1 x) (cell 1 2 x) (cell 2 1 o) (cell 2 2 o) (control x)"
    rows = np.repeat(Position(tictactoe, board).row[None], 200, axis=0)
    at_once = 0.99 * 50
    assert search.values(rows, 1)[:, 0] == pytest.approx(at_once)
    assert search.values(rows, 1)[:, 1] == pytest.approx(-at_once)
    assert np.isclose(search.values(rows, 0)[:, 0], at_once).mean() < 0.5


def test_the_rows_given_are_left_alone(tictactoe: Simulator) -> None:
    rows = tictactoe.initial_row()[None].copy()
    NestedSearch(tictactoe, np.random.default_rng(0)).values(rows, 1)
    assert (rows == tictactoe.initial_row()[None]).all()


@pytest.mark.parametrize("game", ["nim", "rock-paper-scissors", "trio-3x3", "pig"])
def test_it_plays_every_kind_of_game(game: str) -> None:
    engine = simulator(load(game))
    roles = [role for role in engine.roles if role != "random"]
    players: dict[str, Player] = {role: RandomPlayer(7) for role in roles}
    players[roles[-1]] = NestedMonteCarloPlayer(1, NestedSettings(samples=1))
    assert play_match(engine, players, move_limit=4).faults == ()


def test_the_same_seed_gives_the_same_match(tictactoe: Simulator) -> None:
    def play(seed: int) -> object:
        settings = NestedSettings(samples=2)
        own = NestedMonteCarloPlayer(seed, settings)
        return play_match(tictactoe, {"x": own, "o": RandomPlayer(seed)}).moves

    assert play(1) == play(1)
    assert play(1) != play(2)


@pytest.mark.slow
def test_level_two_is_at_least_as_strong_as_flat(tictactoe: Simulator) -> None:
    flat, nested = NestedSettings(1, samples=20), NestedSettings(2, samples=20)
    points = 0
    for seed in range(30):
        own = NestedMonteCarloPlayer(seed, nested)
        other = NestedMonteCarloPlayer(100 + seed, flat)
        players: dict[str, Player] = {"x": own, "o": other}
        if seed % 2:
            players = {"x": other, "o": own}
        points += play_match(tictactoe, players).goals[seed % 2] or 0
    assert points / 30 >= 50


def test_a_clock_ends_a_search_without_end() -> None:
    engine = simulator(load("connect-four"))
    player = NestedMonteCarloPlayer(0, NestedSettings(samples=10**9))
    player.start(Briefing(engine, "red"), Clock())
    position = Position.initial(engine)
    assert player.choose(position, Clock(1.0)) in position.legal_moves("red")


@pytest.mark.parametrize("name", ["level", "samples", "seconds", "longest", "replies"])
@pytest.mark.parametrize("value", [0, -1, math.nan])
def test_settings_are_checked(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be positive, got"):
        NestedSettings(**{name: value})  # type: ignore[arg-type]
