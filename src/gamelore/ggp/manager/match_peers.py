"""The table of a match: tells the peers what happens, and asks all of them at once.

What it says to players on the network is said in dialogues, so that a manager can hold
those of many matches side by side.
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
    Done,
    Errand,
    LocalPeer,
    Peer,
    RemotePeer,
    move_of,
)
from gamelore.ggp.messages import Abort, Message, Play, Start, Stop, write_message
from gamelore.ggp.net.client import Call
from gamelore.ggp.net.http import Reply, write_request
from gamelore.ggp.net.tasks import Dialogue
from gamelore.ggp.scramble import Scramble
from gamelore.match.match import Answer, MatchRecord, Mishap
from gamelore.player import Clock, Player

ABORT_LIMIT = 1.0
"""Seconds a player has to answer that a match is aborted."""


@dataclass(frozen=True)
class Conditions:
    """What holds for everybody in one match."""

    match: str
    simulator: Simulator
    rules: str
    """The rules as they are sent: in KIF, in the players' words."""
    start_clock: float
    play_clock: float
    grace: float
    """Seconds that an answer may come after its clock."""
    scramble: Scramble | None = None

    def in_their_words(self, term: Move) -> Move:
        """A term as players on the network know it."""
        return term if self.scramble is None else self.scramble.to_scrambled(term)

    def in_our_words(self, term: Move) -> Move:
        """A term of theirs as the rules have it; `MessageError` at unknown words."""
        return term if self.scramble is None else self.scramble.to_original(term)


