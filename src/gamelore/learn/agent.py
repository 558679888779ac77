"""Agents that learn from the matches they play, and store what they learned.

Every match is stored as soon as it is over. The values are updated from it in the start
clock of the next match, before its first move, as Banerjee and Stone's learner does. A
game is known by its canonical rules: under any names, learning continues.
"""

from __future__ import annotations

import json
import logging
import math
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np

from gamelore.agents.agent import MatchEntry
from gamelore.agents.fallback import FallbackPlayer
from gamelore.agents.renamed import RenamedPlayer
from gamelore.engine import CircuitSimulator, Simulator, simulator
from gamelore.errors import GameloreError, NotTurnTakingError, StuckError
from gamelore.gdl import CanonicalForm, Game, Role
from gamelore.gdl.canonical import canonical_form, is_canonical
from gamelore.learn.config import TrainConfig
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.learned_player import LockedPlayer
from gamelore.learn.match_buffers import make_streams
from gamelore.learn.match_log import LearnerKey, MatchLog, StoredMatch, Stream
from gamelore.learn.role_values import LearnerSettings, PatternValues
from gamelore.learn.schedules import Fixed, Schedule
from gamelore.learn.session import LearnerSession, LoadedGame
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.match.record import MatchRecord
from gamelore.player import Clock, Player
from gamelore.search.playouts import MonteCarloPlayer
from gamelore.search.policy_player import make_stream
from gamelore.settings import to_json

log = logging.getLogger(__name__)

UNKNOWN = "unknown"
"""The name of opponents that are not told."""

_GAMES = 4  # loaded at once
_SESSIONS = 16  # of one game, loaded at once
_NODES = 1 << 20  # of a state graph; beyond that it is replaced
_FORMS = 64  # canonical forms in memory
_MATCHES = 64  # at once; beyond that the oldest is taken to be abandoned
_PLAYOUTS = 100  # of each move, where a Q-learner has no value
_BATCH = 16  # matches read from the log at once
_RESERVE = 0.25  # the share of a start clock that learning leaves unused …
_MOST_RESERVE = 1.0  # … and its seconds at most


@dataclass
class _OpenMatch:
    """A match that goes on."""

    form: CanonicalForm | None
    """The canonical form of its game; nothing if the names are canonical."""
    game: Game
    """In canonical names."""
    learner: LearnerKey
    stream: Stream | None = None
    """The player's randomness, once there is a player that learned."""


