"""The values of one role's moves: in a table, with initial values, or by a function.

The same kernels look up and update in training runs and in single decisions; this is
what they need to know of a learner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.graph import LOOKAHEAD_RULES, PatternIndex, StateGraph
from gamelore.kernels import direct
from gamelore.learn._function_match_kernels import (
    FunctionHandle,
    choose_function_move,
)
from gamelore.learn._learner_kernels import (
    ACTIONS,
    AFTERSTATES,
    DEFAULT,
    LOOKAHEAD,
    PATTERNS,
    InitialValues,
    LearnerParameters,
    LearningRates,
    Perspective,
)
from gamelore.learn._match_kernels import clear_graph
from gamelore.learn._shaping_kernels import ShapingHandle
from gamelore.learn._table_match_kernels import (
    Exploration,
    PatternPriors,
    TableValues,
    choose_table_move,
)
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.shaping import Shaping, no_shaping
from gamelore.learn.updates import update_pointer
from gamelore.search.policies import PolicyParameters
from gamelore.values.functions import ValueFunction
from gamelore.values.table import Table

_choose_table_move = direct(choose_table_move)
_choose_function_move = direct(choose_function_move)

_MOST_COMPOSED = 1 << 20  # patterns; beyond it the default value serves

LearnerSettings: TypeAlias = TDSettings | QSettings


@dataclass(frozen=True)
class PatternValues:
    """Initial values by pattern: what was learned elsewhere, ready for this game."""

    pattern_index: PatternIndex
    values: npt.NDArray[np.float64]
    """float64 [·]: per pattern's number its value, or not a number."""
    compose: Callable[[int], float] | None = None
    """Finds the value of a pattern when it is first met, where that is infinity."""

    @classmethod
    def composed(
        cls, pattern_index: PatternIndex, compose: Callable[[int], float]
    ) -> PatternValues:
        """Values that are all found when their patterns are first met."""
        return cls(pattern_index, np.full(_MOST_COMPOSED, np.inf), compose)

    def complete(self, nodes: Iterable[int]) -> bool:
        """Find the values that lack for some nodes; whether there were any."""
        if self.compose is None:
            return False
        graph = self.pattern_index.graph
        wanted = [node for node in nodes if not graph.is_terminal(node)]
        found = False
        for number in np.unique(self.pattern_index.numbers(np.array(wanted, np.int32))):
            if number < len(self.values) and np.isinf(self.values[number]):
                self.values[number] = self.compose(int(number))
                found = True
        return found


