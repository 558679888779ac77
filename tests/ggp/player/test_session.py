"""Sessions: how one follows a match, on engines that are slow or come late."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from gamelore.agents.agent import MatchEntry
from gamelore.agents.builtin import PLAYERS
from gamelore.engine import CircuitSimulator, Interpreter
from gamelore.engine.position import Position
from gamelore.engine.simulator import Rows
from gamelore.games import load
from gamelore.gdl import Game, read_term, to_kif
from gamelore.gdl.canonical import canonical_form
from gamelore.ggp.player.engines import Engine
from gamelore.ggp.player.session import MatchSession, SessionSettings
from gamelore.ggp.symbol_map import SymbolMap
from gamelore.match.record import MatchRecord
from gamelore.player import Clock, Player

TICTACTOE = load("tictactoe")
CANONICAL = canonical_form(TICTACTOE).game


LONG = 120.0  # seconds; more than any step takes on a busy machine


def in_a_while(seconds: float = LONG) -> float:
    return time.monotonic() + seconds


class AgentSpy:
    """Enters random players, and keeps what it is told."""

    def __init__(self) -> None:
        self.entries: list[MatchEntry] = []
        self.records: list[MatchRecord] = []

    def enter(self, entry: MatchEntry, clock: Clock) -> Player:
        self.entries.append(entry)
        player = PLAYERS["random"](7)
        player.start(entry.briefing, clock)
        return player

    def finish(self, entry: MatchEntry, record: MatchRecord) -> None:
        self.records.append(record)

    def close(self) -> None:
        pass


def open_session(engine: Engine, agent: AgentSpy) -> MatchSession:
    symbols = SymbolMap(canonical_form(TICTACTOE))
    role = symbols.find_role("x")
    assert role is not None
    settings = SessionSettings("m", symbols, role, (), 10, 5)
    return MatchSession(settings, engine, agent)


def decide(session: MatchSession, *moves: str, seconds: float = LONG) -> str:
    """What a session answers after a joint move, both in the symbols of the match."""
    symbols = session.settings.symbols
    joint = symbols.to_canonical(tuple(map(read_term, moves))) or None
    return symbols.to_text(session.decide(joint, time.monotonic(), in_a_while(seconds)))


def test_a_match_goes_on_where_it_was_when_a_faster_engine_comes() -> None:
    agent = AgentSpy()
    game = canonical_form(TICTACTOE).game
    engine = Engine(game)
    session = open_session(engine, agent)
    engine.improve(Interpreter(game), final=False)
    session.enter(in_a_while(), time.monotonic())
    decide(session)
    decide(session, "(mark 1 1)", "noop")
    engine.improve(CircuitSimulator(game), final=True)
    answer = decide(session, "noop", "(mark 2 2)")
    position = Position(TICTACTOE).advance("(mark 1 1)").advance("(mark 2 2)")
    assert answer in {to_kif(move) for move in position.legal_moves("x")}
    assert [e.simulator.engine for e in agent.entries] == [
        "interpreter",
        "circuit",
    ]
    assert all(entry.ponders for entry in agent.entries)
    assert session.faults == []
    record = session.finish(None, in_a_while())
    assert record is not None
    assert len(record.moves) == 2
    assert agent.records == [record]


class SlowAgent(AgentSpy):
    """Enters a match again only once it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may_enter = threading.Event()
        self.entered = threading.Semaphore(0)

    def enter(self, entry: MatchEntry, clock: Clock) -> Player:
        assert not self.entries or self.may_enter.wait(LONG)
        player = super().enter(entry, clock)
        self.entered.release()
        return player


def test_a_better_circuit_is_taken_up_while_the_others_think() -> None:
    """To enter the match on it takes longer than a move may."""
    agent, engine = SlowAgent(), Engine(CANONICAL)
    session = open_session(engine, agent)
    first, better = CircuitSimulator(CANONICAL), CircuitSimulator(CANONICAL)
    engine.improve(first, final=False)
    session.enter(in_a_while(), time.monotonic())
    assert agent.entered.acquire(timeout=LONG)
    decide(session)
    engine.improve(better, final=True)
    decide(session, "(mark 1 1)", "noop")
    assert [entry.simulator for entry in agent.entries] == [first]
    agent.may_enter.set()
    assert agent.entered.acquire(timeout=LONG)
    assert [entry.simulator for entry in agent.entries] == [first, better]
    answer = decide(session, "noop", "(mark 2 2)")
    position = Position(TICTACTOE).advance("(mark 1 1)").advance("(mark 2 2)")
    assert answer in texts(position)
    assert len(agent.entries) == 2
    assert session.faults == []


def test_nobody_enters_a_match_that_is_over() -> None:
    agent, engine = SlowAgent(), Engine(CANONICAL)
    session = open_session(engine, agent)
    engine.improve(CircuitSimulator(CANONICAL), final=False)
    session.enter(in_a_while(), time.monotonic())
    decide(session)
    session.finish(None, in_a_while())
    agent.may_enter.set()
    engine.improve(CircuitSimulator(CANONICAL), final=True)
    session._enter_again()
    assert len(agent.entries) == 1


