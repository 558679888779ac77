"""What a cluster costs and gains: overhead, scaling, sizes and rates of messages.

    python benchmarks/cluster.py [overhead messages opponents simulate learn …]

Everything runs on a Ray of this machine, with one and with two workers. Rates are of
warm workers: games are compiled and kernels loaded before the clock starts. Beside each
rate stands the time of the processor that the command and all workers took, which other
programs change little.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from gamelore.cluster import Executor, LocalProcesses, SerialExecutor, open_executor
from gamelore.engine import simulator
from gamelore.experiments import find_experiment
from gamelore.experiments.sweep import Sweep
from gamelore.games import load
from gamelore.ggp.match_record import read_match
from gamelore.ggp.tournament.cluster import play_on_cluster
from gamelore.ggp.tournament.config import make_tournament
from gamelore.ggp.tournament.folder import TournamentFolder
from gamelore.ggp.tournament.schedule import schedule
from gamelore.graph import StateGraph
from gamelore.learn.cluster_trainer import ClusterTrainer, SpreadSettings
from gamelore.learn.config import TrainConfig
from gamelore.learn.match_trainer import make_trainer
from gamelore.learn.opponents import AgentOpponent
from gamelore.learn.parts import MatchPartTrainer
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.settings import from_options
from gamelore.values.settings import NetworkSettings

TASKS = 500
TICKS = os.sysconf("SC_CLK_TCK")
NETWORK = TrainConfig(
    learner=TDSettings(step_size=0.01),
    opponent=SelfPlay(),
    function=NetworkSettings(hidden=40, initial_range=None),
)
GAMES = {"tictactoe": 2000, "connect-four": 1000, "breakthrough-6x6": 1000}
"""Matches of training that are timed."""


def do_nothing(task: int) -> int:
    return task


def play_share(game: str, task: int) -> int:
    """Play random matches for a fraction of a second."""
    engine = simulator(load(game))
    return sum(engine.playouts(count=8192, seed=task).goal_counts[0].values())


def timed(work: Callable[..., Any], *arguments: object) -> float:
    started = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - started


class Cost(NamedTuple):
    """What some work took, in seconds."""

    elapsed: float
    command: float
    """Time of the processor, of this process."""
    workers: float
    """… and of the processes that run tasks."""

    def show(self, count: int, what: str, tasks: int) -> str:
        """Return the rate, and the times of the processor for each."""
        return (
            f"{count / self.elapsed:,.1f} {what}/s,"
            f" {1e3 * self.workers / count:,.3f} ms of workers for each,"
            f" {1e3 * self.command / tasks:,.2f} ms of the command for each task"
        )


def measure_cost(work: Callable[..., Any], *arguments: object) -> Cost:
    before, began, started = workers_time(), time.process_time(), time.perf_counter()
    work(*arguments)
    elapsed, used = time.perf_counter() - started, time.process_time() - began
    return Cost(elapsed, used, workers_time() - before)


def workers_time() -> float:
    """Return the processor time of all workers of Ray below this process so far."""
    parents: dict[int, int] = {}
    times: dict[int, float] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            title = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        process = int(entry.name)
        parents[process] = int(fields[1])
        if title.startswith((b"ray::call", b"ray::IDLE", b"ray::Player")):
            times[process] = (int(fields[11]) + int(fields[12])) / TICKS
    return sum(spent for process, spent in times.items() if is_below(process, parents))


def is_below(process: int, parents: dict[int, int]) -> bool:
    """Return whether a process is one of this one's."""
    while process in parents and process != os.getpid():
        process = parents[process]
    return process == os.getpid()


def processor_time(work: Callable[..., Any], *arguments: object) -> float:
    """Return the seconds of the processor that work takes, whoever else uses it."""
    started = time.process_time()
    work(*arguments)
    return time.process_time() - started


