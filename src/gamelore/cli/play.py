"""`gamelore play`: a person against built-in or learned players, in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

import click
import numpy as np

from gamelore.agents.builtin import PLAYERS, SIZED, maker_of
from gamelore.cli.engine import prepare
from gamelore.cli.learned import HOW, learned_of, learned_player
from gamelore.cli.options import engine_option, seed_option
from gamelore.cli.session import Session
from gamelore.games import load
from gamelore.gdl import Game, Role
from gamelore.match.match import CHANCE
from gamelore.player import Briefing, Clock, Player

WHO = f"{', '.join((*PLAYERS, *(f'{name}-N' for name in SIZED)))}; or {HOW}"
"""Who can play, for texts of help."""


def role_to_play(game: Game, wanted: str | None) -> Role:
    """The person's role: the one asked for, or the first that is not chance."""
    roles = [role for role in game.roles if role != CHANCE]
    if wanted is None:
        return roles[0]
    if wanted not in roles:
        raise click.BadParameter(
            f"{game.name} has no role {wanted}: choose from {', '.join(roles)}",
            param_hint="--role",
        )
    return wanted


def opponent(spec: str, game: Game) -> Callable[[int], Player]:
    """What makes the other players from a seed."""
    make = maker_of(spec)
    if make is not None:
        return make
    learned = learned_of(spec)
    if learned is not None:
        return learned_player(learned, game)
    near = get_close_matches(spec, PLAYERS, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise click.BadParameter(
        f"no player {spec!r}{hint} (there are {WHO})", param_hint="--against"
    )


@click.command(
    "play",
    epilog="""\b
Examples:
  gamelore play tictactoe
  gamelore play connect-four --role yellow --against random
  gamelore play my-game.kif --clock 2 --seed 7
  gamelore play connect-four --against learned:net.course

At the prompt, give the number of a move or the move itself; u takes back your last
move, h helps, q quits.
""",
)
@click.argument("game")
@click.option("--role", help="The role you play; by default the first.")
@click.option(
    "--against",
    metavar="PLAYER",
    default="monte-carlo",
    show_default=True,
    help=f"Who plays the other roles: {WHO}.",
)
@click.option(
    "--clock",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    help="Seconds the other players have for each move.",
)
@seed_option
@engine_option
def command(
    game: str, role: str | None, against: str, clock: float, seed: int, engine: str
) -> None:
    """Play a game in the terminal."""
    rules = load(game)
    person = role_to_play(rules, role)
    make = opponent(against, rules)
    simulator = prepare(game, engine)
    others = [role for role in simulator.roles if role not in (person, CHANCE)]
    seeds = np.random.SeedSequence(seed).generate_state(len(others) + 1)
    players: dict[Role, Player] = {}
    for other, player_seed in zip(others, seeds[1:], strict=True):
        players[other] = make(int(player_seed))
        players[other].start(Briefing(simulator, other, play_clock=clock), Clock(clock))
    Session(simulator, person, players, clock, seed=int(seeds[0])).run()
