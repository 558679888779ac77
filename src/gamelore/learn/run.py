"""Training runs: a trainer with limits, checkpoints, evaluations, and observers.

A run plays in parts that take a tenth of a second, so that it can be stopped, saved and
shown between them. A run that was stopped and resumed plays the same matches and ends
with the same values, bit for bit, as one that was not.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamelore.agents.registry import AgentSpec
from gamelore.display import html_table
from gamelore.errors import DivergenceError, GameloreError
from gamelore.graph import StateGraph
from gamelore.learn.best import Best, best_path
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.events import (
    Checkpointed,
    Diverged,
    Evaluated,
    Finished,
    Improved,
    Progress,
    SnapshotWritten,
    Started,
    StopReason,
    TrainingEvent,
    TrainingObserver,
)
from gamelore.learn.files import lock_checkpoint, save_checkpoint
from gamelore.learn.references import ITSELF, ReferenceResult
from gamelore.learn.snapshot_files import SnapshotFiles
from gamelore.learn.trainer import Record, State, Trainer
from gamelore.learn.zero.references import make_references
from gamelore.settings import SettingError, check, setting

log = logging.getLogger(__name__)

PART_SECONDS = 0.1
"""Time that matches are played between two looks at the clock."""
SAVE_SECONDS = 1.0
"""Time between checkpoints, if they take little time."""
SAVE_SHARE = 0.1
"""Of all time, at most, for checkpoints."""
COPY_SHARE = 0.05
"""Of all time, at most, for copies of weights to go back to where they diverge."""
EVALUATION_SHARE = 0.1
"""Of all time, at most, for evaluations, besides `EVALUATION_SECONDS`."""
EVALUATION_SECONDS = 1.0
EVALUATION_PAUSE = 3.0
"""Time between evaluations at least, where a run has no limit."""
EVALUATIONS = 20
"""In a run, if it is not said after how many matches."""
DEFAULT_MATCHES = 3000

_GROWTH = 8  # of parts, from one to the next
_MOST = 1 << 20  # matches in a part


@dataclass(frozen=True)
class RunConfig:
    """How long a training run lasts, and what it measures and keeps."""

    matches: int | None = setting(None, least=1)
    """How many matches to play, those before --resume included."""
    minutes: float | None = setting(None, above=0, most=525_600)
    """How long to train, instead of --matches; with both, whichever ends first."""
    evaluate_every: int | None = setting(None, least=0, group="Evaluation")
    """Evaluate after every so many matches of training; 0 for never. By default about
    20 times in a run, and for at most a tenth of the time."""
    evaluation_matches: int = setting(200, least=2, most=100_000, group="Evaluation")
    """Matches of an evaluation against each reference player."""
    evaluate_against: tuple[str, ...] = setting(
        ("random", "novice"), group="Evaluation"
    )
    """The reference players, any that gamelore match takes: greedy matches against
    them, in all roles that are learned, show how strong the learner is. `itself` is
    the best that a value function has been before."""
    patience: int | None = setting(None, least=1, group="Evaluation")
    """End when so many evaluations in a row were no better than the best before them;
    without --matches and --minutes that is the only limit."""
    keep_best: bool = setting(False, group="Files")
    """Keep the checkpoint that did best in evaluations, in a file FILE-best beside that
    of --save."""
    snapshots: tuple[int, ...] = setting((), group="Files")
    """Keep a checkpoint after each of these matches, in files beside that of --save."""
    snapshot_every: int | None = setting(None, least=1, group="Files")
    """Keep a checkpoint after every so many matches, in the same way."""

    def __post_init__(self) -> None:
        check(self)
        for name in self.evaluate_against:
            if name == ITSELF:
                continue
            try:
                AgentSpec.parse(name)
            except GameloreError as error:
                requirement = f"must be players: {error}"
                raise SettingError("evaluate_against", requirement) from None

    @property
    def match_limit(self) -> int | None:
        """The number of matches that ends the run, if it is not time alone."""
        if self.matches is None and self.minutes is None:
            return None if self.patience is not None else DEFAULT_MATCHES
        return self.matches


class History(NamedTuple):
    """The results of a run so far."""

    rewards: npt.NDArray[np.int16] = np.zeros(0, np.int16)
    """int16 [matches]: the learner's goals"""
    evaluations: tuple[ReferenceResult, ...] = ()