def measure_overhead() -> None:
    """Print the time of a task that does nothing."""
    makers: dict[str, Callable[[], Executor]] = {
        "in this process": SerialExecutor,
        "2 processes": lambda: LocalProcesses(2),
        "Ray, 1 worker": lambda: open_executor("local", 1),
        "Ray, 2 workers": lambda: open_executor("local", 2),
    }
    for name, make in makers.items():
        opened = time.perf_counter()
        with make() as executor:
            executor.map(do_nothing, range(20))
            ready = time.perf_counter() - opened
            seconds = timed(executor.map, do_nothing, range(TASKS))
        each = 1000 * seconds / TASKS
        print(f"{name:<16} {each:7.3f} ms per task, ready after {ready:5.1f} s")


def measure_simulate() -> None:
    """Print random matches per second."""
    for workers in (1, 2):
        with open_executor("local", workers) as executor:
            work = partial(play_share, "connect-four")
            executor.map(work, range(2 * workers))
            count = 200
            cost = measure_cost(executor.map, work, range(count))
        shown = cost.show(count * 8192, "matches", count)
        print(f"simulate connect-four, {workers} workers: {shown}")


def measure_tournament() -> None:
    """Print matches of a tournament per second."""
    values = {
        "repeats": 30,
        "play_clock": 30,
        "players": {"tree": "mcts-100", "other": "mcts-100", "chance": "random"},
        "games": ["connect-four"],
    }
    for workers in (1, 2):
        with TemporaryDirectory() as name, open_executor("local", workers) as executor:
            tournament = make_tournament(values, Path(name) / "cup.toml")
            fixtures = [*schedule(tournament)]
            engines = {"connect-four": simulator(load("connect-four"))}
            folder = TournamentFolder(tournament)
            with folder.opened():
                first = 2 * workers
                play_on_cluster(executor, folder, fixtures[:first], engines)
                rest = fixtures[first:]
                cost = measure_cost(play_on_cluster, executor, folder, rest, engines)
                sizes = [
                    len(pickle.dumps(read_match(path)))
                    for path in folder.matches.glob("*.json")
                ]
        print(
            f"tournament, {workers} workers:"
            f" {cost.show(len(rest), 'matches', len(rest))},"
            f" {sum(sizes) / len(sizes):,.0f} bytes a record"
        )


