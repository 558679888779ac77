"""The player of an agent that learns: by its values, and by playouts without."""

from __future__ import annotations

import logging
import math
from threading import Lock

from gamelore.engine.position import Position
from gamelore.errors import NotTurnTakingError, StuckError
from gamelore.gdl import CanonicalForm, Move
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.player import Briefing, Clock, Player

log = logging.getLogger(__name__)

_PATIENCE = 0.5  # the share of a clock to wait for others who use the same state graph


class LearnedPlayer:
    """Looks up what was learned; where that cannot be, another player chooses."""

    def __init__(
        self,
        learned: GreedyPlayer,
        spare: Player,
        lock: Lock,
        form: CanonicalForm | None,
    ) -> None:
        """`lock`: of the state graph; `form`: how names are translated, if they are."""
        self.learned: GreedyPlayer | None = learned
        self._spare = spare
        self._lock = lock
        self._form = form

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Both players were started when the match was entered."""

    def choose(self, position: Position, clock: Clock) -> Move:
        """The move with the best value."""
        patience = -1 if clock.left == math.inf else max(0.0, _PATIENCE * clock.left)
        if self.learned is not None and self._lock.acquire(timeout=patience):
            try:
                return self._look_up(self.learned, position, clock)
            except (NotTurnTakingError, StuckError) as error:
                log.info("playouts decide from here on: %s", error)
                self.learned = None
            finally:
                self._lock.release()
        return self._spare.choose(position, clock)

    def _look_up(self, player: GreedyPlayer, position: Position, clock: Clock) -> Move:
        if self._form is None:
            return player.choose(position, clock)
        facts = map(self._form.to_canonical, position.facts)
        canonical = Position(player.values.graph.simulator, facts)
        to_original = self._form.to_original
        return to_original(player.choose(canonical, clock.translated(to_original)))
