"""What players of an adapted game observe: facts, or whole histories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from gamelore.adapters.open_spiel import GameloreGame, GameloreState

Tensor: TypeAlias = npt.NDArray[np.float32]


class FactObserver:
    """The facts of a state, which all players see, and who is looking."""

    def __init__(self, game: GameloreGame, kind: Any) -> None:
        self._engine = game.decisions.engine
        self._public = kind is None or kind.public_info
        players, facts = len(game.decisions.players), len(self._engine.fluents)
        self.tensor: Tensor = np.zeros(players + facts, np.float32)
        self.dict = {"player": self.tensor[:players], "facts": self.tensor[players:]}

    def set_from(self, state: GameloreState, player: int) -> None:
        """Observe a state from the side of a player."""
        self.tensor.fill(0)
        if self._public:
            self.dict["player"][player] = 1
            row = np.frombuffer(state.position, np.uint64)
            self.dict["facts"][:] = self._engine.fact_matrix(row[None])[0]

    def string_from(self, state: GameloreState, player: int) -> str:
        """Return the facts as text."""
        return state.facts_text() if self._public else ""


class HistoryObserver:
    """All moves of a match so far, which all players have seen."""

    def __init__(self, game: GameloreGame, kind: Any) -> None:
        self._public = kind.public_info
        self._actions = len(game.decisions.actions)
        self.tensor: Tensor | None = None
        self.dict: dict[str, Tensor] = {}
        if game.history_shape is not None:
            players = len(game.decisions.players)
            size = int(np.prod(game.history_shape))
            self.tensor = np.zeros(players + size, np.float32)
            self.dict = {
                "player": self.tensor[:players],
                "history": self.tensor[players:].reshape(game.history_shape),
            }

    def set_from(self, state: GameloreState, player: int) -> None:
        """Observe a state from the side of a player."""
        if self.tensor is None:
            return
        self.tensor.fill(0)
        if not self._public:
            return
        self.dict["player"][player] = 1
        for step, made in enumerate(state.full_history()):
            shift = self._actions if made.player < 0 else 0  # outcomes follow actions
            column = made.action + shift
            self.dict["history"][step, column] = 1

    def string_from(self, state: GameloreState, player: int) -> str:
        """Return the history as text."""
        return str(state.history_str()) if self._public else ""
