"""`gamelore learn`: a course of matches against an opponent, and what they teach."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import click
import numpy as np
from click.core import ParameterSource

from gamelore.atlas import Atlas
from gamelore.cli.course import Course
from gamelore.cli.engine import prepare
from gamelore.cli.learn_options import learning_options
from gamelore.cli.lessons import acquire, apply, check_place, keep, recall, reward_maps
from gamelore.cli.options import engine_option, json_option
from gamelore.cli.plans import Options, check_options, options_of, plan_from
from gamelore.cli.progress import waiting
from gamelore.errors import CheckpointError, GameloreError, NotTurnTakingError
from gamelore.learn import (
    Checkpoint,
    FeatureValues,
    TDSettings,
    Training,
    load_checkpoint,
)
from gamelore.learn.curves import (
    bucket_averages,
    cumulative_average,
    sparkline,
    window_of,
    windowed_average,
)
from gamelore.learn.records import features_record
from gamelore.transfer import RewardMap

BARS = 60
"""Of the sketch of the curve, and points of the curve in JSON."""
FEATURE_DEPTH = 2
PICTURES = (".png", ".svg")


# ── before ──────────────────────────────────────────────────────────────────────────


def check(options: dict[str, Any]) -> None:
    """Refuse what cannot go together, and paths that cannot be used, before playing."""
    save, plot, knowledge = options["save"], options["plot"], options["knowledge"]
    if options["resume"] and options["force"]:
        raise click.UsageError("--resume goes on, --force starts anew: choose one")
    if options["resume"] and save is None:
        raise click.UsageError("--resume needs --save FILE, to go on from there")
    if plot is not None and plot.suffix not in PICTURES:
        raise click.UsageError(f"--plot draws .png and .svg, not {plot.name}")
    for path in (save, plot):
        if path is not None and not path.parent.is_dir():
            raise GameloreError(f"there is no folder {path.parent}")
    if knowledge is not None:
        check_place(knowledge, options["force"])
    if (
        save is not None
        and save.exists()
        and not (options["resume"] or options["force"])
    ):
        raise CheckpointError(
            f"{save} exists: --resume goes on with it, --force starts anew and"
            " replaces it"
        )


def complete(options: dict[str, Any]) -> None:
    """Where initial values come from, if that is not said."""
    carried = bool(options["from"])
    options["initial"] = options["initial"] or ("features" if carried else "default")
    if carried != (options["initial"] == "features"):
        raise click.UsageError(
            "--initial features needs --from KNOWLEDGE"
            if not carried
            else f"--from has no meaning for --initial {options['initial']}"
        )
    for name in ("map", "lessons_against"):
        if options[name] and not carried:
            raise click.UsageError(
                f"--{name.replace('_', '-')} has no meaning without --from"
            )


def carried_values(
    options: Options, atlas: Atlas, roles: list[int]
) -> list[FeatureValues]:
    """What earlier games taught, for this one."""
    if not options["from"]:
        return []
    known = recall(options["from"], options["lessons_against"])
    rewards = RewardMap.parse(options["map"]) if options["map"] else None
    if rewards is None and not options["quiet"]:
        for line in reward_maps(known, atlas.simulator.goal_values[roles[0]]):
            click.echo(line, err=True)
    return apply(known, atlas, roles, rewards)


def begin(options: dict[str, Any], atlas: Atlas) -> Course:
    """A course from its first match."""
    complete(options)
    plan = plan_from(options)
    roles = Training(atlas, plan).seats
    training = Training(atlas, plan, carried_values(options, atlas, roles))
    none = np.zeros(0, np.int16)
    return Course(training, none, options["matches"], options["save"])


def resume(options: Options, asked: Options, atlas: Atlas) -> Course:
    """A course from where a file says it stood."""
    path = options["save"]
    try:
        checkpoint = load_checkpoint(path)
    except CheckpointError as error:
        raise CheckpointError(
            f"{error} (--force starts anew and replaces it)"
        ) from None
    check_options(asked, checkpoint, path)
    try:
        training = checkpoint.training(atlas)
    except CheckpointError as error:
        raise CheckpointError(f"{path} cannot be resumed: {error}") from error
    check_carried(options, checkpoint, training)
    wanted = options["matches"] if "matches" in asked else checkpoint.wanted
    return Course(training, checkpoint.rewards, wanted, path)


def check_carried(options: Options, checkpoint: Checkpoint, training: Training) -> None:
    """`CheckpointError` if --from would give other values than a course began with."""
    roles = training.atlas.simulator.roles
    given = {
        roles[values.templates.role]: features_record(values)
        for values in carried_values(options, training.atlas, training.seats)
    }
    if given and given != checkpoint.features:
        raise CheckpointError(
            f"{options['save']} began with other values than --from gives now; leave"
            " --from out to go on with those it began with"
        )


# ── after ───────────────────────────────────────────────────────────────────────────


def as_record(course: Course) -> dict[str, Any]:
    """What became of a course, as JSON."""
    training, rewards = course.training, course.rewards
    simulator = training.atlas.simulator
    window = min(window_of(len(rewards)), len(rewards))
    points = np.unique(np.linspace(0, len(rewards) - 1, BARS).astype(int))
    curves = cumulative_average(rewards), windowed_average(rewards, max(1, window))
    return {
        "game": simulator.game.name,
        "engine": simulator.engine,
        "settings": options_of(training.plan, bool(training.features)),
        "matches": course.matches,
        "wanted": course.wanted,
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
        "cells": {
            simulator.roles[role]: len(table) for role, table in training.tables.items()
        },
        "seconds": course.seconds,
        "matches_per_s": course.rate,
        "saved": None if course.path is None else str(course.path),
    }


def show(course: Course, record: dict[str, Any]) -> None:
    """Print what became of a course, for people."""
    settings, last = record["settings"], record["last"]
    click.echo(
        f"{record['game']}: {settings['learner']} as {' and '.join(record['cells'])}"
        f" against {settings['against']}, matches {record['matches']:,}"
    )
    if record["resumed_at"]:
        click.echo(f"resumed  after {record['resumed_at']:,}")
    click.echo(
        f"average  {record['average']:.2f} of all,"
        f" {last['average']:.2f} of the last {last['matches']:,}"
    )
    sizes = ", ".join(f"{role} {size:,}" for role, size in record["cells"].items())
    click.echo(f"table    {sizes} cells")
    if record["matches_per_s"]:
        click.echo(f"speed    {record['matches_per_s']:,.0f} matches per second")
    bars = bucket_averages(course.rewards, BARS)
    click.echo(f"curve    {bars.min():.1f} {sparkline(bars)} {bars.max():.1f}")
    if record["saved"]:
        click.echo(f"saved    {record['saved']}")


def write_knowledge(course: Course, options: Options) -> dict[str, Any]:
    """Add what was learned to the knowledge asked for; where, and how much."""
    path = options["knowledge"]
    training = course.training
    run = Checkpoint.of(training, course.rewards).key[:16]
    depth = options["depth"] or FEATURE_DEPTH
    with waiting("valuing features"):
        learned = acquire(training, depth, options["rewards"], run)
        keep(learned, path, options["force"])
    return {"file": str(path), "features": len(learned.values())}


def draw(course: Course, record: dict[str, Any], path: Path) -> None:
    """Draw the learning curve."""
    # matplotlib takes a second to import, so it is only where pictures are wanted
    from gamelore.learn.pictures import draw_curve

    title = f"{record['game']} against {record['settings']['against']}"
    try:
        draw_curve(course.rewards, path, title)
    except OSError as error:
        raise GameloreError(f"cannot draw {path}: {error.strerror}") from error


def leave(course: Course, game: str, number: int) -> NoReturn:
    """Say how to go on after a signal, and exit as it asks."""
    done = f"interrupted after {course.matches:,} of {course.wanted:,} matches"
    if course.path is None:
        click.echo(f"{done}; nothing was saved: --save FILE keeps it", err=True)
    else:
        click.echo(f"{done}; all are saved, and this goes on with them:", err=True)
        click.echo(f"  gamelore learn {game} --save {course.path} --resume", err=True)
    raise click.exceptions.Exit(128 + number)


# ── the command ─────────────────────────────────────────────────────────────────────


@click.command(
    "learn",
    epilog="""\b
