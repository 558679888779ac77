"""Engines of the games a server has met: interpreted at first, then compiled.

Compiling takes from a fraction of a second to minutes, or never ends: it is done in a
process of its own, within limits, and leaves its results in the cache on disk: of large
games first a circuit that can be played, later a better one in its place. The
interpreter plays until then; but it, too, can be sent rules that it chokes on, so it
plays a game only after the other process has tried it.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from threading import Condition, Thread, Timer

from gamelore.circuit.store import load as load_circuit
from gamelore.engine import load_many_moves
from gamelore.engine.choose import simulator
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.games import load as load_game
from gamelore.gdl import Game, Rule
from gamelore.ggp.player._compile_worker import CompileRequest

log = logging.getLogger(__name__)

_WORN = 50  # matches after which an interpreter, which never forgets, is replaced
_SMALL_GAME = "tictactoe"
_COMMAND = "from gamelore.ggp.player._compile_worker import main; main()"


@dataclass(frozen=True)
class EngineLimits:
    """What engines may take."""

    seconds: float = 300.0
    """For compiling a game."""
    memory_mb: int = 4096
    """For compiling a game."""
    kept: int = 16
    """Games whose engines are kept in memory."""
    waiting: int = 8
    """Games that wait to be compiled; beyond it, the oldest is given up."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not value > 0:
                raise ValueError(f"{field.name} must be positive, got {value}")


class Engine:
    """What plays one game: the best simulator there is so far, if any."""

    def __init__(self, game: Game, rules: Sequence[Rule] | None = None) -> None:
        """`rules`: those of the game in the order that the interpreter takes."""
        self.game = game
        self.rules = game.rules if rules is None else tuple(rules)
        self._users = 0
        self._taken = 0
        self._change = Condition()
        self._simulator: Simulator | None = None
        self._final = False

    @property
    def simulator(self) -> Simulator | None:
        return self._simulator

    @property
    def is_final(self) -> bool:
        """Whether nothing better is to come."""
        return self._final

    @property
    def in_use(self) -> bool:
        """Whether a match is being played on it."""
        return self._users > 0

    def take(self) -> None:
        """One match more is played on it."""
        with self._change:
            worn = self._taken >= _WORN and not self._users
            if worn and isinstance(self._simulator, Interpreter):
                self._simulator = self.interpret()
                self._taken = 0
            self._users += 1
            self._taken += 1

    def release(self) -> None:
        """One match less is played on it."""
        with self._change:
            self._users -= 1

    def interpret(self) -> Interpreter:
        """Return a new interpreter of the game."""
        return Interpreter(self.game, rules=self.rules)

    def improve(self, simulator: Simulator | None, final: bool) -> None:
        """Have a better simulator from now on, or know that there will be none."""
        with self._change:
            if simulator is not None:
                self._simulator = simulator
            self._final = final
            self._change.notify_all()

    def wait_final(self, until: float) -> Simulator | None:
        """Return the final simulator, or the best one at a time (of `monotonic`)."""
        with self._change:
            while not self._final and (left := until - time.monotonic()) > 0:
                self._change.wait(left)
        return self._simulator

    def wait_playable(self, until: float) -> Simulator | None:
        """Return any simulator, as soon as there is one, or None at a time."""
        with self._change:
            while (
                not self._final
                and self._simulator is None
                and (left := until - time.monotonic()) > 0
            ):
                self._change.wait(left)
        return self._simulator


