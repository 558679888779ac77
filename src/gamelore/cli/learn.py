"""`gamelore learn`: train on a game, and save what was learned."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn

import click

from gamelore.cli.cluster import CLUSTER, WORKERS, opened_cluster
from gamelore.cli.engine import prepare
from gamelore.cli.learn_display import LearnDisplay
from gamelore.cli.learn_files import LearnFiles
from gamelore.cli.learn_report import as_record, draw, show
from gamelore.cli.options import engine_option, json_option
from gamelore.cli.presets import check_preset, presets_option
from gamelore.cli.progress import waiting
from gamelore.cli.setting_options import (
    GroupedCommand,
    GroupedOption,
    given_options,
    setting_options,
)
from gamelore.cli.signals import stop_on_signals
from gamelore.cluster import Executor
from gamelore.errors import CheckpointError, GameloreError, NotTurnTakingError
from gamelore.games import load, load_features
from gamelore.gdl import Game
from gamelore.graph import StateGraph
from gamelore.learn.automatic import PATIENCE, can_play_itself, choose_config
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.cluster_trainer import ClusterTrainer, SpreadSettings
from gamelore.learn.config import (
    DEFAULT_TEXTS,
    TrainConfig,
    complete_options,
    name_opponent,
)
from gamelore.learn.files import load_checkpoint
from gamelore.learn.match_trainer import make_trainer
from gamelore.learn.played import PlayedMatches
from gamelore.learn.presets import Preset, preset_for
from gamelore.learn.records import features_record
from gamelore.learn.references import ITSELF
from gamelore.learn.role_values import PatternValues
from gamelore.learn.run import RunConfig, TrainingRun
from gamelore.learn.settings import TDSettings
from gamelore.learn.snapshots import read_input_features
from gamelore.learn.trainer import Trainer
from gamelore.learn.zero.settings import ZeroSettings
from gamelore.settings import (
    Options,
    SettingError,
    from_options,
    spell_option,
    to_options,
)
from gamelore.transfer import (
    RewardMap,
    add_knowledge,
    describe_reward_maps,
    extract_from_trainer,
    initialise_roles,
    load_sources,
)

MAIN = (
    "against",
    "values",
    "learner",
    "alpha",
    "epsilon",
    "matches",
    "minutes",
    "preset",
    "save",
    "resume",
    "plot",
)
"""The options that are listed first."""

LEARN_HELP = (
    "Have the matches played on a Ray cluster: local for one on this machine that ends "
    "with the command, or the address of one, as HOST:PORT, or auto. How many workers "
    "there are changes nothing but the time it takes."
)


@dataclass(frozen=True)
class LearnRequest:
    """What the command line asks for."""

    game: Game
    engine: str
    files: LearnFiles
    run: RunConfig
    typed: Options
    """The options of `TrainConfig` that were typed."""
    typed_run: Options
    """The options of `RunConfig` that were typed."""
    spread: SpreadSettings = field(default_factory=SpreadSettings)
    executor: Executor | None = None
    """What plays the matches, if not this process."""

    def convert(
        self, trainer: Trainer, pending: PlayedMatches | None = None
    ) -> Trainer:
        """Return the trainer, or one whose matches are played on the cluster."""
        if self.executor is None:
            return trainer
        spread = ClusterTrainer(trainer, self.executor, self.spread, pending)
        if self.executor.workers > self.spread.at_once:
            click.echo(
                f"{self.executor.workers:,} workers, but --staleness"
                f" {self.spread.staleness} lets no more than {self.spread.at_once:,}"
                f" parts of {self.spread.part} matches be played at once",
                err=True,
            )
        with waiting("warming up every node"):
            spread.warm_up()
        return spread


# ── before ──────────────────────────────────────────────────────────────────────────


def is_automatic(request: LearnRequest) -> bool:
    """Return whether nothing is asked for but a game, so that its size decides."""
    files = request.files
    given = request.typed.keys() - {"seed"}
    others = files.preset, files.features, files.sources, files.knowledge
    return not (given or any(others) or "matches" in request.typed_run)


def begin_automatically(request: LearnRequest) -> TrainingRun:
    """Return a run that suits the game, and ends when it stops getting better."""
    files = request.files
    simulator = prepare(request.game, request.engine, None)
    config = choose_config(simulator, request.typed.get("seed", 0))
    limits = request.run
    if limits.minutes is None and limits.patience is None:
        limits = replace(limits, patience=PATIENCE)
    if files.save is not None and limits.evaluate_every != 0:
        limits = replace(limits, keep_best=True)
    if "evaluate_against" not in request.typed_run and can_play_itself(config):
        usual = limits.evaluate_against
        limits = replace(limits, evaluate_against=(*usual, ITSELF))
    if not files.quiet:
        values = to_options(config)["values"]
        end = "" if limits.minutes else ", until it stops getting better or Ctrl-C"
        against = config.opponent.name
        click.echo(f"learning by {values}, against {against}{end}", err=True)
    graph = StateGraph(simulator)
    return TrainingRun(
        make_trainer(graph, config), limits, files.save, overwrite=files.force
    )


def find_preset(request: LearnRequest) -> Preset:
    """Return what to train: a preset with another seed or length, or what is typed."""
    run, files = request.run, request.files
    if not files.preset:
        config = from_options(TrainConfig, complete_options(request.typed))
        check_features(config, files)
        return Preset(config, run.match_limit, run.minutes, features=files.features)
    check_preset(request.typed, files)
    preset = preset_for(request.game.name)
    seed = request.typed.get("seed", preset.config.seed)
    preset = replace(preset, config=replace(preset.config, seed=seed))
    if not request.typed_run.keys() & {"matches", "minutes"}:
        return preset
    return replace(preset, matches=run.match_limit, minutes=run.minutes)


def check_features(config: TrainConfig, files: LearnFiles) -> None:
    """Refuse features and knowledge that training would not use."""
    if config.function is None and files.features and not config.shaping:
        raise click.UsageError(
            "--features has no meaning for --values table without --shaping: a table"
            " uses features for rewards only"
        )
    if files.features and isinstance(config.learner, ZeroSettings):
        raise click.UsageError("--features has no meaning for --learner zero")
    if files.sources and not isinstance(config.learner, TDSettings):
        raise click.UsageError("--from is for --learner td: it values afterstates")
    if files.sources and config.function is not None:
        raise click.UsageError("--from is for --values table: it values its cells")


def find_initial_values(
    files: LearnFiles, graph: StateGraph, roles: list[int]
) -> list[PatternValues]:
    """Return initial values by tree pattern from the knowledge of other games."""
    if not files.sources:
        return []
    known = load_sources(files.sources, files.from_opponent)
    rewards = RewardMap.parse(files.map) if files.map else None
    if rewards is None and not files.quiet:
        for line in describe_reward_maps(known, graph.simulator.goal_values[roles[0]]):
            click.echo(line, err=True)
    return initialise_roles(known, graph, roles, rewards)


def begin(request: LearnRequest) -> TrainingRun:
    """Return a training run from its first match on."""
    files, game = request.files, request.game
    if is_automatic(request):
        return begin_automatically(request)
    preset = find_preset(request)
    features = None if preset.features is None else load_features(preset.features, game)
    graph = StateGraph(prepare(game, request.engine, features))
    roles = make_trainer(graph, preset.config).learner_roles
    initial = find_initial_values(files, graph, roles)
    run = TrainingRun(
        request.convert(make_trainer(graph, preset.config, initial)),
        replace(request.run, matches=preset.matches, minutes=preset.minutes),
        files.save,
        depth=preset.depth,
        overwrite=files.force,
    )
    if run.snapshots is not None:
        run.snapshots.check_new()
    return run


def resume(request: LearnRequest, checkpoint: Checkpoint) -> TrainingRun:
    """Return a training run that goes on from a checkpoint."""
    path = request.files.save
    check_typed(request, checkpoint)
    try:
        checkpoint.check_game(request.game)
        features = read_input_features(checkpoint, request.game)
        graph = StateGraph(prepare(request.game, request.engine, features))
        limits = resumed_limits(request, checkpoint)
        convert = partial(request.convert, pending=checkpoint.pending)
        run = TrainingRun.resume(checkpoint, graph, limits, path, convert)
    except CheckpointError as error:
        raise CheckpointError(f"{path} cannot be resumed: {error}") from error
    check_initial_values(request.files, checkpoint, run.trainer)
    return run


def resumed_limits(request: LearnRequest, checkpoint: Checkpoint) -> RunConfig:
    """Return the limits that are typed, or else those that the run began with."""
    limits = request.run
    owed = checkpoint.wanted > checkpoint.matches or limits.minutes is None
    if "matches" not in request.typed_run and owed:
        return replace(limits, matches=checkpoint.wanted)
    return limits


def read_checkpoint(request: LearnRequest) -> Checkpoint | None:
    """Return the checkpoint to go on from, if there is one."""
    path = request.files.save
    if path is None or not request.files.resume or not path.exists():
        return None
    try:
        return load_checkpoint(path)
    except CheckpointError as error:
        raise CheckpointError(
            f"{error} (--force starts anew and replaces it)"
        ) from None


def check_typed(request: LearnRequest, checkpoint: Checkpoint) -> None:
    """Raise `CheckpointError` where options differ from those of a checkpoint."""
    files, path = request.files, request.files.save
    saved = to_options(checkpoint.config)
    for name, value in request.typed.items():
        if name not in saved or value != saved[name]:
            option, before = spell_option(name), saved.get(name, "none")
            raise CheckpointError(
                f"{path} goes on with {option} {before}, but {value} is asked for;"
                f" leave {option} out, or start another training run"
            )
    if files.preset:
        check_preset(request.typed, files)
        preset = preset_for(request.game.name).config
        if replace(preset, seed=checkpoint.config.seed) != checkpoint.config:
            raise CheckpointError(
                f"{path} did not begin with the preset; leave --preset out to go on"
            )
    began = checkpoint.inputs
    if files.features is None:
        return
    if (
        began is None
        or load_features(files.features, request.game).to_kif() != began.text
    ):
        other = "none" if began is None else f"others, called {began.name}"
        raise CheckpointError(
            f"{path} began with {other}, not with --features {files.features}; leave it"
            " out to go on"
        )


def check_initial_values(
    files: LearnFiles, checkpoint: Checkpoint, trainer: Trainer
) -> None:
    """Raise `CheckpointError` if --from gives other values than a run began with."""
    names = trainer.graph.simulator.roles
    given = {
        names[values.pattern_index.role]: features_record(values)
        for values in find_initial_values(files, trainer.graph, trainer.learner_roles)
    }
    if given and given != checkpoint.features:
        raise CheckpointError(
            f"{files.save} began with other values than --from gives now; leave --from"
            " out to go on with those it began with"
        )


# ── after ───────────────────────────────────────────────────────────────────────────


def check_knowledge(files: LearnFiles, trainer: Trainer) -> None:
    """Refuse to value tree patterns where no table of afterstates is learned."""
    if files.knowledge is None:
        return
    if not isinstance(trainer.config.learner, TDSettings):
        raise click.UsageError("--knowledge is for --learner td: it values afterstates")
    if trainer.function is not None:
        raise click.UsageError("--knowledge is for --values table: it values its cells")


def write_knowledge(run: TrainingRun, files: LearnFiles) -> dict[str, Any]:
    """Add what was learned to the knowledge file; return where, and how much."""
    assert files.knowledge is not None
    key = run.checkpoint().key[:16]
    with waiting("valuing tree patterns"):
        learned = extract_from_trainer(
            run.trainer, files.pattern_depth, by_reward=files.rewards, run=key
        )
        add_knowledge(learned, files.knowledge, overwrite=files.force)
    return {"file": str(files.knowledge), "patterns": len(learned.values())}


def report(run: TrainingRun, files: LearnFiles, *, as_json: bool) -> None:
    """Write knowledge, then the picture, and print the results of the run.

    What was learned is on the disk before anything is drawn.
    """
    record = as_record(run)
    if files.knowledge is not None:
        record["knowledge"] = write_knowledge(run, files)
    failure: GameloreError | None = None
    if files.plot is not None:
        try:
            draw(run, record, files.plot)
            record["plot"] = str(files.plot)
        except GameloreError as error:
            failure = error
    if as_json:
        click.echo(json.dumps(record, indent=2))
    elif not files.quiet:
        show(run, record)
    if failure is not None:
        raise failure


def how_to_resume(run: TrainingRun, game: str, matches: int) -> str:
    """Return what to say where a run was interrupted after so many saved matches."""
    limit = run.config.match_limit
    of_all = "" if limit is None else f" of {limit:,}"
    done = f"interrupted after {matches:,}{of_all} matches"
    if run.path is None:
        return f"{done}; nothing was saved: --save FILE keeps it"
    again = f"  gamelore learn {game} --save {run.path} --resume"
    if run.minutes_left is not None:
        again += f" --minutes {max(0.1, run.minutes_left):.1f}"
    if run.config.snapshots:
        again += f" --snapshots {','.join(map(str, run.config.snapshots))}"
    if run.config.snapshot_every is not None:
        again += f" --snapshot-every {run.config.snapshot_every}"
    return f"{done}; all are saved, and this goes on with them:\n{again}"


# ── the command ─────────────────────────────────────────────────────────────────────


def train(run: TrainingRun, game: str, *, quiet: bool) -> list[int]:
    """Train, show progress, and return the signals that ended it, if any."""

    def last_words() -> str:
        return how_to_resume(run, game, run.saved_matches)

    display = LearnDisplay(run, quiet=quiet)
    # Parts that are under way on a cluster are waited for, and are saved, too.
    spread = isinstance(run.trainer, ClusterTrainer)
    with (
        stop_on_signals(
            run.stop, lambda: spread or run.is_saving, last_words
        ) as signals,
        display,
    ):
        run.add_observer(display.observe)
        try:
            run.run()
        except NotTurnTakingError as error:
            raise NotTurnTakingError(f"learning takes turns, but {error}") from error
    return signals


def leave(run: TrainingRun, game: str, number: int) -> NoReturn:
    """Say how to go on after a signal, and exit as it asks."""
    click.echo(how_to_resume(run, game, run.matches), err=True)
    raise click.exceptions.Exit(128 + number)


@click.command(
    "learn",
    cls=GroupedCommand,
    epilog="""\b
