"""Long benchmarks in small tasks: results are kept as they come, and none is redone.

A journal is a file of JSON lines, each a task with its result. A run that was ended
goes on where it stopped, since tasks whose results are in the file are not done again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any, TypeAlias

from gamelore.cluster.pool import SpawnedPool

Record: TypeAlias = dict[str, Any]
"""A task, or a result: plain JSON values by name."""


class Journal:
    """Results by task, in a file if there is one."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._results: dict[str, Record] = {}
        if path is not None and path.exists():
            self._read(path)

    def find(self, task: Record) -> Record | None:
        """Return the result of a task, if there is one."""
        return self._results.get(_key(task))

    def add(self, task: Record, result: Record) -> None:
        """Keep the result of a task."""
        self._results[_key(task)] = result
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"task": task, "result": result}) + "\n")

    def _read(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        whole, newline, torn = text.rpartition("\n")
        if torn:  # the line that was being written when the run was ended
            path.write_text(whole + newline, encoding="utf-8")
        for line in whole.splitlines():
            entry = json.loads(line)
            self._results[_key(entry["task"])] = entry["result"]


def work_through(
    tasks: Iterable[Record],
    work: Callable[[Record], Record],
    journal: Journal,
    *,
    jobs: int = 1,
) -> Iterator[tuple[Record, Record]]:
    """Yield every task with its result: first what is known, then as they are done.

    `work`: a function of a module, where there is more than one job: each is a process.
    """
    waiting = []
    for task in tasks:
        known = journal.find(task)
        if known is None:
            waiting.append(task)
        else:
            yield task, known
    for task, result in _work(waiting, work, jobs):
        journal.add(task, result)
        yield task, result


def _work(
    tasks: list[Record], work: Callable[[Record], Record], jobs: int
) -> Iterator[tuple[Record, Record]]:
    if jobs == 1 or len(tasks) < 2:
        for task in tasks:
            yield task, work(task)
        return
    pool = SpawnedPool(jobs)
    try:
        futures = {pool.submit(work, task): task for task in tasks}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _key(task: Record) -> str:
    return json.dumps(task, sort_keys=True)
