"""`gamelore play`: a person against built-in or learned players, in the terminal."""

from __future__ import annotations

import click
import numpy as np

from gamelore.agents.agent import Entry
from gamelore.agents.registry import AgentSpec, make_agent
from gamelore.cli.engine import prepare
from gamelore.cli.options import PLAYERS, engine_option, seed_option
from gamelore.cli.progress import waiting
from gamelore.cli.session import Session
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Game, Role
from gamelore.match.match import CHANCE
from gamelore.player import Clock, Player


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


def parse_against(text: str) -> AgentSpec:
    """Return the spec of the other players."""
    try:
        return AgentSpec.parse(text)
    except GameloreError as error:
        raise click.BadParameter(str(error), param_hint="--against") from error


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
    help=f"Who plays the other roles: {PLAYERS}.",
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
    spec = parse_against(against)
    simulator = prepare(game, engine)
    others = [role for role in simulator.roles if role not in (person, CHANCE)]
    seeds = np.random.SeedSequence(seed).generate_state(len(others) + 1)
    players: dict[Role, Player] = {}
    for other, player_seed in zip(others, seeds[1:], strict=True):
        with waiting(f"preparing {spec.label}"):
            agent = make_agent(spec, seed=int(player_seed), games=[rules])
            entry = Entry("play", simulator, other, play_clock=clock)
            players[other] = agent.enter(entry, Clock())
    Session(simulator, person, players, clock, seed=int(seeds[0])).run()
