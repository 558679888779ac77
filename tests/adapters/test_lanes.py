"""Matches in lanes against plain positions, and many of them against single ones."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore import Position
from gamelore.adapters.lanes import (
    BEGIN,
    CUT_OFF,
    ENDED,
    GOING,
    ILLEGAL,
    KEEP,
    MatchLanes,
    find_simulator,
)
from gamelore.errors import StuckError
from gamelore.gdl import Game, to_kif

GAMES = (
    "tictactoe",
    "connect-four-4x4",
    "othello-4x4",
    "capture-go",
    "rock-paper-scissors",
    "tron",
    "trio",
    "peg-solitaire",
)
"""Games without chance, whose moves are all known from outside."""

COUNT = 600  # more than a pass of the circuit holds


def asked_roles(position: Position, lanes: MatchLanes) -> list[int]:
    """Who is asked, by definition: roles with a choice, or those that do something."""
    legal = [position.legal_moves(role) for role in position.roles]
    deciding = [r for r, moves in enumerate(legal) if len(moves) > 1]
    if deciding:
        return deciding
    idle = idle_moves(lanes)
    return [r for r, moves in enumerate(legal) if to_kif(moves[0]) not in idle[r]]


def idle_moves(lanes: MatchLanes) -> list[set[str]]:
    """Per role the moves that no rule for the next position reads."""
    flags = iter(lanes.table.idle.tolist())
    return [
        {to_kif(move) for move in moves if next(flags)}
        for moves in lanes.simulator.moves
    ]


class PlainMatch:
    """One match on positions, as lanes should play it."""

    def __init__(self, lanes: MatchLanes) -> None:
        self.lanes = lanes
        self.position = Position(lanes.simulator)
        self.chosen: dict[str, int] = {}
        self.settle()

    @property
    def asked(self) -> int | None:
        """The role that is asked, if any is."""
        if self.position.is_terminal:
            return None
        roles = self.position.roles
        missing = [
            r
            for r in asked_roles(self.position, self.lanes)
            if roles[r] not in self.chosen
        ]
        return missing[0] if missing else None

    def take(self, action: int) -> None:
        assert self.asked is not None
        self.chosen[self.position.roles[self.asked]] = action
        self.settle()

    def settle(self) -> None:
        """Make joint moves while nobody is asked."""
        while self.asked is None and not self.position.is_terminal:
            moves = {role: self.lanes.actions[a] for role, a in self.chosen.items()}
            self.position = self.position.advance(moves)
            self.chosen = {}


@pytest.mark.parametrize("name", GAMES)
def test_lanes_play_as_positions_do(name: str) -> None:
    lanes = MatchLanes(find_simulator(name), COUNT)
    lanes.seed(range(COUNT))
    lanes.begin()
    watched = {i: PlainMatch(lanes) for i in (0, 1, 511, 512, COUNT - 1)}
    for _ in range(120):
        actions = lanes.draw_actions()
        masks, facts = lanes.mask_actions(), lanes.observe()
        for i, plain in watched.items():
            if plain.asked is None:
                assert lanes.status[i] == ENDED
                goals = tuple(plain.position.goals.values())
                assert tuple(lanes.matches.goals[i]) == goals
                continue
            assert lanes.status[i] == GOING
            assert lanes.player[i] == plain.asked
            assert lanes.position(i) == plain.position
            assert masks[i, actions[i]]
            role = plain.position.roles[plain.asked]
            legal = {lanes.actions[a] for a in np.flatnonzero(masks[i]).tolist()}
            assert legal == set(plain.position.legal_moves(role))
            assert facts[i].sum() == len(plain.position.facts)
            plain.take(int(actions[i]))
        lanes.step(actions)


@pytest.mark.parametrize("name", ("pig", "connect-four-4x4", "tron"))
def test_many_matches_equal_single_ones(name: str) -> None:
    """Whatever is in the other lanes, a match depends on its seed and actions only."""
    simulator = find_simulator(name)
    many = MatchLanes(simulator, COUNT, asked=(0,))
    many.seed([7 * i for i in range(COUNT)])
    many.begin()
    singles = {i: MatchLanes(simulator, 1, asked=(0,)) for i in (0, 300, COUNT - 1)}
    for i, single in singles.items():
        single.seed([7 * i])
        single.begin()
    for _ in range(60):
        given = many.draw_actions().astype(np.int32)
        given[many.status != GOING] = BEGIN
        for i, single in singles.items():
            assert single.status[0] == many.status[i]
            assert single.position(0) == many.position(i)
            single.step(given[i : i + 1])
        many.step(given)


def test_idle_moves_are_those_that_do_nothing() -> None:
    for name, idle in (
        ("tictactoe", {"noop"}),
        ("othello-4x4", {"noop", "pass"}),
        ("pig", {"noop"}),
        ("tron", set()),
        ("peg-solitaire", set()),
    ):
        for of_role in idle_moves(MatchLanes(find_simulator(name), 1)):
            assert of_role == idle, name


def test_the_last_free_cell_is_asked_for_and_a_forced_pass_is_not() -> None:
    lanes = MatchLanes(find_simulator("tictactoe"), 1)
    lanes.begin()
    for action in (0, 1, 2, 4, 3, 5, 7, 6):
        lanes.step(np.array([action]))
    assert lanes.status[0] == GOING
    assert lanes.mask_actions().sum() == 1
    othello = MatchLanes(find_simulator("othello-4x4"), COUNT)
    othello.seed(range(COUNT))
    othello.begin()
    passes = [i for i, m in enumerate(othello.actions) if to_kif(m) == "pass"]
    passed = 0
    while (othello.status == GOING).any():
        going = othello.status == GOING
        assert not othello.mask_actions()[going][:, passes].any()
        passed += int((othello.matches.steps > 12).sum())
        othello.step(othello.draw_actions())
    assert passed  # matches have more joint moves than there are free squares


def test_matches_are_kept_begun_cut_off_and_lost() -> None:
    lanes = MatchLanes(find_simulator("tictactoe"), 4, move_limit=2)
    lanes.begin()
    lanes.step(np.array([0, KEEP, 0, 99]))
    assert lanes.matches.steps.tolist() == [1, 0, 1, 0]
    assert lanes.status.tolist() == [GOING, GOING, GOING, ILLEGAL]
    lanes.step(np.array([1, KEEP, BEGIN, 0]))
    assert lanes.status.tolist() == [CUT_OFF, GOING, GOING, ILLEGAL]
    every, own = lanes.score(np.array([0, 0, 0, 0], np.int32))
    assert every.tolist() == [[0, 0], [0, 0], [0, 0], [-1, 1]]
    assert own.tolist() == [0, 0, 0, -1]
    lanes.begin(np.array([False, False, False, True]))
    assert lanes.status.tolist() == [CUT_OFF, GOING, GOING, GOING]


def test_a_role_without_a_move_is_an_error() -> None:
    rules = """
    (role a) (role b) (init start)
    (<= (legal a go)) (<= (legal a stay)) (<= (legal b go) (true start))
    (<= (next later) (does a go)) (<= (next start) (does a stay))
    (<= terminal (true never)) (<= (next never) (true never))
    (<= (goal ?r 0) (role ?r))
    """
    lanes = MatchLanes(find_simulator(Game.from_kif(rules, "stuck")), 3)
    lanes.begin()
    stay = [to_kif(move) for move in lanes.actions].index("stay")
    lanes.step(np.full(3, stay))
    with pytest.raises(StuckError, match="a role has no legal move in 'stuck'"):
        lanes.step(np.array([stay, 1 - stay, stay]))
