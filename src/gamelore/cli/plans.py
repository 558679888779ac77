"""Plans of learning from options, and the options that a plan comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from gamelore.errors import CheckpointError
from gamelore.learn import (
    Checkpoint,
    Cosine,
    Fixed,
    Geometric,
    Lookahead,
    Plan,
    QSettings,
    Schedule,
    SelfPlay,
    TDSettings,
)
from gamelore.play.habits import PlayerSettings

LEARNERS = ("td", "q", "qm")
SCHEDULES = ("fixed", "cosine", "geometric")
INITIAL = ("default", "lookahead", "features")

QM_PLAYOUTS = {1: 100, 2: 20}
"""Of qm per move, by the level of its search, if neither they nor a time is given."""

_SEARCHING = ("playouts", "search_time", "nested")  # options that only qm has

Options = Mapping[str, Any]
Settings = TypeVar("Settings")


def plan_from(options: Options) -> Plan:
    """The plan that options ask for; `UsageError` names a setting that cannot be."""
    try:
        return Plan(
            learner=_learner(options),
            against=_against(options),
            seat=options["role"],
            schedule=_schedule(options),
            lookahead=_lookahead(options),
            seed=options["seed"],
            longest_match=options["longest_match"],
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def options_of(plan: Plan, features: bool) -> dict[str, Any]:
    """The options of a plan by name; `features`: whether values were carried over."""
    learner, schedule, lookahead = plan.learner, plan.schedule, plan.lookahead
    initial = "lookahead" if lookahead else "features" if features else "default"
    options: dict[str, Any] = {"alpha": learner.step_size, "gamma": learner.discount}
    if isinstance(learner, TDSettings):
        options |= {
            "learner": "td",
            "lam": learner.trace_decay,
            "default_value": learner.default_value,
            "on_sight": learner.on_sight,
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
    against = plan.against
    if isinstance(against, SelfPlay):
        options |= {"self_values": against.values, "renew": against.renew}
    elif isinstance(against, PlayerSettings):
        options["opponent_depth"] = against.depth
        options["opponent_playouts"] = against.playouts
    return options | {
        "against": against.name,
        "opponent_epsilon": against.epsilon,
        "role": plan.seat,
        "initial": initial,
        "depth": lookahead.depth if lookahead else None,
        "rule": lookahead.rule if lookahead else None,
        "seed": plan.seed,
        "longest_match": plan.longest_match,
    }


def check_options(asked: Options, checkpoint: Checkpoint, path: object) -> None:
    """`CheckpointError` where options differ from those a saved course goes on with.

    asked: only what was written on the command line
    """
    saved = options_of(checkpoint.plan, bool(checkpoint.features))
    free = {"depth"} if saved["initial"] != "lookahead" else set()
    for name in asked.keys() & saved.keys() - free:
        if asked[name] != saved[name]:
            option = f"--{name.replace('_', '-')}"
            raise CheckpointError(
                f"{path} goes on with {option} {saved[name]}, but {asked[name]} is"
                f" asked for; leave {option} out, or start another course"
            )


def _learner(options: Options) -> TDSettings | QSettings:
    rates = {"step_size": options["alpha"], "discount": options["gamma"]}
    if options["learner"] == "td":
        _refuse(options, "td", *_SEARCHING)
        return _given(
            TDSettings,
            **rates,
            trace_decay=options["lam"],
            default_value=options["default_value"],
            on_sight=options["on_sight"],
        )
    _refuse(options, options["learner"], "lam", "default_value", "on_sight")
    if options["learner"] == "q":
        _refuse(options, "q", *_SEARCHING)
        return _given(QSettings, **rates)
    playouts, search_time = options["playouts"], options["search_time"]
    level = 2 if options["nested"] else 1
    if playouts == 0:
        raise click.UsageError("playouts must be positive for --learner qm, got 0")
    if playouts and search_time:
        raise click.UsageError("--search-time takes the place of --playouts: give one")
    if not playouts and not search_time:
        playouts = QM_PLAYOUTS[level]
    return _given(
        QSettings, **rates, playouts=playouts, search_time=search_time, level=level
    )


def _against(options: Options) -> PlayerSettings | SelfPlay:
    name, epsilon = options["against"], options["opponent_epsilon"]
    if name != "self":
        _refuse(options, f"--against {name}", "self_values", "renew")
        return _given(
            PlayerSettings,
            name=name,
            epsilon=epsilon,
            depth=options["opponent_depth"],
            playouts=options["opponent_playouts"],
        )
    _refuse(options, "--against self", "opponent_depth", "opponent_playouts")
    if not options["renew"]:
        _refuse(options, "--against self without --renew", "opponent_epsilon")
    values = options["self_values"]
    if values is None:
        values = "shared" if options["learner"] == "td" else "own"
    return _given(SelfPlay, values=values, renew=options["renew"], epsilon=epsilon)


def _schedule(options: Options) -> Schedule:
    epsilon, until, decay = options["epsilon"], options["until"], options["decay"]
    if options["schedule"] == "geometric":
        _refuse(options, "--schedule geometric", "until")
        return _given(Geometric, start=epsilon, factor=decay)
    _refuse(options, f"--schedule {options['schedule']}", "decay")
    if options["schedule"] == "cosine":
        return _given(Cosine, a=epsilon, length=until)
    return _given(Fixed, epsilon=epsilon, until=until)


def _lookahead(options: Options) -> Lookahead | None:
    initial = options["initial"]
    if initial in ("lookahead", "features") and options["learner"] != "td":
        raise click.UsageError(
            f"--initial {initial} is for --learner td: the others start from nothing"
        )
    if initial != "lookahead":
        _refuse(options, f"--initial {initial}", "rule")
        return None
    return _given(Lookahead, depth=options["depth"], rule=options["rule"])


def _given(kind: Callable[..., Settings], **values: Any) -> Settings:
    """Settings with the values that are given; their own defaults for the others."""
    return kind(**{name: value for name, value in values.items() if value is not None})


def _refuse(options: Options, where: str, *names: str) -> None:
    """`UsageError` for options that would change nothing."""
    for name in names:
        if options[name] not in (None, False):
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} has no meaning for {where}")
