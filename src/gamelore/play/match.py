"""One match between players, and the record of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from gamelore.errors import GameloreError, StuckError
from gamelore.gdl import Move, Role, to_kif
from gamelore.play.player import Briefing, Clock, Player
from gamelore.simulate.position import Position
from gamelore.simulate.simulator import Simulator

CHANCE: Role = "random"
"""The role that draws its moves by lot: dice."""

FaultKind: TypeAlias = Literal["illegal", "late", "failed"]

FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    GameloreError,
    LookupError,
    NotImplementedError,
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
    """Which joint move of the match, from 0; -1 if the player failed to start."""
    role: Role
    kind: FaultKind
    message: str


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


def play_match(
    simulator: Simulator,
    players: Mapping[Role, Player],
    *,
    seed: int = 0,
    start_clock: float = math.inf,
    play_clock: float = math.inf,
    move_limit: int = 10_000,
) -> MatchRecord:
    """Play one match; what players do wrong is recorded, not raised.

    The role `random` needs no player. The seed decides what is drawn by lot: its moves,
    and moves in place of those that players failed to give. Clocks are in seconds.
    """
    missing = {*simulator.roles} - {*players, CHANCE}
    if missing:
        raise ValueError(f"no player for {', '.join(sorted(missing))}")
    referee = _Referee(simulator, players, seed)
    referee.start(start_clock, play_clock)
    moves: list[tuple[Move, ...]] = []
    position = Position.initial(simulator)
    while not position.is_terminal and len(moves) < move_limit:
        joint = referee.joint_move(position, len(moves), play_clock)
        position = position.advance(joint)
        moves.append(joint)
    return MatchRecord(
        game=simulator.game.name,
        roles=simulator.roles,
        moves=tuple(moves),
        goals=tuple(position.goals.values()),
        complete=position.is_terminal,
        faults=tuple(referee.faults),
    )


class _Referee:
    """Asks the players for their moves, and draws lots where they fail."""

    def __init__(
        self, simulator: Simulator, players: Mapping[Role, Player], seed: int
    ) -> None:
        self.simulator = simulator
        self.players = players
        self.faults: list[Fault] = []
        self._lots = Random(seed)

    def start(self, start_clock: float, play_clock: float) -> None:
        """Brief every player."""
        for role, player in self.players.items():
            briefing = Briefing(self.simulator, role, start_clock, play_clock)
            try:
                player.start(briefing, Clock(start_clock))
            except FAILURES as error:
                self.faults.append(Fault(-1, role, "failed", _describe(error)))

    def joint_move(
        self, position: Position, step: int, play_clock: float
    ) -> tuple[Move, ...]:
        """A legal move of each role, in their order."""
        return tuple(
            self._move(role, position, step, Clock(play_clock))
            for role in self.simulator.roles
        )

    def _move(self, role: Role, position: Position, step: int, clock: Clock) -> Move:
        legal = position.legal_moves(role)
        if not legal:
            raise StuckError(f"{role} has no legal move in {position.game.name}")
        player = self.players.get(role)
        if player is None:
            return self._lots.choice(legal)
        kind: FaultKind
        try:
            move = player.choose(position, clock)
        except FAILURES as error:
            kind, message = "failed", _describe(error)
        else:
            if clock.left < 0:
                kind, message = "late", f"{-clock.left:.1f} s too late"
            elif move not in legal:
                kind, message = "illegal", f"{to_kif(move)} is not legal"
            else:
                return move
        self.faults.append(Fault(step, role, kind, message))
        return self._lots.choice(legal)


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