class LearningAgent:
    """Plays by the values it learned, with values of its own for each opponent.

    Where it cannot learn (roles move at once, or there is no compiled engine), it plays
    by playouts, and stores the match all the same.
    """

    def __init__(
        self,
        settings: LearnerSettings,
        store: Path | None = None,
        seed: int = 0,
        *,
        schedule: Schedule | None = None,
        name: str = "table",
    ) -> None:
        """`store`: the file for matches and values; without one, nothing is saved.

        `name`: tells apart agents that learn in different ways by the same settings.
        """
        self._settings = settings
        self._seed = seed
        self._schedule = schedule or Fixed()
        learner = to_json(TrainConfig(learner=settings))["learner"]
        self._method = json.dumps([name, learner], sort_keys=True)
        self._log = MatchLog(store or ":memory:")
        self._storing = Lock()  # one transaction at a time
        self._preparing = Lock()  # one match is prepared at a time
        self._forms: OrderedDict[str, CanonicalForm] = OrderedDict()
        self._matches: OrderedDict[str, _OpenMatch] = OrderedDict()
        self._games: OrderedDict[str, LoadedGame | str] = OrderedDict()
        """By rules: the game, or why it cannot be learned."""
        self._behind: set[str] = set()
        """Keys of learners with matches that are not in their values yet."""

    # ── matches ──────────────────────────────────────────────────────────────────────

    def enter(self, entry: MatchEntry, clock: Clock) -> Player:
        """Learn from earlier matches, and return a player by what was learned."""
        match = self._matches.get(entry.match) or self._open(entry)
        self._matches[entry.match] = match
        while len(self._matches) > _MATCHES:
            self._matches.popitem(last=False)
        fallback = MonteCarloPlayer(self._seed)
        fallback.start(entry.briefing, clock)
        if not isinstance(entry.simulator, CircuitSimulator):
            log.info("%s: no compiled engine, so playouts decide", entry.match)
            return fallback
        try:
            return self._prepare(match, entry, fallback, clock)
        except GameloreError as error:
            log.warning("%s: playouts decide, since %s", entry.match, error)
            return fallback

    def finish(self, entry: MatchEntry, record: MatchRecord) -> None:
        """Store the match; it is safe on disk when this returns."""
        match = self._matches.pop(entry.match, None) or self._open(entry)
        moves = record.moves
        if match.form is not None:
            rename = match.form.renaming.rename
            moves = tuple(tuple(map(rename, joint)) for joint in moves)
        stream = match.stream
        if stream is None:
            stream = self._next_stream(match.learner)
        stored = StoredMatch(
            id=entry.match,
            moves=moves,
            goal=record.goals[record.roles.index(entry.role)],
            complete=record.complete,
        )
        with self._storing:
            self._log.store(match.learner, match.game, stored, stream)
        self._behind.add(match.learner.key)

    def close(self) -> None:
        """Learn from all matches and save all values."""
        with self._preparing:
            for loaded in self._games.values():
                self._unload(loaded)
            self._games.clear()
        with self._storing:
            self._log.close()

    # ── for agents that transfer between games ──────────────────────────────────────

    def initial_patterns(
        self, loaded: LoadedGame, learner: LearnerKey, clock: Clock
    ) -> PatternValues | None:
        """Return initial values for a learner that has not learned anything yet."""
        return None

    def transfer(self, session: LearnerSession, clock: Clock) -> None:
        """Extract what serves other games; called when values are saved."""

    # ── preparing a match ───────────────────────────────────────────────────────────

    def _prepare(
        self, match: _OpenMatch, entry: MatchEntry, fallback: Player, clock: Clock
    ) -> Player:
        """Return a player by what was learned, or the fallback where it cannot be."""
        with _hold(self._preparing, clock) as held:
            loaded = self._load(match, entry.simulator) if held else "there is no time"
            if isinstance(loaded, str):
                log.info("%s: playouts decide, since %s", entry.match, loaded)
                return fallback
            session = self._session(match.learner, loaded, clock)
            self._learn(session, clock)
            self._learn_others(session, clock)
            locked = LockedPlayer(self._player(match, session), loaded.lock)
        renaming = None if match.form is None else match.form.renaming
        renamed = RenamedPlayer(locked, loaded.simulator, renaming)
        player = FallbackPlayer(renamed, fallback)
        player.start(entry.briefing, clock)
        return player

    def _open(self, entry: MatchEntry) -> _OpenMatch:
        form = self._form(entry.simulator.game)
        game = entry.simulator.game if form is None else form.game
        role: Role = game.roles[entry.simulator.roles.index(entry.role)]
        opponent = ", ".join(entry.opponents) or UNKNOWN
        learner = LearnerKey(game.fingerprint, role, opponent, self._method)
        return _OpenMatch(form, game, learner)

    def _form(self, game: Game) -> CanonicalForm | None:
        """Return the canonical form of a game; nothing if it is canonical already."""
        if is_canonical(game):
            return None
        form = self._forms.get(game.fingerprint)
        if form is None:
            self._forms[game.fingerprint] = form = canonical_form(game)
            while len(self._forms) > _FORMS:
                self._forms.popitem(last=False)
        return form

    def _load(self, match: _OpenMatch, given: Simulator) -> LoadedGame | str:
        """Return the loaded game, or why it cannot be learned."""
        rules = match.learner.rules
        loaded = self._games.get(rules)
        if isinstance(loaded, LoadedGame) and self._is_stale(loaded, given, match):
            self._unload(self._games.pop(rules))
            loaded = None
        if loaded is None:
            try:
                loaded = LoadedGame(
                    given if match.form is None else _make_engine(match.game)
                )
            except (NotTurnTakingError, StuckError, _NoEngineError) as error:
                loaded = str(error)
            self._games[rules] = loaded
        self._games.move_to_end(rules)
        self._unload_unused()
        return loaded

    def _is_stale(
        self, loaded: LoadedGame, given: Simulator, match: _OpenMatch
    ) -> bool:
        """Return whether a game has an engine that is gone, or too large a graph."""
        if match.form is None and loaded.simulator is not given:
            return True
        alone = self._count_matches(match.learner.rules) <= 1
        return alone and len(loaded.graph) > _NODES

    def _unload_unused(self) -> None:
        """Unload games and sessions that nobody has used for long."""
        for rules in [*self._games][:-_GAMES]:
            if not self._count_matches(rules):
                self._unload(self._games.pop(rules))
        for loaded in self._games.values():
            if isinstance(loaded, LoadedGame):
                for key in [*loaded.sessions][:-_SESSIONS]:
                    self._save(loaded.sessions.pop(key), Clock())

    def _count_matches(self, rules: str) -> int:
        """Return how many matches of a game go on."""
        return sum(one.learner.rules == rules for one in [*self._matches.values()])

    def _unload(self, loaded: LoadedGame | str) -> None:
        """Learn from all matches of a game, and save its values."""
        if isinstance(loaded, LoadedGame):
            for session in loaded.sessions.values():
                self._learn(session, Clock())
                if session.matches > session.saved:
                    self._save(session, Clock())

    def _session(
        self, learner: LearnerKey, loaded: LoadedGame, clock: Clock
    ) -> LearnerSession:
        """Return a learner's session: loaded, from the store, or new."""
        session = loaded.sessions.get(learner.key)
        if session is None:
            with self._storing:
                stored = self._log.load(learner)
            session = LearnerSession(loaded, learner, self._settings, stored)
        if session.last_match == 0:  # so far, initial values may still get better
            patterns = self.initial_patterns(loaded, learner, clock)
            session = LearnerSession(loaded, learner, self._settings, None, patterns)
        loaded.sessions[learner.key] = session
        loaded.sessions.move_to_end(learner.key)
        return session

    def _player(self, match: _OpenMatch, session: LearnerSession) -> GreedyPlayer:
        """Return a player; its randomness continues from the last match."""
        with self._storing:
            played = self._log.progress(match.learner).matches
        epsilon = float(self._schedule(np.array([played]))[0])
        player = GreedyPlayer(session.values, epsilon, played)
        if match.stream is None:
            match.stream = self._next_stream(match.learner)
        player.stream = match.stream
        return player

    def _next_stream(self, learner: LearnerKey) -> Stream:
        """Return randomness for the next match; each of several at once has its own."""
        with self._storing:
            progress = self._log.progress(learner)
        stream = progress.stream
        if stream is None:
            stream = make_streams(self._seed).learner
        rivals = sum(
            one.learner.key == learner.key and one.stream is not None
            for one in [*self._matches.values()]
        )
        if rivals:
            mixed = np.random.SeedSequence([*map(int, stream), rivals])
            stream = make_stream(int(mixed.generate_state(1)[0]))
        return stream

    # ── learning ────────────────────────────────────────────────────────────────────

    def _learn(self, session: LearnerSession, clock: Clock) -> None:
        """Learn from stored matches, as many as there is time for."""
        reserve = _reserve(clock)
        while clock.left > reserve:
            with self._storing:
                batch = self._log.matches(session.learner, session.last_match, _BATCH)
            for match in batch:
                if not session.learn(match, clock.left - reserve):
                    return
            if len(batch) < _BATCH:
                self._behind.discard(session.learner.key)
                break
        if session.save_is_due and clock.left > reserve:
            self._save(session, clock)

    def _learn_others(self, session: LearnerSession, clock: Clock) -> None:
        """Do the same for all other sessions that are loaded."""
        own = session.learner.key
        for loaded in [*self._games.values()]:
            if isinstance(loaded, LoadedGame):
                for key in self._behind & loaded.sessions.keys() - {own}:
                    self._learn(loaded.sessions[key], clock)

    def _save(self, session: LearnerSession, clock: Clock) -> None:
        with self._storing:
            self._log.save(session.learner, session.loaded.game, session.to_stored())
        session.saved = session.matches
        self.transfer(session, clock)