def test_moves_made_before_there_is_an_engine_are_made_up_for() -> None:
    agent = AgentSpy()
    game = canonical_form(TICTACTOE).game
    engine = Engine(game)
    session = open_session(engine, agent)
    session.enter(time.monotonic(), time.monotonic())
    decide(session, seconds=0.001)
    decide(session, "(mark 1 1)", "noop", seconds=0.001)
    assert len(session.faults) == 2
    assert agent.entries == []
    engine.improve(Interpreter(game), final=True)
    answer = decide(session, "noop", "(mark 2 2)")
    position = Position(TICTACTOE).advance("(mark 1 1)").advance("(mark 2 2)")
    assert answer in {to_kif(move) for move in position.legal_moves("x")}
    assert len(session.history) == 2
    assert len(session.faults) == 2


class GatedInterpreter(Interpreter):
    """An interpreter that makes no move until a gate opens."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.gate = threading.Event()
        self.at_gate = threading.Event()

    def advance(self, *arguments: Any, **options: Any) -> Rows:
        self.at_gate.set()
        assert self.gate.wait(LONG)
        return super().advance(*arguments, **options)


@contextmanager
def deciding_aside(session: MatchSession, engine: GatedInterpreter) -> Iterator[None]:
    """Have a session decide in another thread, at its engine's gate until the end."""
    arguments = (session, "(mark 1 1)", "noop")
    thread = threading.Thread(target=decide, args=arguments, daemon=True)
    thread.start()
    try:
        assert engine.at_gate.wait(LONG)
        yield
    finally:
        engine.gate.set()
        thread.join(LONG)


def texts(position: Position, role: str = "x") -> set[str]:
    return {to_kif(move) for move in position.legal_moves(role)}


def test_joint_moves_that_come_while_the_position_is_worked_out_are_kept() -> None:
    engine, agent = Engine(CANONICAL), AgentSpy()
    session = open_session(engine, agent)
    slow = GatedInterpreter(CANONICAL)
    engine.improve(slow, final=True)
    session.enter(in_a_while(), time.monotonic())
    decide(session)
    with deciding_aside(session, slow):
        assert decide(session, "noop", "(mark 2 2)", seconds=0.01) == "noop"
    answer = decide(session, "(mark 3 3)", "noop")
    position = Position(TICTACTOE)
    for move in ("(mark 1 1)", "(mark 2 2)", "(mark 3 3)"):
        position = position.advance(move)
    assert answer in texts(position)
    answer = decide(session, "noop", "(mark 3 1)")
    assert answer in texts(position.advance("(mark 3 1)"))
    for joint in (("(mark 1 3)", "noop"), ("noop", "(mark 2 3)")):
        decide(session, *joint)
    symbols = session.settings.symbols
    last = symbols.to_canonical((read_term("(mark 1 2)"), "noop"))
    record = session.finish(last, in_a_while())
    assert record.complete
    assert len(record.moves) == 7
    assert dict(zip(record.roles, record.goals, strict=True)) == {
        symbols.find_role("x"): 100,
        symbols.find_role("o"): 0,
    }
    assert agent.records == [record]


def test_a_better_engine_is_not_held_up_by_one_that_is_stuck() -> None:
    engine = Engine(CANONICAL)
    session = open_session(engine, AgentSpy())
    stuck = GatedInterpreter(CANONICAL)
    engine.improve(stuck, final=False)
    decide(session)
    with deciding_aside(session, stuck):
        engine.improve(CircuitSimulator(CANONICAL), final=True)
        answer = decide(session, "noop", "(mark 2 2)")
        position = Position(TICTACTOE).advance("(mark 1 1)").advance("(mark 2 2)")
        assert answer in texts(position)


def test_a_match_that_could_not_be_followed_to_its_end_has_no_result() -> None:
    engine = Engine(CANONICAL)
    session = open_session(engine, AgentSpy())
    stuck = GatedInterpreter(CANONICAL)
    engine.improve(stuck, final=True)
    decide(session)
    with deciding_aside(session, stuck):
        record = session.finish(("noop", "noop"), time.monotonic())
        assert not record.complete
        assert record.goals == (None, None)


class OwnError(Exception):
    """An exception that only its author knows."""


@pytest.mark.parametrize(
    "error", [NameError("x"), sqlite3.OperationalError("locked"), OwnError("y")]
)
def test_whatever_a_player_raises_is_a_fault(error: Exception) -> None:
    class Failing:
        def start(self, *arguments: object) -> None: ...

        def choose(self, *arguments: object) -> str:
            raise error

    class FailingAgent(AgentSpy):
        def enter(self, entry: MatchEntry, clock: Clock) -> Player:
            return Failing()

        def finish(self, entry: MatchEntry, record: MatchRecord) -> None:
            raise error

    engine = Engine(CANONICAL)
    engine.improve(Interpreter(CANONICAL), final=True)
    session = open_session(engine, FailingAgent())
    assert decide(session) in texts(Position(TICTACTOE))
    (fault,) = session.faults
    assert fault.kind == "failed"
    assert fault.message.startswith(type(error).__name__)
    session.finish(None, in_a_while())
