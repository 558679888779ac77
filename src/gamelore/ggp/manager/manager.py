"""The game manager: runs matches between players on the network and in this process.

>>> from gamelore.agents.builtin import PLAYERS
>>> from gamelore.agents.agent import PlayerAgent
>>> peers = [LocalPeer(PlayerAgent(PLAYERS["random"], n), f"r{n}") for n in (1, 2)]
>>> match = run_match("tictactoe", peers, seed=3)
>>> match.record.complete
True
"""

from __future__ import annotations

import logging
import math
import secrets
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Literal, NamedTuple, TypeAlias

from gamelore.engine.position import Playable, Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError
from gamelore.gdl import Game, Move, Role
from gamelore.ggp.manager.match_peers import MatchContext, MatchPeers
from gamelore.ggp.manager.peers import LocalPeer, Peer, RemotePeer
from gamelore.ggp.net.tasks import CallCoroutine, run_concurrently, run_coroutine
from gamelore.ggp.scramble import Scramble
from gamelore.match.match import MOVE_LIMIT
from gamelore.match.record import CHANCE, Fault, MatchRecord
from gamelore.match.referee import Referee
from gamelore.player import Clock

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class MatchSettings:
    """How matches are run."""

    start_clock: float = 10.0
    """Seconds to prepare; it ends early when all are ready."""
    play_clock: float = 5.0
    """Seconds for each move."""
    grace: float = 1.0
    """Seconds after the play clock in which a move still counts."""
    move_limit: int = MOVE_LIMIT
    """Joint moves after which a match ends without a result."""
    scramble: bool = False
    """Whether players on the network get the rules under other names."""

    def __post_init__(self) -> None:
        for name in ("start_clock", "play_clock"):
            value = getattr(self, name)
            if not value > 0:
                raise ValueError(f"{name} must be positive, got {value}")
        if not 0 <= self.grace < math.inf:
            raise ValueError(f"grace must be zero or more, got {self.grace}")
        if self.move_limit < 1:
            raise ValueError(f"move_limit must be positive, got {self.move_limit}")


@dataclass(frozen=True)
class ManagedMatch:
    """A match that was run, and how."""

    match: str
    """Its id."""
    game: Game = field(repr=False)
    rules: str = field(repr=False)
    """The game's rules in KIF, one to a line."""
    record: MatchRecord
    players: tuple[str, ...]
    """Names in the order of the roles; `random` for the role of chance."""
    seed: int
    settings: MatchSettings
    positions: tuple[Position, ...] = field(repr=False, compare=False)
    """From the initial one to the last: one more than there are joint moves."""
    times: tuple[int, ...] = field(repr=False)
    """When each position was reached, in milliseconds since 1970."""
    aborted: bool = False

    @property
    def results(self) -> dict[Role, tuple[str, int | None]]:
        """For each role, who played it and what goal it got; none if cut off."""
        record = self.record
        goals = record.goals if record.complete else (None,) * len(record.roles)
        pairs = zip(self.players, goals, strict=True)
        return dict(zip(self.record.roles, pairs, strict=True))


@dataclass(frozen=True)
class Moment:
    """A match while it runs, as those who watch it see it."""

    match: str
    stage: Literal["start", "play", "over"]
    position: Position
    moves: Sequence[tuple[Move, ...]]
    faults: Sequence[Fault]
    players: tuple[str, ...]
    clock: Clock
    """What is running: the start clock or the play clock."""


Observer: TypeAlias = Callable[[Moment], None]
"""Is told before the players prepare, before every move, and at the end."""


class MatchSpec(NamedTuple):
    """A match to be run."""

    peers: Sequence[Peer]
    """One for each role in order, `random` left out."""
    seed: int = 0
    match_id: str | None = None
    """None: a new one."""
    observer: Observer | None = None
    halt: Event | None = None
    """The match is given up before the next move once this is set."""


