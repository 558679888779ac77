"""Bots of OpenSpiel as players of our matches.

Our simulator is the referee. A state of OpenSpiel's follows the match: every position
that the player is shown is a successor of the one before. Where OpenSpiel has the game
in C++, it is a state of that; else one of our own game, as `open_spiel` adapts it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from gamelore.adapters.open_spiel_games import (
    ACTIONS,
    import_pyspiel,
    load_native,
)
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError
from gamelore.gdl import Move
from gamelore.player import Briefing, Clock

_UNLIMITED = 2**31 - 1  # simulations: a clock ends the search


@dataclass(frozen=True)
class MCTSBotSettings:
    """How OpenSpiel's MCTSBot searches, in C++, with random rollouts as evaluation.

    The defaults of `uct_c`, `solve` and memory are those of OpenSpiel's own example
    programs; one rollout is the default of that in Python, ten of that in C++.
    """

    uct_c: float = 2.0
    """Exploration, for values from -1 to 1."""
    solve: bool = True
    """Whether proven results are backed up."""
    rollouts: int = 1
    """Rollouts of each simulation."""
    simulations: int = 10_000
    """Simulations of a decision that no clock limits."""
    memory_mb: int = 1000
    """Memory of the tree at most."""


def make_bot(
    game: Any, settings: MCTSBotSettings, seed: int, *, seconds: float | None = None
) -> Any:
    """Return an MCTSBot for one of OpenSpiel's games.

    `seconds`: of a search, in the place of its number of simulations.
    """
    pyspiel = import_pyspiel()
    return pyspiel.MCTSBot(
        game=game,
        evaluator=pyspiel.RandomRolloutEvaluator(
            n_rollouts=settings.rollouts, seed=seed
        ),
        uct_c=settings.uct_c,
        max_simulations=settings.simulations if seconds is None else _UNLIMITED,
        max_memory_mb=settings.memory_mb,
        solve=settings.solve,
        seed=seed,
        verbose=False,
        max_wall_clock_time=-1.0 if seconds is None else seconds,
    )


# ── states that follow a match ──────────────────────────────────────────────────────


class FollowedState(ABC):
    """A state of OpenSpiel's that follows a match of ours from its first position."""

    def __init__(self, game: Any, simulator: Simulator) -> None:
        self.game = game
        self.state: Any = game.new_initial_state()
        self.position = Position(simulator)

    @abstractmethod
    def find_action(self, role: int, move: Move) -> int:
        """Return OpenSpiel's action for a move of a role that decides."""

    @abstractmethod
    def apply(self, joint: tuple[Move, ...]) -> None:
        """Go on by a joint move of ours."""

    def follow(self, position: Position) -> None:
        """Go on to a successor of the latest position; stay, if it is the same."""
        if position == self.position:
            return
        simulator = position.simulator
        expansion = simulator.expand(self.position.row[None])
        same = (expansion.successors == position.row).all(axis=1)
        if not same.any():
            raise GameloreError("the position is no successor of the one before")
        numbers = expansion.moves[int(np.argmax(same))].tolist()
        pairs = zip(simulator.moves, numbers, strict=True)
        self.apply(tuple(names[number] for names, number in pairs))
        self.position = position


class NativeState(FollowedState):
    """A state of a game that OpenSpiel has in C++."""

    def __init__(self, simulator: Simulator) -> None:
        name = simulator.game.name
        super().__init__(load_native(name), simulator)
        self._to_action = ACTIONS[name]

    def find_action(self, role: int, move: Move) -> int:
        return self._to_action(move, self.state)

    def apply(self, joint: tuple[Move, ...]) -> None:
        player = self.state.current_player()
        self.state.apply_action(self.find_action(player, joint[player]))


class AdaptedState(FollowedState):
    """A state of our game in OpenSpiel; it has Python in it, and so is slow."""

    def __init__(self, simulator: Simulator) -> None:
        import_pyspiel()
        from gamelore.adapters.open_spiel import adapt

        super().__init__(adapt(simulator.game), simulator)

    def find_action(self, role: int, move: Move) -> int:
        decisions = self.game.decisions
        number = decisions.engine.move_number(role, move)
        return int(decisions.action(decisions.players.index(role), number))

    def apply(self, joint: tuple[Move, ...]) -> None:
        decisions, state = self.game.decisions, self.state
        pairs = enumerate(joint)
        numbers = [decisions.engine.move_number(role, move) for role, move in pairs]
        decision = decisions.decision(state.position)
        if state.is_simultaneous_node():
            players = enumerate(decisions.players)
            state.apply_actions([decisions.action(p, numbers[r]) for p, r in players])
        elif decision.who >= 0:
            role = decisions.players[decision.who]
            state.apply_action(decisions.action(decision.who, numbers[role]))
        if decision.outcomes:
            state.apply_action(decisions.outcome(numbers[decisions.chance]))


