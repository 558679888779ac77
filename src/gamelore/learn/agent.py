"""Agents that learn from the matches they play, and keep what they learned.

Every match that is over is kept at once. What it taught is folded into the values in
the start clock of the next match, before its first move; that is where Banerjee and
Stone's learner does it. A game is known by its canonical rules: whatever the spelling,
who learned it goes on where it stood.
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

from gamelore.agents.agent import Entry
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
from gamelore.learn.match_log import KeptMatch, MatchLog, Pupil, Stream
from gamelore.learn.role_values import LearnerSettings, PatternValues
from gamelore.learn.schedules import Fixed, Schedule
from gamelore.learn.session import GameMemory, Study
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.match.match import MatchRecord
from gamelore.player import Clock, Player
from gamelore.search.playouts import MonteCarloPlayer
from gamelore.search.policy_player import stream_of
from gamelore.settings import to_json

log = logging.getLogger(__name__)

UNKNOWN = "unknown"
"""Whom a match is taken to be against where nobody tells."""

_GAMES = 4  # kept in memory
_STUDIES = 16  # of one game kept in memory
_NODES = 1 << 20  # of a state graph, beyond which it is begun anew
_FORMS = 64  # canonical forms kept in memory
_SEATS = 64  # matches at once; beyond it the oldest is taken to be abandoned
_PLAYOUTS = 100  # of each move, where a Q-learner has no value
_BATCH = 16  # matches read from the log at once
_RESERVE = 0.25  # the share of a start clock that is left for others, at most …
_MOST_RESERVE = 1.0  # … so many seconds


@dataclass
class _Seat:
    """A match that goes on."""

    form: CanonicalForm | None
    """How the names of the match are translated; nothing if they are canonical."""
    game: Game
    """In canonical names."""
    pupil: Pupil
    stream: Stream | None = None
    """The player's randomness, once there is a player that learned."""


