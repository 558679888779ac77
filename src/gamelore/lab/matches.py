"""Matches of persons and agents: who is to move, and who is told.

All of a match happens in the event loop, but for agents, which choose in threads. Each
decision has a number; an answer that comes after the match went on is dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar

import msgspec

from gamelore.agents.agent import Agent, MatchEntry
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.gdl import Move, read_term, to_kif
from gamelore.lab.drawing import describe_joint, view_position
from gamelore.lab.events import FaultView, MatchEntryView, MatchState
from gamelore.lab.roster import PERSON, Roster
from gamelore.lab.shelf import LabGame, complete_joint
from gamelore.match.referee import Answer, Mishap, Referee, failure, lateness
from gamelore.player import Clock, Player

log = logging.getLogger(__name__)

MOST_MOVES = 2000
FORCED_PACE = 0.35
"""Seconds that a position is shown in which nobody has a choice."""

T = TypeVar("T")


class Follower(Protocol):
    """Who is told of a match."""

    def push(self, content: bytes, slot: str) -> None:
        """Send bytes; of those that wait in one slot only the latest count."""


@dataclass
class MatchSettings:
    """How a match is played."""

    players: dict[str, str]
    """For each role, `person` or a spec."""
    seconds: float | None = None
    pace: float = 0.0
    seed: int = 0
    alone: bool = False
    """Whether agents play on where nobody follows."""


@dataclass
class _Session:
    """A match of one agent: what it was told, and the player that it made for it."""

    agent: Agent
    entry: MatchEntry
    player: Player
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class LabMatch:
    """One match, with those who follow it."""

    def __init__(
        self,
        key: str,
        game: LabGame,
        settings: MatchSettings,
        roster: Roster,
        threads: Executor,
    ) -> None:
        self.key = key
        self.game = game
        self.settings = settings
        self.referee = Referee(game.simulator, settings.seed)
        self.positions = [self.referee.position]
        self.followers: set[Follower] = set()
        self.waiting = False
        self.ended = asyncio.Event()
        """Whether it has come to its end, or can go no further."""
        self._labels: list[list[str]] = []
        self._roster = roster
        self._threads = threads
        self._sessions: dict[str, _Session] = {}
        self._turn = 0
        self._answers: dict[str, Answer] = {}
        self._thinking: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._deadline: float | None = None
        self._moved_at = 0.0

    # ── what pages ask for ──────────────────────────────────────────────────────────

    async def start(self, moves: list[list[str]]) -> None:
        """Have the agents enter, and begin, after some moves."""
        for joint in moves:
            terms = complete_joint(self.positions[-1], joint)
            roles = self.game.game.roles
            self._take(dict(zip(roles, terms, strict=True)))
        await self._make_agents()
        self._proceed()

    def follow(self, follower: Follower) -> None:
        """Tell somebody of the match from now on."""
        alone = not self.followers
        self.followers.add(follower)
        follower.push(self.encode(), self._slot)
        if alone and not self._thinking:
            self._proceed()

    def leave(self, follower: Follower) -> None:
        """Tell somebody no more; agents alone among themselves wait for the next."""
        self.followers.discard(follower)

    def play(self, role: str, move: str, step: int) -> None:
        """Make a move for a person."""
        if self.settings.players.get(role) != PERSON:
            raise GameloreError(f"{role!r:.40} is not played by a person")
        if step != len(self.referee.moves):
            raise GameloreError("the match has gone on since: that move was not made")
        position = self.referee.position
        term = read_term(move)
        if term not in position.legal_moves(role):
            raise GameloreError(f"{move!r:.80} is not legal for {role} now")
        turn = self._turn
        self._answer(role, term, turn)
        if turn == self._turn:  # others are still to choose
            self._publish()

    def take_back(self) -> None:
        """Return to the last decision of a person."""
        persons = [r for r, who in self.settings.players.items() if who == PERSON]
        for position in reversed(self.positions[:-1]):
            deciding = [r for r in persons if len(position.legal_moves(r)) > 1]
            if deciding:
                break
        else:
            raise GameloreError("there is no move to take back")
        self.referee.take_back(deciding[0])
        del self.positions[len(self.referee.moves) + 1 :]
        del self._labels[len(self.referee.moves) :]
        self._next_turn()
        self._proceed()

    async def switch_sides(self) -> None:
        """Have every player play the next role."""
        roles = list(self.game.players)
        players = [self.settings.players[role] for role in roles]
        turned = [*players[-1:], *players[:-1]]
        self._next_turn()
        self.settings.players = dict(zip(roles, turned, strict=True))
        await self._make_agents()
        self._proceed()

    def set_pace(self, pace: float, waiting: bool) -> None:
        """Change how fast agents play; or have the match wait."""
        self.settings.pace = pace
        self.waiting = waiting
        self._next_turn()
        self._proceed()

    def close(self) -> None:
        """End it, and let the agents go."""
        self._next_turn()
        for task in self._tasks:
            task.cancel()
        for session in self._sessions.values():
            with contextlib.suppress(Exception):  # foreign code
                session.agent.close()
        self._sessions.clear()

    # ── what it looks like ──────────────────────────────────────────────────────────

    @property
    def over(self) -> bool:
        """Whether nobody can move any more."""
        return self.referee.position.is_terminal or (
            len(self.referee.moves) >= MOST_MOVES
        )

    def summary(self) -> MatchEntryView:
        """Return a line of a list."""
        position = self.referee.position
        return MatchEntryView(
            match=self.key,
            game=self.game.game.name,
            players=self._named(),
            moves=len(self.referee.moves),
            over=self.over,
            goals=dict(position.goals) if position.is_terminal else {},
        )

    def encode(self, re: int = 0) -> bytes:
        """Return the state as a message."""
        moves = self.referee.moves
        last = (self.positions[-2], moves[-1]) if moves else None
        position = self.referee.position
        now = asyncio.get_running_loop().time()
        state = MatchState(
            re=re,
            match=self.key,
            game=self.game.id,
            players=dict(self.settings.players),
            labels=self._labels,
            moves=[[to_kif(move) for move in joint] for joint in moves],
            view=view_position(self.game, position, len(moves), last),
            thinking=sorted(self._thinking),
            waiting=self.waiting,
            pace=self.settings.pace,
            seconds=self.settings.seconds,
            left=None if self._deadline is None else max(0.0, self._deadline - now),
            faults=[
                FaultView(fault.step, fault.role, fault.message)
                for fault in self.referee.faults[-20:]
            ],
            watchers=len(self.followers),
        )
        return msgspec.json.encode(state)

    def _named(self) -> dict[str, str]:
        players = self.settings.players
        return {role: self._roster.describe(who) for role, who in players.items()}

    @property
    def _slot(self) -> str:
        return f"match:{self.key}"

    def _publish(self) -> None:
        if self.followers:
            content = self.encode()
            for follower in tuple(self.followers):
                follower.push(content, self._slot)

    # ── how it goes on ──────────────────────────────────────────────────────────────

    async def _make_agents(self) -> None:
        """Make the agents, each in a thread."""
        for session in self._sessions.values():
            session.agent.close()
        self._sessions.clear()
        for number, (role, who) in enumerate(self.settings.players.items()):
            if who != PERSON:
                self._sessions[role] = await self._in_thread(
                    partial(self._make_session, role, who, number)
                )

    def _make_session(self, role: str, who: str, number: int) -> _Session:
        seed = (self.settings.seed + number) % 2**63
        agent = self._roster.make(who, self.game.game, seed)
        clock = self.settings.seconds or self._roster.seconds_for(who) or math.inf
        entry = MatchEntry(
            self.key, self.game.simulator, role, start_clock=math.inf, play_clock=clock
        )
        return _Session(agent, entry, agent.enter(entry, Clock()))

    def _in_thread(self, work: Callable[[], T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _next_turn(self) -> None:
        """Begin a new decision: answers to the one before count no more."""
        self._turn += 1
        self._answers = {}
        self._thinking.clear()
        self._deadline = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _proceed(self) -> None:
        """Ask whoever is to move, and tell the followers."""
        persons = PERSON in self.settings.players.values()
        wanted = persons or self.followers or self.settings.alone
        if self.over:
            self.ended.set()
        if self.over or self.waiting or not wanted:
            self._publish()
            return
        position, turn = self.referee.position, self._turn
        forced: dict[str, Answer] = {}
        asked = []
        for role in self.game.players:
            legal = position.legal_moves(role)
            if not legal:
                self.waiting = True
                self.ended.set()
                why = Mishap("failed", "no legal move: the match cannot go on")
                self.referee.note_unready({role: why})
                self._publish()
                return
            if len(legal) > 1 or self._is_clicked(role, legal[0]):
                asked.append(role)
            else:
                forced[role] = legal[0]
        self._answers = forced
        for role in asked:
            if role in self._sessions:
                self._thinking.add(role)
                self._spawn(self._ask(role, turn))
        if not asked:
            self._spawn(self._pass_on(turn))
        elif self.settings.seconds is not None:
            self._start_clock(self.settings.seconds, turn)
        self._publish()

    def _is_clicked(self, role: str, only: Move) -> bool:
        """Return whether a person makes an only move by hand: it is on the board."""
        person = self.settings.players[role] == PERSON
        return person and bool(self.game.board.find_cells(only))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask(self, role: str, turn: int) -> None:
        """Have an agent choose; what it does wrong is a fault of the match."""
        session = self._sessions[role]
        position = self.referee.position
        began = time.monotonic()
        async with session.lock:
            if turn != self._turn:
                return
            answer = await self._in_thread(partial(_choose, session, position))
        pause = max(self._moved_at, began) + self.settings.pace - time.monotonic()
        if pause > 0:
            await asyncio.sleep(pause)
        self._answer(role, answer, turn)

    async def _pass_on(self, turn: int) -> None:
        """Go on from a position in which nobody has a choice."""
        await asyncio.sleep(max(FORCED_PACE, self.settings.pace))
        if turn == self._turn:
            self._commit()

    def _start_clock(self, seconds: float, turn: int) -> None:
        loop = asyncio.get_running_loop()
        self._deadline = loop.time() + seconds
        self._timer = loop.call_later(seconds, self._run_out, turn)

    def _run_out(self, turn: int) -> None:
        """Move at random for persons whose clock has run out, as managers do."""
        for role in self.game.players:
            if role not in self._answers and role not in self._sessions:
                self._answer(role, lateness(0.0), turn)

    def _answer(self, role: str, answer: Answer, turn: int) -> None:
        if turn != self._turn or role in self._answers:
            return
        self._answers[role] = answer
        self._thinking.discard(role)
        if all(one in self._answers for one in self.game.players):
            self._commit()

    def _commit(self) -> None:
        self._take(self._answers)
        self._moved_at = time.monotonic()
        self._next_turn()
        self._proceed()

    def _take(self, answers: Mapping[str, Answer]) -> None:
        before = self.referee.position
        self.referee.take(answers)
        self.positions.append(self.referee.position)
        joint = self.referee.moves[-1]
        self._labels.append(describe_joint(self.game, before, joint))


def _choose(session: _Session, position: Position) -> Answer:
    clock = Clock(session.entry.play_clock)
    try:
        return session.player.choose(position, clock)
    except Exception as error:  # foreign code
        log.warning("%s failed to choose", session.entry.role, exc_info=True)
        return failure(error)
