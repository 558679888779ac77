"""The peers of one match: tells them what happens, and asks all of them at once.

Players on the network are called in coroutines, so that a manager can run many matches
at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gamelore.agents.agent import MatchEntry
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError, MessageError
from gamelore.gdl import Move, Role, to_kif
from gamelore.ggp.manager.peers import (
    AgentFuture,
    Done,
    LocalPeer,
    Peer,
    RemotePeer,
    read_answer,
)
from gamelore.ggp.messages import Abort, Message, Play, Start, Stop, write_message
from gamelore.ggp.net.client import Call
from gamelore.ggp.net.http import Reply, write_request
from gamelore.ggp.net.tasks import CallCoroutine
from gamelore.ggp.scramble import Scramble
from gamelore.match.record import MatchRecord
from gamelore.match.referee import Answer, Mishap
from gamelore.player import Clock, Player

ABORT_LIMIT = 1.0
"""Seconds a player has to answer that a match is aborted."""


@dataclass(frozen=True)
class MatchContext:
    """The settings of one match, with its id and its rules."""

    match: str
    simulator: Simulator
    rules: str
    """The rules as they are sent: in KIF, perhaps scrambled."""
    start_clock: float
    play_clock: float
    grace: float
    """Seconds that an answer may come after its clock."""
    scramble: Scramble | None = None

    def to_theirs(self, term: Move) -> Move:
        """Return a term as players on the network know it."""
        return term if self.scramble is None else self.scramble.to_scrambled(term)

    def to_ours(self, term: Move) -> Move:
        """Return a term of theirs as the rules have it; `MessageError` if unknown."""
        return term if self.scramble is None else self.scramble.to_original(term)


class MatchPeers:
    """The peers of one match, one for each role."""

    def __init__(self, context: MatchContext, peers: Mapping[Role, Peer]) -> None:
        self.context = context
        names = {role: peer.name for role, peer in peers.items()}
        self._remote: dict[Role, _RemoteRole] = {}
        self._local: dict[Role, _LocalRole] = {}
        for role, peer in peers.items():
            others = tuple(name for other, name in names.items() if other != role)
            if isinstance(peer, RemotePeer):
                self._remote[role] = _RemoteRole(peer, others)
            else:
                self._local[role] = _LocalRole(peer, role, others, context)

    def start(self) -> CallCoroutine[dict[Role, Mishap]]:
        """Send the rules to all; return who was not ready in time."""
        context = self.context
        futures = {role: member.enter() for role, member in self._local.items()}
        texts = {r: write_message(self._start_message(r)) for r in self._remote}
        replies = yield from self._tell(texts, context.start_clock, introduce=True)
        mishaps = {}
        for role, reply in replies.items():
            if isinstance(reply, Mishap):
                mishaps[role] = reply
            elif reply.text.strip().lower() == "busy":
                mishaps[role] = Mishap("failed", "busy with another match")
        for role, future in futures.items():
            entered = future.end()
            if isinstance(entered, Mishap):
                mishaps[role] = entered
        return mishaps

    def ask(
        self, position: Position, moves: Sequence[tuple[Move, ...]]
    ) -> CallCoroutine[dict[Role, Answer]]:
        """Return the next move of each, after the joint moves made so far."""
        grace = self.context.grace
        futures = {
            role: member.choose(position) for role, member in self._local.items()
        }
        answers: dict[Role, Answer] = {}
        if self._remote:
            message = Play(self.context.match, self._last_move(moves))
            seconds = self.context.play_clock + grace
            replies = yield from self._tell_all(message, seconds)
            for role, reply in replies.items():
                answers[role] = (
                    reply if isinstance(reply, Mishap) else self._read_move(reply)
                )
        for role, future in futures.items():
            chosen = future.end(grace)
            answers[role] = chosen.result if isinstance(chosen, Done) else chosen
        return answers

    def stop(self, record: MatchRecord) -> CallCoroutine[dict[Role, Mishap]]:
        """Tell all that the match is over; return who did not take note."""
        clock = self.context.play_clock
        futures = {role: s.finish(record, clock) for role, s in self._local.items()}
        message = Stop(self.context.match, self._last_move(record.moves))
        replies = yield from self._tell_all(message, clock)
        outcomes: dict[Role, object] = {**replies}
        outcomes |= {
            role: each.end(self.context.grace) for role, each in futures.items()
        }
        return {r: each for r, each in outcomes.items() if isinstance(each, Mishap)}

    def abort(self, record: MatchRecord) -> CallCoroutine[None]:
        """Tell all that the match is given up; their answers do not matter."""
        limit = min(ABORT_LIMIT, self.context.play_clock)
        futures = [member.finish(record, limit) for member in self._local.values()]
        yield from self._tell_all(Abort(self.context.match), ABORT_LIMIT)
        for future in futures:
            future.end()

    def _tell_all(
        self, message: Message, seconds: float
    ) -> CallCoroutine[dict[Role, Reply | Mishap]]:
        """Send all remote players the same message; what each replies."""
        text = write_message(message)
        return self._tell(dict.fromkeys(self._remote, text), seconds)

    def _tell(
        self, texts: Mapping[Role, str], seconds: float, introduce: bool = False
    ) -> CallCoroutine[dict[Role, Reply | Mishap]]:
        """Send each remote player its message; what each replies."""
        if not texts:
            return {}
        outcomes = yield [
            self._remote[role].call(text, seconds, introduce)
            for role, text in texts.items()
        ]
        return dict(zip(texts, outcomes, strict=True))

    def _start_message(self, role: Role) -> Start:
        context = self.context
        theirs = to_kif(context.to_theirs(role))
        # The rules are text already: they are the same for all players and matches.
        rules = (context.rules,)
        clocks = context.start_clock, context.play_clock
        return Start(context.match, theirs, rules, *clocks)

    def _last_move(self, moves: Sequence[tuple[Move, ...]]) -> tuple[Move, ...] | None:
        if not moves:
            return None
        return tuple(map(self.context.to_theirs, moves[-1]))

    def _read_move(self, reply: Reply) -> Answer:
        move = _move_in(reply.body)
        if isinstance(move, Mishap):
            return move
        try:
            return self.context.to_ours(move)
        except MessageError as error:
            return Mishap("illegal", f"{to_kif(move)} is not legal: {error}", move)


@lru_cache(maxsize=4096)
def _move_in(body: bytes) -> Move | Mishap:
    """The move in the body of a reply; most have been met before."""
    return read_answer(Reply(200, {}, body))


class _RemoteRole:
    """A player on the network, in one match."""

    def __init__(self, peer: RemotePeer, opponents: tuple[str, ...]) -> None:
        self._peer = peer
        self._opponents = opponents

    def call(self, text: str, seconds: float, introduce: bool) -> Call:
        """A message to this player; at the start it learns who the others are."""
        address = self._peer.address
        opponents = self._opponents if introduce else ()
        request = write_request(
            text,
            host=address.host,
            receiver=self._peer.name,
            opponents=opponents,
            keep=True,
        )
        return Call(address, request, seconds, self._peer.pool)


class _LocalRole:
    """An agent in this process, in one match."""

    def __init__(
        self,
        peer: LocalPeer,
        role: Role,
        opponents: tuple[str, ...],
        context: MatchContext,
    ) -> None:
        clocks = context.start_clock, context.play_clock
        self._peer = peer
        self._context = context
        self._entry = MatchEntry(
            context.match, context.simulator, role, opponents, *clocks
        )
        self._player: Player | None = None

    def enter(self) -> AgentFuture[None]:
        """Prepare for the match."""

        def task(clock: Clock) -> None:
            self._player = self._peer.agent.enter(self._entry, clock)

        return self._peer.begin(task, self._context.start_clock)

    def choose(self, position: Position) -> AgentFuture[Move]:
        """Choose a move."""

        def task(clock: Clock) -> Move:
            if self._player is None:
                raise GameloreError("it never got ready")
            return self._player.choose(position, clock)

        return self._peer.begin(task, self._context.play_clock)

    def finish(self, record: MatchRecord, seconds: float) -> AgentFuture[None]:
        """Have the agent learn from the match, if it does."""

        def task(clock: Clock) -> None:
            if self._player is not None:
                self._peer.agent.finish(self._entry, record)

        return self._peer.begin(task, seconds)