class Engines:
    """Engines by game; has them compiled one after the other."""

    def __init__(self, limits: EngineLimits | None = None) -> None:
        self.limits = limits or EngineLimits()
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        self._change = Condition()
        self._waiting: list[Engine] = []
        self._under_way: tuple[Engine, _Preparation] | None = None
        self._idle: _Preparation | None = None
        self._closed = False
        self._thread: Thread | None = None

    def find_engine(self, game: Game, rules: Sequence[Rule] | None = None) -> Engine:
        """The engine of a game; made, and to be compiled, if it is new.

        `rules`: those of the game in the order that the interpreter takes.
        """
        with self._change:
            engine = self._engines.get(game.fingerprint)
            if engine is not None:
                self._engines.move_to_end(game.fingerprint)
                return engine
            engine = self._engines[game.fingerprint] = Engine(game, rules)
            while len(self._engines) > self.limits.kept:
                self._engines.popitem(last=False)
        if not _adopt_compiled(engine):
            self._enqueue(engine)
        return engine

    def warm_up(self) -> None:
        """Have ready what no match should wait for: a process, and the kernels.

        Comes before the first game.
        """
        self._have_spare()
        idle = self._idle
        _load_kernels()
        if idle is not None:
            idle.wait_ready()

    def close(self) -> None:
        """End the process that compiles."""
        with self._change:
            self._closed = True
            under_way, idle = self._under_way, self._idle
            waiting, self._waiting = self._waiting, []
            self._idle = None
            self._change.notify_all()
        for engine in waiting:
            engine.improve(None, final=True)
        if under_way is not None:
            under_way[1].end()
        if idle is not None:
            idle.dispose()
        if self._thread is not None:
            self._thread.join(timeout=2.0)

    def _enqueue(self, engine: Engine) -> None:
        with self._change:
            self._waiting.append(engine)
            while len(self._waiting) > self.limits.waiting:
                self._waiting.pop(0).improve(None, final=True)
            if self._under_way is not None and not self._under_way[0].in_use:
                self._under_way[1].end()  # a game that nobody plays gives way
            if self._thread is None:
                self._thread = Thread(target=self._work, daemon=True)
                self._thread.start()
            self._change.notify_all()

    def _work(self) -> None:
        """Have games compiled, the latest first, until all is over."""
        while True:
            with self._change:
                while not self._waiting and not self._closed:
                    self._change.wait()
                if self._closed:
                    return
                engine = self._waiting.pop()
                preparation = self._idle or _Preparation()
                self._idle = None
                self._under_way = engine, preparation
            preparation.run(engine, self.limits, self._have_spare)
            with self._change:
                self._under_way = None
            self._have_spare()

    def _have_spare(self) -> None:
        """Start a process for the next game, unless there is one."""
        with self._change:
            if self._idle is None and not self._closed:
                self._idle = _Preparation()


def _adopt_compiled(engine: Engine) -> bool:
    """Take a game's circuit from the cache; return whether no better one is to come."""
    compiled = load_circuit(engine.game)
    if compiled is None:
        return False
    final = compiled.statistics.reaches("normal")
    engine.improve(CircuitSimulator(engine.game, compiled), final)
    return final


def _load_kernels() -> None:
    """Use every operation of the compiled engine once: the first use loads it."""
    known = simulator(load_game(_SMALL_GAME), "circuit")
    position = Position.initial(known)
    rows = position.row[None]
    following = known.expand(rows).successors
    known.goals(following)
    known.playouts(following)
    load_many_moves()
    Position(known, position.facts).advance(
        {role: position.legal_moves(role)[0] for role in known.roles}
    )


class _Preparation:
    """The process that compiles one game."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # so that all it starts can be ended with it
        )

    def wait_ready(self) -> None:
        """Wait until the process has imported what it needs, or has ended."""
        assert self._process.stdout is not None
        self._process.stdout.readline()

    def run(
        self, engine: Engine, limits: EngineLimits, on_tried: Callable[[], None]
    ) -> None:
        """Prepare an engine, and tell it how that goes.

        `on_tried` is called once the interpreter has been tried: what is left takes
        long, and no match waits for it.
        """
        timer = Timer(limits.seconds, self.end)
        timer.daemon = True
        timer.start()
        reason = f"it takes over {limits.seconds:g} seconds, or another game came first"
        try:
            self._ask(engine, limits)
            reason = self._listen(engine, on_tried) or reason
        except (BrokenPipeError, UnicodeDecodeError):
            pass  # it was ended, or never began
        finally:
            timer.cancel()
            self.dispose()
        if not engine.is_final:
            log.warning("%s is not compiled: %s", engine.game.name, reason)
            engine.improve(None, final=True)

    def _ask(self, engine: Engine, limits: EngineLimits) -> None:
        request = CompileRequest(
            rules=engine.game.to_kif(),
            interpreted=replace(engine.game, rules=engine.rules).to_kif(),
            name=engine.game.name,
            seconds=limits.seconds,
            memory_mb=limits.memory_mb,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def _listen(self, engine: Engine, on_tried: Callable[[], None]) -> str:
        """Follow the process to its end; why there is no circuit, if it says so."""
        assert self._process.stdout is not None
        failure = ""
        for line in self._process.stdout:
            word, _, reason = line.strip().partition(" ")
            if word == "playable":
                _adopt_compiled(engine)
            elif word == "compiled":
                if _adopt_compiled(engine):
                    return ""
                failure = "the cache cannot be written to"
            elif word == "failed":
                failure = reason
            elif word == "sound":
                if engine.simulator is None:
                    engine.improve(engine.interpret(), final=False)
                on_tried()
            elif word == "unsound":
                log.warning("%s cannot be interpreted: %s", engine.game.name, reason)
                on_tried()
            if failure and engine.simulator is not None:
                break
        return failure

    def end(self) -> None:
        """End the process, and those it started."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def dispose(self) -> None:
        """End the process, and keep nothing of it."""
        self.end()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
