"""OpenSpiel beside our simulator: the same rules, move by move, and its player."""

from __future__ import annotations

import random
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is an extra")

from tests.marks import mark_slow

from gamelore.adapters.open_spiel_bots import (
    AdaptedState,
    FollowedState,
    MCTSBotPlayer,
    MCTSBotSettings,
    NativeState,
    follow_match,
    make_open_spiel_player,
)
from gamelore.adapters.open_spiel_games import ACTIONS
from gamelore.agents import make_agent
from gamelore.agents.agent import MatchEntry
from gamelore.agents.random_player import RandomPlayer
from gamelore.agents.registry import AgentSpec
from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock, Player

MATCHES = 4
LARGE = {"othello", "english-draughts", "hex-11x11", "gomoku"}


def play_on(followed: FollowedState, rng: random.Random) -> Position:
    """Play at random to the end, comparing everything on the way; return the end."""
    position = followed.position
    while True:
        compare(position, followed)
        if position.is_terminal:
            return position
        role = position.roles[followed.state.current_player()]
        position = position.advance({role: rng.choice(position.legal_moves(role))})
        followed.follow(position)


def compare(position: Position, followed: FollowedState) -> None:
    state: Any = followed.state
    assert state.is_terminal() == position.is_terminal
    if position.is_terminal:
        goals = [position.goal(role) for role in position.roles]
        assert state.returns() == [(goal or 0) / 50 - 1 for goal in goals]
        return
    mover = position.roles[state.current_player()]
    number = position.roles.index(mover)
    ours = [followed.find_action(number, move) for move in position.legal_moves(mover)]
    assert sorted(ours) == sorted(state.legal_actions())
    for role in position.roles:
        assert role == mover or position.legal_moves(role) == ("noop",)


@pytest.mark.parametrize("game", mark_slow(ACTIONS, LARGE))
def test_the_rules_are_the_same(game: str) -> None:
    sim, rng = simulator(load(game)), random.Random(game)
    for _ in range(MATCHES):
        play_on(NativeState(sim), rng)


def test_six_in_a_row_win_at_gomoku_in_both() -> None:
    """Random play hardly ever makes rows of more than five."""
    followed = NativeState(simulator(load("gomoku")))
    position = followed.position
    for column in (1, 2, 3, 5, 6, 4):
        compare(position, followed)
        position = position.advance(f"(place 1 {column})")
        followed.follow(position)
        if column != 4:
            position = position.advance(f"(place {2 * column} 9)")
            followed.follow(position)
    compare(position, followed)
    assert position.goals == {"black": 100, "white": 0}


def test_draughts_end_in_a_draw_after_the_same_number_of_moves() -> None:
    """Where both only walk kings about, the draw rule ends the match."""
    sim, seed = simulator(load("english-draughts")), 0
    while play_on(NativeState(sim), random.Random(seed)).goal("black") != 50:
        seed += 1
        assert seed < 100, "no match that the rule ended was compared"


def test_the_bot_plays_whole_matches_and_wins_against_random() -> None:
    sim = simulator(load("connect-four"))
    won = 0
    for seed in range(4):
        bot = MCTSBotPlayer(seed, MCTSBotSettings(simulations=300))
        role = seed % 2
        players: dict[str, Player] = {sim.roles[role]: bot}
        record = play_match(sim, {sim.roles[1 - role]: RandomPlayer(seed), **players})
        assert record.complete
        assert not record.faults
        assert max(bot.simulations) <= 300
        won += record.goals[role] == 100
    assert won >= 3


@pytest.mark.parametrize("game", ["nim-1-3-5", "pig-8", "tron-4x4", "trio-3x3"])
def test_a_state_of_our_own_game_follows_a_match(game: str) -> None:
    sim, rng = simulator(load(game)), random.Random(game)
    for _ in range(MATCHES):
        followed = follow_match(sim)
        assert isinstance(followed, AdaptedState)
        position = followed.position
        while not position.is_terminal:
            assert followed.state.gdl_position() == position
            joint = [rng.choice(position.legal_moves(role)) for role in sim.roles]
            position = position.advance(joint)
            followed.follow(position)
        assert followed.state.is_terminal()


def play_spec(spec: str, game: str, opponent: Player) -> tuple[int | None, ...]:
    """Play one match with the agent of a spec in the first role; return the goals."""
    sim = simulator(load(game))
    agent = make_agent(spec, seed=1)
    player = agent.enter(MatchEntry("m", sim, sim.roles[0]), Clock())
    record = play_match(sim, {sim.roles[0]: player, sim.roles[1]: opponent})
    assert record.complete
    assert not record.faults
    return record.goals


def test_bots_have_names_in_the_registry() -> None:
    assert play_spec("openspiel-100", "nim-1-2", RandomPlayer(1))[0] == 100
    play_spec("openspiel:uniform_random", "tictactoe", RandomPlayer(1))
    play_spec("openspiel:uniform_random", "tron-4x4", RandomPlayer(1))
    assert str(AgentSpec.parse("openspiel:uniform_random")) == (
        "openspiel:uniform_random"
    )
    with pytest.raises(GameloreError, match="no bot 'stockfish'; it has: mcts, "):
        play_spec("openspiel:stockfish", "tictactoe", RandomPlayer(1))


def test_mcts_bot_refuses_simultaneous_moves() -> None:
    sim = simulator(load("tron-4x4"))
    with pytest.raises(GameloreError, match="games of turns only"):
        MCTSBotPlayer().start(Briefing(sim, "red"), Clock())


def test_a_game_without_a_name_is_adapted_too() -> None:
    text = load("nim-1-2").to_kif()
    sim = simulator(Game.from_kif(text, name="read"))
    followed = follow_match(sim)
    assert isinstance(followed, AdaptedState)
    assert followed.state.legal_actions() == [0, 1, 2]


def test_a_number_limits_simulations_under_a_clock_too() -> None:
    sim = simulator(load("tictactoe"))
    bot = make_open_spiel_player(1, simulations=50)
    assert isinstance(bot, MCTSBotPlayer)
    bot.start(Briefing(sim, "x"), Clock())
    bot.choose(Position(sim), Clock(60.0))
    assert bot.simulations == [50]
