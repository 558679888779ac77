"""One match as the player's server sees it.

A session records every joint move before anything else, and works the position out
from that history. So it may fall behind, on a slow engine or a busy machine, and still
catches up; and when a faster engine is ready, the position is worked out again on it.
A player that has a circuit makes one more move on it, and enters the match again on the
better one while the others think.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from threading import Lock, Thread
from typing import NamedTuple

from gamelore.agents.agent import Agent, MatchEntry
from gamelore.engine import CircuitSimulator
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.gdl import Compound, Move, Role
from gamelore.ggp.player.engines import Engine
from gamelore.ggp.player.position_tracker import PositionTracker, acquire
from gamelore.ggp.symbol_map import SymbolMap
from gamelore.match.record import Fault, FaultKind, MatchRecord
from gamelore.match.referee import illegality
from gamelore.player import Clock, Player, let_rest

log = logging.getLogger(__name__)

_WAIT_SHARE = 0.5  # of what is left of a clock: the wait for a player that is busy
_LEAST = 0.001  # seconds
_ENTERING = 0.5  # seconds of clock for a player that enters the match again
_GRACE = 0.25  # seconds for a player that still thinks when the match is over


@dataclass(frozen=True)
class SessionSettings:
    """What START says of a match."""

    match: str
    """The id of the match."""
    symbols: SymbolMap
    """The canonical game, and the symbols of this match."""
    role: Role
    """In canonical symbols."""
    opponents: tuple[str, ...]
    start_clock: float
    play_clock: float
    threads: int = 1
    """How many threads the player may use at once."""


class _Best(NamedTuple):
    """The best move so far of a turn: a legal one, if any is known."""

    turn: int
    move: Move | None
    named: bool
    """Whether the player has named it."""


class MatchSession:
    """Plays one role in one match: follows the match, and chooses moves in time."""

    def __init__(self, settings: SessionSettings, engine: Engine, agent: Agent) -> None:
        self.settings = settings
        self.engine = engine
        self.history: list[tuple[Move, ...]] = []
        """Every joint move that the manager has sent."""
        self.faults: list[Fault] = []
        self.last_message = time.monotonic()
        """When the last message of the match came."""
        self._agent = agent
        self._entry: MatchEntry | None = None
        self._player: Player | None = None
        self._thinking = False
        self._is_over = False
        self._player_lock = Lock()  # players do one thing at a time
        self._tracker: PositionTracker | None = None
        self._best = _Best(0, None, False)

    def __str__(self) -> str:
        return f"match {self.settings.match}"

    @property
    def best_so_far(self) -> Move | None:
        """A legal move of this turn, to be answered when time runs out.

        At first it is any, then the best that the player has named.
        """
        best = self._best
        return best.move if best.turn == len(self.history) else None

    @property
    def improved(self) -> bool:
        """Whether the player has named a move in this turn."""
        best = self._best
        return best.named and best.turn == len(self.history)

    # ── messages of the manager ─────────────────────────────────────────────────────

    def enter(self, until: float, patience: float) -> None:
        """Have the agent enter the match, until a time (of `time.monotonic`).

        `patience`: until when to wait for the best engine, rather than take any.
        """
        simulator = self.engine.wait_final(patience)
        simulator = simulator or self.engine.wait_playable(until)
        if simulator is not None:
            self._catch_up(until)
            with self._player_lock:
                self._enter_on(simulator, until)

    def decide(
        self, joint: tuple[Move, ...] | None, arrived: float, end: float
    ) -> Move | None:
        """Return a move after a joint move (None before the first), by a time.

        None where no legal move is known.
        """
        if joint is not None:
            self.history.append(joint)
        turn = len(self.history)
        self._best = _Best(turn, None, False)
        position = self._catch_up(end)
        if position is None:
            return self._fall_back("the position is not known yet")
        legal = position.legal_moves(self.settings.role)
        if position.is_terminal or not legal:
            return self._fall_back("there is no legal move")
        if len(self.history) != turn:
            return self._fall_back("the next move is asked for already")
        self._best = _Best(turn, legal[0], False)
        if not acquire(self._player_lock, _half_way_to(end)):
            return self._fall_back("the player is still busy with an earlier move")
        try:
            on_circuit = self._keep_circuit(position, turn, _half_way_to(end))
            return self._choose(on_circuit or position, legal, arrived, end)
        finally:
            self._player_lock.release()
            self._enter_soon()

    def finish(self, joint: tuple[Move, ...] | None, until: float) -> MatchRecord:
        """End the match after a last joint move, and return its record."""
        if joint is not None:
            self.history.append(joint)
        self._is_over = True
        position = self._catch_up(until) if self._entry is not None else None
        soon = time.monotonic() + _GRACE
        free = acquire(self._player_lock, min(until, soon) if self._thinking else until)
        if not free:
            self.add_fault("late", "the player was still busy when the match ended")
        record = self._make_record(position)
        try:
            if self._entry is not None:
                self._agent.finish(self._entry, record)
        except Exception as error:
            log.exception("%s was not kept: %s", self, _describe(error))
        finally:
            if free:
                self._player_lock.release()
        return record

    def answer_for_player(self) -> Move | None:
        """Return the best move so far, when the time of a decision is over."""
        self.add_fault("late", "the player did not answer in time")
        return self.best_so_far

    def add_fault(
        self, kind: FaultKind, message: str, error: Exception | None = None
    ) -> None:
        """Record what went wrong on our side; the traceback of an error is logged."""
        step = len(self.history)
        log.warning("%s, move %d: %s", self, step + 1, message, exc_info=error)
        self.faults.append(Fault(step, self.settings.role, kind, message))

    # ── the position ────────────────────────────────────────────────────────────────

    def _catch_up(self, until: float) -> Position | None:
        """Return the position after all joint moves so far, if it is known in time.

        It is worked out on the best engine there is by now.
        """
        simulator = self.engine.wait_playable(until)
        if simulator is None:
            return None
        tracker = self._tracker
        if tracker is None or tracker.simulator is not simulator:
            tracker = PositionTracker(simulator, self.history, str(self))
            self._tracker = tracker
        position = tracker.catch_up(until)
        if position is not None:
            position.legal_moves(self.settings.role)  # and keeps them
        return position

    def _make_record(self, position: Position | None) -> MatchRecord:
        """Return the record of a match that ended in a position, if that is known."""
        game = self.settings.symbols.game
        goals = position.goals.values() if position else [None] * len(game.roles)
        ended = position is not None and position.is_terminal
        left_out = self._tracker.left_out if self._tracker else set()
        moves = [m for n, m in enumerate(self.history) if n not in left_out]
        return MatchRecord(
            game=game.name,
            roles=game.roles,
            moves=tuple(moves),
            goals=tuple(goals),
            complete=ended and not left_out,
            faults=tuple(self.faults),
        )

    # ── the player ──────────────────────────────────────────────────────────────────

    def _choose(
        self, position: Position, legal: tuple[Move, ...], arrived: float, end: float
    ) -> Move | None:
        """Return what the player answers, if it is a legal move."""
        if self._entry is None or self._entry.simulator is not position.simulator:
            self._enter_on(position.simulator, _half_way_to(end))
        if self._player is None:
            return self._fall_back("the player has not entered the match")
        turn = len(self.history)

        def improve(better: Move) -> None:
            """Keep a better move, while this decision is under way."""
            if len(self.history) == turn and better in legal:
                self._best = _Best(turn, better, True)

        clock = Clock(max(_LEAST, end - arrived), arrived, improve)
        self._thinking = True
        try:
            move = self._player.choose(position, clock)
        except Exception as error:
            return self._fall_back(_describe(error), error)
        finally:
            self._thinking = False
        if not isinstance(move, str | Compound) or move not in legal:
            self.add_fault("illegal", illegality(move).message)
            return self.best_so_far or legal[0]
        return move

    def _enter_on(self, simulator: Simulator, until: float) -> None:
        """Have the agent enter the match, or enter it again on a better engine."""
        settings = self.settings
        if self._entry is None:
            self._entry = MatchEntry(
                settings.match,
                simulator,
                settings.role,
                settings.opponents,
                settings.start_clock,
                settings.play_clock,
                ponders=True,
                threads=settings.threads,
            )
        else:
            self._entry = replace(self._entry, simulator=simulator)
        clock = Clock(max(_LEAST, until - time.monotonic()))
        try:
            self._player = self._agent.enter(self._entry, clock)
        except Exception as error:
            self._player = None
            message = f"the player did not enter: {_describe(error)}"
            self.add_fault("failed", message, error)

    def _keep_circuit(
        self, position: Position, turn: int, until: float
    ) -> Position | None:
        """Return the position on the player's circuit, where there is a better one.

        To enter the match again would take a part of the clock.
        """
        entry = self._entry
        own = entry.simulator if entry is not None and self._player else None
        if own is position.simulator or not isinstance(own, CircuitSimulator):
            return None
        return PositionTracker(own, self.history[:turn], str(self)).catch_up(until)

    def _enter_soon(self) -> None:
        """Have the agent enter the match again, in a thread, on a better engine."""
        entry = self._entry
        if entry is not None and entry.simulator is not self.engine.simulator:
            Thread(target=self._enter_again, daemon=True).start()

    def _enter_again(self) -> None:
        with self._player_lock:
            entry, best = self._entry, self.engine.simulator
            if self._is_over or entry is None or best is None:
                return
            if entry.simulator is not best:
                self._enter_on(best, time.monotonic() + _ENTERING)
            if self._is_over:  # by now
                let_rest(self._player)

    def _fall_back(self, reason: str, error: Exception | None = None) -> Move | None:
        """Record a fault, and return a legal move if one is known."""
        self.add_fault("failed", reason, error)
        return self.best_so_far


def _half_way_to(end: float) -> float:
    now = time.monotonic()
    return now + _WAIT_SHARE * (end - now)


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
