"""`gamelore learn`: a course of matches against an opponent, and what they teach."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, NoReturn

import click
import numpy as np
from click.core import ParameterSource

from gamelore.cli.engine import prepare
from gamelore.cli.given import Options
from gamelore.cli.learn_options import learning_options
from gamelore.cli.learn_report import as_record, draw, show
from gamelore.cli.options import engine_option, json_option
from gamelore.cli.presets import check_preset
from gamelore.cli.progress import waiting
from gamelore.cli.snapshot_files import SnapshotFiles
from gamelore.cli.train_config import check_options, config_from
from gamelore.cli.training_run import Course, Goal
from gamelore.errors import CheckpointError, GameloreError, NotTurnTakingError
from gamelore.games import load, load_features
from gamelore.gdl import Game
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.files import load_checkpoint
from gamelore.learn.presets import Preset, preset_for
from gamelore.learn.records import features_record
from gamelore.learn.role_values import PatternValues
from gamelore.learn.settings import TDSettings
from gamelore.learn.snapshots import read_input_features
from gamelore.learn.trainer import Trainer
from gamelore.transfer import (
    RewardMap,
    add_knowledge,
    check_destination,
    describe_reward_maps,
    extract_from_trainer,
    initialise_roles,
    load_sources,
)

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
    if (options["snapshots"] or options["snapshot_every"]) and save is None:
        raise click.UsageError("snapshots are left beside a course: give --save FILE")
    if knowledge is not None:
        check_destination(knowledge, options["force"])
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
    options: Options, graph: StateGraph, roles: list[int]
) -> list[PatternValues]:
    """What earlier games taught, for this one."""
    if not options["from"]:
        return []
    known = load_sources(options["from"], options["lessons_against"])
    rewards = RewardMap.parse(options["map"]) if options["map"] else None
    if rewards is None and not options["quiet"]:
        for line in describe_reward_maps(known, graph.simulator.goal_values[roles[0]]):
            click.echo(line, err=True)
    return initialise_roles(known, graph, roles, rewards)


def goal_of(options: Options, asked: Options) -> Goal:
    """When a course is to end that is asked for like this."""
    by_time = "minutes" in asked and "matches" not in asked
    return Goal(None if by_time else options["matches"], options["minutes"])


def snapshots_of(options: Options) -> SnapshotFiles | None:
    """Where snapshots are left, if there are to be any."""
    at, every = options["snapshots"] or (), options["snapshot_every"]
    if not at and every is None:
        return None
    return SnapshotFiles(options["save"], at, every, replaces=options["force"])


def wish_of(options: dict[str, Any], asked: Options, game: Game) -> Preset:
    """What options ask for: a preset with another seed or length, or all their own."""
    if not options["preset"]:
        complete(options)
        goal = goal_of(options, asked)
        return Preset(config_from(options), *goal, features=options["features"])
    check_preset(asked)
    preset = preset_for(game.name)
    preset = replace(preset, config=replace(preset.config, seed=options["seed"]))
    if not asked.keys() & {*Goal._fields}:
        return preset
    return replace(preset, **goal_of(options, asked)._asdict())


def begin(options: dict[str, Any], asked: Options, game: Game, engine: str) -> Course:
    """A course from its first match."""
    snapshots = snapshots_of(options)
    if snapshots is not None:
        snapshots.check_new()
    wish = wish_of(options, asked, game)
    features = None if wish.features is None else load_features(wish.features, game)
    graph = StateGraph(prepare(game, engine, features))
    roles = Trainer(graph, wish.config).seats
    return Course(
        Trainer(graph, wish.config, carried_values(options, graph, roles)),
        np.zeros(0, np.int16),
        Goal(wish.matches, wish.minutes),
        options["save"],
        snapshots=snapshots,
        depth=wish.depth,
    )


def resume(options: Options, asked: Options, game: Game, engine: str) -> Course:
    """A course from where a file says it stood."""
    path = options["save"]
    try:
        checkpoint = load_checkpoint(path)
    except CheckpointError as error:
        raise CheckpointError(
            f"{error} (--force starts anew and replaces it)"
        ) from None
    check_options(asked, checkpoint, path)
    check_began(options, asked, game, checkpoint)
    try:
        checkpoint.check_game(game)
        graph = StateGraph(prepare(game, engine, read_input_features(checkpoint, game)))
        trainer = checkpoint.trainer(graph)
    except CheckpointError as error:
        raise CheckpointError(f"{path} cannot be resumed: {error}") from error
    check_carried(options, checkpoint, trainer)
    goal = goal_of(options, asked)
    owed = checkpoint.wanted > checkpoint.matches or goal.minutes is None
    if "matches" not in asked and owed:
        goal = goal._replace(matches=checkpoint.wanted)
    return Course(
        trainer,
        checkpoint.rewards,
        goal,
        path,
        snapshots=snapshots_of(options),
        depth=checkpoint.depth,
    )


def check_began(
    options: Options, asked: Options, game: Game, checkpoint: Checkpoint
) -> None:
    """`CheckpointError` if a course began without its preset, or other features."""
    path, features, began = options["save"], options["features"], checkpoint.inputs
    if options["preset"]:
        check_preset(asked)
        config = replace(preset_for(game.name).config, seed=checkpoint.config.seed)
        if config != checkpoint.config:
            raise CheckpointError(
                f"{path} did not begin with the preset; leave --preset out to go on"
            )
    if features is None:
        return
    if began is None or load_features(features, game).to_kif() != began.text:
        other = "none" if began is None else f"others, called {began.name}"
        raise CheckpointError(
            f"{path} began with {other}, not with --features {features}; leave it out"
            " to go on"
        )


def check_carried(options: Options, checkpoint: Checkpoint, trainer: Trainer) -> None:
    """`CheckpointError` if --from would give other values than a course began with."""
    roles = trainer.graph.simulator.roles
    given = {
        roles[values.pattern_index.role]: features_record(values)
        for values in carried_values(options, trainer.graph, trainer.seats)
    }
    if given and given != checkpoint.features:
        raise CheckpointError(
            f"{options['save']} began with other values than --from gives now; leave"
            " --from out to go on with those it began with"
        )


# ── after ───────────────────────────────────────────────────────────────────────────


def check_knowledge(options: Options, trainer: Trainer) -> None:
    """Refuse to value features where no table of afterstates is learned."""
    if options["knowledge"] is None:
        return
    if not isinstance(trainer.config.learner, TDSettings):
        raise click.UsageError("--knowledge is for --learner td: it values afterstates")
    if trainer.function is not None:
        raise click.UsageError("--knowledge is for --values table: it values its cells")


def write_knowledge(course: Course, options: Options) -> dict[str, Any]:
    """Add what was learned to the knowledge asked for; where, and how much."""
    path = options["knowledge"]
    trainer = course.trainer
    run = Checkpoint.of(trainer, course.rewards).key[:16]
    depth = options["depth"] or FEATURE_DEPTH
    with waiting("valuing features"):
        learned = extract_from_trainer(
            trainer, depth, by_reward=options["rewards"], run=run
        )
        add_knowledge(learned, path, overwrite=options["force"])
    return {"file": str(path), "patterns": len(learned.values())}


def leave(course: Course, game: str, number: int) -> NoReturn:
    """Say how to go on after a signal, and exit as it asks."""
    wanted = course.goal.matches
    of_all = "" if wanted is None else f" of {wanted:,}"
    done = f"interrupted after {course.matches:,}{of_all} matches"
    if course.path is None:
        click.echo(f"{done}; nothing was saved: --save FILE keeps it", err=True)
    else:
        click.echo(f"{done}; all are saved, and this goes on with them:", err=True)
        again = ""
        if course.minutes_left is not None:
            again += f" --minutes {max(0.1, course.minutes_left):.1f}"
        if course.snapshots is not None:
            again += f" {course.snapshots}"
        click.echo(
            f"  gamelore learn {game} --save {course.path} --resume{again}", err=True
        )
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
  gamelore learn connect-four --values network --against self --alpha 0.1 --scaled
      --save net.course --snapshots 100,1000,10000
  gamelore learn connect-four --preset --minutes 10 --save net.course
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
    goes_on = options["resume"] and options["save"].exists()
    course = (resume if goes_on else begin)(options, asked, load(game), engine)
    check_knowledge(options, course.trainer)
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
