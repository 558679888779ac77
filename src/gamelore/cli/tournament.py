"""`gamelore tournament`: round robin, kept on disk, rated at the end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import click

from gamelore.agents.registry import AgentSpec, make_agent
from gamelore.agents.warm_up import warm_up as warm_up_agent
from gamelore.cli.cluster import cluster_options, opened_cluster
from gamelore.cli.engine import prepare
from gamelore.cli.options import json_option
from gamelore.cli.progress import progress, waiting
from gamelore.cli.signals import Interrupter, stop_on_signals
from gamelore.cli.streams import INTERRUPTED
from gamelore.cluster import Executor
from gamelore.errors import GameloreError, StuckError, TournamentError
from gamelore.ggp.manager.peers import (
    LocalPeer,
    Peer,
    RemotePeer,
    introduce,
    parse_address,
)
from gamelore.ggp.tournament.cluster import play_on_cluster, split_fixtures
from gamelore.ggp.tournament.config import (
    EXAMPLE,
    Competitor,
    Tournament,
    read_tournament,
)
from gamelore.ggp.tournament.folder import TournamentFolder
from gamelore.ggp.tournament.report import Report, write_report
from gamelore.ggp.tournament.runner import TournamentRunner, play_fixtures
from gamelore.ggp.tournament.schedule import Fixture, derive_number, schedule

_ERRORS_SHOWN = 5


# ── who plays ───────────────────────────────────────────────────────────────────────


@contextmanager
def open_peers(
    tournament: Tournament, names: Iterable[str]
) -> Iterator[dict[str, Peer]]:
    """The players of these names; they are let go at the end."""
    wanted, peers = {*names}, dict[str, Peer]()
    try:
        for each in tournament.competitors:
            if each.name in wanted:
                peers[each.name] = make_peer(each, tournament)
        check_answers(peers)
        yield peers
    finally:
        for peer in peers.values():
            peer.close()


def make_peer(competitor: Competitor, tournament: Tournament) -> Peer:
    """A player that can be met; an error names it where it cannot."""
    try:
        spec = AgentSpec.parse(competitor.spec)
        address = None if spec.is_learned else parse_address(competitor.spec)
        if address is not None:
            return RemotePeer(*address, name=competitor.name)
        if spec.learns:
            competitor.store.parent.mkdir(parents=True, exist_ok=True)
        own_seed = derive_number(tournament.seed, "player", competitor.name)
        games = [each.game for each in tournament.disciplines]
        with waiting(f"preparing {spec.label}"):
            agent = make_agent(spec, store=competitor.store, seed=own_seed, games=games)
        return LocalPeer(agent, competitor.name)
    except GameloreError as error:
        raise TournamentError(f"players.{competitor.name}: {error}") from error


def check_answers(peers: Mapping[str, Peer]) -> None:
    """Make sure that all are there: what they miss would count against them."""
    remote = {
        name: peer for name, peer in peers.items() if isinstance(peer, RemotePeer)
    }
    for peer, mishap in introduce([*remote.values()]):
        raise TournamentError(
            f"players.{peer.name}: nobody plays at {peer.address} ({mishap.message});"
            f" start it first, as in: gamelore serve --port {peer.address.port}"
        )
    for name, peer in remote.items():
        peer.name = name  # not the one it gave itself: that of the tournament


def warm_up(tournament: Tournament, names: Iterable[str]) -> None:
    """Load what built-in players need, so that no first match has to wait for it."""
    wanted = {*names}
    specs = {each.spec for each in tournament.competitors if each.name in wanted}
    with waiting("warming up"):
        for spec in sorted(specs):
            if parse_address(spec) is None:
                warm_up_agent(AgentSpec.parse(spec))


# ── the matches ─────────────────────────────────────────────────────────────────────


def play_rest(
    folder: TournamentFolder, fixtures: list[Fixture], executor: Executor | None
) -> dict[Fixture, StuckError]:
    """Play the matches that are not over; what could not be played, and why.

    On a cluster, those of players that learn or are on the network are played here.
    """
    tournament = folder.tournament
    done = folder.results(fixtures)
    ahead = [fixture for fixture in fixtures if fixture not in done]
    if not ahead:
        return {}
    spread: list[Fixture] = []
    if executor is not None:
        spread, ahead = split_fixtures(tournament, ahead)
    games = {fixture.game for fixture in (*spread, *ahead)}
    names = {name for fixture in ahead for name in fixture.players}
    with open_peers(tournament, names) as peers:
        simulators = {
            each.name: prepare(each.game, "auto")
            for each in tournament.disciplines
            if each.name in games
        }
        warm_up(tournament, names)
        runner = TournamentRunner(folder, simulators, peers)
        with progress(tournament.name, len(fixtures)) as advance:
            advance(len(done))
            stuck = dict[Fixture, StuckError]()
            if executor is not None:
                stuck = play_on_cluster(
                    executor, folder, spread, simulators, lambda fixture: advance(1)
                )
            return stuck | play_fixtures(
                ahead, runner.play, tournament.at_once, lambda fixture: advance(1)
            )


def leave(folder: TournamentFolder, fixtures: list[Fixture], file: Path) -> NoReturn:
    """Say how to go on after an interrupt."""
    done = len(folder.results(fixtures))
    text = f"interrupted after {done:,} of {len(fixtures):,} matches; "
    click.echo(text + how_to_go_on(file), err=True)
    raise click.exceptions.Exit(INTERRUPTED)


def how_to_go_on(file: Path) -> str:
    """Return what to tell somebody who has interrupted a tournament."""
    return f"all are kept, and this goes on with them:\n  gamelore tournament {file}"


def complain(stuck: dict[Fixture, StuckError]) -> NoReturn:
    """Say which matches could not be played to their end."""
    click.echo(f"error: {len(stuck):,} matches could not be played:", err=True)
    for fixture, error in [*stuck.items()][:_ERRORS_SHOWN]:
        click.echo(f"  {fixture.id}: {error}", err=True)
    raise click.exceptions.Exit(1)


def show(report: Report, as_json: bool) -> None:
    """Print the tables."""
    click.echo(json.dumps(report.to_json(), indent=2) if as_json else report)


# ── the command ─────────────────────────────────────────────────────────────────────


def print_example(context: click.Context, option: click.Parameter, given: bool) -> None:
    """Print a file to begin with, and end."""
    if given and not context.resilient_parsing:
        click.echo(EXAMPLE, nl=False)
        context.exit()


@click.command(
    "tournament",
    epilog="""\b
