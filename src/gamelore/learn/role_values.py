"""What a table says of the moves of one role: its cells, and initial values besides.

The same kernels look up and update for whole courses of matches and for single
decisions; this is what they need to know of a learner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.graph import LOOKAHEAD_RULES, PatternIndex, StateGraph
from gamelore.learn._match_kernels import clear_graph
from gamelore.learn._shaping_kernels import Earnings
from gamelore.learn.kernel_pointers import mind_of
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.shaping import Account, no_earnings
from gamelore.values import kernel_types
from gamelore.values.functions import ValueFunction, no_function
from gamelore.values.kernel_types import NO_FUNCTION, Memory, Method, Mind, Prior
from gamelore.values.table import Table

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
    """What takes the place of the table, if anything does."""
    account: Account | None = None
    """What a table learns from along the way, if anything is earned there."""

    @property
    def by_action(self) -> bool:
        """Whether cells stand for moves in positions, not for afterstates."""
        return isinstance(self.settings, QSettings) and self.function is None

    @property
    def memory(self) -> Memory:
        """The table, with a link for every node or edge of the graph."""
        nodes = self.graph.nodes
        self.table.fit(len(nodes.child) if self.by_action else len(nodes.rows))
        return self.table.memory

    @property
    def mind(self) -> Mind:
        """The value function, with room for every node of the state graph, or none."""
        if self.function is None:
            return mind_of(no_function(), self.graph.program, TDSettings)
        program = self.function.graph.program
        return mind_of(self.function.fit(self.graph), program, type(self.settings))

    @property
    def earnings(self) -> Earnings:
        """What is earned along the way, with room for every node of the graph."""
        return no_earnings() if self.account is None else self.account.fit()

    def begin_match(self) -> None:
        """Make ready for a match: have room for it, or forget the matches before."""
        if self.function is None:
            self.graph.reserve()
            return
        nodes = self.graph.nodes
        used = nodes.used[0] / len(nodes.rows), nodes.used[1] / len(nodes.child)
        if 2 * max(used) > 1:
            clear_graph(self.graph.graph, self.graph.root)
        self.function.fit(self.graph)
        self.function.begin()

    @property
    def prior(self) -> Prior:
        """Initial values by pattern, as kernels see them."""
        if self.features is None:
            return self._no_prior
        self.features.pattern_index.fit()
        return Prior(self.features.pattern_index.shapes, self.features.values)

    @cached_property
    def _no_prior(self) -> Prior:
        return Prior(PatternIndex(self.graph, self.role).shapes, np.zeros(0))

    @cached_property
    def method(self) -> Method:
        """How to learn, as kernels see it."""
        if isinstance(self.settings, QSettings):
            return self._q_method(self.settings)
        return self._td_method(self.settings)

    def help_at(self, node: int) -> None:
        """Do what a kernel could not do at a node: find its value, or make way."""
        if self.features is None or not self.features.complete([node]):
            self.graph.extend(node, self.reach)

    @property
    def reach(self) -> int:
        """How many moves ahead the initial value of a move looks."""
        return 1 + self.method.depth

    def _td_method(self, settings: TDSettings) -> Method:
        initial, depth, rule = kernel_types.DEFAULT, 0, 0
        if self.lookahead is not None:
            initial, depth = kernel_types.LOOKAHEAD, self.lookahead.depth
            rule = LOOKAHEAD_RULES[self.lookahead.rule]
        elif self.features is not None and len(self.features.values):
            initial, depth = kernel_types.FEATURES, self.features.pattern_index.depth
        sees_ends = settings.terminal_lookahead
        if sees_ends is None:
            sees_ends = initial != kernel_types.DEFAULT
        side = self.role if self.side is None else self.side
        goals = self.graph.simulator.goal_values[side]
        middle = (min(goals) + max(goals)) / 2
        default = middle if settings.default_value is None else settings.default_value
        return Method(
            keyed_by=kernel_types.AFTERSTATES,
            step_size=settings.step_size,
            discount=settings.discount,
            trace_decay=settings.trace_decay,
            default=float(default),
            initial=initial,
            depth=depth,
            rule=rule,
            on_sight=int(settings.initialise == "candidates"),
            sees_ends=int(sees_ends),
            keeps_end=int(settings.terminal_afterstate),
            searches=0,
            side=-1 if self.side is None else self.side,
            every_ply=int(self.side is not None),
            risk=settings.risk,
            chance=self._chance,
            function=self._kind,
        )

    def _q_method(self, settings: QSettings) -> Method:
        return Method(
            keyed_by=kernel_types.ACTIONS,
            step_size=settings.step_size,
            discount=settings.discount,
            trace_decay=0.0,
            default=0.0,
            initial=kernel_types.DEFAULT,
            depth=0,
            rule=0,
            on_sight=0,
            sees_ends=0,
            keeps_end=0,
            searches=int(settings.searches),
            side=-1 if self.side is None else self.side,
            every_ply=int(self.side is not None),
            risk=settings.risk,
            chance=self._chance,
            function=self._kind,
        )

    @property
    def _chance(self) -> int:
        """The role that draws lots, or -1."""
        roles = self.graph.simulator.roles
        return roles.index("random") if "random" in roles else -1

    @property
    def _kind(self) -> int:
        """The kind of value function."""
        return self.function.function.kind if self.function else NO_FUNCTION


def empty_table(graph: StateGraph, settings: LearnerSettings) -> Table:
    """A table for such a learner: keys of actions have one word more."""
    return Table(graph.simulator.width + isinstance(settings, QSettings))
