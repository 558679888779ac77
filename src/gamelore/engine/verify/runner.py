"""Playout records: made here, and verified from files on any number of cores."""

from __future__ import annotations

import os
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

from gamelore.cluster.pool import SpawnedPool
from gamelore.engine.choose import Engine, SlowEngineWarning, simulator
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.engine.verify.comparison import (
    Difference,
    VerifyReport,
    VerifyTotals,
    verify,
)
from gamelore.engine.verify.playout_record import (
    PlayoutRecord,
    RecordedPlayout,
    Texts,
    read_playout_record,
    write_playout_record,
)
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Fact, Game, Move, to_kif

__all__ = [
    "Difference",
    "PlayoutRecord",
    "RecordedPlayout",
    "VerifyReport",
    "VerifyTotals",
    "load_game",
    "read_playout_record",
    "record_playouts",
    "verify",
    "verify_file",
    "verify_files",
    "write_playout_record",
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
"""What ends the verification of one game, but not that of the others."""


def load_game(record: PlayoutRecord, folder: Path) -> Game:
    """Return the game of a record, from the folder of games or from the library."""
    sheet = folder / record.kif
    return Game.from_file(sheet) if sheet.suffix == ".kif" else load(record.kif)


def record_playouts(
    simulator: Simulator, playouts: int, seed: int = 0, move_limit: int = 10_000
) -> PlayoutRecord:
    """Return random playouts of a game; the same from every engine."""
    game = simulator.game
    recorded = tuple(
        _record_playout(simulator, Random(f"{seed} {i}"), move_limit)
        for i in range(playouts)
    )
    return PlayoutRecord(game.name, game.source or game.name, simulator.roles, recorded)


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


def verify_files(
    paths: Iterable[str | Path],
    games: str | Path | None = None,
    engine: Engine = "auto",
    jobs: int | None = 1,
) -> Iterator[VerifyReport]:
    """Verify every playout record, and report on each as it is finished.

    Rule sheets are looked for in the folder `games`; by default in the parent of each
    record's folder. A game that fails is reported as a difference. With several jobs
    (or None: one for each core) new processes verify the records, which import the main
    module: scripts need the usual `if __name__ == "__main__"`.
    """
    folder = None if games is None else Path(games)
    verify_one = partial(verify_file, games=folder, engine=engine)
    files = [Path(path) for path in paths]
    jobs = min(jobs or os.cpu_count() or 1, len(files))
    if jobs <= 1:
        yield from map(verify_one, files)
    else:
        yield from _replay_in_processes(verify_one, deque(files), jobs)


def verify_file(
    path: Path, games: Path | None = None, engine: Engine = "auto"
) -> VerifyReport:
    """Verify one record file; what fails is a difference."""
    started = time.perf_counter()
    name = _name(path)
    try:
        record = read_playout_record(path)
        name = record.game
        game = load_game(record, games or path.resolve().parent.parent)
        with warnings.catch_warnings():
            # the report tells the engine
            warnings.simplefilter("ignore", SlowEngineWarning)
            chosen = simulator(game, engine)
        setup = time.perf_counter() - started
        return replace(verify(record, chosen), setup_seconds=setup)
    except FAILURES as error:
        message = str(error) or type(error).__name__
        return _failed(name, message, time.perf_counter() - started)


def _name(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".jsonl")


def _failed(game: str, message: str, seconds: float = 0.0) -> VerifyReport:
    difference = Difference(game, "failure", "a verification", message)
    return VerifyReport(game, "", 0, 0, (difference,), setup_seconds=seconds)


def _replay_in_processes(
    verify_one: Callable[[Path], VerifyReport], files: deque[Path], jobs: int
) -> Iterator[VerifyReport]:
    """Verify in a pool; if one of its processes dies, in new ones."""
    while files:
        suspects: list[Path] = []
        yield from _replay_in_pool(verify_one, files, jobs, suspects)
        # a dying process takes the pool with it: only alone can a record be blamed
        for path in suspects:
            again: list[Path] = []
            yield from _replay_in_pool(verify_one, deque([path]), 1, again)
            if again:
                yield _failed(_name(path), "the process that verified it was ended")


def _replay_in_pool(
    verify_one: Callable[[Path], VerifyReport],
    files: deque[Path],
    jobs: int,
    suspects: list[Path],
) -> Iterator[VerifyReport]:
    """Verify until the files are used up, or the pool breaks under the suspects."""
    running: dict[Future[VerifyReport], Path] = {}
    with SpawnedPool(jobs) as pool:
        try:
            while (files and not suspects) or running:
                while files and not suspects and len(running) < jobs:
                    path = files.popleft()
                    try:
                        running[pool.submit(verify_one, path)] = path
                    except BrokenProcessPool:
                        suspects.append(path)
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    path = running.pop(future)
                    try:
                        yield future.result()
                    except BrokenProcessPool:
                        suspects.append(path)
        finally:
            if running:  # an interrupt, or nobody wants the rest
                pool.give_up()
