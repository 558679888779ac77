"""Matches: what is recorded, and what players do wrong."""

from __future__ import annotations

import sqlite3
import time

import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError, StuckError
from gamelore.games import load
from gamelore.gdl import Game, Move
from gamelore.match.match import LeaveRequest, TakeBackRequest, play_match
from gamelore.player import Briefing, Clock, Player


class Faulty:
    """Gives one wrong answer, or raises, whenever it is asked."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def start(self, briefing: Briefing, clock: Clock) -> None:
        pass

    def choose(self, position: Position, clock: Clock) -> Move:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer  # type: ignore[return-value]


class Slow(RandomPlayer):
    def choose(self, position: Position, clock: Clock) -> Move:
        time.sleep(0.02)
        return super().choose(position, clock)


class NeverReady(RandomPlayer):
    def start(self, briefing: Briefing, clock: Clock) -> None:
        super().start(briefing, clock)
        raise ValueError("not today")


@pytest.fixture(scope="module")
def tictactoe() -> Simulator:
    return Interpreter(load("tictactoe"))


def pair(x: Player, o: Player) -> dict[str, Player]:
    return {"x": x, "o": o}


def test_a_match_follows_the_rules(tictactoe: Simulator) -> None:
    record = play_match(tictactoe, pair(RandomPlayer(1), RandomPlayer(2)))
    assert record.complete
    assert record.faults == ()
    assert record.game == "tictactoe"
    assert 5 <= len(record.moves) <= 9
    position = Position.initial(tictactoe)
    for joint in record.moves:
        assert not position.is_terminal
        position = position.advance(joint)
    assert position.is_terminal
    assert record.goals == tuple(position.goals.values())
    assert record.goals in [(100, 0), (0, 100), (50, 50)]


def test_seeds_repeat_a_match(tictactoe: Simulator) -> None:
    def play(seed: int) -> object:
        players = pair(RandomPlayer(seed), RandomPlayer(seed + 1))
        return play_match(tictactoe, players)

    assert play(5) == play(5)
    assert len({str(play(seed)) for seed in range(10)}) > 5


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        ("nonsense", "illegal", "nonsense is not legal"),
        (ValueError("oh"), "failed", "ValueError: oh"),
        (GameloreError("ah"), "failed", "GameloreError: ah"),
        (5, "illegal", "the answer is no move, but of type int"),
        (None, "illegal", "the answer is no move, but of type NoneType"),
        (("mark", 1), "illegal", "the answer is no move, but of type tuple"),
    ],
)
def test_faults_are_recorded_and_replaced_by_random_moves(
    tictactoe: Simulator, answer: object, kind: str, message: str
) -> None:
    record = play_match(tictactoe, pair(Faulty(answer), RandomPlayer()), seed=3)
    assert record.complete
    assert [fault.step for fault in record.faults] == list(range(len(record.moves)))
    for fault in record.faults:
        assert (fault.role, fault.kind, fault.message) == ("x", kind, message)


def test_random_moves_depend_on_the_seed(tictactoe: Simulator) -> None:
    def play(seed: int) -> object:
        return play_match(tictactoe, pair(Faulty("?"), Faulty("?")), seed=seed).moves

    assert play(1) == play(1)
    assert len({play(seed) for seed in range(10)}) > 5


def test_late_moves_are_faults(tictactoe: Simulator) -> None:
    record = play_match(tictactoe, pair(Slow(), RandomPlayer()), play_clock=0.01)
    late = [fault.step for fault in record.faults if fault.role == "x"]
    assert late == list(range(len(record.moves)))
    assert all(fault.kind == "late" for fault in record.faults)


def test_failing_to_start_is_a_fault(tictactoe: Simulator) -> None:
    record = play_match(tictactoe, pair(NeverReady(), RandomPlayer()))
    (fault,) = record.faults
    assert (fault.step, fault.role) == (-1, "x")
    assert fault.message == "ValueError: not today"


def test_interrupts_are_not_faults(tictactoe: Simulator) -> None:
    with pytest.raises(KeyboardInterrupt):
        play_match(tictactoe, pair(Faulty(KeyboardInterrupt()), RandomPlayer()))


def test_the_move_limit_ends_a_match(tictactoe: Simulator) -> None:
    players = pair(RandomPlayer(), RandomPlayer())
    record = play_match(tictactoe, players, move_limit=3)
    assert len(record.moves) == 3
    assert not record.complete


def test_every_role_but_chance_needs_a_player(tictactoe: Simulator) -> None:
    with pytest.raises(ValueError, match="no player for o"):
        play_match(tictactoe, {"x": RandomPlayer()})


def test_chance_needs_no_player() -> None:
    pig = Interpreter(load("pig"))
    players = {"first": RandomPlayer(1), "second": RandomPlayer(2)}
    records = [play_match(pig, players, seed=seed) for seed in range(3)]
    assert all(record.complete and not record.faults for record in records)
    assert len({record.moves for record in records}) == 3


def test_a_record_prints_moves_and_goals(tictactoe: Simulator) -> None:
    record = play_match(tictactoe, pair(RandomPlayer(1), RandomPlayer(2)))
    lines = str(record).splitlines()
    assert len(lines) == len(record.moves) + 1
    assert lines[0].startswith("  1. (mark ")
    assert lines[-1] == f"tictactoe: x {record.goals[0]}, o {record.goals[1]}"


def test_a_role_without_a_move_is_stuck() -> None:
    rules = """
    (role x) (init (at 0)) (<= (legal x go) (true (at 0)))
    (<= (next (at 1)) (does x go)) (<= terminal (true (at 2)))
    (<= (next (at 2)) (true (at 1))) (<= (goal x 100) (true (at ?n)))
    """
    stuck = Interpreter(Game.from_kif(rules, name="stuck"))
    with pytest.raises(StuckError, match="x has no legal move in stuck"):
        play_match(stuck, {"x": RandomPlayer()})


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_clocks_run_forward(seconds: float) -> None:
    with pytest.raises(ValueError, match="seconds must be positive"):
        Clock(seconds)


class OwnError(Exception):
    """An exception that no list has."""


@pytest.mark.parametrize(
    "error", [NameError("name 'x' is not defined"), sqlite3.Error("locked"), OwnError()]
)
def test_any_exception_of_a_player_is_a_fault(
    tictactoe: Simulator, error: Exception
) -> None:
    record = play_match(tictactoe, pair(Faulty(error), RandomPlayer(2)))
    assert record.complete
    assert {fault.kind for fault in record.faults} == {"failed"}
    assert record.faults[0].message == f"{type(error).__name__}: {error}"


def test_a_player_may_leave(tictactoe: Simulator) -> None:
    record = play_match(tictactoe, pair(RandomPlayer(1), Faulty(LeaveRequest())))
    assert not record.complete
    assert record.moves == ()
    assert record.faults == ()


class Undecided(RandomPlayer):
    """Takes its second decision back once."""

    asked = 0

    def choose(self, position: Position, clock: Clock) -> Move:
        if len(position.legal_moves("x")) > 1:
            self.asked += 1
            if self.asked == 2:
                raise TakeBackRequest
        return super().choose(position, clock)


def test_a_move_is_taken_back(tictactoe: Simulator) -> None:
    seen: list[int] = []
    record = play_match(
        tictactoe,
        pair(Undecided(1), RandomPlayer(2)),
        observe=lambda referee: seen.append(len(referee.moves)),
    )
    assert seen[:5] == [1, 2, 0, 1, 2]
    assert record.complete
    assert len(record.moves) == seen[-1]
    position = Position.initial(tictactoe)
    for joint in record.moves:
        position = position.advance(joint)
    assert tuple(position.goals.values()) == record.goals


def test_roles_may_have_clocks_of_their_own(tictactoe: Simulator) -> None:
    players = pair(Slow(1), Slow(2))
    record = play_match(tictactoe, players, play_clock={"o": 0.001})
    assert {fault.role for fault in record.faults} == {"o"}
