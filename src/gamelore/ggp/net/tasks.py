"""Dialogues with peers: whoever leads one says whom to call, and hears what came of it.

A dialogue is a generator that yields calls and gets their outcomes. Any number of them
go on side by side in one thread, each as fast as its own peers.

>>> from gamelore.ggp.net.client import Address, Call
>>> def ask(port: int) -> Dialogue[str]:
...     address = Address.of("127.0.0.1", port)
...     [outcome] = yield [Call(address, b"GET /INFO HTTP/1.0\\n\\n", 1.0)]
...     return type(outcome).__name__
>>> [*hold_side_by_side(map(ask, [1, 1]), at_once=2)]  # nobody listens there
['Mishap', 'Mishap']
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeAlias, TypeVar

from gamelore.ggp.net.client import Call, Line, Outcome, go_on

T = TypeVar("T")

Dialogue: TypeAlias = Generator[Sequence[Call], Sequence[Outcome], T]


def make_calls(calls: Sequence[Call]) -> Sequence[Outcome]:
    """Make all calls at once; what came of each, in order."""

    def once() -> Dialogue[Sequence[Outcome]]:
        return (yield calls)

    return hold(once())


def hold(dialogue: Dialogue[T]) -> T:
    """Hold one dialogue; what it returns."""
    (result,) = hold_side_by_side([dialogue])
    return result


def hold_side_by_side(
    dialogues: Iterable[Dialogue[T]], at_once: int = 1
) -> Generator[T, None, None]:
    """Hold dialogues, so many at once; what they return, in the order they end.

    An error in one of them, or an interrupt, is thrown into all others, which may still
    take leave of their peers; what had ended before comes first, then it is raised.
    """
    ahead = iter(dialogues)
    talks: list[_Talk[T]] = []
    try:
        while True:
            for dialogue in islice(ahead, at_once - len(talks)):
                talks.append(_Talk(dialogue))
                talks[-1].begin()
            if not talks:
                return
            if not any(talk.is_over for talk in talks):
                _go_on(talks)
            yield from _results(talks)
            for talk in talks:
                if talk.error is not None:
                    raise talk.error
    except BaseException as error:
        _give_up([talk for talk in talks if not talk.is_over], error)
        if not isinstance(error, GeneratorExit):  # then nobody listens any more
            yield from _results(talks)
        raise


def _results(talks: list[_Talk[T]]) -> Iterator[T]:
    """What dialogues returned; they are taken off the list."""
    for talk in [talk for talk in talks if talk.is_over and talk.error is None]:
        talks.remove(talk)
        yield talk.result


def _go_on(talks: Sequence[_Talk[T]]) -> None:
    """Wait for what is called, and go on with every dialogue that has its answers."""
    go_on([line for talk in talks for line in talk.lines])
    for talk in talks:
        if talk.is_answered:
            talk.go_on()


def _give_up(talks: Sequence[_Talk[T]], error: BaseException) -> None:
    """Throw an error into dialogues, and let them come to their ends."""
    for talk in talks:
        talk.break_off(error)
    while talks := [talk for talk in talks if not talk.is_over]:
        _go_on(talks)


class _Talk(Generic[T]):
    """A dialogue, and the calls that it waits for."""

    result: T
    """What it returned, once it has."""

    def __init__(self, dialogue: Dialogue[T]) -> None:
        self.lines: list[Line] = []
        self.is_over = False
        self.error: BaseException | None = None
        """What it ended with, if it did not return."""
        self._dialogue = dialogue

    @property
    def is_answered(self) -> bool:
        """Whether there is an outcome of every call."""
        return all(line.outcome is not None for line in self.lines)

    def begin(self) -> None:
        """Make the first calls."""
        self._make_calls(lambda: next(self._dialogue))

    def go_on(self) -> None:
        """Tell what came of the calls, and make the next ones."""
        outcomes = [line.outcome for line in self.lines if line.outcome is not None]
        self._make_calls(lambda: self._dialogue.send(outcomes))

    def break_off(self, error: BaseException) -> None:
        """Wait no longer, and make the calls with which the dialogue takes leave."""
        self._make_calls(lambda: self._dialogue.throw(error))

    def _make_calls(self, following: Callable[[], Sequence[Call]]) -> None:
        lines, self.lines = self.lines, []
        for line in lines:
            line.hang_up()
        try:
            calls = following()
        except StopIteration as stop:
            self.is_over, self.result = True, stop.value
        except BaseException as error:  # raised where somebody waits for the result
            self.is_over, self.error = True, error
        else:
            for call in calls:
                self.lines.append(Line(call))