Examples:
  gamelore tournament --example > cup.toml
  gamelore tournament cup.toml
  gamelore tournament cup.toml --standings --json
  gamelore tournament cup.toml --cluster 10.0.0.1:6379
""",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--example",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_example,
    help="Print a FILE with comments, and exit.",
)
@click.option(
    "--standings",
    "no_play",
    is_flag=True,
    help="Play nothing; print the table of the matches so far.",
)
@cluster_options
@json_option
def command(
    file: Path, no_play: bool, cluster: str | None, workers: int | None, as_json: bool
) -> None:
    """Run a tournament, and rate the players.

    FILE lists players and games in TOML. All players meet in every game and in every
    role. Each match is saved as soon as it is over. After an interruption, the same
    command resumes the tournament; it also plays what was added to FILE.
    """
    tournament = read_tournament(file)
    fixtures = list(schedule(tournament))
    folder = TournamentFolder(tournament)
    if no_play:
        show(Report(tournament, folder.results(fixtures), len(fixtures)), as_json)
        return
    with folder.opened():
        try:
            with (
                opened_cluster(cluster, workers) as executor,
                stop_on_signals(Interrupter(), last_words=lambda: how_to_go_on(file)),
            ):
                stuck = play_rest(folder, fixtures, executor)
        except KeyboardInterrupt:
            leave(folder, fixtures, file)
        report = Report(tournament, folder.results(fixtures), len(fixtures))
        write_report(report, folder.path)
    show(report, as_json)
    if not as_json:
        click.echo(f"\nwrote {folder.path}/standings.csv and more")
    if stuck:
        complain(stuck)
