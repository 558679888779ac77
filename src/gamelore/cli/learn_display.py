"""The live line of a training run."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from gamelore.learn import events
from gamelore.learn.run import TrainingRun

_LOADING = "loading kernels; the first run on a machine compiles them"


class LearnDisplay(Progress):
    """Shows a run on standard error while it goes on, and leaves nothing behind.

    Where nobody watches a terminal, it shows nothing.
    """

    def __init__(self, run: TrainingRun, *, quiet: bool) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=15),
            TextColumn("{task.fields[state]}"),
            console=Console(stderr=True),
            disable=quiet or not sys.stderr.isatty(),
            transient=True,
        )
        self._limit = run.config.match_limit
        self._is_table = run.trainer.function is None
        total = self._limit or 60 * (run.config.minutes or 0) or None
        name = run.trainer.graph.simulator.game.name
        self._task: TaskID = self.add_task(name, total=total, state=_LOADING)
        self._scores = ""

    def observe(self, event: events.TrainingEvent) -> None:
        """Show an event of the run."""
        if isinstance(event, events.Evaluated):
            self._scores = "".join(
                f" · {one.percent} against {one.opponent}" for one in event.results
            )
        elif isinstance(event, events.Progress):
            done = event.seconds if self._limit is None else event.matches
            state = f"{event.matches:,} matches · {event.matches_per_second:,.0f}/s"
            state += f" · {event.cells:,} cells" if self._is_table else ""
            self.update(self._task, completed=done, state=state + self._scores)
