"""Engines of a server, and how a match goes from one to another."""

from __future__ import annotations

import threading
import time

import pytest

from gamelore.agents.agent import Entry
from gamelore.agents.builtin import PLAYERS
from gamelore.engine import CircuitSimulator, Interpreter
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.gdl import Game, read_term, to_kif
from gamelore.gdl.canonical import canonical_form
from gamelore.ggp.player.engines import Engine, EngineLimits, Engines
from gamelore.ggp.player.session import Seat, Terms
from gamelore.ggp.symbol_map import Wording
from gamelore.match.match import MatchRecord
from gamelore.player import Clock, Player

TICTACTOE = load("tictactoe")


class Entrants:
    """Enters random players, and keeps what it is told."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.records: list[MatchRecord] = []

    def enter(self, entry: Entry, clock: Clock) -> Player:
        self.entries.append(entry)
        player = PLAYERS["random"](7)
        player.start(entry.briefing, clock)
        return player

    def finish(self, entry: Entry, record: MatchRecord) -> None:
        self.records.append(record)

    def close(self) -> None:
        pass


def in_a_while(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def seat_for(engine: Engine, agent: Entrants) -> Seat:
    wording = Wording(canonical_form(TICTACTOE))
    role = wording.role("x")
    assert role is not None
    terms = Terms("m", wording, role, (), 10, 5)
    return Seat(terms, engine, agent)


def decide(seat: Seat, *spelt: str) -> str:
    """What a seat answers after a joint move, both in the spelling of the match."""
    wording = seat.terms.wording
    joint = wording.canonical(tuple(map(read_term, spelt))) or None
    return wording.text(seat.decide(joint, time.monotonic(), in_a_while()))


def test_a_match_goes_on_where_it_was_when_a_faster_engine_comes() -> None:
    agent = Entrants()
    game = canonical_form(TICTACTOE).game
    engine = Engine(game)
    seat = seat_for(engine, agent)
    engine.improve(Interpreter(game), settled=False)
    seat.enter(in_a_while(), time.monotonic())
    decide(seat)
    decide(seat, "(mark 1 1)", "noop")
    engine.improve(CircuitSimulator(game), settled=True)
    answer = decide(seat, "noop", "(mark 2 2)")
    position = Position(TICTACTOE).advance("(mark 1 1)").advance("(mark 2 2)")
    assert answer in {to_kif(move) for move in position.legal_moves("x")}
    assert [e.simulator.engine for e in agent.entries] == [
        "interpreter",
        "circuit",
    ]
    assert seat.faults == []
    record = seat.finish(None, in_a_while())
    assert record is not None
    assert len(record.moves) == 2
    assert agent.records == [record]


def test_moves_made_before_there_is_an_engine_are_made_up_for() -> None:
    agent = Entrants()
    game = canonical_form(TICTACTOE).game
    engine = Engine(game)
    seat = seat_for(engine, agent)
    seat.enter(time.monotonic() + 0.05, time.monotonic())
    decide(seat)
    decide(seat, "(mark 1 1)", "noop")
    assert len(seat.faults) == 2
    assert agent.entries == []
    engine.improve(Interpreter(game), settled=True)
    answer = decide(seat, "noop", "(mark 2 2)")
    position = Position(TICTACTOE).advance("(mark 1 1)").advance("(mark 2 2)")
    assert answer in {to_kif(move) for move in position.legal_moves("x")}
    assert len(seat.moves) == 2
    assert len(seat.faults) == 2


def test_an_interpreter_is_replaced_after_many_matches() -> None:
    engine = Engine(TICTACTOE)
    first = Interpreter(TICTACTOE)
    engine.improve(first, settled=True)
    for _ in range(50):
        engine.take()
        assert engine.simulator is first
        engine.release()
    engine.take()
    assert isinstance(engine.simulator, Interpreter)
    assert engine.simulator is not first


def small_game(number: int) -> Game:
    return Game.from_kif(
        f"(role x) (init (n 0)) (<= (legal x (go ?n)) (s ?n)) (s {number}) (s a)"
        "(<= (next (n 1)) (does x (go ?n))) (<= terminal (true (n 1))) (goal x 1)"
    )


def test_a_new_game_is_compiled_by_another_process() -> None:
    number = time.time_ns()  # rules that no cache has
    engines = Engines()
    try:
        engine = engines.engine_of(small_game(number))
        assert not engine.settled
        simulator = engine.wait_settled(in_a_while(60))
        assert isinstance(simulator, CircuitSimulator)
        assert engines.engine_of(small_game(number)) is engine
    finally:
        engines.close()
    again = Engines()
    assert isinstance(again.engine_of(small_game(number)).simulator, CircuitSimulator)
    again.close()


def endless_game(number: int) -> Game:
    """What the interpreter plays, but nothing can list: numbers without end."""
    return Game.from_kif(
        f"(role x) (init (n (z {number}))) (legal x go)"
        "(<= (next (n (s ?n))) (true (n ?n)))"
        "(<= terminal (true (n (s (s (s (s (s ?n)))))))) (goal x 1)"
    )


def test_what_cannot_be_compiled_is_interpreted() -> None:
    engines = Engines(EngineLimits(seconds=6.0, memory_mb=1024))
    try:
        engine = engines.engine_of(endless_game(time.time_ns()))
        assert isinstance(engine.wait_playable(in_a_while(30)), Interpreter)
        assert isinstance(engine.wait_settled(in_a_while(30)), Interpreter)
        assert engine.settled
    finally:
        engines.close()


def test_a_game_that_nobody_plays_gives_way() -> None:
    engines = Engines(EngineLimits(seconds=60.0))
    try:
        first = engines.engine_of(endless_game(time.time_ns()))
        time.sleep(1.0)
        second = engines.engine_of(small_game(time.time_ns()))
        assert isinstance(second.wait_settled(in_a_while(30)), CircuitSimulator)
        assert first.settled
    finally:
        engines.close()


def test_closing_ends_what_is_under_way() -> None:
    engines = Engines()
    engines.warm_up()
    threads = threading.active_count()
    engine = engines.engine_of(endless_game(time.time_ns()))
    time.sleep(0.5)
    began = time.monotonic()
    engines.close()
    assert time.monotonic() - began < 3
    assert engine.wait_settled(in_a_while(5)) is engine.simulator
    assert threading.active_count() <= threads + 1


def test_games_beyond_the_limit_are_let_go() -> None:
    engines = Engines(EngineLimits(kept=2))
    try:
        engine = engines.engine_of(TICTACTOE)
        for number in range(2):
            engines.engine_of(small_game(number))
        assert engines.engine_of(TICTACTOE) is not engine
    finally:
        engines.close()


def test_limits_are_positive() -> None:
    with pytest.raises(ValueError, match="seconds must be positive, got 0"):
        EngineLimits(seconds=0)
