"""One training run of the lab: how far it is, and what it looks like."""

from __future__ import annotations

import asyncio

from gamelore.errors import GameloreError
from gamelore.lab.events import EvaluationView, RunSample, RunView
from gamelore.lab.run_files import RunFolder, RunSpec, view_result
from gamelore.learn.files import load_checkpoint
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.zero.settings import ZeroSettings

_LEARNERS = {TDSettings: "TD(λ)", QSettings: "Q-learning", ZeroSettings: "zero"}


class LabRun:
    """One training run."""

    def __init__(self, folder: RunFolder, spec: RunSpec) -> None:
        self.folder = folder
        self.spec = spec
        self.matches = 0
        self.seconds = 0.0
        self.per_second = 0.0
        self.curve: list[EvaluationView] = []
        self.process: asyncio.subprocess.Process | None = None
        self.task: asyncio.Task[None] | None = None
        self.sample: RunSample | None = None
        self.pausing = False
        self.config, self.limits = spec.settings()

    @property
    def status(self) -> str:
        """What it is doing."""
        if self.process is not None:
            if self.pausing:
                return "pausing"
            return "running" if self.matches and self.per_second else "starting"
        return self.spec.status

    def load(self) -> None:
        """Read from its checkpoint how far it is."""
        if not self.folder.checkpoint.exists():
            return
        try:
            checkpoint = load_checkpoint(self.folder.checkpoint)
        except GameloreError as error:
            self.spec.status, self.spec.message = "failed", str(error)
            return
        self.matches = checkpoint.matches
        self.curve = [view_result(one) for one in checkpoint.evaluations]

    def view(self) -> RunView:
        """Return it as a message."""
        spec, config = self.spec, self.config
        table = config.function is None
        against = (
            "itself" if isinstance(config.opponent, SelfPlay) else config.opponent.name
        )
        learner = _LEARNERS[type(config.learner)]
        kept = "table" if table else type(config.function).__name__[:-8].lower()
        return RunView(
            run=spec.run,
            name=spec.name,
            game=spec.game,
            label=spec.label,
            status=self.status,
            message=spec.message,
            matches=self.matches,
            limit=self.limits.match_limit,
            minutes=self.limits.minutes,
            per_second=self.per_second if self.process else 0.0,
            seconds=self.seconds,
            summary=f"{learner}, {kept}, against {against}",
            curve=self.curve,
            snapshots=self.folder.snapshots(),
            role=config.role,
            knowledge=spec.knowledge or "",
            has_patterns=table and isinstance(config.learner, TDSettings),
        )

    def keep(self, status: str, message: str = "") -> None:
        """Keep what has become of it."""
        self.spec.status, self.spec.message = status, message
        self.folder.write(self.spec)