class Manager:
    """Runs matches of one game."""

    def __init__(
        self, simulator: Simulator, settings: MatchSettings | None = None
    ) -> None:
        self.simulator = simulator
        self.settings = settings or MatchSettings()
        self._rules = simulator.game.to_kif()
        self._in_one_line = _in_one_line(self._rules)

    @property
    def player_roles(self) -> tuple[Role, ...]:
        """The roles that need a player."""
        return player_roles(self.simulator.game)

    def run(
        self,
        peers: Sequence[Peer],
        *,
        seed: int = 0,
        match_id: str | None = None,
        observer: Observer | None = None,
        halt: Event | None = None,
    ) -> ManagedMatch:
        """Run one match; what players do wrong is recorded, not raised.

        There is a peer for each role in order, without `random`, which needs none.
        Whatever ends the match early (an interrupt, a role without a legal move) is
        told to the peers before it is raised.
        """
        return run_coroutine(
            self._match(MatchSpec(peers, seed, match_id, observer, halt))
        )

    def run_side_by_side(
        self, specs: Iterable[MatchSpec], at_once: int = 1
    ) -> Generator[ManagedMatch, None, None]:
        """Run matches, so many at once; each as it ends.

        Whatever ends one of them early ends all, and so does closing this. Several at
        once are for players on the network: one in this process would have all other
        matches wait for it.
        """
        if at_once > 1:
            specs = map(_on_network, specs)
        return run_concurrently(map(self._match, specs), at_once)

    def _match(self, spec: MatchSpec) -> CallCoroutine[ManagedMatch]:
        """Run one match."""
        peers, seed = self._assign_roles(spec.peers), spec.seed
        match = spec.match_id or self._new_id()
        match_peers = MatchPeers(self._make_context(match, seed), peers)
        players = tuple(
            peers[role].name if role in peers else CHANCE
            for role in self.simulator.roles
        )
        referee = Referee(self.simulator, seed)
        run = _MatchRun(referee, match_peers, match, players, spec)
        try:
            yield from run.run(self.settings)
            referee.note_late_failures((yield from match_peers.stop(referee.record())))
            run.tell("over", math.inf)
        except BaseException:
            yield from match_peers.abort(referee.record())
            raise
        return ManagedMatch(
            match=match,
            game=self.simulator.game,
            rules=self._rules,
            record=referee.record(),
            players=players,
            seed=seed,
            settings=self.settings,
            positions=tuple(run.positions),
            times=tuple(run.times),
        )

    def _assign_roles(self, peers: Sequence[Peer]) -> dict[Role, Peer]:
        """Each role's peer."""
        roles, game = self.player_roles, self.simulator.game.name
        if len(peers) != len(roles):
            raise GameloreError(
                f"{game} takes {len(roles)} players ({', '.join(roles)}),"
                f" not {len(peers)}"
            )
        clocks = self.settings.start_clock, self.settings.play_clock
        remote = any(isinstance(peer, RemotePeer) for peer in peers)
        if remote and not all(map(math.isfinite, clocks)):
            raise GameloreError("players on the network need clocks that end")
        return dict(zip(roles, peers, strict=True))

    def _make_context(self, match: str, seed: int) -> MatchContext:
        settings, rules, scramble = self.settings, self._in_one_line, None
        if settings.scramble:
            scramble = Scramble(self.simulator.game, seed)
            rules = _in_one_line(scramble.game.to_kif())
        return MatchContext(
            match=match,
            simulator=self.simulator,
            rules=rules,
            start_clock=settings.start_clock,
            play_clock=settings.play_clock,
            grace=settings.grace,
            scramble=scramble,
        )

    def _new_id(self) -> str:
        """An id that no other match has, and that tells nothing if names must not."""
        name = "match" if self.settings.scramble else self.simulator.game.name
        word = "".join(c if c.isalnum() or c in "-_" else "-" for c in name)
        return f"{word}.{time.time_ns() // 1_000_000}.{secrets.token_hex(4)}"


class _MatchRun:
    """A match as it goes, with all that is kept of it."""

    def __init__(
        self,
        referee: Referee,
        peers: MatchPeers,
        match: str,
        players: tuple[str, ...],
        spec: MatchSpec,
    ) -> None:
        self.positions = [referee.position]
        self.times = [_milliseconds()]
        self._referee = referee
        self._peers = peers
        self._match = match
        self._players = players
        self._observer = spec.observer
        self._halt = spec.halt

    def run(self, settings: MatchSettings) -> CallCoroutine[None]:
        """From the start to the end."""
        referee, peers = self._referee, self._peers
        self.tell("start", settings.start_clock)
        referee.note_unready((yield from peers.start()))
        while (
            not referee.position.is_terminal
            and len(referee.moves) < settings.move_limit
        ):
            self.tell("play", settings.play_clock)
            if self._halt is not None and self._halt.is_set():
                raise GameloreError(f"match {self._match} was given up")
            referee.check()
            referee.take((yield from peers.ask(referee.position, referee.moves)))
            self.positions.append(referee.position)
            self.times.append(_milliseconds())

    def tell(self, stage: Literal["start", "play", "over"], seconds: float) -> None:
        """Tell whoever watches; so much time there is for what begins."""
        if self._observer is None:
            return
        referee = self._referee
        moment = Moment(
            match=self._match,
            stage=stage,
            position=referee.position,
            moves=tuple(referee.moves),
            faults=tuple(referee.faults),
            players=self._players,
            clock=Clock(seconds),
        )
        try:
            self._observer(moment)
        except Exception:
            log.exception("an observer of match %s failed", self._match)


def _on_network(spec: MatchSpec) -> MatchSpec:
    """The same, if nobody plays in this process."""
    if any(isinstance(peer, LocalPeer) for peer in spec.peers):
        raise GameloreError("only players on the network play several matches at once")
    return spec


def run_match(
    game: Playable,
    peers: Sequence[Peer],
    *,
    start_clock: float = math.inf,
    play_clock: float = math.inf,
    seed: int = 0,
    scramble: bool = False,
    observer: Observer | None = None,
) -> ManagedMatch:
    """Run one match; `Manager` runs many, with more settings."""
    settings = MatchSettings(start_clock, play_clock, scramble=scramble)
    manager = Manager(Position.initial(game).simulator, settings)
    return manager.run(peers, seed=seed, observer=observer)


def player_roles(game: Game) -> tuple[Role, ...]:
    """The roles of a game that need a player."""
    return tuple(role for role in game.roles if role != CHANCE)


def _in_one_line(rules: str) -> str:
    """As they are sent: some players read no further than the end of a line."""
    return " ".join(rules.splitlines())


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000
