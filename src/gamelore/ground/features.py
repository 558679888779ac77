"""The features of a ground game: which literals each is made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gamelore.errors import GroundingError
from gamelore.gdl import Role, Term, to_kif
from gamelore.gdl.features import FeatureRules, feature_atom
from gamelore.ground.order import natural_order


@dataclass(frozen=True)
class GroundFeature:
    """A feature as one role sees it: literals, and what each counts if it is true."""

    name: Term
    averaged: bool
    """Whether its value is the mean of what is counted, and not the sum."""
    weights: tuple[float, ...]
    literals: tuple[int, ...]


def assemble_features(
    features: FeatureRules,
    roles: Sequence[Role],
    atoms: Mapping[str, Mapping[tuple[Term, ...], int]],
) -> tuple[tuple[GroundFeature, ...], ...]:
    """Return the features of each view, the same ones in the same order in each.

    `atoms` has the literals of each view's relation by their arguments.
    """
    views = [_by_name(atoms[relation]) for relation in features.views(roles)]
    averaged: dict[Term, bool] = {}
    for view in views:
        for name, found in view.items():
            for is_average, _, _, _ in found:
                if averaged.setdefault(name, is_average) != is_average:
                    raise GroundingError(
                        f"feature {to_kif(name)} cannot be an average and a sum"
                    )
    names = sorted(averaged, key=lambda n: (features.rank(n), natural_order(n)))
    return tuple(
        tuple(_feature(name, averaged[name], view.get(name, ())) for name in names)
        for view in views
    )


_Found = tuple[bool, float, list[tuple[int, str]], int]
"""Whether averaged, the weight, what to sort by, the literal."""


def _by_name(atoms: Mapping[tuple[Term, ...], int]) -> dict[Term, list[_Found]]:
    found: dict[Term, list[_Found]] = defaultdict(list)
    for (term,), literal in atoms.items():
        name, weight, averaged = feature_atom(term)
        found[name].append((averaged, weight, natural_order(term), literal))
    return found


def _feature(name: Term, averaged: bool, found: Iterable[_Found]) -> GroundFeature:
    ordered = sorted(found, key=lambda one: one[1:3])
    return GroundFeature(
        name,
        averaged,
        weights=tuple(weight for _, weight, _, _ in ordered),
        literals=tuple(literal for _, _, _, literal in ordered),
    )
