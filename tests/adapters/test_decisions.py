"""Surveys of games, and the decisions that positions ask for."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from gamelore.adapters.decisions import (
    ALL_DECIDE,
    CHANCE_DECIDES,
    ENDED,
    Decisions,
    compiled_simulator,
)
from gamelore.adapters.survey import survey_game
from gamelore.engine.position import Position
from gamelore.errors import NotTurnTakingError, StuckError
from gamelore.games import load
from gamelore.gdl import Game, to_kif

RARE = """
(role a) (role b) (init (at 1)) (init quiet)
(<= (legal a left)) (<= (legal a right))
(<= (legal b wait)) (<= (legal b shout) (not (true quiet)))
(<= (next quiet) (true quiet) (does a left))
(<= (next (at 2)) (true (at 1)))
(<= (next (at 3)) (true (at 2)))
(<= terminal (true (at 3)))
(goal a 50) (goal b 50)
"""
"""Both choose at once in the second move, if the first one was right."""


def decisions_of(name: str) -> Decisions:
    return Decisions(compiled_simulator(load(name), "this test"))


@pytest.mark.parametrize(
    ("name", "complete", "longest", "in_turns", "total"),
    [
        ("tictactoe", True, 9, True, 100),
        ("nim-1-2", True, 3, True, 100),
        ("pig-6", True, None, True, 100),
        ("rock-paper-scissors-2", True, None, False, 100),
        ("tron-3x3", True, 4, False, 100),
        ("connect-four", False, None, True, 100),
        ("trio-3x3", False, None, True, None),
        ("peg-solitaire", False, None, True, None),
    ],
)
def test_what_games_are_like(
    name: str, complete: bool, longest: int | None, in_turns: bool, total: int | None
) -> None:
    survey = survey_game(compiled_simulator(load(name), "this test"))
    found = survey.complete, survey.longest, survey.in_turns, survey.goal_sum
    assert found == (complete, longest, in_turns, total)
    assert not survey.same_goals


def test_moves_of_waiting_are_no_actions_where_that_is_proven() -> None:
    assert decisions_of("tictactoe").actions == tuple(
        f"(mark {row} {column})" for row in (1, 2, 3) for column in (1, 2, 3)
    )
    seen = decisions_of("connect-four").actions
    assert seen == (*(f"(drop {column})" for column in range(1, 8)), "noop")


def test_numbers_in_moves_count_by_their_size() -> None:
    texts = decisions_of("gomoku").actions
    assert texts.index("(place 1 9)") + 1 == texts.index("(place 1 10)")


@pytest.mark.parametrize(
    "name", ["tictactoe", "othello-4x4", "pig-6", "tron-3x3", "trio-3x3", "nim-1-2"]
)
def test_decisions_are_the_choices_of_positions(name: str) -> None:
    """In random play, a decision is what the position says, by another path."""
    decisions, rng = decisions_of(name), random.Random(name)
    engine = decisions.engine
    position = Position(engine)
    while True:
        decision = decisions.decision(position.row.tobytes())
        if position.is_terminal:
            goals = [position.goal(engine.roles[r]) or 0 for r in decisions.players]
            assert (decision.who, list(decision.goals)) == (ENDED, goals)
            return
        legal = {role: position.legal_moves(role) for role in engine.roles}
        for player, role in enumerate(decisions.players):
            if decision.actions[player]:
                texts = {decisions.actions[n] for n in decision.actions[player]}
                assert texts == set(map(to_kif, legal[engine.roles[role]]))
                assert list(decision.actions[player]) == sorted(
                    decision.actions[player]
                )
            else:
                assert len(legal[engine.roles[role]]) == 1
        choosing = [role for role, moves in legal.items() if len(moves) > 1]
        if not decisions.in_turns:
            assert decision.who == ALL_DECIDE
        elif choosing == ["random"]:
            assert decision.who == CHANCE_DECIDES
        elif choosing:
            assert engine.roles[decisions.players[decision.who]] == choosing[0]
        joint = [rng.choice(legal[role]) for role in engine.roles]
        numbers = [engine.move_number(r, move) for r, move in enumerate(joint)]
        after = decisions.advance(position.row.tobytes(), numbers)
        position = position.advance(joint)
        assert after == position.row.tobytes()


def test_actions_and_moves_are_inverse() -> None:
    decisions = decisions_of("othello-4x4")
    for player, role in enumerate(decisions.players):
        for move, name in enumerate(decisions.engine.moves[role]):
            action = decisions.action(player, move)
            assert decisions.actions[action] == to_kif(name)
            assert decisions.move(player, action) == move


def test_players_that_choose_at_once_after_all() -> None:
    """A survey that missed it: the error says what to do, and that helps."""
    engine = compiled_simulator(Game.from_kif(RARE, "rare"), "this test")
    survey = survey_game(engine)
    assert not survey.in_turns
    mistaken = Decisions(engine, replace(survey, in_turns=True, complete=False))
    right = [engine.move_number(0, "right"), engine.move_number(1, "wait")]
    second = mistaken.advance(mistaken.initial, right)
    with pytest.raises(NotTurnTakingError, match="load it with dynamics=simultaneous"):
        mistaken.decision(second)
    assert Decisions(engine, survey).decision(second).who == ALL_DECIDE


def test_a_role_that_cannot_move_is_named() -> None:
    rules = RARE.replace("(<= (legal b wait))", "(<= (legal b wait) (true (at 1)))")
    engine = compiled_simulator(Game.from_kif(rules, "stuck"), "this test")
    with pytest.raises(StuckError, match="b has no legal move in stuck"):
        survey_game(engine)


def test_random_play_is_the_same_every_time() -> None:
    engine = compiled_simulator(load("connect-four"), "this test")
    assert survey_game(engine) == survey_game(engine)
