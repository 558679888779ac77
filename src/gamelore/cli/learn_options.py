"""The options of `gamelore learn`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gamelore.cli.function_options import (
    FUNCTION_OPTIONS,
    LENGTH_OPTIONS,
    SNAPSHOT_OPTIONS,
)
from gamelore.cli.options import seed_option
from gamelore.cli.train_config import INITIAL, LEARNERS, QM_PLAYOUTS, SCHEDULES
from gamelore.graph import LOOKAHEAD_RULES
from gamelore.search.policies import KINDS

_FILE = click.Path(dir_okay=False, path_type=Path)
_PLANNING: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--learner",
        type=click.Choice(LEARNERS),
        default="td",
        show_default=True,
        help="TD(λ) over afterstates, Q-learning, or Q-learning that searches by"
        " playouts where it knows nothing.",
    ),
    click.option(
        "--against",
        type=click.Choice([*KINDS, "features", "self"]),
        default="novice",
        show_default=True,
        help="The opponent; with self, the learner has both seats; with features, it"
        " looks one move ahead and takes the highest sum of them.",
    ),
    click.option(
        "--opponent-epsilon", type=float, help="How often it moves at random."
    ),
    click.option("--opponent-depth", type=int, help="How far minimax looks ahead."),
    click.option("--opponent-playouts", type=int, help="Monte Carlo's, per move."),
    click.option(
        "--opponent-features",
        metavar="NAME|FILE",
        help="Of the opponent features: by name, or a features file.  [default:"
        " heuristic]",
    ),
    click.option(
        "--self-values",
        type=click.Choice(["shared", "own"]),
        help="Against self, one table for both roles or one for each; functions have"
        " --view.  [default: shared; q, qm: own]",
    ),
    click.option(
        "--renew",
        "--copy-every",
        "renew",
        type=click.IntRange(min=1),
        help="Against self, play a copy that does not learn, taken anew every so many"
        " matches.",
    ),
    click.option(
        "--matches",
        type=click.IntRange(min=1),
        default=3000,
        show_default=True,
        help="How many to play, those before --resume included.",
    ),
    *LENGTH_OPTIONS,
    click.option(
        "--role",
        type=click.Choice(["first", "second", "alternate"]),
        default="first",
        show_default=True,
        help="The learner's seat, or both in turn.",
    ),
    click.option("--alpha", type=float, help="Step size.  [default: 0.3; q, qm: 0.1]"),
    click.option(
        "--alpha-every",
        type=int,
        help="Make the step size smaller after every so many matches.  [default: never;"
        " 400000 with --alpha-factor]",
    ),
    click.option(
        "--alpha-factor",
        type=float,
        help="By this factor.  [default: 0.3 with --alpha-every]",
    ),
    click.option("--gamma", type=float, help="Discount.  [default: 1; q, qm: 0.9]"),
    click.option("--lam", type=float, help="Trace decay λ of td.  [default: 0.7]"),
    click.option(
        "--risk",
        type=float,
        help="κ from -1 to 1: above 0, what turns out worse than expected weighs more,"
        " below 0 what turns out better.  [default: 0]",
    ),
    *FUNCTION_OPTIONS,
    click.option(
        "--schedule",
        type=click.Choice(SCHEDULES),
        default="fixed",
        show_default=True,
        help="How exploration goes on.",
    ),
    click.option(
        "--epsilon",
        type=float,
        help="How often the learner explores, at first or always.  [default: 0.01;"
        " cosine: 0.5; geometric: 0.9]",
    ),
    click.option(
        "--until",
        type=click.IntRange(min=1),
        help="No exploration after this match.  [default: never; cosine: 30000]",
    ),
    click.option(
        "--decay", type=float, help="Factor of geometric, per match.  [default: 0.99]"
    ),
    click.option(
        "--playouts",
        type=click.IntRange(min=0),
        help="Of qm, per move.  [default: "
        f"{QM_PLAYOUTS[1]}; {QM_PLAYOUTS[2]} with --nested]",
    ),
    click.option(
        "--search-time",
        type=click.FloatRange(min=0, min_open=True),
        metavar="MS",
        help="Of qm, milliseconds per decision instead of --playouts; such a course"
        " cannot be repeated exactly.",
    ),
    click.option(
        "--nested", is_flag=True, help="Let qm search inside its playouts, too."
    ),
    click.option(
        "--initial",
        type=click.Choice(INITIAL),
        help="Where values of new positions come from.  [default: features if there is"
        " --from]",
    ),
    click.option(
        "--default-value",
        type=float,
        help="Of new positions that nothing else is known of.  [default: the middle of"
        " the goals]",
    ),
    click.option(
        "--depth",
        type=click.IntRange(1, 8),
        help="Plies of the lookahead, or of features for --knowledge.  [default: 2]",
    ),
    click.option(
        "--rule",
        type=click.Choice(list(LOOKAHEAD_RULES)),
        help="What a lookahead takes the opponent to do.  [default: minimax]",
    ),
    click.option(
        "--on-sight",
        is_flag=True,
        help="Give positions their values when they are merely considered.",
    ),
    click.option(
        "--from",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="KNOWLEDGE",
        help="Begin with what other games taught; may be repeated.",
    ),
    click.option(
        "--lessons-against",
        metavar="OPPONENT",
        help="Of that, only what was learned against this one.",
    ),
    click.option(
        "--map",
        metavar="OURS=THEIRS,…",
        help="Which rewards mean the same.  [default: by rank]",
    ),
    click.option(
        "--longest-match",
        type=click.IntRange(min=1),
        default=2000,
        show_default=True,
        help="Moves after which a match is taken never to end.",
    ),
)
_KEEPING: tuple[Callable[[Any], Any], ...] = (
    click.option("--save", type=_FILE, help="Keep the course there as it goes."),
    click.option("--resume", is_flag=True, help="Go on with the course kept there."),
    *SNAPSHOT_OPTIONS,
    click.option("--force", is_flag=True, help="Replace files that are there."),
    click.option(
        "--knowledge",
        type=_FILE,
        metavar="FILE",
        help="Add what the features of the game are worth to that file; with suffix"
        " .db, to that store.",
    ),
    click.option(
        "--rewards",
        is_flag=True,
        help="In it, tell outcomes apart by reward, not as win, draw and loss.",
    ),
    click.option(
        "--plot", type=_FILE, help="Draw the learning curve, as .png or .svg."
    ),
    click.option("--quiet", is_flag=True, help="Print nothing but errors and JSON."),
)


def learning_options(command: Callable[..., None]) -> Callable[..., None]:
    """All options, in the order of the help."""
    for option in reversed((*_PLANNING, seed_option, *_KEEPING)):
        command = option(command)
    return command
