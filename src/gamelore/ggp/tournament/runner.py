"""Tournaments under way: match after match, several at a time, none played twice.

Nobody plays two matches at once: a player on the network could not, and a learner that
did would learn from them in an order that nobody chose. Players that do not learn have
no past: each match has new ones, with seeds of its own, so that its result depends
neither on the order of the matches nor on who else has played them where.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from threading import Event
from typing import TypeAlias

from gamelore.agents.agent import PlayerAgent
from gamelore.engine.simulator import Simulator
from gamelore.errors import StuckError
from gamelore.ggp.live_record import LiveRecords
from gamelore.ggp.manager.manager import (
    ManagedMatch,
    Manager,
    MatchSettings,
    Observer,
)
from gamelore.ggp.manager.peers import LocalPeer, Peer
from gamelore.ggp.tournament.config import Tournament
from gamelore.ggp.tournament.folder import TournamentFolder
from gamelore.ggp.tournament.schedule import Fixture, derive_number

PlayFixture: TypeAlias = Callable[[Fixture, Event], None]
"""Plays a match and keeps its record; gives it up soon after the event is set."""


class TournamentRunner:
    """Where matches are played: managers for the games, and the players at hand."""

    def __init__(
        self,
        folder: TournamentFolder,
        simulators: Mapping[str, Simulator],
        peers: Mapping[str, Peer],
    ) -> None:
        """Simulators by the name of the game, peers by the name of the player."""
        self._folder = folder
        self._live = LiveRecords(folder.matches, folder.tournament.name)
        self._matches = FixturePlayer(folder.tournament, simulators, peers)

    def play(self, fixture: Fixture, halt: Event) -> None:
        """Play a match and keep its record."""
        observer = self._live.observer(self._matches.manager(fixture))
        try:
            self._folder.keep(self._matches.play(fixture, halt, observer))
        finally:
            self._live.end(fixture.id)


class FixturePlayer:
    """Plays matches of a tournament; keeps nothing of them."""

    def __init__(
        self,
        tournament: Tournament,
        simulators: Mapping[str, Simulator],
        peers: Mapping[str, Peer],
    ) -> None:
        """Simulators by the name of the game, peers by the name of the player."""
        self._seed = tournament.seed
        self._peers = peers
        self._managers = {
            name: Manager(simulator, make_settings(tournament, name))
            for name, simulator in simulators.items()
        }

    def manager(self, fixture: Fixture) -> Manager:
        """Return what runs a match."""
        return self._managers[fixture.game]

    def play(
        self, fixture: Fixture, halt: Event, observer: Observer | None = None
    ) -> ManagedMatch:
        """Play a match."""
        manager = self.manager(fixture)
        with ExitStack() as stack:
            peers = []
            for name in fixture.players:
                peer = self._find_peer(name, fixture, manager.simulator)
                if peer is not self._peers[name]:
                    stack.callback(peer.close)
                peers.append(peer)
            try:
                return manager.run(
                    peers,
                    seed=fixture.seed,
                    match_id=fixture.id,
                    observer=observer,
                    halt=halt,
                )
            except BaseException:
                for peer in peers:
                    peer.give_up()
                raise

    def _find_peer(self, name: str, fixture: Fixture, simulator: Simulator) -> Peer:
        """Return who plays a match under a name: a new one, unless it learns."""
        peer = self._peers[name]
        if not isinstance(peer, LocalPeer) or not isinstance(peer.agent, PlayerAgent):
            return peer
        own_seed = derive_number(self._seed, "player", name, fixture.id)
        return LocalPeer(peer.agent.fresh(own_seed, simulator), name)


def make_settings(tournament: Tournament, game: str) -> MatchSettings:
    """How matches of a game are run."""
    discipline = tournament.discipline(game)
    return MatchSettings(
        start_clock=discipline.start_clock,
        play_clock=discipline.play_clock,
        grace=discipline.grace,
        move_limit=tournament.move_limit,
        scramble=tournament.scramble,
    )


def play_fixtures(
    fixtures: Sequence[Fixture],
    play: PlayFixture,
    at_once: int = 1,
    report: Callable[[Fixture], None] = lambda fixture: None,
) -> dict[Fixture, StuckError]:
    """Play matches in order, as far as their players are free.

    `report` hears of each match that is over. Matches whose rules left a role without a
    move are returned, and the others go on; any other error, or an interrupt, gives up
    what is under way.
    """
    if at_once == 1:
        return _play_in_turn(fixtures, play, report)
    return _play_side_by_side(fixtures, play, at_once, report)


def _play_in_turn(
    fixtures: Sequence[Fixture], play: PlayFixture, report: Callable[[Fixture], None]
) -> dict[Fixture, StuckError]:
    errors, never = {}, Event()
    for fixture in fixtures:
        try:
            play(fixture, never)
        except StuckError as error:
            errors[fixture] = error
        report(fixture)
    return errors


def _play_side_by_side(
    fixtures: Sequence[Fixture],
    play: PlayFixture,
    at_once: int,
    report: Callable[[Fixture], None],
) -> dict[Fixture, StuckError]:
    errors: dict[Fixture, StuckError] = {}
    ahead, running = list(fixtures), dict[Future[None], Fixture]()
    halt = Event()
    with ThreadPoolExecutor(at_once, "match") as pool:
        try:
            while ahead or running:
                free = at_once - len(running)
                for fixture in [*_startable(ahead, running.values(), free)]:
                    ahead.remove(fixture)
                    running[pool.submit(play, fixture, halt)] = fixture
                over, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in over:
                    fixture = running.pop(future)
                    error = future.exception()
                    if isinstance(error, StuckError):
                        errors[fixture] = error
                    elif error is not None:
                        raise error
                    report(fixture)
        except BaseException:
            halt.set()
            raise
    return errors


def _startable(
    ahead: Sequence[Fixture], running: Collection[Fixture], free: int
) -> Iterator[Fixture]:
    """The first matches whose players are all free, no more than may be started."""
    busy = {player for fixture in running for player in fixture.players}
    for fixture in ahead:
        if not free:
            return
        if busy.isdisjoint(fixture.players):
            busy.update(fixture.players)
            free -= 1
            yield fixture
