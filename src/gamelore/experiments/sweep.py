"""Many independent tasks on several cores, or on a cluster.

Tasks run in processes of their own: short matches are played so fast that what is left
of Python between them would keep threads waiting for one another.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

import numpy as np

from gamelore.cluster import Executor, LocalProcesses, SerialExecutor
from gamelore.engine import simulator
from gamelore.games import load
from gamelore.graph import StateGraph

Task = TypeVar("Task")
Result = TypeVar("Result")
CaseT = TypeVar("CaseT", bound=Hashable)


@dataclass(frozen=True)
class Repetition(Generic[CaseT]):
    """One of several repetitions of a case."""

    case: CaseT
    number: int


@dataclass(frozen=True)
class Sweep:
    """How tasks are run, and who hears of their progress."""

    jobs: int = 1
    """Processes at once; results do not depend on it."""
    advance: Callable[[int], None] = lambda matches: None
    """Takes how many more matches are done."""
    executor: Executor | None = None
    """What runs the tasks instead of processes of this machine."""

    def run(
        self,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        matches: Callable[[Task], int],
    ) -> list[Result]:
        """Return the results of tasks, in their order; `matches` counts those of one.

        Work, tasks and results pass between processes: `work` is a function of a
        module, or a `functools.partial` of one.
        """
        report = self.advance
        return run_tasks(
            work,
            tasks,
            self.jobs,
            lambda task: report(matches(task)),
            self.executor,
        )

    def repeat(
        self,
        work: Callable[[Repetition[CaseT]], Result],
        cases: Sequence[CaseT],
        runs: int,
        matches: Callable[[CaseT], int],
    ) -> dict[CaseT, list[Result]]:
        """Return the results of so many runs of every case."""
        tasks = [Repetition(case, number) for case in cases for number in range(runs)]
        found = self.run(work, tasks, lambda task: matches(task.case))
        return {c: found[i * runs : (i + 1) * runs] for i, c in enumerate(cases)}


def run_tasks(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    jobs: int = 1,
    report: Callable[[Task], None] = lambda task: None,
    executor: Executor | None = None,
) -> list[Result]:
    """Return the results of tasks, in their order; call `report` as each is done.

    `executor`: takes the place of processes of this machine. The first error, or an
    interrupt, ends all work; a process that dies ends nothing.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, got {jobs}")
    if executor is not None:
        return executor.map(work, tasks, report)
    few = min(jobs, len(tasks))
    with SerialExecutor() if few <= 1 else LocalProcesses(few) as own:
        return own.map(work, tasks, report)


@cache
def load_graph(game: str) -> StateGraph:
    """Return the state graph of a library game, one for each process."""
    return StateGraph(simulator(load(game)))


def seed_for(seed: int, *what: int | str) -> int:
    """Return a seed for one of many tasks: it depends on nothing but the arguments."""
    words = [zlib.crc32(str(part).encode()) for part in what]
    sequence = np.random.SeedSequence([seed, *words])
    return int(sequence.generate_state(1, np.uint64)[0])