def follow_match(simulator: Simulator) -> FollowedState:
    """Return the state of OpenSpiel's that follows a match, the fastest there is."""
    game = simulator.game
    if game.name in ACTIONS and game.source == game.name:
        return NativeState(simulator)
    return AdaptedState(simulator)


# ── players ─────────────────────────────────────────────────────────────────────────


class BotPlayer(ABC):
    """Chooses as a bot of OpenSpiel does."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._followed: FollowedState | None = None
        self._role = 0

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Begin a match at its first position."""
        self._followed = follow_match(briefing.simulator)
        self._role = briefing.simulator.roles.index(briefing.role)

    def follow(self, position: Position) -> FollowedState:
        """Take note of the next position of the match."""
        if self._followed is None:
            raise RuntimeError("start must be called before follow")
        self._followed.follow(position)
        return self._followed

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the move that the bot decides on."""
        followed = self.follow(position)
        legal = position.legal_moves(position.roles[self._role])
        if len(legal) == 1:
            return legal[0]
        action = self.decide(followed, clock)
        for move in legal:
            if followed.find_action(self._role, move) == action:
                return move
        raise GameloreError(f"OpenSpiel's action {action} is no legal move of ours")

    @abstractmethod
    def decide(self, followed: FollowedState, clock: Clock) -> int:
        """Return the action that the bot decides on."""


class MCTSBotPlayer(BotPlayer):
    """Chooses as OpenSpiel's MCTSBot does; a new search for each decision."""

    def __init__(self, seed: int = 0, settings: MCTSBotSettings | None = None) -> None:
        super().__init__(seed)
        self.settings = settings or MCTSBotSettings()
        self.simulations: list[int] = []
        """Of each decision since the start."""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Begin a match at its first position."""
        super().start(briefing, clock)
        assert self._followed is not None
        if self._followed.game.get_type().dynamics.name != "SEQUENTIAL":
            raise GameloreError(
                f"OpenSpiel's MCTSBot plays games of turns only, and players of"
                f" {briefing.simulator.game.name} choose at once"
            )
        self.simulations = []

    def seconds(self, clock: Clock) -> float | None:
        """Return the time that a search has, None if simulations are counted."""
        return clock.budget if clock.seconds < math.inf else None

    def decide(self, followed: FollowedState, clock: Clock) -> int:
        """Return the action that a search finds in the time it has."""
        seed = int(self._random.integers(1 << 30))
        seconds = self.seconds(clock)
        bot = make_bot(followed.game, self.settings, seed, seconds=seconds)
        # Not `step`, which crashes with states that have Python in them.
        root = bot.mcts_search(followed.state)
        self.simulations.append(int(root.explore_count))
        return int(root.best_child().action)


class CountingMCTSBotPlayer(MCTSBotPlayer):
    """MCTSBot with the same number of simulations whatever the clock says.

    OpenSpiel counts simulations or seconds, never both.
    """

    def seconds(self, clock: Clock) -> float | None:
        return None


class NamedBotPlayer(BotPlayer):
    """Chooses as a bot does that is registered with OpenSpiel by name."""

    def __init__(self, name: str, seed: int = 0) -> None:
        super().__init__(seed)
        self._name = name
        self._bot: Any = None

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Begin a match at its first position, with a new bot."""
        super().start(briefing, clock)
        assert self._followed is not None
        roles = [role for role in briefing.simulator.roles if role != "random"]
        self._bot = load_bot(
            self._name,
            self._followed.game,
            roles.index(briefing.role),
            int(self._random.integers(1 << 30)),
        )

    def decide(self, followed: FollowedState, clock: Clock) -> int:
        return int(self._bot.step(followed.state))


def load_bot(name: str, game: Any, player: int, seed: int) -> Any:
    """Return a bot that is registered with OpenSpiel; `GameloreError` without one."""
    pyspiel = import_pyspiel()
    known = pyspiel.registered_bots()
    if name not in known:
        raise GameloreError(
            f"OpenSpiel has no bot {name!r}; it has: mcts, {', '.join(known)}"
        )
    if name == "uniform_random":
        return pyspiel.make_uniform_random_bot(player, seed)
    return pyspiel.load_bot(name, game, player)


def make_open_spiel_player(
    seed: int, simulations: int | None = None, bot: str = "mcts"
) -> BotPlayer:
    """Return the player of `openspiel`, `openspiel-N` or `openspiel:BOT`."""
    import_pyspiel()
    if bot != "mcts":
        return NamedBotPlayer(bot, seed)
    if simulations is not None:
        return CountingMCTSBotPlayer(seed, MCTSBotSettings(simulations=simulations))
    return MCTSBotPlayer(seed)
