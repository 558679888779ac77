"""Rules as one types them: problems at once, the rest from a process that can be ended.

Whoever writes rules may write some that never end or grow without bounds. What plays by
them therefore runs in a worker process, which is ended when its time is up.
"""

from __future__ import annotations

import multiprocessing
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Lock

from gamelore.circuit import compile_game
from gamelore.engine import CircuitSimulator
from gamelore.engine.verify.first_match import check_first_match
from gamelore.errors import GameloreError
from gamelore.gdl import Game, Problem
from gamelore.gdl.checks.rule_sheet import check_text
from gamelore.gdl.reader import read_rules
from gamelore.gdl.source import ProblemReport, Source
from gamelore.ground import GroundLimits
from gamelore.lab.events import ProblemView

MOST_PROBLEMS = 200
"""Problems that a page is told."""
PREPARE_SECONDS = 40.0
"""The time that preparing rules may take."""

_GROUNDING = GroundLimits(seconds=20.0, rules=1_000_000)


def check_rules(text: str, name: str) -> tuple[list[ProblemView], list[str]]:
    """Return the problems of rules, and the relations and words that occur in them."""
    problems = check_text(text, name)
    rules, _ = read_rules(text)
    relations = dict.fromkeys(rule.head.relation for rule in rules)
    return view_problems(problems), [*relations]


def view_problems(problems: list[Problem]) -> list[ProblemView]:
    """Return problems as messages, errors before warnings."""
    ordered = sorted(problems, key=lambda one: one.severity != "error")
    return [
        ProblemView(
            one.span.line,
            one.span.column,
            one.span.length,
            one.severity,
            one.message,
        )
        for one in ordered[:MOST_PROBLEMS]
    ]


# ── in the worker ───────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Prepared:
    """What rules come to when they are compiled and played once."""

    problems: tuple[Problem, ...]
    engine: str
    fluents: int = 0
    moves: int = 0
    gates: int = 0


def prepare_rules(text: str, name: str) -> Prepared:
    """Play a match by rules, and compile them; the result is in the cache then."""
    game = Game.from_kif(text, name)
    report = ProblemReport(Source(text, name))
    check_first_match(game, report)
    try:
        compiled = compile_game(game, _GROUNDING)
    except GameloreError:
        return Prepared(tuple(report.problems), "interpreter")
    engine = CircuitSimulator(game, compiled)
    return Prepared(
        tuple(report.problems),
        "circuit",
        len(engine.fluents),
        sum(map(len, engine.moves)),
        len(compiled.program.left),
    )


def _serve(pipe: Connection) -> None:
    """Prepare rules as they come, until the other end closes."""
    warnings.simplefilter("ignore")
    while True:
        try:
            text, name = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            result: object = prepare_rules(text, name)
        except Exception as error:
            result = GameloreError(f"{type(error).__name__}: {error}")
        try:
            pipe.send(result)
        except OSError:
            return


# ── in the server ───────────────────────────────────────────────────────────────────


class DraftWorker:
    """A process that prepares rules, one sheet after the other."""

    def __init__(self, seconds: float = PREPARE_SECONDS) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._starting = Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._closed = False

    def prepare(self, text: str, name: str) -> Prepared:
        """Return what rules come to; `GameloreError` where that takes too long."""
        with self._lock:
            pipe = self._connect()
            try:
                pipe.send((text, name))
                if not pipe.poll(self._seconds):
                    self._end()
                    raise GameloreError(
                        f"these rules take more than {self._seconds:.0f} s to prepare:"
                        " try a smaller board"
                    )
                result = pipe.recv()
            except (EOFError, OSError):
                self._end()
                raise GameloreError(
                    "these rules ended the process that read them, perhaps for want"
                    " of memory: try a smaller board"
                ) from (None)
        if isinstance(result, GameloreError):
            raise result
        assert isinstance(result, Prepared)
        return result

    def close(self) -> None:
        """End the process, even one that is being started."""
        with self._starting:
            self._closed = True
        self._end()

    def _connect(self) -> Connection:
        with self._starting:
            if self._closed:
                raise GameloreError("the lab is closing")
            if self._process is None or not self._process.is_alive() or not self._pipe:
                context = multiprocessing.get_context("spawn")
                self._pipe, theirs = context.Pipe()
                self._process = context.Process(
                    target=_serve, args=(theirs,), name="gamelore-drafts", daemon=True
                )
                self._process.start()
                theirs.close()
            return self._pipe

    def _end(self) -> None:
        with self._starting:
            if self._process is not None:
                self._process.kill()
                self._process.join(5)
            if self._pipe is not None:
                self._pipe.close()
            self._process = self._pipe = None
