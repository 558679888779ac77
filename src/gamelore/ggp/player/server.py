"""An agent on a port: any GGP manager can have it play.

>>> from gamelore.agents.builtin import PLAYERS
>>> from gamelore.agents.agent import PlayerAgent
>>> with PlayerServer(PlayerAgent(PLAYERS["random"]), port=0) as server:
...     host, port = server.address
"""

from __future__ import annotations

import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import TypeAlias

from gamelore.agents.agent import Agent
from gamelore.errors import GameloreError, GdlError, MessageError
from gamelore.gdl import Move, Term
from gamelore.gdl.canonical import canonical_form
from gamelore.ggp.messages import (
    Abort,
    About,
    Info,
    Message,
    Play,
    Preview,
    Start,
    Stop,
    make_game,
    read_message,
    write_about,
)
from gamelore.ggp.net.connection import Connection, ListenerLimits
from gamelore.ggp.net.http import HttpRequest
from gamelore.ggp.net.listener import Listener
from gamelore.ggp.player.engines import Engine, EngineLimits, Engines
from gamelore.ggp.player.session import MatchSession, SessionSettings
from gamelore.ggp.symbol_map import SymbolMap
from gamelore.processors import count_cores

log = logging.getLogger(__name__)

PORT = 9147
"""Where managers look for a player unless told otherwise."""

_ABORT_CLOCK = 1.0  # seconds the reference manager waits for the answer to ABORT
_SYMBOL_MAPS_KEPT = 16
_WATCHED = 0.75  # the share of a margin that is left when the server answers itself …
_EARLY = 1.25  # … and where the player has told of a move: it keeps a reserve, too
_SHARE = 0.1  # the largest part of a clock that is kept as a margin


@dataclass(frozen=True)
class ServerLimits:
    """What a server takes, and what it allows itself."""

    listener: ListenerLimits = field(default_factory=ListenerLimits)
    engines: EngineLimits = field(default_factory=EngineLimits)
    margin: float = 0.09
    """Seconds before the end of a clock when a player must have answered; of short
    clocks a tenth. A quarter of it later the server answers with the move in hand, or a
    quarter of it earlier if the player has told of one."""
    patience: float = 0.5
    """The share of a start clock in which to wait for the compiled game."""
    silence: float = 30.0
    """Seconds without a message, besides the clocks, after which a match is dropped."""
    hung: int = 8
    """Players that may hang in their decisions before no more matches are taken."""

    def __post_init__(self) -> None:
        for name in ("margin", "silence", "hung"):
            value = getattr(self, name)
            if not value > 0:
                raise ValueError(f"{name} must be positive, got {value}")
        if not 0 <= self.patience <= 1:
            raise ValueError(f"patience must be in [0, 1], got {self.patience}")


