"""Levels of strength: what they choose by, and that they stay as they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gamelore.agents.levels import LEVELS, Level, LevelPlayer
from gamelore.agents.random_player import RandomPlayer
from gamelore.agents.registry import AgentSpec, make_agent
from gamelore.engine import Simulator, simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Move, to_kif
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock, Player


@pytest.fixture(scope="module")
def tictactoe() -> Simulator:
    return simulator(load("tictactoe"))


def test_levels_are_in_order() -> None:
    budgets = [level.playouts for level in LEVELS[:-1]]
    assert budgets == sorted(budget or 0 for budget in budgets)
    slips = [level.slips for level in LEVELS]
    assert slips == sorted(slips, reverse=True)
    assert len(LEVELS) == 10
    assert LEVELS[-1] == Level(None)


def choose(engine: Simulator, level: Level, seed: int, moves: str = "") -> Move:
    player = LevelPlayer(level, seed)
    position = Position.initial(engine)
    for cell in moves.split():
        position = position.advance(f"(mark {cell[0]} {cell[1]})")
    role = position.mover
    assert role is not None
    player.start(Briefing(engine, role), Clock())
    return player.choose(position, Clock())


def test_the_seed_decides(tictactoe: Simulator) -> None:
    for level in (LEVELS[0], LEVELS[4]):
        first = [choose(tictactoe, level, seed) for seed in range(10)]
        assert first == [choose(tictactoe, level, seed) for seed in range(10)]
        assert len({*first}) > 1


def test_a_level_without_slips_takes_a_win_and_one_with_slips_may_not(
    tictactoe: Simulator,
) -> None:
    moves = "11 21 12 22"  # x wins by 13
    level = Level(50)
    careful = {to_kif(choose(tictactoe, level, s, moves)) for s in range(20)}
    assert careful == {"(mark 1 3)"}
    level = Level(50, slips=1.0)
    careless = [to_kif(choose(tictactoe, level, s, moves)) for s in range(20)]
    assert 0 < careless.count("(mark 1 3)") < 20


def test_moves_are_drawn_in_proportion_to_visits() -> None:
    engine = simulator(load("connect-four"))
    position = Position.initial(engine)
    for column in "414141":  # red wins by (drop 4)
        position = position.advance(f"(drop {column})")
    player = LevelPlayer(Level(200, slips=1.0), 1)
    player.start(Briefing(engine, "red"), Clock())
    chosen = [to_kif(player.choose(position, Clock())) for _ in range(100)]
    tree = player._tree
    assert tree is not None
    assert tree.last is not None
    visits = {to_kif(one.move): one.visits + 1 for one in tree.last.candidates}
    expected = 100 * visits["(drop 4)"] / sum(visits.values())
    deviation = (expected * (1 - expected / 100)) ** 0.5
    assert abs(chosen.count("(drop 4)") - expected) <= 4 * deviation + 1


def test_a_level_is_as_strong_in_every_match(tictactoe: Simulator) -> None:
    player = LevelPlayer(LEVELS[3], 1)
    trees = []
    for number in range(2):
        players: dict[str, Player] = {"x": player, "o": RandomPlayer(number)}
        assert not play_match(tictactoe, players).faults
        trees.append(player._tree)
    assert trees[0] is not trees[1]
    briefing = Briefing(tictactoe, "x", ponders=True)
    player.start(briefing, Clock(3600.0))  # a long clock, which it does not use
    assert player._tree is not None
    assert not player._tree._pondering.is_allowed


def test_the_highest_level_is_the_whole_search(tictactoe: Simulator) -> None:
    player = LevelPlayer(LEVELS[-1], 1)
    briefing = Briefing(tictactoe, "x")
    player.start(briefing, Clock())
    tree = player._tree
    assert tree is not None
    assert tree.settings.playouts is None
    player.start(replace(briefing, ponders=True), Clock())
    assert player._tree is tree
    assert tree._pondering.is_allowed


@pytest.mark.parametrize("number", range(1, 11))
def test_specs_of_levels(number: int, tictactoe: Simulator) -> None:
    spec = AgentSpec.parse(f"level-{number}")
    assert spec == AgentSpec("level", number)
    assert str(spec) == spec.label == f"level-{number}"
    make_agent(spec).close()


@pytest.mark.parametrize("text", ["level-0", "level-11"])
def test_there_are_ten_levels(text: str) -> None:
    with pytest.raises(GameloreError, match=f"{text}: the level must be in 1 to 10"):
        AgentSpec.parse(text)


def test_levels_have_numbers() -> None:
    with pytest.raises(GameloreError, match=r"no player 'level'.*level-N"):
        AgentSpec.parse("level")


def test_the_highest_beats_the_lowest() -> None:
    engine = simulator(load("connect-four"))
    strong = replace(LEVELS[-1], playouts=2000)
    goals = []
    for seed in range(6):
        pair = [LevelPlayer(strong, seed), LevelPlayer(LEVELS[0], seed)]
        roles = engine.roles if seed % 2 else engine.roles[::-1]
        record = play_match(engine, dict(zip(roles, pair, strict=True)), seed=seed)
        goals.append(record.goals[engine.roles.index(roles[0])])
    assert goals == [100] * 6
