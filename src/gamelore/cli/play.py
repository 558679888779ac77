"""`gamelore play`: a person against players of any kind, in the terminal."""

from __future__ import annotations

import math
from pathlib import Path

import click
import numpy as np

from gamelore.agents.agent import Agent, MatchEntry
from gamelore.agents.builtin import LEVEL, MOST
from gamelore.agents.human import HumanPlayer
from gamelore.agents.registry import DEFAULT, AgentSpec, make_agent
from gamelore.ahead import compiled_ahead
from gamelore.cli.engine import prepare
from gamelore.cli.options import engine_option, seed_option
from gamelore.cli.player_options import PLAYERS, store_option
from gamelore.cli.progress import waiting
from gamelore.cli.terminal import Terminal
from gamelore.engine import Simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Game, Move, Role
from gamelore.match.match import play_match
from gamelore.match.record import CHANCE, MatchRecord
from gamelore.match.referee import Referee
from gamelore.player import Briefing, Clock, Player, describe_strength
from gamelore.processors import count_cores
from gamelore.search.mcts.ahead import TASK as SEARCH

LONGEST_CLOCK = 86_400.0


def choose_role(game: Game, wanted: str | None) -> Role:
    """Return the person's role: the one asked for, or the first that is not chance."""
    roles = [role for role in game.roles if role != CHANCE]
    if wanted is None:
        return roles[0]
    if wanted not in roles:
        raise click.BadParameter(
            f"{game.name} has no role {wanted}: choose from {', '.join(roles)}",
            param_hint="--role",
        )
    return wanted


def parse_clock(
    context: click.Context, parameter: click.Parameter, value: float
) -> float:
    """Return seconds; infinity is no clock, and not a number is an error."""
    if not 0 < value <= LONGEST_CLOCK:
        raise click.BadParameter(
            f"must be more than 0 and at most {LONGEST_CLOCK:.0f} seconds, got {value}"
        )
    return value


def parse_against(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> AgentSpec | None:
    """Return the spec of the other players, if it is given."""
    if value is None:
        return None
    try:
        return AgentSpec.parse(value)
    except GameloreError as error:
        raise click.BadParameter(str(error)) from error


def tell_strength(name: str, player: Player) -> None:
    """Say where the strength of a player that was started comes from, if it says."""
    strength = describe_strength(player)
    if strength is not None:
        click.echo(f"{name}: {strength}", err=True)


class ThinkingPlayer:
    """Shows that another player thinks."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._role: Role = ""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Note the role; the player was started when it entered the match."""
        self._role = briefing.role

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the player's move."""
        if len(position.legal_moves(self._role)) == 1:
            return self._player.choose(position, clock)
        with waiting(f"{self._role} thinks"):
            return self._player.choose(position, clock)


class Session:
    """One match of a person against agents."""

    def __init__(self, simulator: Simulator, role: Role, seed: int) -> None:
        self.simulator = simulator
        self.role = role
        self.others = [r for r in simulator.roles if r not in (role, CHANCE)]
        seeds = np.random.SeedSequence(seed).generate_state(len(self.others) + 1)
        self.seed, *self.seeds = map(int, seeds)
        self.terminal = Terminal(simulator.game, role)
        self._label = ""  # of the others
        self._agents: list[tuple[Agent, MatchEntry]] = []

    def enter(self, spec: AgentSpec, store: Path | None, clock: float) -> None:
        """Have agents of a spec enter the match in the other roles."""
        self._label = spec.label
        for role, seed in zip(self.others, self.seeds, strict=True):
            agent = make_agent(
                spec, store=store, seed=seed, games=[self.simulator.game]
            )
            names = ("person",) * len(self.others)
            clocks = math.inf, clock
            entry = MatchEntry(
                "play", self.simulator, role, names, *clocks, threads=count_cores()
            )
            self._agents.append((agent, entry))

    def run(self, clock: float) -> None:
        """Play until the match ends or the person leaves it."""
        players: dict[Role, Player] = {self.role: HumanPlayer(self.terminal)}
        for agent, entry in self._agents:
            with waiting("preparing the other players"):
                player = agent.enter(entry, Clock())
            tell_strength(self._label, player)
            players[entry.role] = ThinkingPlayer(player)
        name = self.simulator.game.name
        self.terminal.say(f"you are {self.role} in {name}; h helps")
        last = Position.initial(self.simulator)

        def observe(referee: Referee) -> None:
            nonlocal last
            last = referee.position
            self.terminal.observe(referee)

        record = play_match(
            self.simulator,
            players,
            seed=self.seed,
            play_clock=dict.fromkeys(self.others, clock),
            observe=observe,
        )
        self.terminal.show_result(last, record)
        self._finish(record)

    def close(self) -> None:
        """Let the agents go."""
        for agent, _ in self._agents:
            agent.close()

    def _finish(self, record: MatchRecord) -> None:
        for agent, entry in self._agents:
            agent.finish(entry, record)


@click.command(
    "play",
    epilog="""\b
Examples:
  gamelore play tictactoe
  gamelore play connect-four --level 3
  gamelore play connect-four --role yellow --against minimax-4
  gamelore play my-game.kif --clock 2 --seed 7
  gamelore play connect-four --against learned:net.ckpt

At the prompt, type the number of a move or the move itself, such as mark 2 2 or only
2 2; u takes back your last move, h helps, q quits. Numbers of moves stay the same for
the whole match.
""",
)
@click.argument("game")
@click.option("--role", help="The role you play; by default the first.")
@click.option(
    "--against",
    metavar="PLAYER",
    callback=parse_against,
    help=f"Who plays the other roles: {PLAYERS}.  [default: {DEFAULT}]",
)
@click.option(
    "--level",
    type=click.IntRange(1, MOST["level"]),
    help="How strong the others are: 1 is for beginners, and 10 thinks for the whole"
    " clock; the same as --against level-N.",
)
@click.option(
    "--clock",
    type=float,
    default=5.0,
    show_default=True,
    callback=parse_clock,
    help="Seconds the other players have for each move.",
)
@store_option
@seed_option
@engine_option
def command(
    game: str,
    role: str | None,
    against: AgentSpec | None,
    level: int | None,
    clock: float,
    store: Path | None,
    seed: int,
    engine: str,
) -> None:
    """Play a game in the terminal."""
    if against is not None and level is not None:
        raise click.UsageError("--level and --against both say who plays: name one")
    rules = load(game)
    person = choose_role(rules, role)
    if against is None:
        against = AgentSpec(DEFAULT) if level is None else AgentSpec(LEVEL, level)
    session = Session(prepare(game, engine), person, seed)
    try:
        with compiled_ahead(SEARCH):
            with waiting(f"preparing {against.label}"):
                session.enter(against, store, clock)
            session.run(clock)
    finally:
        session.close()
