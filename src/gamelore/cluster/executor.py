"""The interface of executors: tasks go in, and each result comes out exactly once."""

from __future__ import annotations

import pickle
import traceback
from abc import ABC, abstractmethod
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar, cast

from gamelore.errors import ClusterError, GameloreError

RETRIES = 10
"""How often a task is run again, if the workers that run it die."""

Task = TypeVar("Task")
Result = TypeVar("Result")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class LostWorker(NamedTuple):
    """A worker has died, and its task is run again."""

    reason: str
    attempt: int
    """How many workers have died with the task."""


class Done(NamedTuple):
    """A task that is done."""

    number: int
    """What `start` has returned for it, or its place in the list given to `run`."""
    result: Any


class Shared(Protocol[T_co]):
    """A value that many tasks use; it is sent once, not with every task."""

    def get(self) -> T_co:
        """Return the value."""


_MOST_KEPT = 4
_KEPT: OrderedDict[str, Any] = (
    OrderedDict()
)  # shared values, in the process of a worker


def keep(key: str, load: Callable[[], T]) -> T:
    """Return a shared value; it is loaded once, while it is among the last few."""
    if key not in _KEPT:
        _KEPT[key] = load()
        while len(_KEPT) > _MOST_KEPT:
            _KEPT.popitem(last=False)
    _KEPT.move_to_end(key)
    return cast(T, _KEPT[key])


@dataclass(frozen=True)
class _Own(Generic[T]):
    """A value that stays in this process."""

    value: T

    def get(self) -> T:
        return self.value


class WorkerLostError(Exception):
    """A worker has died; raised inside executors only."""


@dataclass(frozen=True)
class Raised:
    """What work has raised, as it travels from a worker."""

    error: BaseException
    text: str
    """The traceback."""


class _Pending(NamedTuple):
    """A task that is not done."""

    number: int
    work: Callable[[Any], Any]
    task: Any
    attempts: int = 0


