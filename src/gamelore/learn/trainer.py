"""Training: matches against an opponent, and the values learned from them.

All of it runs in kernels. It can stop after any match and go on later: from the same
state it plays the same matches and ends with the same values, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gamelore.errors import DivergenceError, GameloreError
from gamelore.graph import FINE, NO_SHAPE, StateGraph
from gamelore.kernels import direct
from gamelore.learn import _match_kernels as kernels
from gamelore.learn._function_match_kernels import (
    FunctionPlayers,
    run_function_matches,
)
from gamelore.learn._learner_kernels import OF_LEARNER, OF_MOVER, LearnerParameters
from gamelore.learn._match_kernels import (
    Assignments,
    MatchBuffers,
    MatchSetup,
    Opponent,
)
from gamelore.learn._table_match_kernels import TablePlayers, run_table_matches
from gamelore.learn.config import (
    TrainConfig,
    check_during_play,
    check_engine,
    check_function,
    check_self_play,
    learning_roles,
)
from gamelore.learn.match_buffers import make_streams, new_buffers
from gamelore.learn.opponents import FeaturePlayer, make_function
from gamelore.learn.played import PlayedMatches
from gamelore.learn.qm_search import Searcher, search_policy
from gamelore.learn.role_values import PatternValues, Values, empty_table
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.shaping import Shaping, make_shaping
from gamelore.search.policies import PlayerSettings, decide, fit, policy_parameters
from gamelore.values.functions import ValueFunction, Weights
from gamelore.values.policy_value import PolicyValueNetwork
from gamelore.values.table import Cells, Table

_WORKING_NODES = 1 << 15

_run_table_matches = direct(run_table_matches)
_run_function_matches = direct(run_function_matches)


@dataclass(frozen=True)
class Record:
    """The results of matches."""

    rewards: npt.NDArray[np.float64]
    """float64 [n]: the learner's goal in each match"""
    lengths: npt.NDArray[np.int32]
    """int32 [n]: moves"""
    cells: npt.NDArray[np.int64]
    """int64 [n]: size of the learner's table after each match"""

    def _repr_html_(self) -> str:
        """The matches in a notebook: a line about them, and the learning curve."""
        # matplotlib takes a second or two to import
        from gamelore.learn.plots import rewards_svg

        matches = len(self.rewards)
        if not matches:
            return "<p>no matches</p>"
        return (
            f"<p>{matches:,} matches, mean reward {self.rewards.mean():.1f},"
            f" {self.lengths.mean():.1f} moves on average</p>"
            f"{rewards_svg(self.rewards)}"
        )


@dataclass(frozen=True)
class State:
    """All that the next matches depend on, besides the settings."""

    matches: int
    """How many were played."""
    streams: npt.NDArray[np.uint64]
    """uint64 [3, 4]: the randomness of learner, opponent and chance"""
    tables: Mapping[int, Cells]
    """By role, the cells in the order they were made."""
    copies: Mapping[int, Cells] = field(default_factory=dict)
    """The same of the copies that the learner plays against, if it does."""
    weights: Weights = field(default_factory=dict)
    """Of the value function, if there is one."""
    copied_weights: Weights = field(default_factory=dict)
    """Of the copy of it that the learner plays against, if it does."""
    learner: Weights = field(default_factory=dict)
    """What else a learner keeps between matches, by name."""


