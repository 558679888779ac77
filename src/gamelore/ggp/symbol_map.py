"""Translation between the symbols of a match and those of the canonical game."""

from __future__ import annotations

from gamelore.gdl import Move, Role, to_kif
from gamelore.gdl.canonical import CanonicalForm

_REMEMBERED = 4096  # moves and joint moves whose translation is remembered


class SymbolMap:
    """Translates between the symbols of rules as sent and their canonical game."""

    def __init__(self, form: CanonicalForm) -> None:
        self.game = form.game
        """The canonical game."""
        self.rules_as_given = form.rules_as_given
        """Its rules in the order sent, by which the interpreter derives faster."""
        self._renaming = form.renaming
        self._canonical: dict[tuple[Move, ...], tuple[Move, ...]] = {}
        self._texts: dict[Move, str] = {}

    def to_canonical(self, joint: tuple[Move, ...]) -> tuple[Move, ...]:
        """Return a joint move as sent, in canonical symbols."""
        known = self._canonical.get(joint)
        if known is None:
            known = tuple(map(self._renaming.rename, joint))
            if len(self._canonical) >= _REMEMBERED:
                self._canonical.clear()
            self._canonical[joint] = known
        return known

    def to_text(self, move: Move | None) -> str:
        """Return a move of the canonical game as text in the symbols sent.

        Where no move is known it is `noop`, which many games have.
        """
        if move is None:
            return "noop"
        known = self._texts.get(move)
        if known is None:
            known = to_kif(self._renaming.inverse.rename(move))
            if len(self._texts) >= _REMEMBERED:
                self._texts.clear()
            self._texts[move] = known
        return known

    def find_role(self, role: Role) -> Role | None:
        """Return the canonical name of a role as sent, if there is such a role."""
        name = self._renaming.rename_role(role)
        return name if name in self.game.roles else None
