"""Many independent tasks on several cores.

Tasks run in threads: kernels let go of the interpreter's lock while they play. Nothing
that grows is shared; each thread has its own atlases.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np

from gamelore.atlas import Atlas
from gamelore.games import load
from gamelore.simulate import simulator

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_tasks(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    jobs: int = 1,
    report: Callable[[Task], None] = lambda task: None,
) -> list[Result]:
    """The results of tasks, in their order; `report` hears of each as it is done.

    The first error, or an interrupt, ends the work: tasks that run are let finish, the
    others never start.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, got {jobs}")
    pool = ThreadPoolExecutor(max_workers=jobs)
    try:
        futures = {pool.submit(work, task): task for task in tasks}
        waiting = set(futures)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
                report(futures[future])
        return [future.result() for future in futures]
    finally:
        pool.shutdown(cancel_futures=True)


class Atlases(threading.local):
    """The atlases of games by name, in each thread its own."""

    def __init__(self) -> None:
        self._known: dict[str, Atlas] = {}

    def of(self, game: str) -> Atlas:
        """The atlas of a game, made when first asked for."""
        if game not in self._known:
            self._known[game] = Atlas(simulator(load(game)))
        return self._known[game]


def seed_for(seed: int, *what: int | str) -> int:
    """A seed for one of many tasks: the same for the same task, whatever else runs."""
    words = [zlib.crc32(str(part).encode()) for part in what]
    sequence = np.random.SeedSequence([seed, *words])
    return int(sequence.generate_state(1, np.uint64)[0])
