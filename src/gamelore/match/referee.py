"""The referee of one match: applies the rules to what players answer.

Every match has one, whether its players are in this process or on the network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import StuckError
from gamelore.gdl import Compound, Move, Role, to_kif
from gamelore.match.record import Fault, FaultKind, MatchRecord


@dataclass(frozen=True)
class Mishap:
    """Why a player gave no move, or was not ready."""

    kind: FaultKind
    message: str
    answer: Move | None = None


Answer: TypeAlias = Move | Mishap


class Referee:
    """Checks the answers of players, makes joint moves, and records faults."""

    def __init__(self, simulator: Simulator, seed: int = 0) -> None:
        """`seed`: decides random moves, in the place of those that are missing."""
        self.simulator = simulator
        self.position = Position.initial(simulator)
        self.moves: list[tuple[Move, ...]] = []
        self.faults: list[Fault] = []
        self._positions = [self.position]
        self._random = Random(seed)

    @property
    def previous(self) -> Position | None:
        """The position before the last joint move, if there was one."""
        return self._positions[-2] if self.moves else None

    def note_unready(self, mishaps: Mapping[Role, Mishap]) -> None:
        """Record who was not ready when the match began."""
        for role, mishap in mishaps.items():
            self._note(-1, role, mishap)

    def check(self) -> None:
        """Raise a `StuckError` if a role has no legal move."""
        for role in self.simulator.roles:
            if not self.position.legal_moves(role):
                name = self.simulator.game.name
                raise StuckError(f"{role} has no legal move in {name}")

    def take(self, answers: Mapping[Role, Answer]) -> None:
        """Make one joint move; roles that are left out move at random."""
        position = self.position
        joint = tuple(
            self._decide(role, position.legal_moves(role), answers)
            for role in self.simulator.roles
        )
        self.position = position.advance(joint)
        self.moves.append(joint)
        self._positions.append(self.position)

    def take_back(self, role: Role) -> bool:
        """Return to the last position in which a role had a choice, if there is one."""
        for number in reversed(range(len(self.moves))):
            if len(self._positions[number].legal_moves(role)) > 1:
                del self.moves[number:]
                del self._positions[number + 1 :]
                self.position = self._positions[number]
                self.faults = [fault for fault in self.faults if fault.step < number]
                return True
        return False

    def note_late_failures(self, mishaps: Mapping[Role, Mishap]) -> None:
        """Record what went wrong after the last move."""
        for role, mishap in mishaps.items():
            self._note(len(self.moves), role, mishap)

    def record(self) -> MatchRecord:
        """Return what has happened so far."""
        return MatchRecord(
            game=self.simulator.game.name,
            roles=self.simulator.roles,
            moves=tuple(self.moves),
            goals=tuple(self.position.goals.values()),
            complete=self.position.is_terminal,
            faults=tuple(self.faults),
        )

    def _decide(
        self, role: Role, legal: Sequence[Move], answers: Mapping[Role, Answer]
    ) -> Move:
        """Return the role's answer if it is a legal move, else a random move."""
        if role not in answers:
            return self._random.choice(legal)
        answer = answers[role]
        if not isinstance(answer, Mishap):
            if isinstance(answer, str | Compound) and answer in legal:
                return answer
            answer = illegality(answer)
        self._note(len(self.moves), role, answer)
        return self._random.choice(legal)

    def _note(self, step: int, role: Role, mishap: Mishap) -> None:
        fault = Fault(step, role, mishap.kind, mishap.message, mishap.answer)
        self.faults.append(fault)


def failure(error: BaseException) -> Mishap:
    """Return the mishap of a player's exception."""
    return Mishap("failed", f"{type(error).__name__}: {error}")


def lateness(seconds: float) -> Mishap:
    """Return the mishap of an answer after its clock."""
    return Mishap("late", f"{seconds:.1f} s too late")


def illegality(answer: object) -> Mishap:
    """Return the mishap of an answer that is no legal move, whatever it is."""
    if isinstance(answer, str | Compound):
        return Mishap("illegal", f"{to_kif(answer)[:100]} is not legal", answer)
    kind = type(answer).__name__
    return Mishap("illegal", f"the answer is no move, but of type {kind}")
