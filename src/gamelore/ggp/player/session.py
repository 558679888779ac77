"""Our place in one match: follows it, and has a move in hand when one is asked for."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from threading import Lock

from gamelore.agents.agent import Agent, Entry
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError, PositionError
from gamelore.gdl import Move, Role, to_kif
from gamelore.ggp.player.engines import Engine
from gamelore.ggp.symbol_map import Wording
from gamelore.match.match import FAILURES, Fault, FaultKind, MatchRecord
from gamelore.player import Clock, Player

log = logging.getLogger(__name__)

_UNKNOWN = "noop"  # the answer where no move is known: many games have it
_WAITS = 0.5  # the share of a clock in which to wait for what is left of another turn
_LEAST = 0.001  # seconds
_GRACE = 0.25  # seconds for a player that thinks on when the match is over


@dataclass(frozen=True)
class Terms:
    """What a match is about, as START tells it."""

    match: str
    wording: Wording
    """The game in canonical names, and the spelling of this match."""
    role: Role
    """In canonical names."""
    opponents: tuple[str, ...]
    start_clock: float
    play_clock: float


class Seat:
    """Our place in one match."""

    def __init__(self, terms: Terms, engine: Engine, agent: Agent) -> None:
        self.terms = terms
        self.engine = engine
        self.in_hand: Move | None = None
        """A legal move, to be answered when time runs out: at first any, then the best
        that the player has told of."""
        self.improved = False
        """Whether the player has told of any in this turn."""
        self.seen = time.monotonic()
        """When the last message of the match came."""
        self.thinking = False
        """Whether the player is busy; it may have been for longer than it should."""
        self.moves: list[tuple[Move, ...]] = []
        self.faults: list[Fault] = []
        self.lost = False
        """Whether a joint move came that is not legal as far as we can see."""
        self._agent = agent
        self._entry: Entry | None = None
        self._player: Player | None = None
        self._position: Position | None = None
        self._following = Lock()
        self._turn = Lock()  # players do one thing at a time

    def __str__(self) -> str:
        return f"match {self.terms.match}"

    # ── what the manager asks for ───────────────────────────────────────────────────

    def enter(self, until: float, patience: float) -> None:
        """Have the agent enter, until a time.

        `patience`: until when to wait for the best engine, rather than take any.
        """
        simulator = self.engine.wait_settled(patience)
        simulator = simulator or self.engine.wait_playable(until)
        if simulator is not None:
            with self._turn:
                self._enter_with(simulator, until)

    def decide(
        self, joint: tuple[Move, ...] | None, arrived: float, end: float
    ) -> Move:
        """A move after a joint move (none before the first), by a time."""
        half = time.monotonic() + _WAITS * (end - time.monotonic())
        self.in_hand, self.improved = None, False
        if not self._acquire(self._following, half):
            return self._fallback("the position is still being worked out")
        try:
            self._follow(joint)
            position = self._now()
            legal = position.legal_moves(self.terms.role) if position else ()
            if legal:
                self.in_hand = legal[0]
        finally:
            self._following.release()
        if position is None or position.is_terminal or not legal:
            return self._fallback("there is no legal move that is known")
        if not self._acquire(self._turn, half):
            return self._fallback("the player is still busy with an earlier move")
        try:
            return self._choose(position, legal, arrived, end)
        finally:
            self._turn.release()

    def finish(
        self, joint: tuple[Move, ...] | None, until: float
    ) -> MatchRecord | None:
        """End the match after a last joint move; its record, if anybody played it."""
        if self._acquire(self._following, until):
            try:
                self._now()
                self._follow(joint)
            finally:
                self._following.release()
        soon = time.monotonic() + _GRACE
        free = self._acquire(self._turn, min(until, soon) if self.thinking else until)
        if not free:
            self.fault("late", "the player was still busy when the match ended")
        record = self._record()
        try:
            if self._entry is not None and record is not None:
                self._agent.finish(self._entry, record)
        except FAILURES as error:
            log.error("%s was not kept: %s", self, _describe(error))
        finally:
            if free:
                self._turn.release()
        return record

    def overtake(self) -> Move:
        """The move in hand when the time of a decision is over."""
        self.fault("late", "the player did not answer in time")
        return self.in_hand or _UNKNOWN

    def fault(self, kind: FaultKind, message: str) -> None:
        """Note what went wrong on our side."""
        log.warning("%s, move %d: %s", self, len(self.moves) + 1, message)
        self.faults.append(Fault(len(self.moves), self.terms.role, kind, message))

    # ── the position ────────────────────────────────────────────────────────────────

    def _follow(self, joint: tuple[Move, ...] | None) -> None:
        """Go on to the position after a joint move, whatever we answered ourselves."""
        if joint is None:
            return
        position = self._now()
        if position is None:
            self.moves.append(joint)  # to be made up for once there is an engine
            return
        try:
            self._position = position.advance(joint)
            self.moves.append(joint)
        except GameloreError as error:
            self.lost = True
            log.warning("%s: cannot follow: %s", self, _headline(error))

    def _now(self) -> Position | None:
        """The position as far as it is known."""
        if self._position is None and self.engine.simulator is not None:
            position = Position.initial(self.engine.simulator)
            played, self.moves = self.moves, []
            self._position = position
            for joint in played:
                self._follow(joint)
        return self._position

    # ── the player ──────────────────────────────────────────────────────────────────

    def _choose(
        self, position: Position, legal: tuple[Move, ...], arrived: float, end: float
    ) -> Move:
        """What the player answers, if it is a legal move."""
        position = self._with_best_engine(position, end)
        if self._player is None:
            return self._fallback("the player has not entered the match")
        step = len(self.moves)

        def improve(better: Move) -> None:
            """Have a better move in hand, while this decision is under way."""
            if len(self.moves) == step and better in legal:
                self.in_hand, self.improved = better, True

        clock = Clock(max(_LEAST, end - arrived), arrived, improve)
        self.thinking = True
        try:
            move = self._player.choose(position, clock)
        except (*FAILURES, MemoryError) as error:
            return self._fallback(_describe(error))
        finally:
            self.thinking = False
        if move not in legal:
            spelt = to_kif(move) if isinstance(move, str | tuple) else repr(move)
            self.fault("illegal", f"{spelt[:100]} is not legal")
            return self.in_hand or legal[0]
        return move

    def _with_best_engine(self, position: Position, end: float) -> Position:
        """Have the player on the best engine there is by now; the position on it."""
        simulator = self.engine.simulator
        if simulator is None or (
            self._entry is not None and self._entry.simulator is simulator
        ):
            return position
        if position.simulator is not simulator:
            try:
                position = Position(simulator, position.facts)
            except PositionError as error:
                log.warning("%s stays with the slower engine: %s", self, error)
                return position
            self._position = position
        half = time.monotonic() + _WAITS * (end - time.monotonic())
        self._enter_with(simulator, half)
        return position

    def _enter_with(self, simulator: Simulator, until: float) -> None:
        terms = self.terms
        if self._entry is None:
            entry = Entry(
                terms.match,
                simulator,
                terms.role,
                terms.opponents,
                terms.start_clock,
                terms.play_clock,
            )
        else:
            entry = replace(self._entry, simulator=simulator)
        clock = Clock(max(_LEAST, until - time.monotonic()))
        self._entry = entry
        try:
            self._player = self._agent.enter(entry, clock)
        except (*FAILURES, MemoryError) as error:
            self._player = None
            self.fault("failed", f"the player did not enter: {_describe(error)}")

    def _fallback(self, reason: str) -> Move:
        self.fault("failed", reason)
        return self.in_hand or _UNKNOWN

    def _record(self) -> MatchRecord | None:
        position = self._position
        if position is None:
            return None
        return MatchRecord(
            game=position.game.name,
            roles=position.roles,
            moves=tuple(self.moves),
            goals=tuple(position.goals.values()),
            complete=position.is_terminal and not self.lost,
            faults=tuple(self.faults),
        )

    @staticmethod
    def _acquire(lock: Lock, until: float) -> bool:
        if lock.acquire(blocking=False):  # as almost always
            return True
        return lock.acquire(timeout=max(0.0, until - time.monotonic()))


def _headline(error: GameloreError) -> str:
    """What an error says, without the list of what would be legal."""
    return str(error).partition("; legal:")[0].partition("\n")[0]


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
