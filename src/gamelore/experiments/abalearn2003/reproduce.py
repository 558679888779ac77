"""The whole experiment: train, test, compare, draw, report."""

from __future__ import annotations

from gamelore.experiments.abalearn2003.claims import ReadingResult
from gamelore.experiments.abalearn2003.games import DEPTHS, meet_references, play_duels
from gamelore.experiments.abalearn2003.plots import draw_figures
from gamelore.experiments.abalearn2003.report import (
    AbalearnFindings,
    make_report,
    write_data,
)
from gamelore.experiments.abalearn2003.run import run_cases
from gamelore.experiments.abalearn2003.settings import (
    CASES,
    METHOD_I,
    METHOD_II,
    Abalearn2003Settings,
    apply_reading,
    list_readings,
)
from gamelore.experiments.abalearn2003.variants import count_variant_games, run_variants
from gamelore.experiments.experiment import Experiment
from gamelore.experiments.sweep import Sweep


def run(settings: Abalearn2003Settings, sweep: Sweep) -> AbalearnFindings:
    """Train and test all agents in each reading, and compare them with the paper's."""
    readings = list_readings(settings)
    trained = run_cases(readings, CASES, settings, sweep)
    duelling = {r: [trained[r][METHOD_I], trained[r][METHOD_II[-1.0]]] for r in trained}
    duels = play_duels(duelling, settings, sweep)
    found = {}
    for reading in readings:
        chosen = apply_reading(reading, settings)
        references = meet_references(trained[reading][METHOD_I], chosen, sweep)
        own = [duel for duel in duels if duel.reading == reading]
        found[reading] = ReadingResult(trained[reading], references, own)
    return AbalearnFindings(
        settings=settings,
        readings=found,
        variants=run_variants(settings, sweep) if settings.variants else (),
        claims=[
            claim
            for reading, result in found.items()
            for claim in result.claims(reading, settings.draws)
        ],
    )


def count_matches(settings: Abalearn2003Settings) -> int:
    """Return how many games the settings ask for, as progress counts them."""
    training = sum(settings.scale_games(case.games) for case in CASES)
    games = settings.runs * (training + settings.tests) + 2 * len(DEPTHS)
    games *= len(list_readings(settings))
    return games + (count_variant_games(settings) if settings.variants else 0)


EXPERIMENT = Experiment(
    settings=Abalearn2003Settings,
    count_matches=count_matches,
    run=run,
    write_data=write_data,
    draw_figures=draw_figures,
    make_report=make_report,
    quick={
        "runs": 2,
        "scale": 0.01,
        "tests": 4,
        "move_limit": 80,
        "search_nodes": 50,
    },
)