class Trainer:
    """Plays and learns, as far as it is told to."""

    network: PolicyValueNetwork | None = None
    """Policy and value, where they are learned from search."""

    def __init__(
        self,
        graph: StateGraph,
        config: TrainConfig | None = None,
        features: PatternValues | Sequence[PatternValues] | None = None,
    ) -> None:
        """`features`: initial values by pattern, for each role that learns."""
        self.config = config or TrainConfig()
        # Training a function empties its state graph now and then: it has its own.
        self.graph = graph if self.config.function is None else working_graph(graph)
        given = [features] if isinstance(features, PatternValues) else features or []
        self.features = {one.pattern_index.role: one for one in given}
        self.matches = 0
        self.players = [
            r for r, name in enumerate(graph.simulator.roles) if name != "random"
        ]
        self._check_search()
        self._check_engine()
        game = graph.simulator.game.name
        check_self_play(self.config, game, len(self.players))
        self.learner_roles = learning_roles(self.config.role, self.players, game)
        self.side = self.players[0] if self._shared else None
        self.function = self._new_function()
        self.copy: ValueFunction | None = None
        self.opponent = self._new_opponent()
        self.tables = {
            r: empty_table(graph, self.config.value_learner) for r in self._owners()
        }
        self.copies: dict[int, Table] = {}
        self._shaping = self._new_shaping()
        self.streams = make_streams(self.config.seed)
        self._check_features()
        against = self.config.opponent
        built_in = against if isinstance(against, PlayerSettings) else PlayerSettings()
        self._rival = policy_parameters(graph, built_in)
        self._own = search_policy(graph, self.config.value_learner)

    @property
    def known_roles(self) -> list[int]:
        """The roles that values are learned for, from their own moves."""
        against = self.config.opponent
        if isinstance(against, SelfPlay) and not against.opponent_refresh:
            return self.players
        return self.learner_roles

    @property
    def table(self) -> Table:
        """The table of the only role that learns, or of the first of two."""
        return next(iter(self.tables.values()))

    def values(self, role: int) -> Values:
        """What a role has learned, for players to look up."""
        return self._values(role, self.tables, self.function, self._find_side(role))

    def rival_values(self, role: int) -> Values:
        """Return the values by which the opponent plays a role, where it has values."""
        if self.opponent is not None:
            return self._values(role, self.tables, self.opponent, None)
        function, side = self.copy or self.function, self.side
        if self._of_learner:  # which has the other role
            side = next(player for player in self.players if player != role)
        return self._values(role, self.copies or self.tables, function, side)

    def run(self, matches: int) -> Record:
        """Play and learn that many matches more."""
        numbers = np.arange(self.matches, self.matches + matches)
        roles = np.array(self.learner_roles, np.int8)[numbers % len(self.learner_roles)]
        epsilons = self.config.schedule(numbers)
        buffers = new_buffers(matches, self.config.longest_match)
        done = 0
        while done < matches:
            self._refresh_copies(self.matches + done)
            end = min(matches, self._next_change(self.matches + done) - self.matches)
            assignments = Assignments(roles, epsilons, self.config.opening, done, end)
            status, done = self._run_in_kernel(buffers, assignments)
            if status == kernels.DIVERGED:
                self.matches += done
            if status != FINE:
                node, role = (int(number) for number in buffers.failure)
                self._resolve(status, node, role)
        self.matches += matches
        return Record(buffers.rewards, buffers.lengths, buffers.cells)

    def run_for(self, matches: int, seconds: float) -> Record:
        """Play and learn that many matches more; perhaps fewer, where a match may take
        longer than so many seconds."""
        return self.run(matches)

    def state(self) -> State:
        """Return a copy of the state, which later matches do not change."""
        tables = {role: table.cells() for role, table in self.tables.items()}
        copies = {role: table.cells() for role, table in self.copies.items()}
        return State(
            self.matches,
            np.stack(self.streams[:3]),
            tables,
            copies,
            self.function.weights() if self.function else {},
            self.copy.weights() if self.copy else {},
        )

    def pending(self) -> PlayedMatches | None:
        """Return matches that were played but not learned from, if there can be any."""
        return None

    def restore(self, state: State) -> None:
        """Take over a state of the same game and settings, and go on from there."""
        if state.tables.keys() != self.tables.keys():
            raise ValueError(
                f"tables must be of roles {sorted(self.tables)},"
                f" got {sorted(state.tables)}"
            )
        for role, table in self.tables.items():
            width = state.tables[role].rows.shape[1]
            if width != table.width:
                raise ValueError(f"keys must have {table.width} words, got {width}")
        self.tables = {r: Table.from_arrays(*state.tables[r]) for r in self.tables}
        self.copies = {
            r: Table.from_arrays(*cells) for r, cells in state.copies.items()
        }
        if self.function is not None:
            self.function.load(state.weights)
            self.copy = None
            if state.copied_weights:
                self.copy = self.function.copy()
                self.copy.load(state.copied_weights)
        for stream, saved in zip(self.streams[:3], state.streams, strict=True):
            stream[:] = saved
        self.matches = state.matches

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _run_in_kernel(
        self, buffers: MatchBuffers, assignments: Assignments
    ) -> tuple[int, int]:
        """Play matches as far as a kernel can; a status, and the match it came to."""
        setup = self._setup()
        parameters = self._parameters(self.matches + assignments.first)
        arguments = parameters, self.streams, buffers, assignments
        kernel = _run_function_matches if self.function else _run_table_matches
        result: tuple[int, int] = kernel(setup, self._players(), *arguments)
        return result

    def _players(self) -> FunctionPlayers | TablePlayers:
        """The values of the learner and of its opponent, as kernels see them."""
        home, away = map(self.values, self._ends)
        rival_home, rival_away = map(self.rival_values, self._ends)
        if self.function is not None:
            return FunctionPlayers(home.function_handle, rival_home.function_handle)
        return TablePlayers(
            learner=(home.table_values, away.table_values),
            opponent=(rival_home.table_values, rival_away.table_values),
            shaping=(home.shaping_handle, away.shaping_handle),
        )

    @property
    def _shared(self) -> bool:
        """Whether both roles use one value function."""
        against, function = self.config.opponent, self.config.value_function
        if function is not None:
            return function.perspective == "first"
        return isinstance(against, SelfPlay) and against.values == "shared"

    @property
    def _of_learner(self) -> bool:
        """Whether values are of the role that learns in a match, whoever moves."""
        function = self.config.value_function
        return function is not None and function.perspective == "learner"

    def _find_side(self, role: int) -> int | None:
        """Return the role whose goals the values of a learning role are of.

        `None` if they are its own, and learned from its own moves alone.
        """
        return role if self._of_learner else self.side

    def _new_function(self) -> ValueFunction | None:
        function = self.config.value_function
        if function is None:
            return None
        check_function(self.config, self.graph.simulator)
        learner = self.config.learner
        check_during_play(self.config)
        if isinstance(learner, QSettings) and learner.searches:
            raise GameloreError(
                "a value function says something of every position, so playouts are"
                " never asked: leave playouts and search_time out"
            )
        successor = function.trace_includes == "successor"
        if isinstance(learner, QSettings) and successor:
            raise GameloreError(
                "Q-learning has no eligibility traces: leave `trace_includes` out"
            )
        return ValueFunction(
            self.graph,
            function,
            seed=self.config.seed,
            longest_match=self.config.longest_match,
            discount=self.config.learner.discount,
            shaping=self.config.shaping,
        )

    def _new_shaping(self) -> dict[int, Shaping | None]:
        """The shaping rewards of the roles that have a table."""
        shaping = () if self.function is not None else self.config.shaping
        return {role: make_shaping(self.graph, shaping, role) for role in self.tables}

    def _new_opponent(self) -> ValueFunction | None:
        """Return the function of an opponent that evaluates by its own, if it does."""
        if not isinstance(self.config.opponent, FeaturePlayer):
            return None
        if self.config.function is None:
            raise GameloreError(
                "the opponent `features` plays against value functions; against tables,"
                " let an AlphaBetaPlayer play match by match"
            )
        return make_function(self.config.opponent, self.graph.simulator)

    @property
    def _ends(self) -> tuple[int, int]:
        """The roles that tables are for, the first of them being home."""
        if isinstance(self.config.opponent, SelfPlay):
            return self.players[0], self.players[1]
        return self.learner_roles[0], self.learner_roles[-1]

    def _owners(self) -> list[int]:
        """The roles that have a table."""
        if self._shared or self.config.function is not None:
            return self.players[:1]
        return sorted({*self._ends}, key=self._ends.index)

    def _values(
        self,
        role: int,
        tables: Mapping[int, Table],
        function: ValueFunction | None,
        side: int | None,
    ) -> Values:
        owner = role if self.side is None else self.side
        return Values(
            self.graph,
            role,
            self._learner_at(self.matches),
            tables[owner if function is None else self.players[0]],
            self.config.lookahead,
            self.features.get(owner),
            side,
            function,
            self._shaping.get(owner),
        )

    def _refresh_copies(self, match: int) -> None:
        """Take copies of what is known, if it is time to."""
        against = self.config.opponent
        every = against.opponent_refresh if isinstance(against, SelfPlay) else 0
        if not every or match % every:
            return
        if self.function is not None:
            self.copy = self.function.copy()
        else:
            self.copies = {
                role: Table.from_arrays(*table.cells())
                for role, table in self.tables.items()
            }

    def _next_change(self, match: int) -> int:
        """The match before which copies are taken again, or steps get smaller."""
        against, steps = self.config.opponent, self.config.step_decay
        change: int = np.iinfo(np.int64).max
        if isinstance(against, SelfPlay) and against.opponent_refresh:
            change = against.opponent_refresh * (match // against.opponent_refresh + 1)
        return change if steps is None else min(change, steps.next_change(match))

    def _learner_at(self, match: int) -> TDSettings | QSettings:
        """The learner's settings, with its step size at a match."""
        learner, steps = self.config.value_learner, self.config.step_decay
        if steps is None:
            return learner
        return replace(learner, step_size=learner.step_size * steps.share(match))

    def _parameters(self, match: int) -> LearnerParameters:
        """How to learn from a match on, as kernels see it."""
        parameters = self.values(self._ends[0]).parameters
        step_size = self._learner_at(match).step_size
        perspective = parameters.perspective
        if self._of_learner:
            perspective = perspective._replace(role=OF_LEARNER)
        return parameters._replace(
            rates=parameters.rates._replace(step_size=step_size),
            perspective=perspective,
        )

    def _check_search(self) -> None:
        """Refuse searched matches, which are for a trainer of their own."""
        if self.config.search is not None:
            raise GameloreError(
                "matches that are searched need a SearchTrainer: make_trainer makes it"
            )

    def _check_engine(self) -> None:
        check_engine(self.config, self.graph.simulator)

    def _check_features(self) -> None:
        """Refuse features of some of the roles that learn."""
        simulator = self.graph.simulator
        without = [r for r in self.tables if self.features and r not in self.features]
        if without:
            names = ", ".join(simulator.roles[role] for role in without)
            raise GameloreError(f"{names} learns too, but has no values of features")

    def _setup(self) -> MatchSetup:
        """The game and who plays it, as kernels see it."""
        graph = self.graph
        self._rival = fit(self._rival, graph)
        epsilon = float(self.config.opponent.epsilon)
        return MatchSetup(
            graph=graph.graph,
            root=graph.root,
            roles=self._ends,
            opponent=Opponent(
                self._opponent_kind, self._rival, epsilon, self._opponent_view
            ),
            search=self._own,
        )

    @property
    def _opponent_view(self) -> int:
        """The role whose values the opponent goes by, OF_MOVER or OF_LEARNER."""
        if self.opponent is not None:
            return OF_MOVER
        if self._of_learner:
            return OF_LEARNER
        return OF_MOVER if self.side is None else self.side

    @property
    def _opponent_kind(self) -> int:
        if self.opponent is not None:
            return kernels.FUNCTION
        if not isinstance(self.config.opponent, SelfPlay):
            return kernels.BUILT_IN
        return (
            kernels.COPY if self.config.opponent.opponent_refresh else kernels.LEARNER
        )

    def _resolve(self, status: int, node: int, role: int) -> None:
        """Do what a kernel could not do, so that the match can be played again."""
        if status == kernels.TABLE_FULL:
            self.tables[role if self.side is None else self.side].grow()
        elif status == NO_SHAPE:
            self.values(role).help_at(node)
        elif status == kernels.NO_MOVE and self._awaits_search(node, role):
            edge = self._searcher.choose(node)
            self._own = decide(self._own, self.graph, node, edge)
        elif status == kernels.NO_MOVE:
            features = self.features.get(role)
            candidates = [edge.child for edge in self.graph.edges(node)]
            if features is None or not features.complete(candidates):
                self.graph.extend(node, self._reach())
        elif status == kernels.DIVERGED:
            raise DivergenceError(
                f"the weights diverged in match {self.matches + 1:,}; the last sound"
                " ones are kept: lower the step size"
            )
        elif status == kernels.TOO_LONG:
            raise GameloreError(
                f"a match of {self.graph.simulator.game.name!r} took more than "
                f"{self.config.longest_match} moves; raise `longest_match`"
            )
        else:
            self.graph.resolve(status, node)

    def _awaits_search(self, node: int, role: int) -> bool:
        """Whether it was a search that a kernel left to Python."""
        learner = self.config.learner
        return (
            isinstance(learner, QSettings)
            and learner.search_time is not None
            and self.graph.mover(node) == role
        )

    @cached_property
    def _searcher(self) -> Searcher:
        assert isinstance(self.config.learner, QSettings)
        return Searcher(self.graph, self.config.learner, self.config.seed)

    def _reach(self) -> int:
        """How far any decision looks ahead."""
        against = self.config.opponent
        depth = 2
        if isinstance(against, PlayerSettings) and against.name == "minimax":
            depth = against.depth
        return max(self.values(self._ends[0]).reach, 1 + depth)


def working_graph(graph: StateGraph) -> StateGraph:
    """A state graph of the same game that holds the openings that matches share."""
    working = graph.empty_copy()
    while len(working.nodes.rows) < _WORKING_NODES:
        working.grow()
    return working