Examples:
  gamelore learn connect-four --save c4.ckpt
  gamelore learn tictactoe --against novice --save ttt.ckpt --plot curve.png
  gamelore learn tictactoe --save ttt.ckpt --resume --matches 100000
  gamelore learn tictactoe --against self --matches 50000
  gamelore learn connect-four --preset --minutes 2 --save c4.ckpt
  gamelore learn connect-four --values network --against self --matches 50000
      --save net.ckpt --snapshots 1000,10000
  gamelore learn tictactoe --role alternate --knowledge lore.json
  gamelore learn connect-3 --from lore.json
""",
)
@click.argument("game")
@presets_option
@engine_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    /,
    game: str,
    engine: str,
    cluster: str | None,
    workers: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn a game by playing it, and save what was learned.

    Without options that say how, a learner is chosen by the size of the game, and
    training ends when it stops getting better.

    Ctrl-C stops training and saves it; --resume goes on as if nothing had happened,
    with the settings it began with.
    """
    typed_run = given_options(context, RunConfig)
    typed_spread = given_options(context, SpreadSettings)
    if cluster is None and typed_spread:
        option = spell_option(next(iter(typed_spread)))
        raise click.UsageError(f"{option} is for --cluster: give it, too")
    try:
        request = LearnRequest(
            game=load(game),
            engine=engine,
            files=from_options(LearnFiles, given_options(context, LearnFiles)),
            run=from_options(RunConfig, typed_run),
            typed=name_opponent(given_options(context, TrainConfig)),
            typed_run=typed_run,
            spread=from_options(SpreadSettings, typed_spread),
        )
        request.files.check()
        check_snapshots(request)
        checkpoint = read_checkpoint(request)
    except SettingError as error:
        raise click.UsageError(str(error)) from error
    again = [] if cluster is None else ["--cluster", cluster]
    again += [f"{spell_option(n)} {value}" for n, value in typed_spread.items()]
    game = " ".join([game, *again])
    with opened_cluster(cluster, workers) as executor:
        request = replace(request, executor=executor)
        try:
            run = resume(request, checkpoint) if checkpoint else begin(request)
        except SettingError as error:
            raise click.UsageError(str(error)) from error
        check_knowledge(request.files, run.trainer)
        signals = train(run, game, quiet=request.files.quiet)
    report(run, request.files, as_json=as_json)
    if signals:
        leave(run, game, signals[0])


def check_snapshots(request: LearnRequest) -> None:
    """Refuse snapshots without a checkpoint to be beside."""
    wanted = request.run.snapshots or request.run.snapshot_every
    if wanted and request.files.save is None:
        raise click.UsageError("snapshots are written beside --save FILE: give it")


command.params[1:1] = [
    *setting_options((TrainConfig, RunConfig, LearnFiles), MAIN, DEFAULT_TEXTS),
    GroupedOption(["--cluster"], group="Cluster", help=LEARN_HELP, **CLUSTER),
    GroupedOption(["--workers"], group="Cluster", **WORKERS),
    *setting_options((SpreadSettings,)),
]