def make_td_agent(store: Path | None, seed: int) -> LearningAgent:
    """Return an agent that learns by TD(λ)."""
    return LearningAgent(TDSettings(), store, seed)


def make_q_agent(store: Path | None, seed: int) -> LearningAgent:
    """Return an agent that learns by Q-learning."""
    return LearningAgent(QSettings(), store, seed)


def make_qm_agent(store: Path | None, seed: int) -> LearningAgent:
    """Return an agent that learns by Q-learning, and searches by playouts."""
    return LearningAgent(QSettings(playouts=_PLAYOUTS), store, seed)


class _NoEngineError(GameloreError):
    """A game that does not compile; never leaves this module."""


def _make_engine(game: Game) -> Simulator:
    engine = simulator(game)
    if not isinstance(engine, CircuitSimulator):
        raise _NoEngineError("there is no compiled engine")
    return engine


def _reserve(clock: Clock) -> float:
    """Return the seconds of a clock that learning leaves unused."""
    if clock.seconds == math.inf:
        return -math.inf
    return min(_MOST_RESERVE, _RESERVE * clock.seconds)


@contextmanager
def _hold(lock: Lock, clock: Clock) -> Iterator[bool]:
    """Hold a lock if it is free in time; yield whether it is held."""
    patience = -1 if clock.left == math.inf else max(0.0, clock.left - _reserve(clock))
    held = lock.acquire(timeout=patience)
    try:
        yield held
    finally:
        if held:
            lock.release()