class TrainingRun:
    """A training run: `run` trains until a limit, or until `stop` is called."""

    def __init__(
        self,
        trainer: Trainer,
        config: RunConfig | None = None,
        path: Path | None = None,
        *,
        history: History | None = None,
        depth: int = 1,
        overwrite: bool = False,
        observers: Sequence[TrainingObserver] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`path`: where checkpoints go; nothing is saved if not given.

        `history`: of the matches that the trainer has played.
        `depth`: how far to search when playing by what was learned.
        `overwrite`: whether a file of another run may be replaced.
        """
        history = history or History()
        self.trainer = trainer
        self.config = config or RunConfig()
        self.path = path
        self.snapshots = self._snapshot_files(overwrite)
        self.depth = depth
        self.resumed_at = trainer.matches
        self.evaluations = list(history.evaluations)
        self.written: list[Path] = []
        """The snapshots that this run has written."""
        self.is_saving = False
        """Whether a checkpoint is being written."""
        self.saved_matches = trainer.matches
        """Matches in the last checkpoint."""
        self._overwrite = overwrite
        self._observers = list(observers)
        self._clock = clock
        self._rewards = [history.rewards]
        self._reward_sum = int(history.rewards.sum(dtype=np.int64))
        self._references = make_references(
            trainer, self.config.evaluate_against, self.config.evaluation_matches, clock
        )
        self._sound: State | None = None
        self._next_copy = 0.0
        self._stopped = False
        self._began = math.inf
        self._playing_seconds = 0.0
        self._timed_matches = 0
        self._saved_at = clock()
        self._save_seconds = 0.0
        self._evaluation_seconds = 0.0
        self._last_evaluation_seconds = 0.0
        self._evaluated_at = max((one.trained for one in self.evaluations), default=-1)
        self._evaluations_done = 0
        self._next_evaluation = 0.0
        last = max(self.evaluations, key=lambda one: one.trained, default=None)
        self._seconds_before = 0.0 if last is None else last.seconds
        self._processor_before = 0.0 if last is None else last.processor_seconds
        self._processor_began = time.process_time()
        self.best = Best.of(self.evaluations)

    @classmethod
    def resume(
        cls,
        checkpoint: Checkpoint,
        graph: StateGraph,
        config: RunConfig | None = None,
        path: Path | None = None,
        convert: Callable[[Trainer], Trainer] = lambda trainer: trainer,
    ) -> TrainingRun:
        """Return a run that goes on from a checkpoint, to the matches it was to have
        if `config` is not given.

        `convert`: makes the trainer that is used of the one that was saved.
        """
        return cls(
            convert(checkpoint.trainer(graph)),
            config or RunConfig(matches=checkpoint.wanted),
            path,
            history=History(checkpoint.rewards, checkpoint.evaluations),
            depth=checkpoint.depth,
        )

    def _repr_html_(self) -> str:
        """The run in a notebook: its last evaluations, and its learning curve."""
        # matplotlib takes a second or two to import
        from gamelore.learn.plots import rewards_svg, scores_svg

        game = self.trainer.graph.simulator.game.name
        summary = f"<p><b>{escape(game)}</b>: {self.matches:,} matches of training</p>"
        if not self.matches:
            return summary
        if not self.evaluations:
            return summary + rewards_svg(self.rewards)
        last = {one.opponent: one for one in self.evaluations}
        rows = [
            (one.opponent, one.score, f"{one.low:.2f} to {one.high:.2f}", one.matches)
            for one in last.values()
        ]
        head = ("against", "score", "95% interval", "matches")
        return summary + html_table(head, rows) + scores_svg(self.evaluations)

    # ── what it has come to ─────────────────────────────────────────────────────────

    @property
    def matches(self) -> int:
        """Matches played, those before a resume included."""
        return self.trainer.matches

    @property
    def rewards(self) -> npt.NDArray[np.int16]:
        """int16 [matches]: the learner's goals"""
        self._rewards = [np.concatenate(self._rewards)]
        return self._rewards[0]

    @property
    def mean_reward(self) -> float:
        """The mean of all rewards."""
        return self._reward_sum / max(1, self.matches)

    @property
    def matches_per_second(self) -> float:
        """Speed of training; the first match, which loads kernels, does not count."""
        if not self._playing_seconds:
            return 0.0
        return self._timed_matches / self._playing_seconds

    @property
    def cells(self) -> int:
        """Entries of all tables."""
        return sum(map(len, self.trainer.tables.values()))

    @property
    def seconds(self) -> float:
        """Time since kernels were loaded."""
        return max(0.0, self._clock() - self._began)

    @property
    def minutes_left(self) -> float | None:
        """The rest of the time limit, if there is one."""
        minutes = self.config.minutes
        return None if minutes is None else max(0.0, minutes - self.seconds / 60)

    @property
    def reached(self) -> StopReason | None:
        """The limit that has been reached, if one has."""
        limit = self.config.match_limit
        if limit is not None and self.matches >= limit:
            return "matches"
        if self.minutes_left == 0:
            return "minutes"
        patience = self.config.patience
        is_settled = patience is not None and self.best.since >= patience
        return "settled" if is_settled else None

    def checkpoint(self) -> Checkpoint:
        """Return the whole state."""
        return Checkpoint.of(
            self.trainer,
            self.rewards,
            wanted=self.config.match_limit or 0,
            depth=self.depth,
            evaluations=tuple(self.evaluations),
        )

    # ── what it does ────────────────────────────────────────────────────────────────

    def add_observer(self, observer: TrainingObserver) -> None:
        """Have an observer told all that happens from now on."""
        self._observers.append(observer)

    def stop(self) -> None:
        """Have `run` save and return soon; any thread or signal handler may call it."""
        self._stopped = True

    def run(self) -> StopReason:
        """Train until a limit or until stopped, save, and return why it ended.

        Raises `CheckpointError` where another process trains into the same file or it
        holds another run, and `DivergenceError` where weights leave all bounds, after
        saving the last sound ones.
        """
        with lock_checkpoint(self.path):
            reason = self._run()
        self._emit(Finished(self.matches, self.seconds, reason))
        return reason

    def _run(self) -> StopReason:
        self._emit(
            Started(
                self.trainer.graph.simulator.game.name,
                self.trainer.config.opponent.name,
                self.matches,
                self.config.match_limit,
                self.config.minutes,
            )
        )
        self._write_snapshot()
        if self.reached is None:
            self._play(1)  # loads the kernels
        self._save()  # if that is not possible, it had better be known now
        self._write_snapshot()
        self._began = self._clock()
        if not self.resumed_at:
            self._evaluate()  # where the curve begins
        self._train()
        self._save()
        reason = self.reached or "stopped"
        if not self._stopped and self._evaluated_at != self.matches:
            self._evaluate()
            self._save()
        return reason

    def _train(self) -> None:
        size = 1
        while self.reached is None and not self._stopped:
            size = min(size, self._matches_to_next_stop())
            before = self.matches
            took = self._play(size)
            self._playing_seconds += took
            self._timed_matches += self.matches - before
            size = max(1, int(size * min(_GROWTH, PART_SECONDS / max(took, 1e-6))))
            self._emit(
                Progress(
                    self.matches,
                    self.seconds,
                    self.matches_per_second,
                    self.mean_reward,
                    self.cells,
                )
            )
            self._write_snapshot()
            if self._evaluation_is_due():
                self._evaluate()
            if self._save_is_due():
                self._save()

    def _matches_to_next_stop(self) -> int:
        """Matches to the limit, or to the next snapshot or evaluation."""
        stops = [self.config.match_limit]
        if self.snapshots is not None:
            stops.append(self.snapshots.next_after(self.matches))
        every = self._evaluation_interval()
        if every:
            stops.append(every * (self.matches // every + 1))
        return min((stop - self.matches for stop in stops if stop), default=_MOST)

    def _play(self, matches: int) -> float:
        """Play some more; return the seconds it took."""
        started = self._clock()
        self._note(self._play_soundly(matches).rewards)
        return self._clock() - started

    def _play_soundly(self, matches: int) -> Record:
        """Play some more; where weights diverge, go back to the last sound ones."""
        if self.trainer.function is None:
            return self.trainer.run_for(matches, PART_SECONDS)
        before, noted = self._sound_state(), self.trainer.matches
        try:
            return self.trainer.run_for(matches, PART_SECONDS)
        except DivergenceError as error:
            sound = self.trainer.matches - before.matches
            self.trainer.restore(before)
            record = self.trainer.run(sound)  # the same again: it repeats exactly
            self._note(record.rewards[noted - before.matches :])
            self._save()
            self._emit(Diverged(self.matches, str(error)))
            kept = "" if self.path is None else f" (saved in {self.path})"
            raise DivergenceError(f"{error}{kept}") from None

    def _sound_state(self) -> State:
        """Return a state not long ago, or the present one if copying has paid off."""
        started = self._clock()
        if self._sound is None or started >= self._next_copy:
            self._sound = self.trainer.state()
            now = self._clock()
            self._next_copy = now + (now - started) * (1 / COPY_SHARE - 1)
        return self._sound

    def _note(self, rewards: npt.NDArray[np.float64]) -> None:
        self._rewards.append(rewards.astype(np.int16))
        self._reward_sum += int(rewards.sum(dtype=np.int64))

    # ── evaluation ──────────────────────────────────────────────────────────────────

    def _evaluation_interval(self) -> int | None:
        """Matches between evaluations, if it is matches that decide."""
        every, limit = self.config.evaluate_every, self.config.match_limit
        if every is not None:
            return every
        return None if limit is None else max(1, -(-limit // EVALUATIONS))

    def _evaluation_is_due(self) -> bool:
        if self.config.evaluate_every == 0 or not self._references.opponents:
            return False
        every = self._evaluation_interval()
        if every is not None and self.matches % every:
            return False
        if self.config.evaluate_every is not None:
            return True  # as asked for, whatever it costs
        spent = self._evaluation_seconds + self._last_evaluation_seconds
        affordable = spent <= EVALUATION_SECONDS + EVALUATION_SHARE * self.seconds
        if every is not None or not affordable:
            return affordable
        if self.config.minutes is None:
            return self.seconds >= self._next_evaluation
        pause = 60 * self.config.minutes / EVALUATIONS
        return self.seconds >= self._evaluations_done * pause

    def _evaluate(self) -> None:
        """Play against the reference players."""
        if self.config.evaluate_every == 0 or not self._references.opponents:
            return
        started = self._clock()
        budget = max(EVALUATION_SECONDS, EVALUATION_SHARE * self.seconds)
        results = self._references.play(budget, lambda: self._stopped)
        took = self._clock() - started
        self._evaluation_seconds += took
        self._last_evaluation_seconds = took
        self._evaluated_at = self.matches
        self._evaluations_done += 1
        if len(results) < len(self._references.opponents):
            return  # stopped in the middle
        pause = max(EVALUATION_PAUSE, EVALUATION_SHARE * self.seconds)
        self._next_evaluation = self.seconds + pause
        worked = time.process_time() - self._processor_began
        results = tuple(
            replace(
                one,
                seconds=self._seconds_before + self.seconds,
                processor_seconds=self._processor_before + worked,
            )
            for one in results
        )
        self.evaluations += results
        self._emit(Evaluated(self.matches, results, took))
        if self.best.add(results):
            self._emit(Improved(self.matches, self.best.score))
            self._references.keep_best()
            self._save_best()

    # ── files ───────────────────────────────────────────────────────────────────────

    def _save_is_due(self) -> bool:
        pause = max(SAVE_SECONDS, self._save_seconds * (1 / SAVE_SHARE - 1))
        return self._clock() - self._saved_at >= pause

    def _save(self) -> None:
        """Write the whole state, if there is a file for it."""
        if self.path is None:
            return
        started = self._clock()
        self.is_saving = True
        try:
            save_checkpoint(self.checkpoint(), self.path, overwrite=self._overwrite)
        finally:
            self.is_saving = False
        self._overwrite = True  # from now on it is this run's own
        self.saved_matches = self.matches
        self._saved_at = self._clock()
        self._save_seconds = self._saved_at - started
        self._emit(Checkpointed(self.matches, self.path, self._save_seconds))

    def _save_best(self) -> None:
        """Write the best checkpoint so far, if it is to be kept."""
        if self.path is None or not self.config.keep_best:
            return
        path = best_path(self.path)
        save_checkpoint(self.checkpoint(), path, overwrite=True)
        if path not in self.written:
            self.written.append(path)

    def _snapshot_files(self, overwrite: bool) -> SnapshotFiles | None:
        config = self.config
        if self.path is None or not (config.snapshots or config.snapshot_every):
            return None
        at, every = config.snapshots, config.snapshot_every
        return SnapshotFiles(self.path, at, every, overwrite)

    def _write_snapshot(self) -> None:
        """Write a snapshot if there is to be one after the matches played so far."""
        if self.snapshots is not None and self.snapshots.is_due(self.matches):
            path = self.snapshots.save(self.checkpoint())
            self.written.append(path)
            self._emit(SnapshotWritten(self.matches, path))

    def _emit(self, event: TrainingEvent) -> None:
        """Tell all observers; one that fails is told nothing more."""
        for observer in tuple(self._observers):
            try:
                observer(event)
            except Exception:
                log.exception("an observer of the training run failed, and is dropped")
                self._observers.remove(observer)
