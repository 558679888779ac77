"""One match between players in this process."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping

from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.gdl import Role
from gamelore.match.record import CHANCE, MatchRecord
from gamelore.match.referee import Answer, Mishap, Referee, failure, lateness
from gamelore.player import Briefing, Clock, Player

log = logging.getLogger(__name__)

MOVE_LIMIT = 10_000
"""Joint moves after which a match that the rules do not end is ended."""


class TakeBackRequest(BaseException):
    """Raised by a player's `choose` to return to its last decision; not an error."""


class LeaveRequest(BaseException):
    """Raised by a player's `choose` to end the match where it stands; not an error."""


def play_match(
    simulator: Simulator,
    players: Mapping[Role, Player],
    *,
    seed: int = 0,
    start_clock: float = math.inf,
    play_clock: float | Mapping[Role, float] = math.inf,
    move_limit: int = MOVE_LIMIT,
    observe: Callable[[Referee], None] = lambda referee: None,
) -> MatchRecord:
    """Play one match; whatever a player does wrong is recorded, not raised.

    The role `random` needs no player. The seed decides its moves, and moves in the
    place of those that players failed to give. Clocks are in seconds; `play_clock` may
    have one for each role, without a limit for those left out. `observe` is called
    after every joint move and every move taken back.
    """
    missing = {*simulator.roles} - {*players, CHANCE}
    if missing:
        raise ValueError(f"no player for {', '.join(sorted(missing))}")
    if isinstance(play_clock, float | int):
        play_clock = dict.fromkeys(players, play_clock)
    local = _LocalPlayers(simulator, players, start_clock, play_clock)
    referee = Referee(simulator, seed)
    referee.note_unready(local.start())
    while not referee.position.is_terminal and len(referee.moves) < move_limit:
        referee.check()
        try:
            referee.take(local.ask(referee.position))
        except LeaveRequest:
            break
        except TakeBackRequest:
            assert local.asked is not None
            referee.take_back(local.asked)
        observe(referee)
    return referee.record()


class _LocalPlayers:
    """Players in this process, asked one after the other."""

    def __init__(
        self,
        simulator: Simulator,
        players: Mapping[Role, Player],
        start_clock: float,
        play_clocks: Mapping[Role, float],
    ) -> None:
        self._simulator = simulator
        self._players = players
        self._start_clock = start_clock
        self._play_clocks = play_clocks
        self.asked: Role | None = None
        """The role that was asked last."""

    def start(self) -> dict[Role, Mishap]:
        mishaps = {}
        for role, player in self._players.items():
            play_clock = self._play_clocks.get(role, math.inf)
            briefing = Briefing(self._simulator, role, self._start_clock, play_clock)
            try:
                player.start(briefing, Clock(self._start_clock))
            except Exception as error:  # foreign code
                log.warning("%s failed to start", role, exc_info=True)
                mishaps[role] = failure(error)
        return mishaps

    def ask(self, position: Position) -> dict[Role, Answer]:
        return {
            role: self._answer(role, player, position)
            for role, player in self._players.items()
        }

    def _answer(self, role: Role, player: Player, position: Position) -> Answer:
        self.asked = role
        clock = Clock(self._play_clocks.get(role, math.inf))
        try:
            move = player.choose(position, clock)
        except Exception as error:  # foreign code
            log.warning("%s failed to choose", role, exc_info=True)
            return failure(error)
        return move if clock.left >= 0 else lateness(-clock.left)
