"""Canonical forms: the same game under any names of its symbols, and symmetries.

form         the canonical form of a game, and the renaming that leads to it
labelling    canonical labelling of graphs by colour refinement
renaming     new names for symbols, and the way back
rule_order   an order of rules that depends on structure only
rule_graph   rules as a labelled graph
kinds        constants told apart by the arguments they stand in
symmetry     renamings that exchange the two players
"""

from gamelore.gdl.canonical.form import CanonicalForm, canonical_form, is_canonical
from gamelore.gdl.canonical.renaming import Renaming

__all__ = ["CanonicalForm", "Renaming", "canonical_form", "is_canonical"]