class LearningAgent:
    """Plays by the values it learned, against each opponent by its own.

    Where it cannot learn (roles move at once, or there is no compiled engine), it plays
    by playouts, and keeps the match all the same.
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
        """`store`: the file for all that is to last; without one nothing lasts.

        `name`: tells apart those who learn in different ways by the same settings.
        """
        self._settings = settings
        self._seed = seed
        self._schedule = schedule or Fixed()
        learner = to_json(TrainConfig(learner=settings))["learner"]
        self._learner = json.dumps([name, learner], sort_keys=True)
        self._log = MatchLog(store or ":memory:")
        self._storing = Lock()  # one transaction at a time
        self._studying = Lock()  # one match is prepared at a time
        self._forms: OrderedDict[str, CanonicalForm] = OrderedDict()
        self._seats: OrderedDict[str, _Seat] = OrderedDict()
        self._memories: OrderedDict[str, GameMemory | str] = OrderedDict()
        self._unfolded: set[str] = set()

    # ── what a manager asks for ─────────────────────────────────────────────────────

    def enter(self, entry: Entry, clock: Clock) -> Player:
        """Fold in what earlier matches taught, and play by it."""
        seat = self._seats.get(entry.match) or self._new_seat(entry)
        self._seats[entry.match] = seat
        while len(self._seats) > _SEATS:
            self._seats.popitem(last=False)
        spare = MonteCarloPlayer(self._seed)
        spare.start(entry.briefing, clock)
        if not isinstance(entry.simulator, CircuitSimulator):
            log.info("%s: no compiled engine, so playouts decide", entry.match)
            return spare
        try:
            return self._prepared(seat, entry, spare, clock)
        except GameloreError as error:
            log.warning("%s: playouts decide, since %s", entry.match, error)
            return spare

    def finish(self, entry: Entry, record: MatchRecord) -> None:
        """Keep the match; it is safe on disk when this returns."""
        seat = self._seats.pop(entry.match, None) or self._new_seat(entry)
        moves = record.moves
        if seat.form is not None:
            translate = seat.form.to_canonical
            moves = tuple(tuple(map(translate, joint)) for joint in moves)
        stream = seat.stream
        if stream is None:
            stream = self._next_stream(seat.pupil)
        match = KeptMatch(
            id=entry.match,
            moves=moves,
            goal=record.goals[record.roles.index(entry.role)],
            complete=record.complete,
        )
        with self._storing:
            self._log.keep(seat.pupil, seat.game, match, stream)
        self._unfolded.add(seat.pupil.key)

    def close(self) -> None:
        """Fold in and save whatever is in memory."""
        with self._studying:
            for memory in self._memories.values():
                if isinstance(memory, GameMemory):
                    self._put_away(memory)
            self._memories.clear()
        with self._storing:
            self._log.close()

    # ── what those who carry knowledge between games add ────────────────────────────

    def initial_patterns(
        self, memory: GameMemory, pupil: Pupil, clock: Clock
    ) -> PatternValues | None:
        """Initial values for a pupil that has not learned anything yet."""
        return None

    def digest(self, study: Study, clock: Clock) -> None:
        """Take to other games what values have come to; called when they are saved."""

    # ── preparing a match ───────────────────────────────────────────────────────────

    def _prepared(
        self, seat: _Seat, entry: Entry, spare: Player, clock: Clock
    ) -> Player:
        """A player by what was learned, or the spare one where it cannot be."""
        with _within(self._studying, clock) as mine:
            memory = self._memory(seat, entry.simulator) if mine else "there is no time"
            if isinstance(memory, str):
                log.info("%s: playouts decide, since %s", entry.match, memory)
                return spare
            study = self._study(seat.pupil, memory, clock)
            self._fold(study, clock)
            self._fold_others(study, clock)
            locked = LockedPlayer(self._player(seat, study), memory.lock)
        renaming = None if seat.form is None else seat.form.renaming
        renamed = RenamedPlayer(locked, memory.simulator, renaming)
        player = FallbackPlayer(renamed, spare)
        player.start(entry.briefing, clock)
        return player

    def _new_seat(self, entry: Entry) -> _Seat:
        form = self._form(entry.simulator.game)
        game = entry.simulator.game if form is None else form.game
        role: Role = game.roles[entry.simulator.roles.index(entry.role)]
        opponent = ", ".join(entry.opponents) or UNKNOWN
        return _Seat(form, game, Pupil(game.fingerprint, role, opponent, self._learner))

    def _form(self, game: Game) -> CanonicalForm | None:
        """The canonical form of a game; nothing if it is in that form already."""
        if is_canonical(game):
            return None
        form = self._forms.get(game.fingerprint)
        if form is None:
            self._forms[game.fingerprint] = form = canonical_form(game)
            while len(self._forms) > _FORMS:
                self._forms.popitem(last=False)
        return form

    def _memory(self, seat: _Seat, given: Simulator) -> GameMemory | str:
        """The game in memory, or why it cannot be learned."""
        rules = seat.pupil.rules
        memory = self._memories.get(rules)
        if isinstance(memory, GameMemory) and self._is_worn(memory, given, seat):
            self._put_away(self._memories.pop(rules))
            memory = None
        if memory is None:
            try:
                memory = GameMemory(given if seat.form is None else _engine(seat.game))
            except (NotTurnTakingError, StuckError, _NoEngineError) as error:
                memory = str(error)
            self._memories[rules] = memory
        self._memories.move_to_end(rules)
        self._tidy()
        return memory

    def _is_worn(self, memory: GameMemory, given: Simulator, seat: _Seat) -> bool:
        """Whether a memory is of an engine that is gone, or has grown too large."""
        if seat.form is None and memory.simulator is not given:
            return True
        alone = self._users(seat.pupil.rules) <= 1
        return alone and len(memory.graph) > _NODES

    def _tidy(self) -> None:
        """Put away games and studies that nobody has used for long."""
        for rules in [*self._memories][:-_GAMES]:
            if not self._users(rules):
                self._put_away(self._memories.pop(rules))
        for memory in self._memories.values():
            if isinstance(memory, GameMemory):
                for key in [*memory.studies][:-_STUDIES]:
                    self._save(memory.studies.pop(key), Clock())

    def _users(self, rules: str) -> int:
        """How many matches of a game go on."""
        return sum(seat.pupil.rules == rules for seat in [*self._seats.values()])

    def _put_away(self, memory: GameMemory | str) -> None:
        if isinstance(memory, GameMemory):
            for study in memory.studies.values():
                self._fold(study, Clock())
                if study.matches > study.saved:
                    self._save(study, Clock())

    def _study(self, pupil: Pupil, memory: GameMemory, clock: Clock) -> Study:
        """The pupil's values, from memory, from the store, or new."""
        study = memory.studies.get(pupil.key)
        if study is None:
            with self._storing:
                snapshot = self._log.load(pupil)
            study = Study(memory, pupil, self._settings, snapshot)
        if study.folded == 0:  # so far, initial values may still get better
            features = self.initial_patterns(memory, pupil, clock)
            study = Study(memory, pupil, self._settings, None, features)
        memory.studies[pupil.key] = study
        memory.studies.move_to_end(pupil.key)
        return study

    def _player(self, seat: _Seat, study: Study) -> GreedyPlayer:
        """A player by what was learned; its randomness goes on from the last match."""
        with self._storing:
            played = self._log.progress(seat.pupil).matches
        epsilon = float(self._schedule(np.array([played]))[0])
        player = GreedyPlayer(study.values, epsilon, played)
        if seat.stream is None:
            seat.stream = self._next_stream(seat.pupil)
        player.stream = seat.stream
        return player

    def _next_stream(self, pupil: Pupil) -> Stream:
        """Randomness for the next match; another for each that goes on at once."""
        with self._storing:
            progress = self._log.progress(pupil)
        stream = progress.stream
        if stream is None:
            stream = make_streams(self._seed).learner
        rivals = sum(
            one.pupil.key == pupil.key and one.stream is not None
            for one in [*self._seats.values()]
        )
        if rivals:
            mixed = np.random.SeedSequence([*map(int, stream), rivals])
            stream = stream_of(int(mixed.generate_state(1)[0]))
        return stream

    # ── learning ────────────────────────────────────────────────────────────────────

    def _fold(self, study: Study, clock: Clock) -> None:
        """Fold in the matches that wait, as many as there is time for."""
        reserve = _reserve(clock)
        while clock.left > reserve:
            with self._storing:
                batch = self._log.matches(study.pupil, study.folded, _BATCH)
            for match in batch:
                if not study.fold(match, clock.left - reserve):
                    return
            if len(batch) < _BATCH:
                self._unfolded.discard(study.pupil.key)
                break
        if study.save_is_due and clock.left > reserve:
            self._save(study, clock)

    def _fold_others(self, study: Study, clock: Clock) -> None:
        """The same for those in memory whose turn it is not."""
        for memory in [*self._memories.values()]:
            if isinstance(memory, GameMemory):
                for key in self._unfolded & memory.studies.keys() - {study.pupil.key}:
                    self._fold(memory.studies[key], clock)

    def _save(self, study: Study, clock: Clock) -> None:
        with self._storing:
            self._log.save(study.pupil, study.memory.game, study.snapshot())
        study.saved = study.matches
        self.digest(study, clock)


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


def _engine(game: Game) -> Simulator:
    engine = simulator(game)
    if not isinstance(engine, CircuitSimulator):
        raise _NoEngineError("there is no compiled engine")
    return engine


def _reserve(clock: Clock) -> float:
    """Seconds of a clock that are not used up."""
    if clock.seconds == math.inf:
        return -math.inf
    return min(_MOST_RESERVE, _RESERVE * clock.seconds)


@contextmanager
def _within(lock: Lock, clock: Clock) -> Iterator[bool]:
    """Hold a lock, if it is free in time."""
    patience = -1 if clock.left == math.inf else max(0.0, clock.left - _reserve(clock))
    held = lock.acquire(timeout=patience)
    try:
        yield held
    finally:
        if held:
            lock.release()