class PlayerServer:
    """Plays matches for whoever asks over the GGP protocol."""

    def __init__(
        self,
        agent: Agent,
        host: str = "127.0.0.1",
        port: int = PORT,
        *,
        name: str = "gamelore",
        limits: ServerLimits | None = None,
        at_once: int = 1,
        opponents: tuple[str, ...] = (),
    ) -> None:
        """`at_once`: how many matches; `opponents`: who plays, where nobody says."""
        if at_once < 1:
            raise ValueError(f"at_once must be positive, got {at_once}")
        if not re.fullmatch(r"[^\s();]+", name):
            raise ValueError(f"name must be one word, got {name!r}")
        self.name = name
        self.limits = limits or ServerLimits()
        self.at_once = at_once
        self.opponents = opponents
        self.agent = agent
        self._engines = Engines(self.limits.engines)
        self._listener = Listener(
            host, port, self._answer, self.limits.listener, self._make_round
        )
        self._lock = Lock()
        self._sessions: dict[str, MatchSession] = {}
        self._symbol_maps: OrderedDict[tuple[Term, ...], SymbolMap] = OrderedDict()
        self._overtaken: dict[Connection, None] = {}

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        return self._listener.address

    @property
    def matches(self) -> tuple[str, ...]:
        """The matches being played."""
        return tuple(self._sessions)

    def start(self) -> None:
        """Make ready, then begin to answer; until then, connections are refused."""
        self._engines.warm_up()
        try:
            self._listener.start()
        except GameloreError:
            self.stop()
            raise

    def stop(self) -> None:
        """Close the port, give up all matches, and close the agent."""
        if not self._listener.stop():
            return
        for session in list(self._sessions.values()):
            self._leave(session)
            session.finish(None, time.monotonic())
        self._engines.close()
        self.agent.close()

    def __enter__(self) -> PlayerServer:
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    # ── requests ────────────────────────────────────────────────────────────────────

    def _answer(self, connection: Connection, request: HttpRequest) -> None:
        """Answer one request; called by the listener."""
        if request.method == "OPTIONS":
            connection.reply("")
            return
        try:
            message = read_message(request.text)
        except MessageError as error:
            self._answer_unread(connection, error)
            return
        try:
            self._handle(connection, message)
        finally:
            if not connection.answered:
                connection.reply("error", 500)

    def _handle(self, connection: Connection, message: Message) -> None:
        match message:
            case Play() | Stop() | Abort():
                self._go_on(connection, message)
            case Start():
                self._start(connection, message)
            case Info():
                status = "busy" if self._is_full() else "available"
                connection.reply(write_about(About(self.name, status)))
            case Preview():
                self._preview(connection, message)

    def _answer_unread(self, connection: Connection, error: MessageError) -> None:
        """Answer what is no message as well as that can be done."""
        log.warning("message not understood: %s", error)
        session = self._sessions.get(error.match)
        if session is not None and error.verb == "play":
            self._decide(connection, session, None)
        elif session is not None and error.verb == "stop":
            self._end(connection, session, None)
        else:
            connection.reply(f"error: {error}", 400)

    def _preview(self, connection: Connection, message: Preview) -> None:
        end = connection.arrived + self._before(message.clock, _WATCHED)
        with self._answer_by(end, connection, lambda: "ready"):
            try:
                self._find_engine(self._map_symbols(message.rules))
            except GdlError as error:
                self._refuse_rules(connection, "preview", error)
        connection.reply("ready")

    def _start(self, connection: Connection, message: Start) -> None:
        if not self._can_take(message.match):
            connection.reply("busy")
            return
        clock = self._before(message.start_clock, _WATCHED)
        end = connection.arrived + clock
        with self._answer_by(end, connection, lambda: "ready"):
            try:
                session = self._open_session(message, connection)
            except GameloreError as error:
                self._refuse_rules(connection, f"match {message.match}", error)
                return
            if session is None:
                connection.reply("busy")
                return
            patience = connection.arrived + self.limits.patience * clock
            until = connection.arrived + self._before(message.start_clock, 1.0)
            session.enter(until, patience)
        connection.reply("ready")

    def _go_on(self, connection: Connection, message: Play | Stop | Abort) -> None:
        """Answer a message about a match that is being played."""
        session = self._sessions.get(message.match)
        if session is None:
            connection.reply("busy")
        elif isinstance(message, Play):
            self._decide(connection, session, message.moves)
        elif isinstance(message, Stop):
            self._end(connection, session, message.moves)
        else:
            self._abort(connection, session)

    def _abort(self, connection: Connection, session: MatchSession) -> None:
        """Answer ABORT."""
        end = connection.arrived + self._before(_ABORT_CLOCK, _WATCHED)
        with self._answer_by(end, connection, lambda: "aborted"):
            self._leave(session)
            session.finish(None, end)
            log.info("%s aborted after %d moves", session, len(session.history))
        connection.reply("aborted")

    # ── matches ─────────────────────────────────────────────────────────────────────

    def _decide(
        self,
        connection: Connection,
        session: MatchSession,
        joint: tuple[Move, ...] | None,
    ) -> None:
        """Answer PLAY."""
        session.last_message = connection.arrived
        symbols, clock = session.settings.symbols, session.settings.play_clock
        arrived = connection.arrived
        joint = joint and symbols.to_canonical(joint)

        def overtake() -> str:
            self._overtaken[connection] = None
            return symbols.to_text(session.answer_for_player())

        early = arrived + self._before(clock, _EARLY), lambda: session.improved
        end = arrived + self._before(clock, _WATCHED)
        try:
            with self._answer_by(end, connection, overtake, early):
                move = session.decide(
                    joint, arrived, arrived + self._before(clock, 1.0)
                )
        finally:
            self._overtaken.pop(connection, None)
        connection.reply(symbols.to_text(move))

    def _end(
        self,
        connection: Connection,
        session: MatchSession,
        joint: tuple[Move, ...] | None,
    ) -> None:
        """Answer STOP, once what is to be kept of the match is kept."""
        symbols = session.settings.symbols
        joint = joint and symbols.to_canonical(joint)
        end = connection.arrived + self._before(session.settings.play_clock, _WATCHED)
        with self._answer_by(end, connection, lambda: "done"):
            self._leave(session)
            record = session.finish(joint, end)
        connection.reply("done")
        goals = record.goals
        faults = len(session.faults)
        log.info(
            "%s of %s as %s: %s after %d moves%s",
            session,
            symbols.game.name,
            symbols.to_text(session.settings.role),
            " ".join("-" if goal is None else str(goal) for goal in goals),
            len(session.history),
            f", {faults} faults" if faults else "",
        )

    def _open_session(
        self, message: Start, connection: Connection
    ) -> MatchSession | None:
        """Return a session for a new match, or None if there are too many matches."""
        symbols = self._map_symbols(message.rules)
        role = symbols.find_role(message.role)
        if role is None:
            raise GameloreError(f"the rules have no role {message.role}")
        request = connection.request
        settings = SessionSettings(
            message.match,
            symbols,
            role,
            (request.opponents if request else ()) or self.opponents,
            message.start_clock,
            message.play_clock,
            threads=max(1, count_cores() // self.at_once),
        )
        session = MatchSession(settings, self._find_engine(symbols), self.agent)
        with self._lock:
            former = self._sessions.pop(message.match, None)
            accepted = len(self._sessions) < self.at_once
            if accepted:
                self._sessions[message.match] = session
                session.engine.take()
        if former is not None:  # it was begun twice
            former.engine.release()
            former.finish(None, time.monotonic())
        log.debug("%s of %s begins", session, symbols.game.name)
        return session if accepted else None

    def _leave(self, session: MatchSession) -> None:
        """Make way for another match."""
        with self._lock:
            if self._sessions.get(session.settings.match) is session:
                del self._sessions[session.settings.match]
                session.engine.release()

    def _is_full(self) -> bool:
        return len(self._sessions) >= self.at_once or self._has_too_many_hung()

    def _can_take(self, match: str) -> bool:
        if self._has_too_many_hung():
            log.error("%d players hang: no more matches", len(self._overtaken))
            return False
        return match in self._sessions or len(self._sessions) < self.at_once

    def _has_too_many_hung(self) -> bool:
        return len(self._overtaken) >= self.limits.hung

    def _find_engine(self, symbols: SymbolMap) -> Engine:
        return self._engines.find_engine(symbols.game, symbols.rules_as_given)

    def _map_symbols(self, rules: tuple[Term, ...]) -> SymbolMap:
        """The canonical form of rules; `GdlError` where they are in error."""
        with self._lock:
            symbols = self._symbol_maps.get(rules)
        if symbols is None:
            symbols = SymbolMap(canonical_form(make_game(rules)))
            with self._lock:
                self._symbol_maps[rules] = symbols
                if len(self._symbol_maps) > _SYMBOL_MAPS_KEPT:
                    self._symbol_maps.popitem(last=False)
        return symbols

    def _refuse_rules(
        self, connection: Connection, what: str, error: GameloreError
    ) -> None:
        reason = str(error)
        if isinstance(error, GdlError):
            count = len(error.problems)
            first = error.problems[0]
            reason = f"{first.message}, and {count - 1} errors more in the rules"
            if count == 1:
                reason = f"{first.message} in the rules"
        log.warning("%s refused: %s", what, reason)
        connection.reply(f"error: {reason}", 400)

    def _make_round(self) -> None:
        """Drop the matches whose manager has gone away."""
        now = time.monotonic()
        for session in list(self._sessions.values()):
            clocks = 2 * session.settings.play_clock
            if not session.history:
                clocks += session.settings.start_clock
            if now - session.last_message > self.limits.silence + clocks:
                log.warning("%s dropped: no message for a long time", session)
                self._leave(session)
                Thread(target=session.finish, args=(None, now), daemon=True).start()

    # ── clocks ──────────────────────────────────────────────────────────────────────

    def _before(self, clock: float, share: float) -> float:
        """What a clock allows when a share of the margin is kept."""
        return clock - share * min(self.limits.margin, _SHARE * clock)

    def _answer_by(
        self,
        end: float,
        connection: Connection,
        text: Callable[[], str],
        early: Early | None = None,
    ) -> _AnswerBy:
        return _AnswerBy(self._listener, end, connection, text, early)


Early: TypeAlias = tuple[float, Callable[[], bool]]
"""A time at which to answer already if something is so."""


class _AnswerBy:
    """Has a request answered at a time, or when work on it breaks off."""

    __slots__ = (
        "_alarm",
        "_connection",
        "_early",
        "_end",
        "_listener",
        "_over",
        "_text",
    )

    def __init__(
        self,
        listener: Listener,
        end: float,
        connection: Connection,
        text: Callable[[], str],
        early: Early | None,
    ) -> None:
        self._listener = listener
        self._connection = connection
        self._text = text
        self._end = end
        self._early = early
        self._over = False
        if early is None:
            self._alarm = listener.alarm(end, self._answer)
        else:
            self._alarm = listener.alarm(early[0], self._answer_early)

    def _answer_early(self) -> None:
        assert self._early is not None
        if self._early[1]():
            self._answer()
        else:
            self._alarm = self._listener.alarm(self._end, self._answer)

    def _answer(self) -> None:
        if not self._over and not self._connection.answered:
            # The player may think on for long: nobody would read another request.
            self._connection.reply(self._text(), last=True)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        self._listener.cancel(self._alarm)
        if kind is not None:
            self._answer()
        self._over = True