def measure_learn() -> None:
    """Print matches of self-play per second, in one process and on workers."""
    for game, matches in GAMES.items():
        trainer = Trainer(StateGraph(simulator(load(game))), NETWORK)
        trainer.run(100)
        alone = matches / timed(trainer.run, matches)
        print(f"{game}: {alone:,.0f} matches/s in one process")
        for workers in (1, 2):
            with open_executor("local", workers) as executor:
                spread = make_spread(game, executor)
                spread.run(400)
                cost = measure_cost(spread.run, matches)
                spread.pending()
            shown = cost.show(matches, "matches", matches // spread.spread.part)
            print(f"{game}, {workers} workers: {shown}")


def measure_search() -> None:
    """Print matches of training per second against a player that searches."""
    config = replace(NETWORK, opponent=AgentOpponent("mcts-100"))
    for workers in (1, 2):
        with open_executor("local", workers) as executor:
            spread = make_spread(
                "connect-four", executor, config, SpreadSettings(5, 40)
            )
            spread.run(40)
            cost = measure_cost(spread.run, 160)
            spread.pending()
        shown = cost.show(160, "matches", 32)
        print(f"connect-four against mcts-100, {workers} workers: {shown}")


class TimedSweep(Sweep):
    """Notes what its tasks cost; reports and figures are the command's."""

    def run(
        self,
        work: Callable[[Any], Any],
        tasks: Sequence[Any],
        matches: Callable[[Any], int],
    ) -> list[Any]:
        found: list[Any] = []
        cost = measure_cost(
            lambda: found.extend(super(TimedSweep, self).run(work, tasks, matches))
        )
        played = sum(map(matches, tasks))
        print(f"  {len(tasks)} tasks: {cost.show(played, 'matches', len(tasks))}")
        return found


def measure_reproduce() -> None:
    """Print matches of an experiment per second."""
    experiment = find_experiment("banerjee2007")
    settings = from_options(experiment.settings, experiment.quick)
    for workers in (1, 2):
        with TemporaryDirectory() as name, open_executor("local", workers) as executor:
            for state in ("cold", "warm"):
                print(f"reproduce banerjee2007 --quick, {workers} workers, {state}")
                sweep = TimedSweep(executor=executor)
                experiment.reproduce(settings, Path(name), sweep, smoke_test=True)


def measure_actors() -> None:
    """Print the time of a task beside that of a call of an actor, in turn."""
    with open_executor("local", 2) as executor:
        import ray

        class Player:
            def call(self, task: int) -> int:
                return do_nothing(task)

        remote = ray.remote(num_cpus=0)(Player)
        players = [remote.remote() for _ in range(2)]

        def call_actors(count: int) -> None:
            """Give each its next task when it has done the last, as executors do."""
            ahead = iter(range(count))
            busy = {players[n].call.remote(next(ahead)): players[n] for n in range(2)}
            while busy:
                (done,), _ = ray.wait([*busy], num_returns=1)
                ray.get(done)
                player = busy.pop(done)
                task = next(ahead, None)
                if task is not None:
                    busy[player.call.remote(task)] = player

        executor.map(do_nothing, range(20))
        call_actors(20)
        for _ in range(5):
            tasks = measure_cost(executor.map, do_nothing, range(TASKS))
            calls = measure_cost(call_actors, TASKS)
            print(
                f"elapsed {1e3 * tasks.elapsed / TASKS:.2f} ms a task,"
                f" {1e3 * calls.elapsed / TASKS:.2f} ms a call of an actor;"
                f" of the command {1e3 * tasks.command / TASKS:.2f} and"
                f" {1e3 * calls.command / TASKS:.2f} ms of the processor"
            )
        for player in players:
            ray.kill(player)


def make_spread(
    game: str,
    executor: Executor,
    config: TrainConfig = NETWORK,
    settings: SpreadSettings = SpreadSettings(50, 400),  # noqa: B008 - it is frozen
) -> ClusterTrainer:
    source = make_trainer(StateGraph(simulator(load(game))), config)
    spread = ClusterTrainer(source, executor, settings)
    spread.warm_up()
    return spread


def measure_messages() -> None:
    """Print sizes of messages, and processor time to play and learn from a match."""
    for game, matches in GAMES.items():
        with SerialExecutor() as executor:
            spread = make_spread(game, executor)
            spread.run(200)
            values = spread.played_values()
            weights = len(pickle.dumps(values))
            played = spread.play_part(200, matches)
            playing = processor_time(spread.play_part, 200, matches) / matches
            spread.matches = 200
            learning = processor_time(spread.learn_part, played, matches) / matches
            loading = processor_time(spread.load_values, values)
        size = len(pickle.dumps(played)) / matches
        print(
            f"{game}: {size:.0f} bytes a match, {weights:,} bytes of values;"
            f" a match takes {1e6 * playing:,.0f} µs to play and"
            f" {1e6 * learning:,.0f} µs to learn from, values {1e6 * loading:,.0f} µs"
            " to load"
        )


def measure_opponents() -> None:
    """Print processor time of a match against a player that searches."""
    graph = StateGraph(simulator(load("connect-four")))
    for opponent in ("mcts-100", "mcts-1000"):
        config = replace(NETWORK, opponent=AgentOpponent(opponent))
        actor = MatchPartTrainer(graph, config)
        actor.play_part(0, 2)
        seconds = processor_time(actor.play_part, 2, 20) / 20
        print(f"connect-four against {opponent}: {1e3 * seconds:.1f} ms a match")


MEASURES = {
    "overhead": measure_overhead,
    "messages": measure_messages,
    "opponents": measure_opponents,
    "simulate": measure_simulate,
    "tournament": measure_tournament,
    "learn": measure_learn,
    "search": measure_search,
    "reproduce": measure_reproduce,
    "actors": measure_actors,
}


def main() -> None:
    """Measure what is asked for, or everything."""
    for name in sys.argv[1:] or MEASURES:
        MEASURES[name]()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
