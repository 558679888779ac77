"""`gamelore match`: matches between players on the network and in this process."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, field
from operator import ge
from pathlib import Path
from typing import Any

import click
import numpy as np

from gamelore.agents.registry import AgentSpec, make_agent
from gamelore.agents.warm_up import warm_up
from gamelore.cli.engine import prepare
from gamelore.cli.match_view import LiveView, MatchView, NoView, PlainView
from gamelore.cli.options import Finite, engine_option, json_option, seed_option
from gamelore.cli.player_options import store_option
from gamelore.cli.progress import waiting
from gamelore.cli.signals import Interrupter, stop_on_signals
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.ggp.live_record import LiveRecords
from gamelore.ggp.manager.manager import (
    ManagedMatch,
    Manager,
    MatchSettings,
    MatchSpec,
    Moment,
    Observer,
    player_roles,
)
from gamelore.ggp.manager.peers import (
    LocalPeer,
    Peer,
    RemotePeer,
    introduce,
    parse_address,
)
from gamelore.ggp.match_record import write_match
from gamelore.match.match import MOVE_LIMIT
from gamelore.match.ratings import Result
from gamelore.match.standings import standings, table

SEEDS = 2**63


@dataclass
class Series:
    """Matches between the same players."""

    manager: Manager
    peers: Sequence[Peer]
    seed: int
    swap: bool
    output: Path | None
    view: MatchView
    interrupter: Interrupter = field(default_factory=Interrupter)
    kept: list[tuple[ManagedMatch, Path | None]] = field(default_factory=list)
    """Matches that are over, each with the file that its record is in."""

    def run(self, repeat: int, at_once: int) -> None:
        """Play so many matches; those that were finished are kept whatever happens."""
        live = LiveRecords(self.output) if self.output else None
        with self.view.showing(), live or nullcontext():
            specs = self._specs(repeat, live)
            with closing(self.manager.run_side_by_side(specs, at_once)) as matches:
                for match in matches:
                    with self.interrupter.held():  # kept and counted, or neither
                        path = write_match(match, self.output) if self.output else None
                        self.kept.append((match, path))
                    if live is not None:
                        live.end(match.match)
                    self.view.end(len(self.kept), match)

    def _specs(self, repeat: int, live: LiveRecords | None) -> Iterator[MatchSpec]:
        """Matches to be played, each asked for when it is about to begin."""
        observers: list[Observer] = [self.view.observe]
        if live is not None:
            observers.append(live.observer(self.manager))

        def observe(moment: Moment) -> None:
            for one in observers:
                one(moment)

        for number in range(repeat):
            self.view.begin(number + 1)
            seed = match_seed(self.seed, number)
            yield MatchSpec(self._assign_roles(number), seed, observer=observe)

    def _assign_roles(self, number: int) -> list[Peer]:
        """The peers in the order of the roles; with `swap` everybody moves on."""
        shift = number % len(self.peers) if self.swap else 0
        return [*self.peers[shift:], *self.peers[:shift]]

    def results(self) -> list[Result]:
        """What came of all matches."""
        return [make_result(match) for match, _ in self.kept]


def match_seed(seed: int, number: int) -> int:
    """Return the seed of one match of a series."""
    return int(np.random.SeedSequence((seed, number)).generate_state(1)[0])


def make_result(match: ManagedMatch) -> Result:
    """Return a result without the role of chance; a match cut off has no goals."""
    record = match.record
    roles = player_roles(match.game)
    faults = Counter(fault.role for fault in record.faults)
    return Result(
        players=tuple(match.results[role][0] for role in roles),
        goals=tuple(match.results[role][1] for role in roles),
        faults=tuple(faults[role] for role in roles),
        game=match.game.name,
    )


def make_peers(
    specs: Sequence[str], game: Game, store: Path | None, seed: int
) -> list[Peer]:
    """A peer for each player named, each with a name of its own."""
    peers: list[Peer] = []
    for number, text in enumerate(specs):
        spec = AgentSpec.parse(text)
        address = None if spec.is_learned else parse_address(text)
        if address is not None:
            peers.append(RemotePeer(*address))
        else:
            own_seed = (seed + number) % SEEDS
            with waiting(f"preparing {spec.label}"):
                warm_up(spec)  # the start clock is not for loading kernels
                agent = make_agent(spec, store=store, seed=own_seed, games=[game])
            peers.append(LocalPeer(agent, spec.label))
    remote = [peer for peer in peers if isinstance(peer, RemotePeer)]
    for peer, mishap in introduce(remote):
        click.echo(
            f"warning: {peer.address} does not answer: {mishap.message}", err=True
        )
    _tell_apart(peers)
    return peers


def _tell_apart(peers: Sequence[Peer]) -> None:
    """Number those whose names are the same."""
    seen: Counter[str] = Counter()
    for peer in peers:
        seen[peer.name] += 1
        if seen[peer.name] > 1:
            peer.name = f"{peer.name}#{seen[peer.name]}"


def view_for(quiet: bool, repeat: int, at_once: int) -> MatchView:
    """What suits where the output goes; of many matches at once only results."""
    if quiet:
        return NoView()
    if at_once > 1 or not sys.stdout.isatty():
        return PlainView(repeat)
    return LiveView(repeat)


def as_record(series: Series) -> dict[str, Any]:
    """The series as JSON."""
    return {
        "game": series.manager.simulator.game.name,
        "matches": [
            {
                "match": match.match,
                "seed": match.seed,
                "players": list(match.players),
                "roles": list(match.record.roles),
                "goals": [goal for _, goal in match.results.values()],
                "moves": len(match.record.moves),
                "complete": match.record.complete,
                "faults": [
                    {"step": f.step, "role": f.role, "kind": f.kind, "what": f.message}
                    for f in match.record.faults
                ],
                "file": str(path) if path else None,
            }
            for match, path in series.kept
        ],
        "players": [row.to_json() for row in standings(series.results())],
    }


def show_summary(series: Series, as_json: bool) -> None:
    """Print what all matches come to."""
    if as_json:
        click.echo(json.dumps(as_record(series), indent=2))
        return
    if series.kept:
        click.echo(f"\n{table(standings(series.results()))}")
    cut_off = sum(not match.record.complete for match, _ in series.kept)
    if cut_off:
        click.echo(f"{cut_off} cut off at the move limit, which gives nobody anything")
    if series.kept and series.output:
        click.echo(f"records are in {series.output}")


_SECONDS = Finite(0.001, 1e7)


@click.command(
    "match",
    epilog="""\b
