"""The process of a training run: `python -m gamelore.lab.run_worker FOLDER`.

It trains as `run.json` says, goes on from the checkpoint if there is one, and writes a
line of JSON for whatever happens. It stops, and saves, when its input ends or says so:
a server that is gone leaves no process behind.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
import warnings
from pathlib import Path
from threading import Thread

import msgspec
import numpy as np

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.gdl import to_kif
from gamelore.graph import StateGraph
from gamelore.lab.events import GameSample
from gamelore.lab.run_files import (
    AnyLine,
    CurveLine,
    EndLine,
    ErrorLine,
    ProgressLine,
    RunFolder,
    RunSpec,
    SampleLine,
    view_result,
)
from gamelore.learn import events
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.files import load_checkpoint
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.match_trainer import make_trainer
from gamelore.learn.position_values import LearnedValues
from gamelore.learn.run import TrainingRun
from gamelore.learn.snapshots import read_input_features
from gamelore.learn.trainer import Trainer
from gamelore.learn.zero.player import PolicyValuePlayer
from gamelore.match.match import play_match
from gamelore.match.record import CHANCE
from gamelore.player import Player
from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.transfer import (
    add_knowledge,
    extract_from_trainer,
    initialise_roles,
    load_sources,
)
from gamelore.values.evaluator import ValueFunctionEvaluator

PROGRESS_SECONDS = 0.25
SAMPLE_SECONDS = 3.0
"""Between two matches that are shown."""
SAMPLE_MOVES = 400
STOP = "stop"
NICENESS = 5
"""Training waits for those who play."""


def write(line: AnyLine) -> None:
    """Tell the server."""
    sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stdout.buffer.flush()


class Reporter:
    """Tells the server what a run does, not more often than a page can show."""

    def __init__(self, run: TrainingRun) -> None:
        self._run = run
        self._told = 0.0
        self._sampled = 0.0
        self._samples = 0

    def observe(self, event: events.TrainingEvent) -> None:
        """Report one event."""
        if isinstance(event, events.Started):
            points = [view_result(one) for one in self._run.evaluations]
            write(CurveLine(points, whole=True))
        elif isinstance(event, events.Evaluated):
            write(CurveLine([view_result(one) for one in event.results], whole=False))
        elif isinstance(event, events.Progress):
            now = time.monotonic()
            if now - self._told >= PROGRESS_SECONDS:
                self._told = now
                write(
                    ProgressLine(event.matches, event.seconds, event.matches_per_second)
                )
            if now - self._sampled >= SAMPLE_SECONDS:
                self._samples += 1
                write(SampleLine(play_sample(self._run.trainer, self._samples)))
                self._sampled = time.monotonic()
        elif isinstance(event, events.Finished):
            write(
                ProgressLine(event.matches, event.seconds, self._run.matches_per_second)
            )


def play_sample(trainer: Trainer, seed: int) -> GameSample:
    """Play a match by what was learned; other roles move at random."""
    engine = trainer.graph.simulator
    players: dict[str, Player] = {
        role: RandomPlayer(seed) for role in engine.roles if role != CHANCE
    }
    for number in trainer.known_roles:
        players[engine.roles[number]] = _make_player(trainer, number, seed)
    record = play_match(engine, players, seed=seed, move_limit=SAMPLE_MOVES)
    role = trainer.known_roles[0]
    positions = [Position.initial(engine)]
    for joint in record.moves:
        positions.append(positions[-1].advance(joint))
    return GameSample(
        trained=trainer.matches,
        moves=[[to_kif(move) for move in joint] for joint in record.moves],
        values=_evaluate(trainer, positions, role),
        role=engine.roles[role],
    )


def _make_player(trainer: Trainer, role: int, seed: int) -> Player:
    if trainer.network is not None:
        return PolicyValuePlayer(trainer.network, seed)
    if trainer.function is None:
        return GreedyPlayer(trainer.values(role), seed=seed)
    evaluator = ValueFunctionEvaluator(trainer.function)
    return AlphaBetaPlayer(evaluator, seed=seed, limits=SearchLimits(1))


def _evaluate(
    trainer: Trainer, positions: list[Position], role: int
) -> list[float | None]:
    rows = np.array([position.row for position in positions], np.uint64)
    try:
        values = LearnedValues(trainer).evaluate(rows, role)
    except GameloreError:
        return [None] * len(positions)  # values of moves are none of positions
    return [None if np.isnan(value) else float(value) for value in values]


# ── the run ─────────────────────────────────────────────────────────────────────────


def make_run(folder: RunFolder, spec: RunSpec) -> TrainingRun:
    """Return the run from its first match on, or from its checkpoint."""
    config, limits = spec.settings()
    game = spec.load_game()
    if folder.checkpoint.exists():
        checkpoint = load_checkpoint(folder.checkpoint)
        features = read_input_features(checkpoint, game)
        graph = StateGraph(simulator(game, features=features))
        return TrainingRun.resume(checkpoint, graph, limits, folder.checkpoint)
    graph = StateGraph(simulator(game))
    initial = []
    if spec.knowledge is not None:
        source = RunFolder(folder.path.parent / spec.knowledge).knowledge
        roles = make_trainer(graph, config).learner_roles
        initial = initialise_roles(load_sources([source]), graph, roles)
    trainer = make_trainer(graph, config, initial)
    return TrainingRun(trainer, limits, folder.checkpoint)


def train(folder: RunFolder) -> None:
    """Train until a limit, or until told to stop."""
    run = make_run(folder, folder.read())
    run.add_observer(Reporter(run).observe)

    def listen() -> None:
        for line in sys.stdin:
            if line.strip() == STOP:
                break
        run.stop()

    Thread(target=listen, name="stop", daemon=True).start()
    reason = run.run()
    write(EndLine(reason, run.matches))


def extract(folder: RunFolder) -> None:
    """Write the tree patterns of what was learned beside the checkpoint."""
    checkpoint: Checkpoint = load_checkpoint(folder.checkpoint)
    graph = StateGraph(simulator(folder.read().load_game()))
    trainer = checkpoint.trainer(graph)
    learned = extract_from_trainer(trainer, run=checkpoint.key[:16])
    add_knowledge(learned, folder.knowledge, overwrite=True)


def main(arguments: list[str]) -> int:
    """Run, or extract tree patterns, and return the exit status."""
    warnings.simplefilter("ignore")
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    folder = RunFolder(Path(arguments[0]))
    try:
        if arguments[1:] == ["--patterns"]:
            extract(folder)
        else:
            train(folder)
    except GameloreError as error:
        write(ErrorLine(str(error)))
        return 1
    except Exception as error:  # whatever it is, the page must be able to show it
        traceback.print_exc()
        write(ErrorLine(f"{type(error).__name__}: {error}"))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
