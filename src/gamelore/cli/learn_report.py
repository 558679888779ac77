"""The results of a training run: for people, as JSON, and as a picture."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np

from gamelore.errors import GameloreError
from gamelore.learn.curves import (
    choose_window,
    cumulative_average,
    sparkline,
    windowed_average,
)
from gamelore.learn.references import ITSELF, ReferenceResult
from gamelore.learn.run import TrainingRun
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.trainer import Trainer
from gamelore.settings import to_options

POINTS = 60
"""Of the curve in JSON."""


def as_record(run: TrainingRun) -> dict[str, Any]:
    """Return the results of a run, as JSON."""
    trainer, rewards = run.trainer, run.rewards
    simulator = trainer.graph.simulator
    window = min(choose_window(len(rewards)), len(rewards))
    points = np.unique(np.linspace(0, len(rewards) - 1, POINTS).astype(int))
    curves = cumulative_average(rewards), windowed_average(rewards, max(1, window))
    return {
        "game": simulator.game.name,
        "engine": simulator.engine,
        "settings": to_options(trainer.config),
        "roles": [simulator.roles[role] for role in trainer.known_roles],
        "matches": run.matches,
        "wanted": run.config.match_limit,
        "minutes": run.config.minutes,
        "resumed_at": run.resumed_at,
        "evaluations": [asdict(one) for one in run.evaluations],
        "average": run.mean_reward,
        "last": {"matches": window, "average": float(curves[1][-1])},
        "curve": [
            {
                "match": int(point) + 1,
                "cumulative": float(curves[0][point]),
                "windowed": float(curves[1][point]),
            }
            for point in points
        ],
        **describe_values(trainer),
        "seconds": run.seconds,
        "stopped_by": run.reached or "stopped",
        "best": {"matches": run.best.matches, "score": run.best.score},
        "matches_per_s": run.matches_per_second,
        "saved": None if run.path is None else str(run.path),
        "snapshots": list(map(str, run.written)),
    }


def describe_values(trainer: Trainer) -> dict[str, Any]:
    """Return how much was learned: the cells of tables, or a function's weights."""
    names, function = trainer.graph.simulator.roles, trainer.function
    if trainer.network is not None:
        weights = trainer.network.copy_weights().values()
        return {
            "function": {
                "kind": to_options(trainer.config)["values"],
                "features": None,
                "inputs": trainer.network.inputs,
                "weights": sum(array.size for array in weights),
            }
        }
    if function is None:
        cells = {names[role]: len(table) for role, table in trainer.tables.items()}
        return {"cells": cells}
    features = trainer.graph.simulator.features
    return {
        "function": {
            "kind": to_options(trainer.config)["values"],
            "features": None if features is None else features.name,
            "inputs": function.inputs - 1,
            "weights": sum(array.size for array in function.weights().values()),
        }
    }


def show(run: TrainingRun, record: dict[str, Any]) -> None:
    """Print the results of a run, for people."""
    settings = record["settings"]
    function = record.get("function")
    roles = " and ".join(record["roles"])
    _line(
        f"{record['game']}: {settings['learner']} as {roles} against"
        f" {settings['against']}, {record['matches']:,} matches"
    )
    if record["resumed_at"]:
        _line(f"after {record['resumed_at']:,} matches", "resumed")
    if not isinstance(run.trainer.config.opponent, SelfPlay):
        last = record["last"]
        _line(
            f"{record['average']:.1f} on average while training,"
            f" {last['average']:.1f} in the last {last['matches']:,} matches",
            "rewards",
        )
    show_scores(run.evaluations)
    if record["stopped_by"] == "settled":
        best = run.best
        _line(
            f"no better since {best.matches:,} matches, {best.since} evaluations ago",
            "settled",
        )
    if function is None:
        sizes = ", ".join(f"{role} {size:,}" for role, size in record["cells"].items())
        _line(f"{sizes} cells", "table")
    else:
        size = f"{function['inputs']:,} inputs, {function['weights']:,} weights"
        _line(size, function["kind"].split("-")[-1])
    if record["matches_per_s"]:
        _line(f"{record['matches_per_s']:,.0f} matches per second", "speed")
    if record["saved"]:
        _line(record["saved"], "saved")
    for path in record["snapshots"]:
        _line(path, "snapshot")


def show_scores(evaluations: list[ReferenceResult]) -> None:
    """Print the scores against each reference player, from the first to the last."""
    for opponent in dict.fromkeys(one.opponent for one in evaluations):
        results = [one for one in evaluations if one.opponent == opponent]
        if opponent == ITSELF:  # which gets better, too: there is no curve
            _line(f"{results[-1].percent} against its best before", "score")
            continue
        scores = [one.score for one in results]
        bars = f"  {sparkline(scores)}  from {scores[0]:.0%}" if scores[1:] else ""
        _line(f"{results[-1].percent} against {opponent}{bars}", "score")


def _line(text: str, label: str = "") -> None:
    click.echo(f"{label:<9}{text}" if label else text)


def draw(run: TrainingRun, record: dict[str, Any], path: Path) -> None:
    """Draw the scores against the reference players, or rewards if there are none."""
    # matplotlib takes a second to import, so it is only where pictures are wanted
    from gamelore.learn.plots import draw_rewards, draw_scores

    title = f"{record['game']}, trained against {record['settings']['against']}"
    try:
        if run.evaluations:
            draw_scores(run.evaluations, path, title)
        else:
            draw_rewards(run.rewards, path, title)
    except OSError as error:
        raise GameloreError(f"cannot draw {path}: {error.strerror}") from error
