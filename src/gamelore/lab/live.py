"""Matches that other programs of this machine play: their records, as they grow.

Nothing is sent to those programs: the lab looks at files of its folder.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from gamelore.errors import GameloreError
from gamelore.lab.events import RecordView
from gamelore.lab.matches import Follower
from gamelore.lab.records import RecordShelf
from gamelore.lab.workspace import LIVE, RECORDS

log = logging.getLogger(__name__)

PAUSE = 0.2
"""Seconds between two looks at a file."""


@dataclass
class _Followed:
    """A record that pages follow."""

    path: str
    followers: set[Follower] = field(default_factory=set)
    task: asyncio.Task[None] | None = None
    stamp: tuple[float, int] | None = None


class LiveBook:
    """Tells pages of records that grow."""

    def __init__(self, records: RecordShelf, pause: float = PAUSE) -> None:
        self._records = records
        self._pause = pause
        self._followed: dict[str, _Followed] = {}

    async def follow(self, path: str, page: Follower) -> RecordView:
        """Return a record; of one that grows the page is told from now on."""
        stamp = _stamp(self._records.find(path))
        view = await asyncio.to_thread(self._open, path)
        if view.live:
            one = self._followed.setdefault(path, _Followed(path))
            one.stamp = one.stamp or stamp
            one.followers.add(page)
            if one.task is None:
                one.task = asyncio.get_running_loop().create_task(self._watch(one))
        return view

    def leave(self, page: Follower, path: str | None = None) -> None:
        """Tell a page no more: of one record, or of all."""
        for one in list(self._followed.values()):
            if path is None or path == one.path:
                one.followers.discard(page)
                if not one.followers and one.task is not None:
                    one.task.cancel()
                    del self._followed[one.path]

    def close(self) -> None:
        """Look at nothing any more."""
        for one in self._followed.values():
            if one.task is not None:
                one.task.cancel()
        self._followed.clear()

    def _open(self, path: str) -> RecordView:
        """Return a record; that of a match that has ended is beside it."""
        try:
            return self._records.open(path)
        except GameloreError:
            if not path.endswith(LIVE):
                raise
            return self._records.open(path.removesuffix(LIVE) + RECORDS)

    async def _watch(self, one: _Followed) -> None:
        file = self._records.find(one.path)
        going_on = True
        while going_on:
            await asyncio.sleep(self._pause)
            stamp = _stamp(file)
            if stamp == one.stamp and stamp is not None:
                continue
            one.stamp = stamp
            try:
                view = await asyncio.to_thread(self._open, one.path)
            except GameloreError as error:  # given up: there is no record of it
                log.info("%s ended without a record: %s", one.path, error)
                break
            going_on = view.live
            content = msgspec.json.encode(view)
            for page in tuple(one.followers):
                page.push(content, f"record:{one.path}")
        self._followed.pop(one.path, None)


def _stamp(file: Path) -> tuple[float, int] | None:
    """Return what changes with a file's content; None where there is no file."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime, found.st_ino
