"""Engines of a server, and how a match goes from one to another."""

from __future__ import annotations

import io
import json
import threading
import time
from pathlib import Path

import pytest

from gamelore.circuit import CompiledGame, compile_game, compiler
from gamelore.engine import CircuitSimulator, Interpreter
from gamelore.games import load
from gamelore.gdl import Game, Rule
from gamelore.ggp.player import _compile_worker
from gamelore.ggp.player._compile_worker import CompileRequest
from gamelore.ggp.player.engines import Engine, EngineLimits, Engines
from gamelore.ground import GroundLimits

TICTACTOE = load("tictactoe")


def in_a_while(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def test_an_interpreter_is_replaced_after_many_matches() -> None:
    engine = Engine(TICTACTOE)
    first = Interpreter(TICTACTOE)
    engine.improve(first, final=True)
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
        engine = engines.find_engine(small_game(number))
        assert not engine.is_final
        simulator = engine.wait_final(in_a_while(3600))
        assert isinstance(simulator, CircuitSimulator)
        assert engines.find_engine(small_game(number)) is engine
    finally:
        engines.close()
    again = Engines()
    assert isinstance(again.find_engine(small_game(number)).simulator, CircuitSimulator)
    again.close()


def test_a_circuit_of_the_least_effort_plays_until_a_better_one_is_there() -> None:
    game = small_game(time.time_ns())
    compile_game(game, effort="least")
    engines = Engines(EngineLimits())
    try:
        engine = engines.find_engine(game)
        first = engine.simulator
        assert isinstance(first, CircuitSimulator)
        assert first.compiled.statistics.effort == "least"
        better = engine.wait_final(in_a_while(3600))
        assert isinstance(better, CircuitSimulator)
        assert better.compiled.statistics.effort == "normal"
        assert better.moves == first.moves and better.fluents == first.fluents
    finally:
        engines.close()


def test_the_process_tells_of_both_circuits_of_a_large_game(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said: list[str] = []
    rules = TICTACTOE.to_kif()
    request = CompileRequest(
        rules=rules, interpreted=rules, name="x", seconds=1, memory_mb=99
    )
    monkeypatch.setenv("GAMELORE_CACHE", str(tmp_path))
    monkeypatch.setattr(compiler, "_FEWEST_IN_STAGES", 0)
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(request) + "\n"))
    monkeypatch.setattr("resource.setrlimit", lambda which, limits: None)
    monkeypatch.setattr(_compile_worker, "_end_with_parent", lambda: None)
    monkeypatch.setattr(_compile_worker, "_try_out", lambda game, rules: None)
    monkeypatch.setattr(_compile_worker, "_say", said.append)
    _compile_worker.main()
    assert said == ["ready", "playable", "compiled"]


def endless_game(number: int) -> Game:
    """What the interpreter plays, but nothing can list: numbers without end."""
    return Game.from_kif(
        f"(role x) (init (n (z {number}))) (legal x go)"
        "(<= (next (n (s ?n))) (true (n ?n)))"
        "(<= terminal (true (n (s (s (s (s (s ?n)))))))) (goal x 1)"
    )


def test_what_cannot_be_compiled_is_interpreted() -> None:
    engines = Engines(EngineLimits(seconds=3600.0, memory_mb=1024))
    try:
        engine = engines.find_engine(endless_game(time.time_ns()))
        assert isinstance(engine.wait_playable(in_a_while(3600)), Interpreter)
        assert engines._under_way is not None
        engines._under_way[1].end()  # as its limit does, when the trial is over
        assert isinstance(engine.wait_final(in_a_while(3600)), Interpreter)
        assert engine.is_final
    finally:
        engines.close()


def test_a_game_that_nobody_plays_gives_way() -> None:
    engines = Engines(EngineLimits(seconds=60.0))
    try:
        first = engines.find_engine(endless_game(time.time_ns()))
        first.wait_playable(in_a_while(3600))  # so it is under way
        second = engines.find_engine(small_game(time.time_ns()))
        assert isinstance(second.wait_final(in_a_while(3600)), CircuitSimulator)
        assert first.is_final
    finally:
        engines.close()


def test_a_process_for_the_next_game_starts_while_one_is_compiled() -> None:
    engines = Engines(EngineLimits(seconds=3600.0))
    try:
        engine = engines.find_engine(endless_game(time.time_ns()))
        engine.wait_playable(in_a_while(3600))
        deadline = in_a_while(60)
        while engines._idle is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert engines._idle is not None
        assert engines._under_way is not None
    finally:
        engines.close()


def test_closing_ends_what_is_under_way() -> None:
    engines = Engines()
    engines.warm_up()
    threads = threading.active_count()
    engine = engines.find_engine(endless_game(time.time_ns()))
    engines.close()
    assert engine.wait_final(in_a_while(3600)) is engine.simulator
    assert threading.active_count() <= threads + 1


def test_warming_up_waits_until_the_process_can_compile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    imported = tmp_path / "imported"
    slow = f"""
import sys, time
time.sleep(0.5)
open({str(imported)!r}, "w").close()
print("ready", flush=True)
sys.stdin.read()
"""
    monkeypatch.setattr("gamelore.ggp.player.engines._COMMAND", slow)
    monkeypatch.setattr("gamelore.ggp.player.engines._load_kernels", lambda: None)
    engines = Engines()
    try:
        engines.warm_up()
        assert imported.exists()
    finally:
        engines.close()


def test_warming_up_survives_a_process_that_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gamelore.ggp.player.engines._COMMAND", "")
    monkeypatch.setattr("gamelore.ggp.player.engines._load_kernels", lambda: None)
    engines = Engines()
    try:
        engines.warm_up()
        engine = engines.find_engine(small_game(time.time_ns()))
        assert engine.wait_final(in_a_while(3600)) is None
        assert engine.is_final
    finally:
        engines.close()


def test_games_beyond_the_limit_are_let_go() -> None:
    engines = Engines(EngineLimits(kept=2))
    try:
        engine = engines.find_engine(TICTACTOE)
        for number in range(2):
            engines.find_engine(small_game(number))
        assert engines.find_engine(TICTACTOE) is not engine
    finally:
        engines.close()


def test_limits_are_positive() -> None:
    with pytest.raises(ValueError, match="seconds must be positive, got 0"):
        EngineLimits(seconds=0)


def test_compiling_begins_when_the_interpreter_has_been_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []

    def try_out(game: Game, rules: tuple[Rule, ...]) -> None:
        time.sleep(0.1)
        done.append("tried")

    def compile_in_stages(game: Game, limits: GroundLimits) -> list[CompiledGame]:
        done.append("compiled")
        return []

    rules = TICTACTOE.to_kif()
    request = CompileRequest(
        rules=rules, interpreted=rules, name="x", seconds=1, memory_mb=99
    )
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(request) + "\n"))
    monkeypatch.setattr("resource.setrlimit", lambda which, limits: None)
    monkeypatch.setattr(_compile_worker, "_end_with_parent", lambda: None)
    monkeypatch.setattr(_compile_worker, "_try_out", try_out)
    monkeypatch.setattr(_compile_worker, "compile_in_stages", compile_in_stages)
    _compile_worker.main()
    assert done == ["tried", "compiled"]
