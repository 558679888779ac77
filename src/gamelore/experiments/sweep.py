"""Many independent tasks on several cores.

Tasks run in processes of their own: short matches are played so fast that what is left
of Python between them would keep threads waiting for one another.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from functools import cache
from typing import TypeVar

import numpy as np

from gamelore.engine import simulator
from gamelore.games import load
from gamelore.graph import StateGraph

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_tasks(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    jobs: int = 1,
    report: Callable[[Task], None] = lambda task: None,
) -> list[Result]:
    """The results of tasks, in their order; `report` hears of each as it is done.

    Work, tasks and results pass between processes: `work` is a function of a module, or
    a `functools.partial` of one. The first error, or an interrupt, ends all work.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, got {jobs}")
    if min(jobs, len(tasks)) <= 1:
        return [_run_one(work, task, report) for task in tasks]
    others = multiprocessing.active_children()
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), context, _ignore_interrupts)
    try:
        futures = {pool.submit(work, task): task for task in tasks}
        waiting = set(futures)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
                report(futures[future])
        return [future.result() for future in futures]
    except BaseException:
        for child in multiprocessing.active_children():
            if child not in others:
                child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def graph_of(game: str) -> StateGraph:
    """The state graph of a library game, made when a process first asks for it."""
    return StateGraph(simulator(load(game)))


def seed_for(seed: int, *what: int | str) -> int:
    """A seed for one of many tasks: the same for the same task, whatever else runs."""
    words = [zlib.crc32(str(part).encode()) for part in what]
    sequence = np.random.SeedSequence([seed, *words])
    return int(sequence.generate_state(1, np.uint64)[0])


def _run_one(
    work: Callable[[Task], Result], task: Task, report: Callable[[Task], None]
) -> Result:
    result = work(task)
    report(task)
    return result


def _ignore_interrupts() -> None:
    """Leave an interrupt to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
