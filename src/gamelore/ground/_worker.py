"""The process that runs clingo, apart from us so that it can be ended at any moment.

Reads one pickled request from standard input; writes pickled messages to standard
output: `("progress", relation, rules)` now and then, and at the end `("done", …)` or
`("error", text)`. Ends when standard input is closed: nobody waits for an answer then.

It runs as a script and imports nothing of gamelore, which would take it three times as
long as clingo; so requests and results travel as plain tuples.
"""

from __future__ import annotations

import os
import pickle
import resource
import sys
import threading
import time
from array import array
from collections import Counter
from collections.abc import Sequence
from math import ceil
from typing import Any, NamedTuple

import clingo

COMMAND = [sys.executable, "-P", __file__]
"""What starts the process."""

_REPORT_EVERY = 1.0  # seconds


class GroundRequest(NamedTuple):
    """What to ground, and within which limits."""

    program: str
    memory_bytes: int
    rules: int
    shown: frozenset[str]
    """Codes of the relations whose atoms are wanted by name."""
    counted: frozenset[str] = frozenset()
    """Codes of the relations whose atoms are counted."""
    seconds: float | None = None
    """Of processor time, after which the process ends by SIGXCPU."""


class GroundRules(NamedTuple):
    """Ground rules in flat arrays; atoms are numbered from 1, negative is `not`."""

    heads: array[int]
    """Head atom of each rule."""
    ends: array[int]
    """Where each rule's body ends in `bodies`."""
    bodies: array[int]
    choices: array[int]
    """Atoms that are free to be true or false."""
    names: list[tuple[str, int]]
    """Atoms of the shown relations: ASP text and number, 0 for a fact."""
    counts: dict[str, int]
    """Per counted relation, how many atoms it has."""


class _Collector(clingo.Observer):
    """Gathers the ground rules as clingo makes them."""

    def __init__(self, control: clingo.Control, most_rules: int) -> None:
        self._control = control
        self._most_rules = most_rules
        self._made = 0
        self._next_report = time.monotonic() + _REPORT_EVERY
        self.heads = array("i")
        self.ends = array("i")
        self.bodies = array("i")
        self.choices = array("i")

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        if choice:
            self.choices.extend(head)
            return
        if not head:
            return
        if body:  # facts are gone from every body; which they are, names tell
            self.heads.append(head[0])
            self.bodies.extend(body)
            self.ends.append(len(self.bodies))
        self._made += 1
        if self._made % 4096 == 0:
            if time.monotonic() > self._next_report:
                self._report()
            if self._made > self._most_rules:
                self._report()
                _send(("rules",))
                os._exit(1)  # clingo does not stop for an exception

    def _report(self) -> None:
        """Say which relation has the most atoms; rarer and rarer, since it costs."""
        started = time.monotonic()
        counts = Counter(a.symbol.name for a in self._control.symbolic_atoms)
        relation = counts.most_common(1)[0][0] if counts else ""
        _send(("progress", relation, self._made))
        now = time.monotonic()
        self._next_report = now + _REPORT_EVERY + 20 * (now - started)


def _send(message: tuple[Any, ...]) -> None:
    pickle.dump(message, sys.stdout.buffer, protocol=5)
    sys.stdout.buffer.flush()


def _ground(request: GroundRequest) -> GroundRules:
    control = clingo.Control(
        ["--warn=none", "--eq=0", "--sat-prepro=no"], logger=lambda *_: None
    )
    collector = _Collector(control, request.rules)
    control.register_observer(collector)
    control.add("base", [], request.program)
    control.ground([("base", [])])
    names = []
    counts = dict.fromkeys(request.counted, 0)
    for atom in control.symbolic_atoms:
        relation = atom.symbol.name
        if relation in request.shown:
            names.append((str(atom.symbol), 0 if atom.is_fact else atom.literal))
        elif relation in counts:
            counts[relation] += 1
    return GroundRules(
        collector.heads,
        collector.ends,
        collector.bodies,
        collector.choices,
        names,
        counts,
    )


def _end_with_parent() -> None:
    """Wait until standard input is closed, as it is when our parent ends; then end."""
    while os.read(0, 4096):  # nothing is sent after the request
        pass
    os._exit(1)


def main() -> None:
    """Answer one request."""
    request = GroundRequest(*pickle.load(sys.stdin.buffer))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    resource.setrlimit(resource.RLIMIT_AS, (request.memory_bytes, request.memory_bytes))
    if request.seconds is not None:
        seconds = ceil(request.seconds)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    try:
        _send(("done", tuple(_ground(request))))
    except MemoryError:
        os._exit(2)
    except RuntimeError as error:
        _send(("error", str(error)))


if __name__ == "__main__":
    main()
