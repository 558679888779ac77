"""The player that looks up what was learned; it never learns."""

from __future__ import annotations

from gamelore.gdl import Move
from gamelore.learn import _kernels
from gamelore.learn.settings import QSettings
from gamelore.learn.values import Values
from gamelore.play import Briefing, Clock, MonteCarloPlayer, MonteCarloSettings
from gamelore.play.atlas_player import stream_of
from gamelore.play.habits import PlayerSettings, habits_of
from gamelore.simulate import CircuitSimulator
from gamelore.simulate.position import Position

FAILED = -1


class GreedyPlayer:
    """Takes the move with the best value; with probability epsilon, any move.

    Equal values are decided by lot. Where values of actions know nothing of a position,
    playouts decide if the settings ask for them, or the lot.
    """

    def __init__(self, values: Values, epsilon: float = 0.0, seed: int = 0) -> None:
        if not 0 <= epsilon <= 1:
            raise ValueError(f"epsilon must be in [0, 1], got {epsilon}")
        self.values = values
        self.epsilon = epsilon
        self.stream = stream_of(seed)
        playouts = _playouts(values)
        self._habits = habits_of(
            values.atlas,
            PlayerSettings(playouts=max(1, playouts)),
            searches=playouts > 0 and self._is_compiled,
        )
        self._search = MonteCarloPlayer(seed)

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Make sure that the values are of this game and role."""
        atlas = self.values.atlas
        if briefing.simulator is not atlas.simulator:
            theirs, ours = briefing.simulator.game.name, atlas.simulator.game.name
            raise ValueError(f"the values are of another game: {ours}, not {theirs}")
        if briefing.role != atlas.simulator.roles[self.values.role]:
            known = atlas.simulator.roles[self.values.role]
            raise ValueError(f"the values are of role {known}, not {briefing.role}")
        atlas.make_room()
        self._search.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        """The best move; where another role moves, the only one there is."""
        atlas, role = self.values.atlas, self.values.role
        node = atlas.number(position.row)
        if atlas.mover(node) != role:
            return position.legal_moves(atlas.simulator.roles[role])[0]
        edge = self._decide(node)
        if edge == FAILED:
            count = _playouts(self.values) * len(atlas.edges(node))
            self._search.settings = MonteCarloSettings(playouts=count)
            return self._search.choose(position, clock)
        return atlas.simulator.moves[role][int(atlas.nodes.move[edge])]

    @property
    def _is_compiled(self) -> bool:
        return isinstance(self.values.atlas.simulator, CircuitSimulator)

    def _decide(self, node: int) -> int:
        """The edge to take, or FAILED where playouts must decide on the interpreter."""
        values = self.values
        before = self.stream.copy()
        while True:
            edge = _kernels.choose_move(
                values.atlas.chart,
                values.memory,
                values.method,
                values.prior,
                self._habits,
                self.stream,
                node,
                self.epsilon,
            )
            if edge != FAILED or (values.by_action and not self._is_compiled):
                return int(edge)
            values.atlas.make_way(node, values.reach)
            self.stream[:] = before


def _playouts(values: Values) -> int:
    """Playouts per move where nothing is known."""
    return values.settings.playouts if isinstance(values.settings, QSettings) else 0
