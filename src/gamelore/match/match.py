"""One match between players, and the record of it.

A referee keeps every match. Who plays sits at a table: players in this process here,
players on the network in `gamelore.ggp`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError, StuckError
from gamelore.gdl import Move, Role, to_kif
from gamelore.player import Briefing, Clock, Player

CHANCE: Role = "random"
"""The role that draws its moves by lot: dice."""

MOVE_LIMIT = 10_000
"""Joint moves after which a match that the rules do not end is ended."""

FaultKind: TypeAlias = Literal["illegal", "late", "failed"]

FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    GameloreError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What a player's own mistakes raise; running out of memory ends the match."""


@dataclass(frozen=True)
class Fault:
    """A move that a player owed; one was drawn by lot in its place."""

    step: int
    """Which joint move of the match, from 0; -1 if the player failed to start, and one
    past the last if it failed when the match was over."""
    role: Role
    kind: FaultKind
    message: str
    answer: Move | None = None
    """What the player gave instead, where that was a move."""


@dataclass(frozen=True)
class MatchRecord:
    """What happened in a match."""

    game: str
    roles: tuple[Role, ...]
    moves: tuple[tuple[Move, ...], ...]
    """The joint moves in order, each in the order of the roles."""
    goals: tuple[int | None, ...]
    """Each role's goal where the match ended; `None` where the rules give none."""
    complete: bool
    """Whether the rules ended the match, rather than the move limit."""
    faults: tuple[Fault, ...] = ()

    def __str__(self) -> str:
        lines = [
            f"{step:3}. {'  '.join(map(to_kif, joint))}"
            for step, joint in enumerate(self.moves, start=1)
        ]
        results = zip(self.roles, self.goals, strict=True)
        ending = ", ".join(f"{role} {goal}" for role, goal in results)
        return "\n".join([*lines, f"{self.game}: {ending}"])


@dataclass(frozen=True)
class Mishap:
    """Why a player gave no move, or was not ready."""

    kind: FaultKind
    message: str
    answer: Move | None = None


Answer: TypeAlias = Move | Mishap


class Referee:
    """Keeps one match: judges what players answer, and draws lots where they fail."""

    def __init__(self, simulator: Simulator, seed: int = 0) -> None:
        self.simulator = simulator
        self.position = Position.initial(simulator)
        self.moves: list[tuple[Move, ...]] = []
        self.faults: list[Fault] = []
        self._lots = Random(seed)

    def note_unready(self, mishaps: Mapping[Role, Mishap]) -> None:
        """Note who was not ready when the match began."""
        for role, mishap in mishaps.items():
            self._note(-1, role, mishap)

    def check(self) -> None:
        """See that every role can move; `StuckError` if one cannot."""
        for role in self.simulator.roles:
            if not self.position.legal_moves(role):
                name = self.simulator.game.name
                raise StuckError(f"{role} has no legal move in {name}")

    def take(self, answers: Mapping[Role, Answer]) -> None:
        """Have one joint move made; lots decide for roles that are left out."""
        position = self.position
        joint = tuple(
            self._judge(role, position.legal_moves(role), answers)
            for role in self.simulator.roles
        )
        self.position = position.advance(joint)
        self.moves.append(joint)

    def note_late_failures(self, mishaps: Mapping[Role, Mishap]) -> None:
        """Note what went wrong after the last move."""
        for role, mishap in mishaps.items():
            self._note(len(self.moves), role, mishap)

    def record(self) -> MatchRecord:
        """What has happened so far."""
        return MatchRecord(
            game=self.simulator.game.name,
            roles=self.simulator.roles,
            moves=tuple(self.moves),
            goals=tuple(self.position.goals.values()),
            complete=self.position.is_terminal,
            faults=tuple(self.faults),
        )

    def _judge(
        self, role: Role, legal: Sequence[Move], answers: Mapping[Role, Answer]
    ) -> Move:
        """The role's answer, if it is a legal move, or a lot."""
        answer = answers.get(role)
        if answer is None:
            return self._lots.choice(legal)
        if not isinstance(answer, Mishap):
            if answer in legal:
                return answer
            answer = Mishap("illegal", f"{to_kif(answer)} is not legal", answer)
        self._note(len(self.moves), role, answer)
        return self._lots.choice(legal)

    def _note(self, step: int, role: Role, mishap: Mishap) -> None:
        fault = Fault(step, role, mishap.kind, mishap.message, mishap.answer)
        self.faults.append(fault)


def play_match(
    simulator: Simulator,
    players: Mapping[Role, Player],
    *,
    seed: int = 0,
    start_clock: float = math.inf,
    play_clock: float = math.inf,
    move_limit: int = MOVE_LIMIT,
) -> MatchRecord:
    """Play one match; what players do wrong is recorded, not raised.

    The role `random` needs no player. The seed decides what is drawn by lot: its moves,
    and moves in place of those that players failed to give. Clocks are in seconds.
    """
    missing = {*simulator.roles} - {*players, CHANCE}
    if missing:
        raise ValueError(f"no player for {', '.join(sorted(missing))}")
    table = _PlayerTable(simulator, players, start_clock, play_clock)
    referee = Referee(simulator, seed)
    referee.note_unready(table.start())
    while not referee.position.is_terminal and len(referee.moves) < move_limit:
        referee.check()
        referee.take(table.ask(referee.position))
    return referee.record()


class _PlayerTable:
    """Players in this process, asked one after the other."""

    def __init__(
        self,
        simulator: Simulator,
        players: Mapping[Role, Player],
        start_clock: float,
        play_clock: float,
    ) -> None:
        self._simulator = simulator
        self._players = players
        self._start_clock = start_clock
        self._play_clock = play_clock

    def start(self) -> dict[Role, Mishap]:
        mishaps = {}
        for role, player in self._players.items():
            briefing = Briefing(
                self._simulator, role, self._start_clock, self._play_clock
            )
            try:
                player.start(briefing, Clock(self._start_clock))
            except FAILURES as error:
                mishaps[role] = failure(error)
        return mishaps

    def ask(self, position: Position) -> dict[Role, Answer]:
        return {
            role: self._answer(player, position)
            for role, player in self._players.items()
        }

    def _answer(self, player: Player, position: Position) -> Answer:
        clock = Clock(self._play_clock)
        try:
            move = player.choose(position, clock)
        except FAILURES as error:
            return failure(error)
        return move if clock.left >= 0 else lateness(-clock.left)


def failure(error: BaseException) -> Mishap:
    """What a player's exception comes to."""
    return Mishap("failed", f"{type(error).__name__}: {error}")


def lateness(seconds: float) -> Mishap:
    """What an answer after its clock comes to."""
    return Mishap("late", f"{seconds:.1f} s too late")
