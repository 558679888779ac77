"""All training runs of the lab: each a folder, and a process while it trains.

What is wanted of a run (`running`, `paused`) is in its folder before anything happens,
so a server that starts again goes on with the runs that were running.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from gamelore.errors import GameloreError
from gamelore.lab.drawing import view_position
from gamelore.lab.events import (
    Event,
    PatternList,
    PatternView,
    RunList,
    RunRemoved,
    RunSample,
    RunState,
)
from gamelore.lab.lab_run import LabRun
from gamelore.lab.matches import Follower
from gamelore.lab.requests import Place
from gamelore.lab.run_files import (
    AnyLine,
    CurveLine,
    EndLine,
    ErrorLine,
    ProgressLine,
    RunFolder,
    RunSpec,
    SampleLine,
)
from gamelore.lab.run_worker import STOP
from gamelore.lab.shelf import GameShelf, complete_joint
from gamelore.lab.workspace import Workspace
from gamelore.transfer import load_knowledge
from gamelore.transfer.tree_pattern import order_key

log = logging.getLogger(__name__)

MOST_RUNNING = 4
MOST_RUNS = 200
STOP_SECONDS = 20.0
"""For a process to save and end; then it is ended."""
PATTERN_SECONDS = 120.0

_ENDED = {"matches": "done", "minutes": "done", "stopped": "paused"}
_LONGEST_LINE = 1 << 20
_decode: Callable[[bytes], AnyLine] = msgspec.json.Decoder(AnyLine).decode


class RunBook:
    """Starts, stops and watches training runs."""

    def __init__(self, workspace: Workspace, shelf: GameShelf) -> None:
        self._workspace = workspace
        self._shelf = shelf
        self._runs: dict[str, LabRun] = {}
        self._followers: set[Follower] = set()
        self._closing = False

    async def open(self) -> None:
        """Find the runs of the folder, and go on with those that were running."""
        for path in sorted(self._workspace.runs.iterdir()):
            folder = RunFolder(path)
            if not folder.spec.exists():
                continue
            try:
                run = LabRun(folder, folder.read())
            except (GameloreError, ValueError) as error:
                log.warning("a training run is left out: %s", error)
                continue
            await asyncio.to_thread(run.load)
            self._runs[run.spec.run] = run
        wanted = [run for run in self._runs.values() if run.spec.status == "running"]
        for run in sorted(wanted, key=lambda one: one.spec.created):
            if self._count() < MOST_RUNNING:
                await self._launch(run)
            else:
                run.keep("paused")

    async def close(self) -> None:
        """Have all runs save and end; they go on when the lab is opened again."""
        self._closing = True
        tasks = [run.task for run in self._runs.values() if run.task is not None]
        for run in self._runs.values():
            self._tell_stop(run)
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=STOP_SECONDS)
            for run in self._runs.values():
                if run.task in late and run.process is not None:
                    run.process.kill()
            await asyncio.gather(*tasks, return_exceptions=True)

    # ── what pages ask for ──────────────────────────────────────────────────────────

    def find(self, key: str) -> LabRun:
        """Return a run; `GameloreError` if there is none of that id."""
        if key not in self._runs:
            raise GameloreError(f"there is no run {key!r:.40}")
        return self._runs[key]

    async def start(
        self, game: str, options: dict[str, Any], name: str, knowledge: str | None
    ) -> LabRun:
        """Begin a run; `SettingError` names the setting that cannot be."""
        if len(self._runs) >= MOST_RUNS:
            raise GameloreError(f"there are {MOST_RUNS} runs: remove some of them")
        self._check_room()
        if knowledge is not None and not self.find(knowledge).folder.knowledge.exists():
            raise GameloreError(f"no tree patterns of run {knowledge} are kept")
        loaded = await asyncio.to_thread(self._shelf.load, game)
        key = secrets.token_hex(4)
        spec = RunSpec(
            run=key,
            name=name or f"{loaded.name} {key[:4]}",
            game=game,
            label=loaded.name,
            rules=loaded.to_kif(),
            options=options,
            knowledge=knowledge,
            created=time.time(),
        )
        run = LabRun(RunFolder(self._workspace.runs / key), spec)
        run.keep("running")
        self._runs[key] = run
        await self._launch(run)
        return run

    async def pause(self, key: str) -> None:
        """Have a run save and end."""
        run = self.find(key)
        if run.process is None:
            raise GameloreError(f"{run.spec.name} is not running")
        run.pausing = True
        run.keep("paused")
        self._tell_stop(run)
        self._publish(run)
        asyncio.get_running_loop().call_later(
            STOP_SECONDS, self._kill, run, run.process
        )

    async def resume(self, key: str, matches: int | None) -> None:
        """Go on with a run, perhaps to another number of matches."""
        run = self.find(key)
        if run.process is not None:
            raise GameloreError(f"{run.spec.name} is running")
        self._check_room()
        if matches is not None:
            run.spec.options = {**run.spec.options, "matches": matches}
            run.config, run.limits = run.spec.settings()
        run.keep("running")
        await self._launch(run)

    async def remove(self, key: str) -> None:
        """End a run and delete its folder."""
        run = self.find(key)
        if run.process is not None:
            run.process.kill()
            if run.task is not None:
                await asyncio.wait([run.task])
        del self._runs[key]
        await asyncio.to_thread(shutil.rmtree, run.folder.path, True)
        self._tell(RunRemoved(run=key), f"run:{key}")

    def follow(self, follower: Follower) -> RunList:
        """Tell somebody of all runs from now on."""
        self._followers.add(follower)
        for run in self._runs.values():
            if run.sample is not None:
                content = msgspec.json.encode(run.sample)
                follower.push(content, f"sample:{run.spec.run}")
        ordered = sorted(self._runs.values(), key=lambda run: -run.spec.created)
        return RunList(runs=[run.view() for run in ordered])

    def leave(self, follower: Follower) -> None:
        """Tell somebody no more."""
        self._followers.discard(follower)

    async def find_patterns(self, key: str) -> PatternList:
        """Return the tree patterns of what a run has learned, with their values."""
        run = self.find(key)
        if not run.view().has_patterns:
            raise GameloreError(
                f"{run.spec.name} has no tree patterns: start a run of td with a table"
            )
        if not run.folder.checkpoint.exists():
            raise GameloreError(f"{run.spec.name} has learned nothing yet: wait")
        process = await self._spawn(run, "--patterns")
        try:
            output, _ = await asyncio.wait_for(process.communicate(), PATTERN_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
            raise GameloreError(
                "valuing tree patterns took too long: learn a smaller game"
            ) from None
        for line in output.splitlines():
            found = _decode(line)
            if isinstance(found, ErrorLine):
                raise GameloreError(found.message)
        return await asyncio.to_thread(_read_patterns, run)

    # ── processes ───────────────────────────────────────────────────────────────────

    def _count(self) -> int:
        return sum(run.process is not None for run in self._runs.values())

    def _check_room(self) -> None:
        if self._count() >= MOST_RUNNING:
            raise GameloreError(f"{MOST_RUNNING} runs are training: pause one of them")

    async def _spawn(self, run: LabRun, *more: str) -> asyncio.subprocess.Process:
        source = str(Path(__file__).parents[2])
        before = os.environ.get("PYTHONPATH")
        path = source if not before else f"{source}{os.pathsep}{before}"
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "gamelore.lab.run_worker",
            str(run.folder.path),
            *more,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            limit=_LONGEST_LINE,
            start_new_session=True,  # Ctrl-C is for the server, which then stops it
        )

    async def _launch(self, run: LabRun) -> None:
        run.pausing = False
        run.per_second = 0.0
        run.process = await self._spawn(run)
        run.task = asyncio.create_task(self._watch(run, run.process))
        self._publish(run)

    async def _watch(self, run: LabRun, process: asyncio.subprocess.Process) -> None:
        """Follow a process to its end."""
        assert process.stdout is not None
        last: EndLine | ErrorLine | None = None
        while line := await process.stdout.readline():
            try:
                found = _decode(line)
            except msgspec.DecodeError:
                continue  # something else wrote to the output
            if isinstance(found, EndLine | ErrorLine):
                last = found
            else:
                await self._note(run, found)
        status = await process.wait()
        run.process = run.task = None
        self._conclude(run, last, status)
        self._publish(run)

    async def _note(
        self, run: LabRun, line: ProgressLine | CurveLine | SampleLine
    ) -> None:
        if isinstance(line, ProgressLine):
            run.matches, run.seconds = line.matches, line.seconds
            run.per_second = line.per_second
        elif isinstance(line, CurveLine):
            run.curve = line.points if line.whole else [*run.curve, *line.points]
        else:
            run.sample = await asyncio.to_thread(self._draw_sample, run, line)
            self._tell(run.sample, f"sample:{run.spec.run}")
            return
        self._publish(run)

    def _draw_sample(self, run: LabRun, line: SampleLine) -> RunSample:
        game = self._shelf.prepare(run.spec.game)
        place = Place(run.spec.game, line.sample.moves)
        positions = game.locate(place)
        last = None
        if len(positions) > 1:
            joint = complete_joint(positions[-2], line.sample.moves[-1])
            last = positions[-2], joint
        view = view_position(game, positions[-1], len(positions) - 1, last)
        return RunSample(run=run.spec.run, sample=line.sample, view=view)

    def _conclude(
        self, run: LabRun, last: EndLine | ErrorLine | None, status: int
    ) -> None:
        """Keep what has become of a run whose process has ended."""
        if self._closing and not isinstance(last, ErrorLine):
            if isinstance(last, EndLine) and last.reason != "stopped":
                run.keep("done")
            return  # it is wanted as before, when the lab is opened again
        if isinstance(last, EndLine):
            run.keep(_ENDED[last.reason])
        elif isinstance(last, ErrorLine):
            run.keep("failed", last.message)
        elif run.spec.run in self._runs:
            run.keep("failed", f"its process was ended (status {status}): resume it")

    def _tell_stop(self, run: LabRun) -> None:
        if run.process is not None and run.process.stdin is not None:
            with contextlib.suppress(OSError):
                run.process.stdin.write(f"{STOP}\n".encode())

    def _kill(self, run: LabRun, process: asyncio.subprocess.Process) -> None:
        if run.process is process:
            process.kill()

    # ── followers ───────────────────────────────────────────────────────────────────

    def _publish(self, run: LabRun) -> None:
        if self._followers:
            self._tell(RunState(view=run.view()), f"run:{run.spec.run}")

    def _tell(self, event: Event, slot: str) -> None:
        content = msgspec.json.encode(event)
        for follower in tuple(self._followers):
            follower.push(content, slot)


def _read_patterns(run: LabRun) -> PatternList:
    values = load_knowledge(run.folder.knowledge).values()
    ordered = sorted(values.items(), key=lambda item: -item[1].value)
    return PatternList(
        run=run.spec.run,
        patterns=[
            PatternView(
                str(pattern),
                _as_lists(pattern.tree),
                found.value,
                found.visits,
                found.afterstates,
            )
            for pattern, found in ordered
        ],
        file=f"runs/{run.spec.run}/{run.folder.knowledge.name}",
    )


def _as_lists(tree: Any) -> Any:
    if isinstance(tree, str):
        return tree
    return [_as_lists(below) for below in sorted(tree, key=order_key)]
