"""Records of matches that are under way, for programs that watch their folder.

While a match is played, `ID.live` lies where its record will be, in the same form. It
is replaced after each joint move, and removed when the match is over. A thread writes
it, so that no match waits; those that last less than a moment have none.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Event, Thread

from gamelore.engine.position import Position
from gamelore.errors import RecordError
from gamelore.ggp.manager.manager import ManagedMatch, Manager, Moment, Observer
from gamelore.ggp.match_record import MatchFile, write_match
from gamelore.match.record import MatchRecord

log = logging.getLogger(__name__)

SUFFIX = ".live"
_FIRST = 0.25
"""Seconds from the start of a match to its first file."""
_SHARE = 20
"""How many times as long as writing took nothing is written."""


@dataclass
class _Running:
    """A match that is under way."""

    manager: Manager
    began: float
    moment: Moment
    positions: list[Position] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    changed: bool = True
    path: Path | None = None


class LiveRecords:
    """Writes the records of matches while they are played."""

    def __init__(self, folder: Path, tournament: str = "") -> None:
        self._folder = folder
        self._tournament = tournament
        self._matches: dict[str, _Running] = {}
        self._news = Condition()
        self._stopped = Event()
        self._thread: Thread | None = None

    def __enter__(self) -> LiveRecords:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def observer(self, manager: Manager) -> Observer:
        """Return what a manager is to tell of its matches."""

        def observe(moment: Moment) -> None:
            self._take(manager, moment)

        return observe

    def end(self, match: str) -> None:
        """Remove the file of a match: its record is written, or it was given up."""
        with self._news:
            running = self._matches.pop(match, None)
            if running is not None and running.path is not None:
                running.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Remove all files, and write no more."""
        self._stopped.set()
        with self._news:
            self._news.notify()
        if self._thread is not None:
            self._thread.join()
        for match in list(self._matches):
            self.end(match)

    def _take(self, manager: Manager, moment: Moment) -> None:
        with self._news:
            running = self._matches.get(moment.match)
            if running is None:
                running = _Running(manager, time.monotonic(), moment)
                self._matches[moment.match] = running
            if len(running.positions) <= len(moment.moves):
                running.positions.append(moment.position)
                running.times.append(time.time_ns() // 1_000_000)
            running.moment, running.changed = moment, True
            if self._thread is None:
                self._thread = Thread(target=self._run, name="live", daemon=True)
                self._thread.start()
            self._news.notify()

    def _run(self) -> None:
        while not self._stopped.is_set():
            with self._news:
                due, wait = self._find_changed(time.monotonic())
                if not due:
                    self._news.wait(wait)
                    continue
            began = time.monotonic()
            for record in due:
                self._write(record)
            self._stopped.wait(_SHARE * (time.monotonic() - began))

    def _find_changed(self, now: float) -> tuple[list[MatchFile], float | None]:
        """Return the records to write, and the seconds until others are due."""
        due, waits = [], []
        for running in self._matches.values():
            early = running.began + _FIRST - now
            if running.changed and early > 0:
                waits.append(early)
            elif running.changed:
                running.changed = False
                due.append(self._make_record(running))
        return due, min(waits, default=None)

    def _make_record(self, running: _Running) -> MatchFile:
        moment, manager = running.moment, running.manager
        game = manager.simulator.game
        goals = (None,) * len(game.roles)
        moves, faults = tuple(moment.moves), tuple(moment.faults)
        match = ManagedMatch(
            match=moment.match,
            game=game,
            rules=game.to_kif(),
            record=MatchRecord(game.name, game.roles, moves, goals, False, faults),
            players=moment.players,
            seed=0,
            settings=manager.settings,
            positions=tuple(running.positions),
            times=tuple(running.times),
        )
        return MatchFile.of(match, self._tournament)

    def _write(self, record: MatchFile) -> None:
        try:
            path = write_match(record, self._folder, suffix=SUFFIX)
        except RecordError:
            log.warning("match %s cannot be watched", record.match, exc_info=True)
            return
        with self._news:
            running = self._matches.get(record.match)
            if running is not None:
                running.path = path
            else:  # it has ended meanwhile
                path.unlink(missing_ok=True)
