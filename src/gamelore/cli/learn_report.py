"""What became of a course of learning: for people, as JSON, and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from gamelore.cli.function_config import options_of_function
from gamelore.cli.train_config import options_of
from gamelore.cli.training_run import Course
from gamelore.errors import GameloreError
from gamelore.learn.curves import (
    bucket_averages,
    cumulative_average,
    sparkline,
    window_of,
    windowed_average,
)
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.trainer import Trainer

BARS = 60
"""Of the sketch of the curve, and points of the curve in JSON."""


def as_record(course: Course) -> dict[str, Any]:
    """What became of a course, as JSON."""
    trainer, rewards = course.trainer, course.rewards
    simulator = trainer.graph.simulator
    window = min(window_of(len(rewards)), len(rewards))
    points = np.unique(np.linspace(0, len(rewards) - 1, BARS).astype(int))
    curves = cumulative_average(rewards), windowed_average(rewards, max(1, window))
    return {
        "game": simulator.game.name,
        "engine": simulator.engine,
        "settings": options_of(trainer.config, bool(trainer.features)),
        "matches": course.matches,
        "wanted": course.goal.matches,
        "minutes": course.goal.minutes,
        "resumed_at": course.resumed_at,
        "average": course.average,
        "last": {"matches": window, "average": float(curves[1][-1])},
        "curve": [
            {
                "match": int(point) + 1,
                "cumulative": float(curves[0][point]),
                "windowed": float(curves[1][point]),
            }
            for point in points
        ],
        **contents(trainer),
        "seconds": course.seconds,
        "matches_per_s": course.rate,
        "saved": None if course.path is None else str(course.path),
        "snapshots": list(map(str, course.left)),
    }


def contents(trainer: Trainer) -> dict[str, Any]:
    """How much was learned: the cells of tables, or the weights of a function."""
    roles, function = trainer.graph.simulator.roles, trainer.function
    if function is None:
        cells = {roles[role]: len(table) for role, table in trainer.tables.items()}
        return {"cells": cells}
    features = trainer.graph.simulator.features
    return {
        "function": {
            "kind": options_of_function(function.settings)["values"],
            "roles": [roles[role] for role in learners_of(trainer)],
            "features": None if features is None else features.name,
            "inputs": function.inputs - 1,
            "weights": sum(array.size for array in function.weights().values()),
        }
    }


def learners_of(trainer: Trainer) -> list[int]:
    """The roles whose moves a function learns from; a copy of it does not learn."""
    against = trainer.config.opponent
    if isinstance(against, SelfPlay) and not against.opponent_refresh:
        return trainer.players
    return trainer.seats


def show(course: Course, record: dict[str, Any]) -> None:
    """Print what became of a course, for people."""
    settings, last = record["settings"], record["last"]
    function = record.get("function")
    roles = record["cells"] if function is None else function["roles"]
    click.echo(
        f"{record['game']}: {settings['learner']} as {' and '.join(roles)}"
        f" against {settings['against']}, matches {record['matches']:,}"
    )
    if record["resumed_at"]:
        click.echo(f"resumed  after {record['resumed_at']:,}")
    click.echo(
        f"average  {record['average']:.2f} of all,"
        f" {last['average']:.2f} of the last {last['matches']:,}"
    )
    if function is None:
        sizes = ", ".join(f"{role} {size:,}" for role, size in record["cells"].items())
        click.echo(f"table    {sizes} cells")
    else:
        click.echo(
            f"{function['kind']:<8} {function['inputs']:,} inputs,"
            f" {function['weights']:,} weights"
        )
    if record["matches_per_s"]:
        click.echo(f"speed    {record['matches_per_s']:,.0f} matches per second")
    bars = bucket_averages(course.rewards, BARS)
    click.echo(f"curve    {bars.min():.1f} {sparkline(bars)} {bars.max():.1f}")
    if record["saved"]:
        click.echo(f"saved    {record['saved']}")
    for path in record["snapshots"]:
        click.echo(f"snapshot {path}")


def draw(course: Course, record: dict[str, Any], path: Path) -> None:
    """Draw the learning curve."""
    # matplotlib takes a second to import, so it is only where pictures are wanted
    from gamelore.learn.plots import draw_curve

    title = f"{record['game']} against {record['settings']['against']}"
    try:
        draw_curve(course.rewards, path, title)
    except OSError as error:
        raise GameloreError(f"cannot draw {path}: {error.strerror}") from error
