"""Replaying many trace files, on as many cores as wanted."""

from __future__ import annotations

import multiprocessing
import time
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from pathlib import Path

from gamelore.errors import GameloreError
from gamelore.simulate.choose import Engine, SlowEngineWarning, simulator
from gamelore.simulate.replay import Difference, ReplayReport, replay
from gamelore.simulate.traces import Trace, load_game, read_trace

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


def replay_files(
    paths: Iterable[str | Path],
    games: str | Path | None = None,
    engine: Engine = "auto",
    jobs: int = 1,
) -> Iterator[ReplayReport]:
    """Replay every trace, and report on each as it is finished.

    Rule sheets are looked for in the folder `games`; by default in the parent of each
    trace's folder. A game that fails is reported as a difference. With more than one
    job, traces are replayed in processes of their own.
    """
    folder = None if games is None else Path(games)
    replay_one = partial(replay_file, games=folder, engine=engine)
    waiting = [Path(path) for path in paths]
    if jobs == 1:
        yield from map(replay_one, waiting)
        return
    while waiting:
        suspects: list[Path] = []
        yield from _replay_in_pool(replay_one, waiting, suspects, jobs)
        # a process that ended without a word took others' work with it: find out whose
        for path in suspects:
            yield from _replay_in_pool(replay_one, [path], [], 1)


def replay_file(
    path: Path, games: Path | None = None, engine: Engine = "auto"
) -> ReplayReport:
    """Replay one trace file; whatever fails is a difference."""
    started = time.perf_counter()
    try:
        trace = read_trace(path)
    except FAILURES as error:
        return _failure(Trace(path.name.split(".")[0], "", (), ()), error)
    try:
        game = load_game(trace, games or path.resolve().parent.parent)
        with warnings.catch_warnings():
            # the report says which engine it was
            warnings.simplefilter("ignore", SlowEngineWarning)
            chosen = simulator(game, engine)
        ready = time.perf_counter() - started
        return replace(replay(trace, chosen), setup_seconds=ready)
    except FAILURES as error:
        return _failure(trace, error)
