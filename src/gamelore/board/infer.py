"""Boards from rules: which families make cells, and where everything is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from gamelore.board.diagrams import make_diagrams
from gamelore.board.families import Family, find_families, find_move_domains
from gamelore.board.grids import Grid, GridMaker
from gamelore.board.grouping import group_families
from gamelore.board.looks import CHECKERED, Look, role_colours
from gamelore.board.order import Orders
from gamelore.board.planned import make_planned_grid
from gamelore.board.statics import Statics
from gamelore.board.usage import Usage, find_usage
from gamelore.games.boards import BoardPlan
from gamelore.gdl import Fact, Game, Move


@dataclass(frozen=True)
class BoardModel:
    """All that was found out about how to draw a game."""

    game: str
    roles: tuple[str, ...]
    grids: tuple[Grid, ...]
    turns: tuple[str, ...]
    """Families that say whose turn it is."""
    hidden: frozenset[str]
    """Families that are not shown: counters of steps."""
    families: dict[str, Family]
    usage: Usage
    renderer: Callable[[Iterable[Fact]], str] | None = None
    """Draws positions as text, where the game brings one."""
    planned_style: str = ""
    """How cells look, where the game has a plan."""

    @property
    def kind(self) -> str:
        if not self.grids:
            return "facts"
        stacks = self.grids[0].layers[0].style == "stacks"
        return "stacks" if stacks else self.grids[0].layout.kind

    @cached_property
    def style(self) -> str:
        """`checker` where pieces are those of chess or draughts, else `grid`."""
        if self.planned_style:
            return self.planned_style
        shapes = {look.shape for look in self._looks}
        return "checker" if shapes & CHECKERED else "grid"

    @cached_property
    def colours(self) -> dict[str, str]:
        """By role, the colour of its pieces."""
        own = {look.owner: look.colour for look in self._looks if look.owner}
        return {**role_colours(self.roles), **own}

    @property
    def _looks(self) -> list[Look]:
        layers = [layer for grid in self.grids for layer in grid.layers]
        return [look for layer in layers for look in layer.looks.values()]


def infer_model(
    game: Game,
    fluents: Iterable[Fact] | None = None,
    moves: Iterable[Move] | None = None,
) -> BoardModel:
    """Return how a game's positions are drawn, from its rules alone."""
    statics = Statics(game.rules)
    orders = Orders(statics)
    initial = statics.initial()
    families = find_families(game, orders, initial, fluents, statics.declared())
    moved = find_move_domains(game, moves)
    usage = find_usage(game, statics)
    roles = frozenset(game.roles)
    turns = _find_turns(families, roles, usage)
    hidden = _find_steps(families, usage)
    shown = [f for key, f in families.items() if key not in hidden | set(turns)]
    maker = GridMaker(statics, orders, game.roles, usage)
    plan = game.renderer if isinstance(game.renderer, BoardPlan) else BoardPlan()
    planned = make_planned_grid(plan, families, maker)
    if planned is not None:
        grids: list[Grid | None] = [planned]
    else:
        groups = group_families(shown, roles, usage, statics, orders, moved)
        several = len(groups) > 1
        grids = [maker.make(g, g[0].family.functor if several else "") for g in groups]
        if not any(grids):
            grids = [*make_diagrams(shown, maker)]
    return BoardModel(
        game=game.name,
        roles=game.roles,
        grids=tuple(grid for grid in grids if grid is not None),
        turns=turns,
        hidden=hidden,
        families=families,
        usage=usage,
        renderer=game.renderer,
        planned_style=plan.style if planned is not None else "",
    )


def _find_turns(
    families: dict[str, Family], roles: frozenset[str], usage: Usage
) -> tuple[str, ...]:
    """Return the families that name the role whose moves are legal."""
    naming = [
        key
        for key, family in families.items()
        if 1 <= family.arity <= 2
        and family.domains[0]
        and family.domains[0] <= roles
        and len(family.initial) <= 1
        and (family.arity == 1 or len(family.domains[1]) <= 3)
        and len(roles) > 1
    ]
    return tuple(key for key in naming if usage.turns[key]) or tuple(
        key for key in naming if usage.asked[key] and families[key].initial
    )


def _find_steps(families: dict[str, Family], usage: Usage) -> frozenset[str]:
    """Return the families that only count steps."""
    return frozenset(
        key
        for key in usage.steps
        if key in families
        and families[key].axes[0] is not None
        and len(families[key].domains[0]) >= 3
    )