class PeerTable:
    """Peers around one match, each in the seat of a role."""

    def __init__(self, terms: Conditions, seats: Mapping[Role, Peer]) -> None:
        self.terms = terms
        names = {role: peer.name for role, peer in seats.items()}
        self._remote: dict[Role, _RemoteSeat] = {}
        self._local: dict[Role, _LocalSeat] = {}
        for role, peer in seats.items():
            others = tuple(name for other, name in names.items() if other != role)
            if isinstance(peer, RemotePeer):
                self._remote[role] = _RemoteSeat(peer, others)
            else:
                self._local[role] = _LocalSeat(peer, role, others, terms)

    def start(self) -> Dialogue[dict[Role, Mishap]]:
        """Tell everybody the rules; who was not ready when the start clock ended."""
        terms = self.terms
        errands = {role: seat.enter() for role, seat in self._local.items()}
        texts = {r: write_message(self._start_message(r)) for r in self._remote}
        replies = yield from self._tell(texts, terms.start_clock, introduce=True)
        mishaps = {}
        for role, reply in replies.items():
            if isinstance(reply, Mishap):
                mishaps[role] = reply
            elif reply.text.strip().lower() == "busy":
                mishaps[role] = Mishap("failed", "busy with another match")
        for role, errand in errands.items():
            entered = errand.end()
            if isinstance(entered, Mishap):
                mishaps[role] = entered
        return mishaps

    def ask(
        self, position: Position, moves: Sequence[tuple[Move, ...]]
    ) -> Dialogue[dict[Role, Answer]]:
        """Everybody's next move, after the joint moves made so far."""
        grace = self.terms.grace
        errands = {role: seat.choose(position) for role, seat in self._local.items()}
        answers: dict[Role, Answer] = {}
        if self._remote:
            message = Play(self.terms.match, self._last_move(moves))
            seconds = self.terms.play_clock + grace
            replies = yield from self._tell_all(message, seconds)
            for role, reply in replies.items():
                answers[role] = (
                    reply if isinstance(reply, Mishap) else self._read_move(reply)
                )
        for role, errand in errands.items():
            chosen = errand.end(grace)
            answers[role] = chosen.result if isinstance(chosen, Done) else chosen
        return answers

    def stop(self, record: MatchRecord) -> Dialogue[dict[Role, Mishap]]:
        """Tell everybody that the match is over; who did not take note."""
        clock = self.terms.play_clock
        errands = {role: s.finish(record, clock) for role, s in self._local.items()}
        message = Stop(self.terms.match, self._last_move(record.moves))
        replies = yield from self._tell_all(message, clock)
        outcomes: dict[Role, object] = {**replies}
        outcomes |= {role: each.end(self.terms.grace) for role, each in errands.items()}
        return {r: each for r, each in outcomes.items() if isinstance(each, Mishap)}

    def abort(self, record: MatchRecord) -> Dialogue[None]:
        """Tell everybody that the match is given up; what they say does not matter."""
        limit = min(ABORT_LIMIT, self.terms.play_clock)
        errands = [seat.finish(record, limit) for seat in self._local.values()]
        yield from self._tell_all(Abort(self.terms.match), ABORT_LIMIT)
        for errand in errands:
            errand.end()

    def _tell_all(
        self, message: Message, seconds: float
    ) -> Dialogue[dict[Role, Reply | Mishap]]:
        """Send all remote players the same message; what each replies."""
        text = write_message(message)
        return self._tell(dict.fromkeys(self._remote, text), seconds)

    def _tell(
        self, texts: Mapping[Role, str], seconds: float, introduce: bool = False
    ) -> Dialogue[dict[Role, Reply | Mishap]]:
        """Send each remote player its message; what each replies."""
        if not texts:
            return {}
        outcomes = yield [
            self._remote[role].call(text, seconds, introduce)
            for role, text in texts.items()
        ]
        return dict(zip(texts, outcomes, strict=True))

    def _start_message(self, role: Role) -> Start:
        terms = self.terms
        theirs = to_kif(terms.in_their_words(role))
        # The rules are text already: they are the same for all players and matches.
        rules = (terms.rules,)
        clocks = terms.start_clock, terms.play_clock
        return Start(terms.match, theirs, rules, *clocks)

    def _last_move(self, moves: Sequence[tuple[Move, ...]]) -> tuple[Move, ...] | None:
        if not moves:
            return None
        return tuple(map(self.terms.in_their_words, moves[-1]))

    def _read_move(self, reply: Reply) -> Answer:
        move = _move_in(reply.body)
        if isinstance(move, Mishap):
            return move
        try:
            return self.terms.in_our_words(move)
        except MessageError as error:
            return Mishap("illegal", f"{to_kif(move)} is not legal: {error}", move)


@lru_cache(maxsize=4096)
def _move_in(body: bytes) -> Move | Mishap:
    """The move in the body of a reply; most have been met before."""
    return move_of(Reply(200, {}, body))


class _RemoteSeat:
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
        return Call(address, request, seconds, self._peer.keeper)


class _LocalSeat:
    """An agent in this process, in one match."""

    def __init__(
        self, peer: LocalPeer, role: Role, opponents: tuple[str, ...], terms: Conditions
    ) -> None:
        clocks = terms.start_clock, terms.play_clock
        self._peer = peer
        self._terms = terms
        self._entry = MatchEntry(terms.match, terms.simulator, role, opponents, *clocks)
        self._player: Player | None = None

    def enter(self) -> Errand[None]:
        """Prepare for the match."""

        def task(clock: Clock) -> None:
            self._player = self._peer.agent.enter(self._entry, clock)

        return self._peer.begin(task, self._terms.start_clock)

    def choose(self, position: Position) -> Errand[Move]:
        """Choose a move."""

        def task(clock: Clock) -> Move:
            if self._player is None:
                raise GameloreError("it never got ready")
            return self._player.choose(position, clock)

        return self._peer.begin(task, self._terms.play_clock)

    def finish(self, record: MatchRecord, seconds: float) -> Errand[None]:
        """Make what there is to be made of the match."""

        def task(clock: Clock) -> None:
            if self._player is not None:
                self._peer.agent.finish(self._entry, record)

        return self._peer.begin(task, seconds)
