"""Tournaments on a cluster: every match is a task, and the folder stays here.

A record is kept as soon as it arrives, by the one process that has the folder. A task
that is run again plays the same match, and only one of its records arrives, so no match
is lost and none counts twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from threading import Event

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.registry import AgentSpec, make_agent
from gamelore.agents.shipped import ShippedSpec
from gamelore.agents.warm_up import warm_up
from gamelore.cluster import Executor, Shared
from gamelore.engine import Simulator
from gamelore.errors import GameloreError, StuckError, TournamentError
from gamelore.ggp.manager.peers import LocalPeer, Peer, parse_address
from gamelore.ggp.match_record import MatchFile
from gamelore.ggp.tournament.config import Competitor, Tournament
from gamelore.ggp.tournament.folder import TournamentFolder
from gamelore.ggp.tournament.runner import FixturePlayer
from gamelore.ggp.tournament.schedule import Fixture


@dataclass(frozen=True, eq=False)
class ClusterTournament:
    """What all matches of a tournament need, wherever they are played."""

    tournament: Tournament
    simulators: Mapping[str, Simulator]
    """By the name of the game."""
    specs: Mapping[str, ShippedSpec]
    """By the name of the player."""


def can_play_anywhere(competitor: Competitor) -> bool:
    """Return whether a player's matches can be played on any machine, in any order.

    Players on the network have one place, and players that learn have one past.
    """
    spec = AgentSpec.parse(competitor.spec)
    if spec.is_learned:
        return True
    if spec.learns or parse_address(competitor.spec) is not None:
        return False
    return spec.is_own or isinstance(make_agent(spec), PlayerAgent)


def split_fixtures(
    tournament: Tournament, fixtures: Iterable[Fixture]
) -> tuple[list[Fixture], list[Fixture]]:
    """Return the matches that can be played anywhere, and those that cannot."""
    free = {each.name for each in tournament.competitors if can_play_anywhere(each)}
    anywhere, here = list[Fixture](), list[Fixture]()
    for fixture in fixtures:
        (anywhere if free.issuperset(fixture.players) else here).append(fixture)
    return anywhere, here


def play_on_cluster(
    executor: Executor,
    folder: TournamentFolder,
    fixtures: Sequence[Fixture],
    simulators: Mapping[str, Simulator],
    report: Callable[[Fixture], None] = lambda fixture: None,
) -> dict[Fixture, StuckError]:
    """Play matches whose players can play anywhere, and keep their records.

    `report` hears of each match that is over. Matches whose rules left a role without a
    move are returned, and the others go on.
    """
    stuck: dict[Fixture, StuckError] = {}
    if not fixtures:
        return stuck
    shared = executor.share(_pack(folder.tournament, fixtures, simulators))
    executor.warm_up(_warm_up, shared)
    for place, result in executor.run(partial(_play, shared), fixtures):
        fixture = fixtures[place]
        if isinstance(result, StuckError):
            stuck[fixture] = result
        else:
            folder.keep(result)
        report(fixture)
    return stuck


def _pack(
    tournament: Tournament,
    fixtures: Sequence[Fixture],
    simulators: Mapping[str, Simulator],
) -> ClusterTournament:
    names = {name for fixture in fixtures for name in fixture.players}
    specs = {}
    for each in tournament.competitors:
        if each.name in names:
            try:
                specs[each.name] = ShippedSpec.pack(AgentSpec.parse(each.spec))
            except GameloreError as error:
                raise TournamentError(f"players.{each.name}: {error}") from error
    return ClusterTournament(tournament, simulators, specs)


# ── on the nodes ────────────────────────────────────────────────────────────────────


def _play(
    shared: Shared[ClusterTournament], fixture: Fixture
) -> MatchFile | StuckError:
    """Play one match: the work of a task."""
    tournament = shared.get()
    try:
        match = _make_player(tournament).play(fixture, Event())
    except StuckError as error:
        return error
    return MatchFile.of(match, tournament.tournament.name)


def _warm_up(shared: Shared[ClusterTournament]) -> None:
    """Load what players need, so that no first match has to wait for it."""
    for spec in {each.unpack() for each in shared.get().specs.values()}:
        warm_up(spec)


@lru_cache(maxsize=1)
def _make_player(tournament: ClusterTournament) -> FixturePlayer:
    """Return what plays the matches of a tournament, one for each process."""
    games = [each.game for each in tournament.tournament.disciplines]
    peers: dict[str, Peer] = {}
    for name, shipped in tournament.specs.items():
        spec = shipped.unpack()
        warm_up(spec)  # each process loads kernels before a clock runs
        peers[name] = LocalPeer(make_agent(spec, games=games), name)
    return FixturePlayer(tournament.tournament, tournament.simulators, peers)
