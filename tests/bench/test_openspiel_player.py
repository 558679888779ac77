"""OpenSpiel beside our simulator: the same rules, move by move, and its player."""

from __future__ import annotations

import random
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is an extra")

from gamelore.agents.random_player import RandomPlayer
from gamelore.bench.openspiel import MCTSBotSettings
from gamelore.bench.openspiel_player import ACTIONS, FollowedState, MCTSBotPlayer
from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.match.match import play_match
from gamelore.player import Player

MATCHES = 4


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
    ours = [followed.action_of(move) for move in position.legal_moves(mover)]
    assert sorted(ours) == sorted(state.legal_actions())
    for role in position.roles:
        assert role == mover or position.legal_moves(role) == ("noop",)


@pytest.mark.parametrize("game", ACTIONS)
def test_the_rules_are_the_same(game: str) -> None:
    sim, rng = simulator(load(game)), random.Random(game)
    for _ in range(MATCHES):
        play_on(FollowedState(sim), rng)


def test_six_in_a_row_win_at_gomoku_in_both() -> None:
    """Random play hardly ever makes rows of more than five."""
    followed = FollowedState(simulator(load("gomoku")))
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
    while play_on(FollowedState(sim), random.Random(seed)).goal("black") != 50:
        seed += 1
        assert seed < 100, "no match that the rule ended was compared"


def test_the_bot_plays_whole_matches_and_wins_against_random() -> None:
    sim = simulator(load("connect-four"))
    won = 0
    for seed in range(4):
        bot = MCTSBotPlayer(seed, MCTSBotSettings(simulations=300))
        seat = seed % 2
        players: dict[str, Player] = {sim.roles[seat]: bot}
        record = play_match(sim, {sim.roles[1 - seat]: RandomPlayer(seed), **players})
        assert record.complete
        assert not record.faults
        assert max(bot.simulations) <= 300
        won += record.goals[seat] == 100
    assert won >= 3
