"""Games that look the same to both players.

In many games one player's rules are the other's under other names: exchange the
colours of Connect Four, or exchange those of breakthrough and turn the board, and the
same rules are left. Where the match begins and who moves first has no part in this.

The renaming is found by comparing two canonical forms, one with the players as they are
and one with them exchanged: if these are the same, what has the same name in both
corresponds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from gamelore.gdl.canonical.form import CHANCE, WORK, canonical_form
from gamelore.gdl.canonical.kinds import Kinds, is_marked, unmark
from gamelore.gdl.canonical.renaming import Renaming
from gamelore.gdl.canonical.rule_graph import select_needed
from gamelore.gdl.game import Game
from gamelore.gdl.rules import Atom, Rule, find_atoms
from gamelore.gdl.terms import Fact, Move, Role, parts

_WORK = WORK // 10  # for each of four canonical forms
_ASKED = ("role", "legal", "next", "goal", "terminal")


@dataclass(frozen=True)
class Exchange:
    """A renaming that maps rules onto themselves, and each player to the other.

    What holds of a position and its moves holds of the renamed position and moves with
    the players exchanged: what is legal, what comes next, when it ends and who wins.
    """

    renaming: Renaming
    """Maps each symbol to the one in its place, both marked by kind; see `Kinds`."""
    kinds: Kinds = field(repr=False)

    def role(self, role: Role) -> Role:
        """Return the role in the place of a role."""
        return self.renaming.rename_role(role)

    def fact(self, fact: Fact) -> Fact:
        """Return what holds in a renamed position if a fact holds in a position."""
        return unmark(self.renaming.rename(self.kinds.mark_fact(fact)))

    def move(self, move: Move) -> Move:
        """Return the move in the place of a move."""
        return unmark(self.renaming.rename(self.kinds.mark_move(move)))


@lru_cache(maxsize=64)
def find_exchange(game: Game) -> Exchange | None:
    """Return a renaming that exchanges the two players of a game.

    `None` if there is none, or if none was found: rules may be symmetric in what they
    mean but not in how they are written, or have too many symbols that are alike.
    """
    players = [role for role in game.roles if role != CHANCE]
    if len(players) != 2:
        return None
    kinds = Kinds(game.rules)
    rules = tuple(kinds.mark(rule) for rule in select_needed(game.rules, _ASKED))
    # At first only the players and what they own, so that as little as possible moves.
    for fixed in (_marked_symbols(rules), frozenset[str]()):
        renaming = _exchange(rules, game.roles, fixed)
        if renaming is not None:
            return Exchange(renaming, kinds)
    return None


def _exchange(
    rules: tuple[Rule, ...], roles: tuple[Role, ...], fixed: frozenset[str]
) -> Renaming | None:
    one, other = (role for role in roles if role != CHANCE)
    exchanged = {one: other, other: one}
    there_roles = tuple(exchanged.get(role, role) for role in roles)
    here = canonical_form(Game("", roles, rules), _WORK, fixed)
    there = canonical_form(Game("", there_roles, rules), _WORK, fixed)
    if here.game != there.game:
        return None
    return here.renaming.then(there.renaming.inverse)


def _marked_symbols(rules: Sequence[Rule]) -> frozenset[str]:
    """Return constants of other kinds than roles and goals."""
    found: set[str] = set()
    for rule in rules:
        for condition in (rule.head, *rule.body):
            for atom, _ in find_atoms(condition):
                found.update(filter(is_marked, _symbols(atom)))
    return frozenset(found)


def _symbols(atom: Atom) -> list[str]:
    inside = (part for argument in atom.arguments for part in parts(argument))
    return [part for part in inside if isinstance(part, str)]
