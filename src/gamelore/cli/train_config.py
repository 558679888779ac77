"""Plans of learning from options, and the options that a plan comes from."""

from __future__ import annotations

from typing import Any

import click

from gamelore.cli.function_config import function_from, options_of_function
from gamelore.cli.given import Options, given, option, refuse
from gamelore.errors import CheckpointError
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.opponents import FeaturePlayer
from gamelore.learn.schedules import Cosine, Fixed, Geometric, Schedule, StepDecay
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.search.policies import PlayerSettings

LEARNERS = ("td", "q", "qm")
SCHEDULES = ("fixed", "cosine", "geometric")
INITIAL = ("default", "lookahead", "features")

QM_PLAYOUTS = {1: 100, 2: 20}
"""Of qm per move, by the level of its search, if neither they nor a time is given."""

_SEARCHING = ("playouts", "search_time", "nested")  # options that only qm has


def config_from(options: Options) -> TrainConfig:
    """The plan that options ask for; `UsageError` names a setting that cannot be."""
    try:
        return TrainConfig(
            learner=_learner(options),
            opponent=_against(options),
            role=options["role"],
            schedule=_schedule(options),
            step_decay=_steps(options),
            lookahead=_lookahead(options),
            seed=options["seed"],
            longest_match=options["longest_match"],
            function=function_from(options),
            shaping=options["shaping"],
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def options_of(config: TrainConfig, features: bool) -> dict[str, Any]:
    """The options of a plan by name; `features`: whether values were carried over."""
    learner, schedule, lookahead = config.learner, config.schedule, config.lookahead
    initial = "lookahead" if lookahead else "features" if features else "default"
    options: dict[str, Any] = {
        "alpha": learner.step_size,
        "gamma": learner.discount,
        "risk": learner.risk,
        "shaping": config.shaping,
        **options_of_function(config.function),
    }
    if isinstance(learner, TDSettings):
        options |= {
            "learner": "td",
            "lam": learner.trace_decay,
            "default_value": learner.default_value,
            "on_sight": learner.initialise == "candidates",
        }
    else:
        options |= {
            "learner": "qm" if learner.searches else "q",
            "playouts": learner.playouts,
            "search_time": learner.search_time,
            "nested": learner.level > 1,
        }
    if isinstance(schedule, Fixed):
        options |= {"schedule": "fixed", "epsilon": schedule.epsilon}
        options["until"] = schedule.until
    elif isinstance(schedule, Cosine):
        options |= {"schedule": "cosine", "epsilon": schedule.a}
        options["until"] = schedule.length
    elif isinstance(schedule, Geometric):
        options |= {"schedule": "geometric", "epsilon": schedule.start}
        options["decay"] = schedule.factor
    if config.step_decay is not None:
        options["alpha_every"] = config.step_decay.every
        options["alpha_factor"] = config.step_decay.factor
    against = config.opponent
    if isinstance(against, SelfPlay):
        options["renew"] = against.opponent_refresh
        if config.function is None:
            options["self_values"] = against.values
    elif isinstance(against, PlayerSettings):
        options["opponent_depth"] = against.depth
        options["opponent_playouts"] = against.playouts
    else:
        options["opponent_features"] = against.features
    return options | {
        "against": against.name,
        "opponent_epsilon": against.epsilon,
        "role": config.role,
        "initial": initial,
        "depth": lookahead.depth if lookahead else None,
        "rule": lookahead.rule if lookahead else None,
        "seed": config.seed,
        "longest_match": config.longest_match,
    }


def check_options(asked: Options, checkpoint: Checkpoint, path: object) -> None:
    """`CheckpointError` where options differ from those a saved course goes on with.

    asked: only what was written on the command line
    """
    saved = options_of(checkpoint.config, bool(checkpoint.features))
    free = {"depth"} if saved["initial"] != "lookahead" else set()
    for name in asked.keys() & saved.keys() - free:
        if asked[name] != saved[name]:
            raise CheckpointError(
                f"{path} goes on with {option(name)} {saved[name]}, but {asked[name]}"
                f" is asked for; leave {option(name)} out, or start another course"
            )


def _learner(options: Options) -> TDSettings | QSettings:
    rates = {
        "step_size": options["alpha"],
        "discount": options["gamma"],
        "risk": options["risk"],
    }
    if options["learner"] == "td":
        refuse(options, "td", *_SEARCHING)
        return given(
            TDSettings,
            **rates,
            trace_decay=options["lam"],
            default_value=options["default_value"],
            initialise="candidates" if options["on_sight"] else None,
        )
    refuse(options, options["learner"], "lam", "default_value", "on_sight")
    if options["learner"] == "q":
        refuse(options, "q", *_SEARCHING)
        return given(QSettings, **rates)
    playouts, search_time = options["playouts"], options["search_time"]
    level = 2 if options["nested"] else 1
    if playouts == 0:
        raise click.UsageError("playouts must be positive for --learner qm, got 0")
    if playouts and search_time:
        raise click.UsageError("--search-time takes the place of --playouts: give one")
    if not playouts and not search_time:
        playouts = QM_PLAYOUTS[level]
    return given(
        QSettings, **rates, playouts=playouts, search_time=search_time, level=level
    )


def _against(options: Options) -> PlayerSettings | SelfPlay | FeaturePlayer:
    name, epsilon = options["against"], options["opponent_epsilon"]
    if name == "features":
        where = "--against features"
        refuse(options, where, "self_values", "renew")
        refuse(options, where, "opponent_depth", "opponent_playouts")
        return given(
            FeaturePlayer, features=options["opponent_features"], epsilon=epsilon
        )
    refuse(options, f"--against {name}", "opponent_features")
    if name != "self":
        refuse(options, f"--against {name}", "self_values", "renew")
        return given(
            PlayerSettings,
            name=name,
            epsilon=epsilon,
            depth=options["opponent_depth"],
            playouts=options["opponent_playouts"],
        )
    refuse(options, "--against self", "opponent_depth", "opponent_playouts")
    if not options["renew"]:
        refuse(options, "--against self without --renew", "opponent_epsilon")
    values = options["self_values"]
    if values is None:
        values = "shared" if options["learner"] == "td" else "own"
    return given(
        SelfPlay, values=values, opponent_refresh=options["renew"], epsilon=epsilon
    )


def _steps(options: Options) -> StepDecay | None:
    every, factor = options["alpha_every"], options["alpha_factor"]
    if every is None and factor is None:
        return None
    return given(StepDecay, every=every, factor=factor)


def _schedule(options: Options) -> Schedule:
    epsilon, until, decay = options["epsilon"], options["until"], options["decay"]
    if options["schedule"] == "geometric":
        refuse(options, "--schedule geometric", "until")
        return given(Geometric, start=epsilon, factor=decay)
    refuse(options, f"--schedule {options['schedule']}", "decay")
    if options["schedule"] == "cosine":
        return given(Cosine, a=epsilon, length=until)
    return given(Fixed, epsilon=epsilon, until=until)


def _lookahead(options: Options) -> Lookahead | None:
    initial = options["initial"]
    if initial in ("lookahead", "features") and options["learner"] != "td":
        raise click.UsageError(
            f"--initial {initial} is for --learner td: the others start from nothing"
        )
    if initial != "lookahead":
        refuse(options, f"--initial {initial}", "rule")
        return None
    return given(Lookahead, depth=options["depth"], rule=options["rule"])
