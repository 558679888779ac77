"""A trial: short matches that tell whether one player is better than another."""

from __future__ import annotations

import numpy as np

from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import StuckError
from gamelore.gdl import Move, Role
from gamelore.match.standings import share
from gamelore.player import RESERVED_SHARE, Briefing, Clock, Player

_OPENING = 2  # random moves, so that matches differ
_BETTER = 0.5  # what the interval of the score must lie above
_HOPELESS = 0.7  # … and where it ends if no more matches are worth it
_MOST = 16  # matches


class Trial:
    """Matches between two players of a game of two, at the same short time a move.

    Matches come in pairs, with the same first moves and the roles exchanged. The
    candidate is better once Wilson's interval of its score, at 95%, lies above 50%. It
    is not where the interval ends below 70%, or after sixteen matches.
    """

    def __init__(
        self,
        simulator: Simulator,
        candidate: Player,
        incumbent: Player,
        *,
        seconds: float,
        seed: int = 0,
    ) -> None:
        """`seconds`: of a move."""
        self._simulator = simulator
        self._players = candidate, incumbent
        self._seconds = seconds / (1 - RESERVED_SHARE)  # of which players use a part
        self._seed = seed
        self.points = 0.0
        """Of the candidate: 1 for a win, ½ for a draw."""
        self.matches = 0
        """That are over."""
        self._position = self._begin()

    def step(self) -> bool | None:
        """Play one move; return whether the candidate is better, once that is known."""
        position = self._position
        if not position.is_terminal:
            self._position = self._move(position)
            return None
        self.points += self._score(position)
        self.matches += 1
        self._position = self._begin()
        return judge(self.points, self.matches)

    def _begin(self) -> Position:
        """Return the first position of the next match, with its players started."""
        random = np.random.default_rng((self._seed, self.matches // 2))
        position = Position(self._simulator)
        for _ in range(_OPENING):
            choices = (position.legal_moves(role) for role in position.roles)
            drawn = tuple(legal[int(random.integers(len(legal)))] for legal in choices)
            following = position.advance(drawn)
            if following.is_terminal:
                break
            position = following
        for player, role in zip(self._players, self._roles(), strict=True):
            player.start(Briefing(self._simulator, position.roles[role]), Clock())
        return position

    def _roles(self) -> tuple[int, int]:
        """Return the roles of candidate and incumbent in this match."""
        first = self.matches % 2
        return first, 1 - first

    def _move(self, position: Position) -> Position:
        """Return the position after a move of each role."""
        chosen: dict[Role, Move] = {}
        for player, number in zip(self._players, self._roles(), strict=True):
            role = position.roles[number]
            legal = position.legal_moves(role)
            if not legal:
                raise StuckError(f"{role} has no legal move in {position!r}")
            chosen[role] = legal[0]
            if len(legal) > 1:
                chosen[role] = player.choose(position, Clock(self._seconds))
        return position.advance(tuple(chosen[role] for role in position.roles))

    def _score(self, end: Position) -> float:
        """Return the candidate's points of a match."""
        own, other = (end.goals[end.roles[role]] or 0 for role in self._roles())
        return 0.5 if own == other else float(own > other)


def judge(points: float, matches: int) -> bool | None:
    """Return whether a score shows a better player; None if it does not tell yet."""
    interval = share(points, matches)
    if interval.low > _BETTER:
        return True
    if interval.high < _HOPELESS or matches >= _MOST:
        return False
    return None
