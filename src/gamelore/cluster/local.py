"""Tasks in processes of this machine, without Ray."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast
from uuid import uuid4

from gamelore.cluster.executor import (
    RETRIES,
    Executor,
    LostWorker,
    Shared,
    WorkerLostError,
    call,
    keep,
)
from gamelore.cluster.pool import SpawnedPool

T = TypeVar("T")


class LocalProcesses(Executor):
    """Runs tasks in processes of its own, which are started when they are needed.

    One that dies takes the others along: all are started anew.
    """

    def __init__(
        self,
        workers: int,
        retries: int = RETRIES,
        observe: Callable[[LostWorker], None] = lambda lost: None,
    ) -> None:
        super().__init__(retries, observe)
        self._workers = workers
        self._pool: SpawnedPool | None = None
        self._pools: dict[Future[Any], SpawnedPool | None] = {}
        self._others = set[int | None]()

    @property
    def workers(self) -> int:
        return self._workers

    def share(self, value: T) -> Shared[T]:
        """Pickle a value once; it goes along with every task, and is read once."""
        return _Pickled(uuid4().hex, pickle.dumps(value))

    def close(self) -> None:
        """End all processes."""
        self.cancel()
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _submit(self, work: Callable[[Any], Any], task: Any) -> Hashable:
        try:
            future = self._open_pool().submit(call, work, task)
        except BrokenProcessPool:  # one has died since the last task began
            self._pool = None
            future = self._open_pool().submit(call, work, task)
        self._pools[future] = self._pool
        return future

    def _wait(self, handles: Sequence[Hashable]) -> Sequence[Hashable]:
        futures = cast(Sequence[Future[Any]], handles)
        return [*wait(futures, return_when=FIRST_COMPLETED).done]

    def _fetch(self, handle: Hashable) -> object:
        future = cast(Future[Any], handle)
        pool = self._pools.pop(future)
        try:
            return future.result()
        except BrokenProcessPool as error:
            if pool is self._pool:  # and not one that was opened since
                self._pool = None
            raise WorkerLostError("a process of this machine ended") from error

    def _cancel(self, handles: Sequence[Hashable]) -> None:
        """End the processes: what they do cannot be ended otherwise."""
        self._pools.clear()
        for child in multiprocessing.active_children():
            if child.pid not in self._others:
                child.terminate()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _open_pool(self) -> SpawnedPool:
        if self._pool is None:
            self._others = {each.pid for each in multiprocessing.active_children()}
            self._pool = SpawnedPool(self._workers, _ignore_interrupts)
        return self._pool


@dataclass(frozen=True)
class _Pickled(Generic[T]):
    """A value as bytes, under a name of its own."""

    key: str
    content: bytes

    def get(self) -> T:
        """Return the value."""
        return keep(self.key, lambda: cast(T, pickle.loads(self.content)))


def _ignore_interrupts() -> None:
    """Leave an interrupt to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