Examples:
  gamelore learn tictactoe --against novice --save ttt.course --plot curve.png
  gamelore learn tictactoe --save ttt.course --resume --matches 100000
  gamelore learn tictactoe --knowledge lore.json
  gamelore learn connect-3 --from lore.json --role first
  gamelore learn connect-four --learner q --schedule cosine --against random
  gamelore learn hex-3x3 --learner qm --search-time 50 --against random
  gamelore learn tictactoe --against self --epsilon 0.1
""",
)
@click.argument("game")
@learning_options
@engine_option
@json_option
@click.pass_context
def command(
    context: click.Context, /, game: str, engine: str, as_json: bool, **options: Any
) -> None:
    """Learn a game by playing it, and save what was learned.

    Ctrl-C ends a course early and saves it; --resume goes on with it as if nothing had
    happened, with the settings it began with.
    """
    asked = {
        name: value
        for name, value in options.items()
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    check(options)
    atlas = Atlas(prepare(game, engine))
    if options["resume"] and options["save"].exists():
        course = resume(options, asked, atlas)
    else:
        course = begin(options, atlas)
    if options["knowledge"] and not isinstance(
        course.training.plan.learner, TDSettings
    ):
        raise click.UsageError("--knowledge is for --learner td: it values afterstates")
    try:
        number = course.run(options["quiet"])
    except NotTurnTakingError as error:
        raise NotTurnTakingError(f"learning takes turns, but {error}") from error
    record = as_record(course)
    if options["plot"] is not None:
        draw(course, record, options["plot"])
        record["plot"] = str(options["plot"])
    if options["knowledge"] is not None:
        record["knowledge"] = write_knowledge(course, options)
    if as_json:
        click.echo(json.dumps(record, indent=2))
    elif not options["quiet"]:
        show(course, record)
    if number is not None:
        leave(course, game, number)