Examples:
  gamelore match tictactoe mcts random
  gamelore match connect-four localhost:9147 mcts --play-clock 2 --repeat 10
  gamelore match othello my_module:MyPlayer novice --swap --output records
  gamelore match hex host1:9147 host2:9147 --repeat 500 --at-once 8
  gamelore match trio random random random --json
  gamelore match connect-four learned:net.ckpt:4 mcts-1000 --swap --repeat 20

A PLAYER is the name of a built-in player, host:port for a player on the network,
learned:FILE for a file that gamelore learn has saved, or module:Class for a Python
class. learned:FILE:DEPTH searches DEPTH moves ahead, and mcts:FILE a tree. Ctrl-C
aborts the matches that are running, and keeps the finished ones.
""",
)
@click.argument("game")
@click.argument("players", nargs=-1, required=True, metavar="PLAYER...")
@click.option(
    "--start-clock",
    type=_SECONDS,
    default=10.0,
    show_default=True,
    help="Seconds to prepare; a match begins early when all are ready.",
)
@click.option(
    "--play-clock",
    type=_SECONDS,
    default=5.0,
    show_default=True,
    help="Seconds for each move.",
)
@click.option(
    "--grace",
    type=Finite(0, 3600),
    default=1.0,
    show_default=True,
    help="Seconds after the play clock in which a move still counts.",
)
@click.option(
    "--repeat",
    type=click.IntRange(1, 10**7),
    default=1,
    show_default=True,
    help="Number of matches.",
)
@click.option(
    "--at-once",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Matches at the same time; above 1, all players must be on the network.",
)
@click.option("--swap", is_flag=True, help="Rotate the roles after each match.")
@click.option(
    "--scramble",
    is_flag=True,
    help="Rename all symbols in the rules that are sent, anew for each match.",
)
@click.option(
    "--move-limit",
    type=click.IntRange(1),
    default=MOVE_LIMIT,
    show_default=True,
    help="End a match without goals after so many moves.",
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the records, one file per match.",
)
@store_option
@click.option("--quiet", is_flag=True, help="Print the summary only.")
@seed_option
@engine_option
@json_option
def command(
    game: str,
    players: tuple[str, ...],
    start_clock: float,
    play_clock: float,
    grace: float,
    repeat: int,
    at_once: int,
    swap: bool,
    scramble: bool,
    move_limit: int,
    output: Path | None,
    store: Path | None,
    quiet: bool,
    seed: int,
    engine: str,
    as_json: bool,
) -> None:
    """Run matches between players, here or on the network.

    Name the players in the order of the game's roles; the role random needs none. A
    late, illegal or unreadable move is replaced by a random legal one, and the record
    has the fault. The seed decides all random moves of the manager; players in this
    process get the seeds SEED, SEED + 1 and so on.
    """
    rules = load(game)
    _check_player_count(rules, players)
    settings = MatchSettings(start_clock, play_clock, grace, move_limit, scramble)
    with ExitStack() as stack:
        peers = make_peers(players, rules, store, seed)
        for peer in peers:
            stack.callback(peer.close)
        _check_at_once(peers, at_once)
        manager = Manager(prepare(game, engine), settings)
        view = view_for(quiet or as_json, repeat, at_once)
        series = Series(manager, peers, seed, swap, output, view)
        try:
            with stop_on_signals(series.interrupter):
                series.run(repeat, at_once)
        except KeyboardInterrupt:
            for peer in peers:
                peer.give_up()
            raise
        finally:
            show_summary(series, as_json)
    _check_answers(series)


def _check_answers(series: Series) -> None:
    """Raise an error if a player gave no answer to anything in any match."""
    for peer in series.peers:
        faults = [
            [fault for fault in match.record.faults if fault.role == role]
            for match, _ in series.kept
            for role, (name, _) in match.results.items()
            if name == peer.name
        ]
        moves = [len(match.record.moves) for match, _ in series.kept]
        silent = [
            sum(fault.kind != "illegal" and fault.step >= 0 for fault in of_match)
            for of_match in faults
        ]
        if any(moves) and all(map(ge, silent, moves)):
            raise GameloreError(f"{peer.name} never answered: {faults[0][-1].message}")


def _check_player_count(game: Game, players: Sequence[str]) -> None:
    """Before anything slow is done: are there as many players as it takes?"""
    roles = player_roles(game)
    if len(players) != len(roles):
        raise GameloreError(
            f"{game.name} takes {len(roles)} players, for {', '.join(roles)}; "
            f"{len(players)} given"
        )


def _check_at_once(peers: Sequence[Peer], at_once: int) -> None:
    here = [peer.name for peer in peers if isinstance(peer, LocalPeer)]
    if at_once > 1 and here:
        raise GameloreError(
            f"{here[0]} is not on the network: it plays one match at a time; "
            "leave out --at-once, or have `gamelore serve` play"
        )
