"""Processes that end with the one that began them, however it ends."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from threading import Thread


class SpawnedPool(ProcessPoolExecutor):
    """Processes that are started afresh: a fork of a process with threads may hang.

    Those of a plain pool wait for ever where the process that made it is killed. Here
    each reads from a pipe whose other end closes then. They import the main module:
    scripts need the usual `if __name__ == "__main__"`.
    """

    def __init__(self, workers: int, begin: Callable[[], object] | None = None) -> None:
        """`begin`: what each process does first."""
        context = multiprocessing.get_context("spawn")
        self._watched, self._lifeline = context.Pipe(duplex=False)
        super().__init__(workers, context, _begin, (self._watched, begin))

    def give_up(self) -> None:
        """End all processes, whatever they do."""
        self._lifeline.close()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes, after what they do."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        if wait:
            self._lifeline.close()
            self._watched.close()


def _begin(watched: Connection, begin: Callable[[], object] | None) -> None:
    def watch() -> None:
        watched.poll(None)
        os._exit(1)

    Thread(target=watch, daemon=True).start()
    if begin is not None:
        begin()