class Executor(ABC):
    """Runs tasks on several workers.

    Work is a function of a module, or a `functools.partial` of one; tasks and results
    are pickled. An error that work raises ends everything, and is raised here. A worker
    that dies ends nothing: its task is run again.
    """

    def __init__(
        self,
        retries: int = RETRIES,
        observe: Callable[[LostWorker], None] = lambda lost: None,
    ) -> None:
        """`observe`: is told of each worker that dies."""
        self._retries = retries
        self._observe = observe
        self._started = 0
        self._waiting: deque[_Pending] = deque()
        self._running: dict[Hashable, _Pending] = {}
        self.lost = 0
        """How many tasks had to be run again so far."""

    # ── what backends do ────────────────────────────────────────────────────────────

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many tasks run at once."""

    @abstractmethod
    def _submit(self, work: Callable[[Any], Any], task: Any) -> Hashable:
        """Start a task; return a handle of it."""

    @abstractmethod
    def _wait(self, handles: Sequence[Hashable]) -> Sequence[Hashable]:
        """Return the handles of tasks that are done, at least one."""

    @abstractmethod
    def _fetch(self, handle: Hashable) -> object:
        """Return a result, or `Raised`; `WorkerLostError` if the worker has died."""

    @abstractmethod
    def _cancel(self, handles: Sequence[Hashable]) -> None:
        """End tasks, whatever they are doing."""

    def share(self, value: T) -> Shared[T]:
        """Return a handle of a value, for tasks to carry in its place."""
        return _Own(value)

    def warm_up(self, work: Callable[[Task], object], task: Task) -> None:
        """Run a task once on every machine, before others need what it prepares."""
        self.map(work, [task])

    def close(self) -> None:
        """Cancel what is left, and let all workers go."""
        self.cancel()

    # ── tasks ───────────────────────────────────────────────────────────────────────

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self, work: Callable[[Task], object], task: Task) -> int:
        """Have a task run as soon as a worker is free; return its number."""
        number = self._started
        self._started += 1
        self._waiting.append(_Pending(number, work, task))
        self._fill()
        return number

    def wait(self) -> Done:
        """Return the next task that is done, in whatever order; raise what it raised.

        `ClusterError` if a task's workers died too often.
        """
        if not self._running and not self._waiting:
            raise ValueError("no task is under way")
        try:
            while True:
                self._fill()
                handle = self._wait([*self._running])[0]
                pending = self._running.pop(handle)
                try:
                    result = self._fetch(handle)
                except WorkerLostError as error:
                    self._retry(pending, str(error))
                    continue
                if isinstance(result, Raised):
                    result.error.add_note(result.text)
                    raise result.error
                self._fill()
                return Done(pending.number, result)
        except BaseException:
            self.cancel()
            raise

    def run(
        self, work: Callable[[Task], object], tasks: Iterable[Task]
    ) -> Iterator[Done]:
        """Yield the result of every task as it is done, with its place in the list.

        Tasks are taken from the list as workers become free. Leaving the loop ends all.
        """
        numbers: dict[int, int] = {}
        ahead = enumerate(tasks)
        try:
            while True:
                while len(numbers) < self.workers:
                    place, task = next(ahead, (None, None))
                    if place is None:
                        break
                    numbers[self.start(work, task)] = place  # type: ignore[arg-type]
                if not numbers:
                    return
                done = self.wait()
                yield Done(numbers.pop(done.number), done.result)
        finally:
            if numbers:
                self.cancel()

    def map(
        self,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        report: Callable[[Task], None] = lambda task: None,
    ) -> list[Result]:
        """Return the results in the order of the tasks; `report` hears of each."""
        results: dict[int, Result] = {}
        for place, result in self.run(work, tasks):
            results[place] = result
            report(tasks[place])
        return [results[place] for place in range(len(tasks))]

    def cancel(self) -> None:
        """End all tasks that are not done."""
        running, self._running = [*self._running], {}
        self._waiting.clear()
        if running:
            self._cancel(running)

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _fill(self) -> None:
        """Give workers that are free something to do."""
        while self._waiting and len(self._running) < self.workers:
            pending = self._waiting.popleft()
            self._running[self._submit(pending.work, pending.task)] = pending

    def _retry(self, pending: _Pending, reason: str) -> None:
        """Have a task run again, before all others."""
        attempts = pending.attempts + 1
        if attempts > self._retries:
            raise ClusterError(
                f"{attempts} workers died with the same task, the last time since"
                f" {reason}; if memory ran out, use fewer workers (--workers)"
            )
        self.lost += 1
        self._observe(LostWorker(reason, attempts))
        self._waiting.appendleft(pending._replace(attempts=attempts))


class SerialExecutor(Executor):
    """Runs tasks in this process, one after the other: the twin that others equal."""

    @property
    def workers(self) -> int:
        return 1

    def _submit(self, work: Callable[[Any], Any], task: Any) -> Hashable:
        return _Unrun(work, task)

    def _wait(self, handles: Sequence[Hashable]) -> Sequence[Hashable]:
        return handles

    def _fetch(self, handle: Hashable) -> object:
        assert isinstance(handle, _Unrun)
        return handle.work(handle.task)

    def _cancel(self, handles: Sequence[Hashable]) -> None:
        pass


@dataclass(frozen=True, eq=False)
class _Unrun:
    """A task that runs when it is waited for."""

    work: Callable[[Any], Any]
    task: Any


def call(work: Callable[[Any], Any], task: Any) -> object:
    """Return the result of a task, or `Raised`; the body of every worker."""
    try:
        return work(task)
    except Exception as error:
        return Raised(_portable(error), "".join(traceback.format_exception(error)))


def _portable(error: Exception) -> Exception:
    """Return an error that can travel: itself, or one with the same text."""
    try:
        found = pickle.loads(pickle.dumps(error))
    except Exception:  # whatever foreign errors do when they are copied
        found = None
    if type(found) is type(error) and str(found) == str(error):
        return error
    return GameloreError(f"{type(error).__name__}: {error}")