@dataclass(frozen=True)
class Values:
    """The values of one role's moves, learned or initial."""

    graph: StateGraph
    role: int
    settings: LearnerSettings
    table: Table
    lookahead: Lookahead | None = None
    """Initial values by searching ahead."""
    features: PatternValues | None = None
    """Initial values by pattern, where there is no lookahead."""
    side: int | None = None
    """The role whose goals all values are of, if both roles share them; then the other
    role wants what is lowest."""
    function: ValueFunction | None = None
    """The value function that takes the place of the table, if there is one."""
    shaping: Shaping | None = None
    """The rewards that a table learns from beside goals, if there are any."""

    @property
    def by_action(self) -> bool:
        """Whether cells stand for moves in positions, not for afterstates."""
        return isinstance(self.settings, QSettings) and self.function is None

    @property
    def valued_role(self) -> int:
        """The role whose goals the values are of."""
        return self.role if self.side is None else self.side

    @property
    def reach(self) -> int:
        """How many moves ahead the initial value of a move looks."""
        return 1 + self.parameters.initial.depth

    def begin_match(self) -> None:
        """Make ready for a match: have space for it, or forget the matches before."""
        if self.function is None:
            self.graph.reserve()
            return
        nodes = self.graph.nodes
        used = nodes.used[0] / len(nodes.rows), nodes.used[1] / len(nodes.child)
        if 2 * max(used) > 1:
            clear_graph(self.graph.graph, self.graph.root)
        self.function.fit(self.graph)
        self.function.begin()

    def choose(
        self,
        node: int,
        epsilon: float,
        stream: npt.NDArray[np.uint64],
        search: PolicyParameters,
    ) -> int:
        """Return an ε-greedy edge from a node, or -1 where a kernel cannot choose.

        `search`: how to search where actions have no entry
        """
        graph, parameters = self.graph.graph, self.parameters
        if self.function is not None:
            role, handle = parameters.perspective.role, self.function_handle
            return int(
                _choose_function_move(graph, handle, role, stream, node, epsilon)
            )
        exploration = Exploration(stream, float(epsilon), search)
        values = self.table_values
        return int(_choose_table_move(graph, values, parameters, exploration, node))

    def help_at(self, node: int) -> None:
        """Do what a kernel could not do at a node: find its value, or expand it."""
        if self.features is None or not self.features.complete([node]):
            self.graph.extend(node, self.reach)

    # ── for kernels ─────────────────────────────────────────────────────────────────

    @property
    def table_values(self) -> TableValues:
        """The table, with a link for every node or edge of the graph, and priors."""
        nodes = self.graph.nodes
        self.table.fit(len(nodes.child) if self.by_action else len(nodes.rows))
        return TableValues(self.role, self.table.arrays, self._priors)

    @property
    def function_handle(self) -> FunctionHandle:
        """The value function, as kernels evaluate and update it."""
        assert self.function is not None
        learner, function = type(self.settings), type(self.function.settings)
        update = update_pointer(learner.__name__, function.__name__)
        return self.function.make_handle(self.graph, update)

    @property
    def shaping_handle(self) -> ShapingHandle:
        """The shaping rewards, for every node of the graph."""
        return no_shaping() if self.shaping is None else self.shaping.make_handle()

    @property
    def _priors(self) -> PatternPriors:
        if self.features is None:
            return self._no_priors
        self.features.pattern_index.fit()
        return PatternPriors(self.features.pattern_index.shapes, self.features.values)

    @cached_property
    def _no_priors(self) -> PatternPriors:
        return PatternPriors(PatternIndex(self.graph, self.role).shapes, np.zeros(0))

    @cached_property
    def parameters(self) -> LearnerParameters:
        """How to learn."""
        settings = self.settings
        roles = self.graph.simulator.roles
        td = settings if isinstance(settings, TDSettings) else None
        q = settings if isinstance(settings, QSettings) else None
        return LearnerParameters(
            keyed_by=AFTERSTATES if td else ACTIONS,
            rates=LearningRates(
                step_size=settings.step_size,
                discount=settings.discount,
                trace_decay=td.trace_decay if td else 0.0,
                risk=settings.risk,
            ),
            initial=self._initial_values(),
            perspective=Perspective(
                role=-1 if self.side is None else self.side,
                both_players=int(self.side is not None),
                chance=roles.index("random") if "random" in roles else -1,
            ),
            terminal_afterstate=int(td is not None and td.terminal_afterstate),
            searches=int(q is not None and q.searches),
        )

    def _initial_values(self) -> InitialValues:
        settings = self.settings
        if isinstance(settings, QSettings):
            return InitialValues(DEFAULT, 0.0, 0, 0, 0, 0)
        source, depth, rule = DEFAULT, 0, 0
        if self.lookahead is not None:
            source, depth = LOOKAHEAD, self.lookahead.depth
            rule = LOOKAHEAD_RULES[self.lookahead.rule]
        elif self.features is not None and len(self.features.values):
            source, depth = PATTERNS, self.features.pattern_index.depth
        goals = self.graph.simulator.goal_values[self.valued_role]
        middle = (min(goals) + max(goals)) / 2
        default = middle if settings.default_value is None else settings.default_value
        lookahead = settings.terminal_lookahead
        return InitialValues(
            source=source,
            default=float(default),
            depth=depth,
            rule=rule,
            candidates=int(settings.initialise == "candidates"),
            terminal_lookahead=int(
                source != DEFAULT if lookahead is None else lookahead
            ),
        )


def empty_table(graph: StateGraph, settings: LearnerSettings) -> Table:
    """Return a table for such a learner: keys of actions have one word more."""
    return Table(graph.simulator.width + isinstance(settings, QSettings))
