"""What all pages of a lab share: the folder, games, matches, runs and threads."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Protocol

from gamelore.lab.drafts import DraftWorker
from gamelore.lab.events import Event
from gamelore.lab.live import LiveBook
from gamelore.lab.match_book import MatchBook
from gamelore.lab.matches import Follower
from gamelore.lab.priority import give_way
from gamelore.lab.records import RecordShelf
from gamelore.lab.roster import Roster
from gamelore.lab.runs import RunBook
from gamelore.lab.shelf import GameShelf
from gamelore.lab.tournaments import TournamentBook
from gamelore.lab.workspace import Workspace

MOST_SEARCHES = 4
"""Searches at once, of all pages; others wait."""
MOST_THREADS = 8


@dataclass
class Lab:
    """All that the pages of a lab share."""

    workspace: Workspace
    threads: Executor = field(
        default_factory=lambda: ThreadPoolExecutor(MOST_THREADS, "lab")
    )
    searches: Executor = field(
        default_factory=lambda: ThreadPoolExecutor(
            MOST_SEARCHES, "lab-search", initializer=give_way
        )
    )

    def __post_init__(self) -> None:
        self.shelf = GameShelf(self.workspace)
        self.roster = Roster(self.workspace)
        self.matches = MatchBook(self.roster, self.threads)
        self.tournaments = TournamentBook(self.workspace, self.matches, self.roster)
        self.records = RecordShelf(self.workspace, self.shelf)
        self.live = LiveBook(self.records)
        self.runs = RunBook(self.workspace, self.shelf)
        self.drafts = DraftWorker()

    async def open(self) -> None:
        """Make the folder ready, and go on with runs."""
        self.workspace.create()
        await self.runs.open()

    async def close(self) -> None:
        """End matches, searches and processes; what was learned is saved.

        Where one of them fails, the others end all the same.
        """
        async with AsyncExitStack() as parts:  # from the last to the first
            for threads in (self.searches, self.threads):
                parts.callback(threads.shutdown, wait=False, cancel_futures=True)
            parts.push_async_callback(self.runs.close)
            for part in (self.drafts, self.matches, self.tournaments, self.live):
                parts.callback(part.close)


class Page(Follower, Protocol):
    """Where answers go."""

    def send(self, event: Event) -> None:
        """Send a message."""
