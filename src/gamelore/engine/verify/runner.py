"""Recorded playouts: made here, and replayed from files on any number of cores."""

from __future__ import annotations

import multiprocessing
import os
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

from gamelore.engine.choose import Engine, SlowEngineWarning, simulator
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.engine.verify.comparison import (
    Difference,
    ReplayReport,
    ReplayTotals,
    replay,
)
from gamelore.engine.verify.playout_record import (
    RecordedPlayout,
    Texts,
    Trace,
    read_trace,
    write_trace,
)
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Fact, Game, Move, to_kif

__all__ = [
    "Difference",
    "RecordedPlayout",
    "ReplayReport",
    "ReplayTotals",
    "Trace",
    "load_game",
    "read_trace",
    "record",
    "replay",
    "replay_file",
    "replay_files",
    "write_trace",
]

FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    GameloreError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What ends the replay of one game, but not that of the others."""


def load_game(trace: Trace, folder: Path) -> Game:
    """The game of a trace, from the folder of games or from the library."""
    sheet = folder / trace.kif
    return Game.from_file(sheet) if sheet.suffix == ".kif" else load(trace.kif)


def record(
    simulator: Simulator, playouts: int, seed: int = 0, move_limit: int = 10_000
) -> Trace:
    """Random playouts of a game; the same from every engine."""
    game = simulator.game
    recorded = tuple(
        _record_playout(simulator, Random(f"{seed} {i}"), move_limit)
        for i in range(playouts)
    )
    return Trace(game.name, game.source or game.name, simulator.roles, recorded)


def _record_playout(
    simulator: Simulator, random: Random, move_limit: int
) -> RecordedPlayout:
    positions = [Position(simulator)]
    legal: list[tuple[Texts, ...]] = []
    moves: list[Texts] = []
    while not positions[-1].is_terminal and len(moves) < move_limit:
        here = positions[-1]
        choices = [here.legal_moves(role) for role in here.roles]
        if not all(choices):
            break
        joint = [random.choice(options) for options in choices]
        legal.append(tuple(_texts(options) for options in choices))
        moves.append(_texts(joint))
        positions.append(here.advance(joint))
    return RecordedPlayout(
        states=tuple(_texts(position.facts) for position in positions),
        legal=tuple(legal),
        moves=tuple(moves),
        terminal=tuple(position.is_terminal for position in positions),
        goals=tuple(tuple(position.goals.values()) for position in positions),
        complete=positions[-1].is_terminal,
    )


def _texts(terms: list[Move] | tuple[Fact, ...]) -> Texts:
    return tuple(map(to_kif, terms))


def replay_files(
    paths: Iterable[str | Path],
    games: str | Path | None = None,
    engine: Engine = "auto",
    jobs: int | None = 1,
) -> Iterator[ReplayReport]:
    """Replay every trace, and report on each as it is finished.

    Rule sheets are looked for in the folder `games`; by default in the parent of each
    trace's folder. A game that fails is reported as a difference. With several jobs (or
    None: one for each core) traces are replayed in new processes, which import the main
    module: scripts need the usual `if __name__ == "__main__"`.
    """
    folder = None if games is None else Path(games)
    replay_one = partial(replay_file, games=folder, engine=engine)
    files = [Path(path) for path in paths]
    jobs = min(jobs or os.cpu_count() or 1, len(files))
    if jobs <= 1:
        yield from map(replay_one, files)
    else:
        yield from _replay_in_processes(replay_one, deque(files), jobs)


def replay_file(
    path: Path, games: Path | None = None, engine: Engine = "auto"
) -> ReplayReport:
    """Replay one trace file; what fails is a difference."""
    started = time.perf_counter()
    name = _name(path)
    try:
        trace = read_trace(path)
        name = trace.game
        game = load_game(trace, games or path.resolve().parent.parent)
        with warnings.catch_warnings():
            # the report tells the engine
            warnings.simplefilter("ignore", SlowEngineWarning)
            chosen = simulator(game, engine)
        setup = time.perf_counter() - started
        return replace(replay(trace, chosen), setup_seconds=setup)
    except FAILURES as error:
        message = str(error) or type(error).__name__
        return _failed(name, message, time.perf_counter() - started)


def _name(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".jsonl")


def _failed(game: str, message: str, seconds: float = 0.0) -> ReplayReport:
    difference = Difference(game, "failure", "a replay", message)
    return ReplayReport(game, "", 0, 0, (difference,), setup_seconds=seconds)


def _replay_in_processes(
    replay_one: Callable[[Path], ReplayReport], files: deque[Path], jobs: int
) -> Iterator[ReplayReport]:
    """Replay in a pool; if one of its processes dies, in new ones."""
    while files:
        suspects: list[Path] = []
        yield from _replay_in_pool(replay_one, files, jobs, suspects)
        # a dying process takes the pool with it: only alone can a trace be blamed
        for path in suspects:
            again: list[Path] = []
            yield from _replay_in_pool(replay_one, deque([path]), 1, again)
            if again:
                yield _failed(_name(path), "the process that replayed it was ended")


def _replay_in_pool(
    replay_one: Callable[[Path], ReplayReport],
    files: deque[Path],
    jobs: int,
    suspects: list[Path],
) -> Iterator[ReplayReport]:
    """Replay until the files are used up, or the pool breaks under the suspects."""
    running: dict[Future[ReplayReport], Path] = {}
    # a forked copy of a process with threads may hang: start afresh
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        while (files and not suspects) or running:
            while files and not suspects and len(running) < jobs:
                path = files.popleft()
                try:
                    running[pool.submit(replay_one, path)] = path
                except BrokenProcessPool:
                    suspects.append(path)
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                path = running.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    suspects.append(path)
