"""Coroutines that make calls to peers, run concurrently in one thread.

A coroutine is a generator that yields calls and is sent their outcomes. Any number of
them run at once, each as fast as its own peers.

>>> from gamelore.ggp.net.client import Address, Call
>>> def ask(port: int) -> CallCoroutine[str]:
...     address = Address.of("127.0.0.1", port)
...     [outcome] = yield [Call(address, b"GET /INFO HTTP/1.0\\n\\n", 1.0)]
...     return type(outcome).__name__
>>> [*run_concurrently(map(ask, [1, 1]), at_once=2)]  # nobody listens there
['Mishap', 'Mishap']
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeAlias, TypeVar

from gamelore.ggp.net.client import Call, Outcome, PendingCall, go_on

T = TypeVar("T")

CallCoroutine: TypeAlias = Generator[Sequence[Call], Sequence[Outcome], T]


def make_calls(calls: Sequence[Call]) -> Sequence[Outcome]:
    """Make all calls at once, and return the outcome of each, in order."""

    def once() -> CallCoroutine[Sequence[Outcome]]:
        return (yield calls)

    return run_coroutine(once())


def run_coroutine(coroutine: CallCoroutine[T]) -> T:
    """Run one coroutine, and return what it returns."""
    (result,) = run_concurrently([coroutine])
    return result


def run_concurrently(
    coroutines: Iterable[CallCoroutine[T]], at_once: int = 1
) -> Generator[T, None, None]:
    """Run coroutines, so many at once; yield what they return as they end.

    An error in one of them, or an interrupt, is thrown into all others, which may still
    tell their peers; the results of those that had ended come first, then it is raised.
    """
    ahead = iter(coroutines)
    tasks: list[_Task[T]] = []
    try:
        while True:
            for coroutine in islice(ahead, at_once - len(tasks)):
                tasks.append(_Task(coroutine))
                tasks[-1].begin()
            if not tasks:
                return
            if not any(task.is_over for task in tasks):
                _go_on(tasks)
            yield from _results(tasks)
            for task in tasks:
                if task.error is not None:
                    raise task.error
    except BaseException as error:
        _give_up([task for task in tasks if not task.is_over], error)
        if not isinstance(error, GeneratorExit):  # then nobody listens any more
            yield from _results(tasks)
        raise


def _results(tasks: list[_Task[T]]) -> Iterator[T]:
    """Yield the results of tasks that are over, and remove them from the list."""
    for task in [task for task in tasks if task.is_over and task.error is None]:
        tasks.remove(task)
        yield task.result


def _go_on(tasks: Sequence[_Task[T]]) -> None:
    """Wait for outcomes, and resume every task that has all of its own."""
    go_on([call for task in tasks for call in task.pending])
    for task in tasks:
        if task.is_answered:
            task.go_on()


def _give_up(tasks: Sequence[_Task[T]], error: BaseException) -> None:
    """Throw an error into tasks, and let them come to their ends."""
    for task in tasks:
        task.break_off(error)
    while tasks := [task for task in tasks if not task.is_over]:
        _go_on(tasks)


class _Task(Generic[T]):
    """A coroutine, and the calls that it waits for."""

    result: T
    """What it returned, once it has."""

    def __init__(self, coroutine: CallCoroutine[T]) -> None:
        self.pending: list[PendingCall] = []
        self.is_over = False
        self.error: BaseException | None = None
        """What it ended with, if it did not return."""
        self._coroutine = coroutine

    @property
    def is_answered(self) -> bool:
        """Whether there is an outcome of every call."""
        return all(call.outcome is not None for call in self.pending)

    def begin(self) -> None:
        """Make the first calls."""
        self._make_calls(lambda: next(self._coroutine))

    def go_on(self) -> None:
        """Send the outcomes of the calls to the coroutine, and make the next calls."""
        outcomes = [call.outcome for call in self.pending if call.outcome is not None]
        self._make_calls(lambda: self._coroutine.send(outcomes))

    def break_off(self, error: BaseException) -> None:
        """Throw an error into the coroutine, and make the calls that it still wants."""
        self._make_calls(lambda: self._coroutine.throw(error))

    def _make_calls(self, following: Callable[[], Sequence[Call]]) -> None:
        pending, self.pending = self.pending, []
        for done in pending:
            done.hang_up()
        try:
            calls = following()
        except StopIteration as stop:
            self.is_over, self.result = True, stop.value
        except BaseException as error:  # raised where somebody waits for the result
            self.is_over, self.error = True, error
        else:
            for call in calls:
                self.pending.append(PendingCall(call))
