"""Self-play with other choices where the paper's words and equations leave one open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from gamelore.experiments.abalearn2003.run import train
from gamelore.experiments.abalearn2003.settings import (
    CHOSEN,
    METHOD_II,
    READINGS,
    VALUE_ALONE,
    Abalearn2003Settings,
    AbalearnCase,
    TrainingPhase,
)
from gamelore.experiments.statistics import Floats
from gamelore.experiments.sweep import Repetition, Sweep

GAMES = 300
"""Games of self-play in each variant."""
RUNS = 4
RISKS = (0.0, -0.8, -1.0)

_REWARD: dict[str, Any] = {
    **READINGS[VALUE_ALONE],
    "reward_in_selection": True,
    "perspective": "learner",
    "risk_side": "mover",
}
_VALUE = {**READINGS[VALUE_ALONE], "risk_side": "mover"}

_PRINTED = {"trace_includes": "successor"}
_SHARES = {"inputs": "shares"}
_FIRST = {"perspective": "first"}
_OWN = {"perspective": "current-player"}
_PLAY = {"updates": "during-play"}
_BOOTSTRAP = {"limit": "bootstrap"}

_DIFFERENCES: dict[str, dict[str, dict[str, Any]]] = {
    CHOSEN: {
        "none": {},
        "κ weighs errors as the learner's": {"risk_side": "values"},
        "first player's values": _FIRST,
        "each player's own values": _OWN,
        "updates during play": _PLAY,
        "limit bootstraps": _BOOTSTRAP,
        "trace as printed": _PRINTED,
        "inputs are shares": _SHARES,
    },
    VALUE_ALONE: {
        "none": {},
        "learner's values": {"perspective": "learner"},
        "first player's values": _FIRST,
        "updates during play": _PLAY,
        "limit bootstraps": _BOOTSTRAP,
        "trace as printed": _PRINTED,
        "inputs are shares": _SHARES,
        "trace as printed, inputs are shares": _PRINTED | _SHARES,
    },
}

VARIANTS: dict[str, dict[str, Any]] = {
    f"{reading}: {difference}": base | changes
    for reading, base in ((CHOSEN, _REWARD), (VALUE_ALONE, _VALUE))
    for difference, changes in _DIFFERENCES[reading].items()
}
"""By reading, and by how they differ from it: settings."""


@dataclass(frozen=True)
class VariantCase:
    """Self-play in one variant."""

    variant: str
    risk: float


@dataclass(frozen=True)
class VariantResult:
    """The scores of all agents of a variant."""

    case: VariantCase
    scores: Floats
    """float64 [agents, 5]: at the end, against the heuristic player"""


def run_variants(settings: Abalearn2003Settings, sweep: Sweep) -> list[VariantResult]:
    """Train agents by self-play in every variant."""
    cases = [VariantCase(variant, risk) for variant in VARIANTS for risk in RISKS]
    games = settings.scale_games(GAMES)
    work = partial(_train_variant, settings=settings)
    found = sweep.repeat(work, cases, RUNS, lambda case: games)
    return [VariantResult(case, np.stack(scores)) for case, scores in found.items()]


def count_variant_games(settings: Abalearn2003Settings) -> int:
    """Return how many games that takes."""
    return len(VARIANTS) * len(RISKS) * RUNS * settings.scale_games(GAMES)


def _train_variant(
    run: Repetition[VariantCase], settings: Abalearn2003Settings
) -> Floats:
    case = _shorten(run.case.risk)
    changed = replace(settings, **VARIANTS[run.case.variant])
    trained = train(Repetition(case, run.number), changed)
    return np.asarray(trained.scores[-1])


def _shorten(risk: float) -> AbalearnCase:
    """Return Method II with fewer games, and one test at the end."""
    return replace(
        METHOD_II[risk],
        seed_name=f"reading, κ = {risk:g}",
        phases=(TrainingPhase("self", GAMES),),
        points=(GAMES,),
    )
