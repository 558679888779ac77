"""Connect Four against perfect play: how often a player's move keeps the result.

The share of decisive positions in which it does, with Wilson's interval, by plies.

Decisive positions are those in which some move gives the result away, from random play
of 0 to 30 moves, no position twice; `bitbully` (the extra `solvers`) labels them.
Settings are tuned on positions of one seed and measured on positions of another.

    python benchmarks/connect_four.py label tuning.json --seed 101 --count 400
    python benchmarks/connect_four.py label verdict.json --seed 777001 --count 1000
    python benchmarks/connect_four.py measure verdict.json [--player mcts ...]
        [--seconds 1 | --untimed] [--count 1000] [--seed 1] [--jobs 1] [--json FILE]
    python benchmarks/connect_four.py train verdict.json --minutes 30
        [--values ntuple | network | zero] [--every 1] [--seed 1] [--save FILE]
        [--json FILE] [--resume]
    python benchmarks/connect_four.py plot curves.png CURVE.json ...

Several players take turns at each position. A player is a spec as for `gamelore match`,
or one with settings: "mcts decisive=off", "mcts playouts=50000" and "openspiel
simulations=80000" with --untimed. Answers are kept in the file of --json as they come;
an interrupted run goes on where it stopped.

`train` trains a preset, or the learner zero by its defaults, on one core, and shows
after every so many minutes of its processor time how often the move with the best value
keeps the result, without search. `plot` draws the curves that it has written.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import fmean

import msgspec
import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from gamelore.adapters.open_spiel_bots import MCTSBotPlayer
from gamelore.bench.decisive import (
    GAME,
    DecisivePosition,
    find_column,
    load_bitbully,
    load_positions,
    sample_decisive,
    save_positions,
)
from gamelore.bench.greedy import DecisiveMoves
from gamelore.bench.journal import Journal, Record, work_through
from gamelore.bench.players import (
    PacedPlayer,
    PlayerMaker,
    count_playouts,
    parse_player,
    warm_up,
)
from gamelore.engine import Simulator, simulator
from gamelore.experiments.plots import COLOURS, WIDTH
from gamelore.files import write_atomic
from gamelore.games import load, load_features
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint, save_checkpoint
from gamelore.learn.match_trainer import make_trainer
from gamelore.learn.presets import NETWORKS, PRESETS
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.trainer import Trainer
from gamelore.learn.zero.settings import ZeroSettings
from gamelore.match.standings import share
from gamelore.player import Briefing, Clock
from gamelore.search.evaluator import Evaluator
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.policy_value_evaluator import PolicyValueEvaluator
from gamelore.values.policy_value_settings import PolicyValueSettings

BAND = 5  # plies that are reported together
_SHOWN = 20  # positions between two lines of progress
_SAVED = 50  # labels between two savings
_MATCHES = {"ntuple": 2000, "network": 2000, "zero": 100}
"""Of training, between two looks at the clock."""
_NAMES = {"ntuple": "n-tuples", "network": "network", "zero": "zero"}


def label(args: argparse.Namespace) -> None:
    """Label positions, and write them to a file."""
    started = time.monotonic()
    found: list[DecisivePosition] = []
    positions = sample_decisive(_simulator(), load_bitbully(), args.seed)
    for position in itertools.islice(positions, args.count):
        found.append(position)
        if len(found) % _SAVED == 0 or len(found) == args.count:
            save_positions(args.file, found)
            taken = time.monotonic() - started
            print(f"{len(found):,} positions, {taken:.0f} s", flush=True)


# ── measuring ───────────────────────────────────────────────────────────────────────


def answer(task: Record) -> Record:
    """Ask the player of a task for its move; it is made anew for every position."""
    sim = _simulator()
    moves, keep = tuple(task["moves"]), tuple(task["keep"])
    *earlier, position = DecisivePosition(moves, keep, 0).line(sim)
    seeds = np.random.SeedSequence((task["seed"], *moves)).generate_state(1)
    player = _maker(task["player"])(int(seeds[0]))
    seconds = task["seconds"]
    paced = PacedPlayer(player) if seconds is None else PacedPlayer(player, seconds)
    assert position.mover is not None, "a decisive position has several moves"
    paced.start(Briefing(sim, position.mover), Clock())
    if isinstance(player, MCTSBotPlayer):
        for one in earlier:
            player.follow(one)
    column = find_column(paced.choose(position, Clock()))
    return {
        "column": column,
        "kept": column in keep,
        "seconds": round(paced.times[-1], 4),
        "playouts": count_playouts(player),
    }


@cache
def _simulator() -> Simulator:
    return simulator(load(GAME))


@cache
def _maker(text: str) -> PlayerMaker:
    maker = parse_player(text)
    warm_up(maker, _simulator())
    return maker


def list_tasks(
    positions: Sequence[DecisivePosition],
    players: Sequence[str],
    args: argparse.Namespace,
) -> Iterator[Record]:
    """Yield every position for every player, position by position."""
    for position in positions:
        for player in players:
            yield {
                "moves": list(position.moves),
                "keep": list(position.keep),
                "player": player,
                "seconds": None if args.untimed else args.seconds,
                "seed": args.seed,
            }


def measure(args: argparse.Namespace) -> None:
    """Ask all players at all positions, and print their shares."""
    players = args.player or ["mcts"]
    for text in players:
        parse_player(text)  # an error comes before all answers
    positions = distinct(load_positions(args.file))[: args.count]
    tasks = list(list_tasks(positions, players, args))
    answers: dict[str, list[tuple[int, Record]]] = defaultdict(list)
    done = work_through(tasks, answer, Journal(args.json), jobs=args.jobs)
    with suppress(KeyboardInterrupt):  # what was answered is reported
        for number, (task, result) in enumerate(done, start=1):
            answers[task["player"]].append((len(task["moves"]), result))
            if number % (_SHOWN * len(players)) == 0 or number == len(tasks):
                print(f"{number:,} of {len(tasks):,}: {summarise(answers)}", flush=True)
    print(f"\n{len(positions):,} distinct positions of {args.file.name}")
    for player, given in answers.items():
        report(player, given)


def distinct(positions: Sequence[DecisivePosition]) -> list[DecisivePosition]:
    """Return every position once, whatever the order of moves that led to it."""
    sim = _simulator()
    found: dict[bytes, DecisivePosition] = {}
    for position in positions:
        found.setdefault(position.line(sim)[-1].row.tobytes(), position)
    return list(found.values())


def summarise(answers: dict[str, list[tuple[int, Record]]]) -> str:
    """Return each player's share so far, in a line."""
    return ", ".join(
        f"{player} {fmean(one['kept'] for _, one in given):.1%}"
        for player, given in answers.items()
    )


def report(player: str, given: Sequence[tuple[int, Record]]) -> None:
    """Print the shares of a player, in all and by plies."""
    print(
        f"\n{player}: {fmean(one['seconds'] for _, one in given):.3f} s a move", end=""
    )
    playouts = [one["playouts"] for _, one in given if one["playouts"] is not None]
    print(f", {fmean(playouts):,.0f} playouts" if playouts else "")
    bands: dict[str, list[Record]] = defaultdict(list)
    for plies, one in sorted(given, key=lambda pair: pair[0]):
        first = plies // BAND * BAND
        bands[f"plies {first} to {first + BAND - 1}"].append(one)
    bands["all"] = [one for _, one in given]
    for name, answers in bands.items():
        kept = sum(one["kept"] for one in answers)
        found = share(kept, len(answers))
        print(
            f"  {name:15} {kept:4} of {len(answers):4}  {found.value:6.1%}"
            f" [{found.low:.1%}, {found.high:.1%}]"
        )


# ── training ────────────────────────────────────────────────────────────────────────


def train(args: argparse.Namespace) -> None:
    """Train, and print the share that is kept, over processor time."""
    config, features = _choose_config(args.values)
    game = load(GAME)
    rules = None if features is None else load_features(features, game)
    sim = simulator(game, features=rules)
    moves = DecisiveMoves(sim, distinct(load_positions(args.file)))
    points: list[dict[str, float]] = []
    rewards: list[npt.NDArray[np.float64]] = []
    if args.resume:
        points = msgspec.json.decode(args.json.read_bytes())["points"]
        saved = load_checkpoint(args.save)
        trainer = saved.trainer(StateGraph(sim))
        rewards.append(saved.rewards.astype(np.float64))
    else:
        trainer = make_trainer(StateGraph(sim), replace(config, seed=args.seed))
    rewards.append(trainer.run(1).rewards)  # loads the kernels
    worked = due = 60 * points[-1]["minutes"] if points else 0.0
    before = points[-1]["wall_minutes"] if points else 0.0
    began = time.monotonic()
    while worked < 60 * args.minutes:
        due += 60 * min(args.every, args.minutes)
        while worked < due:
            started = time.process_time()
            rewards.append(trainer.run(_MATCHES[args.values]).rewards)
            worked += time.process_time() - started
        kept = moves.find_kept(_evaluator(trainer))
        found = share(int(kept.sum()), len(kept))
        points.append(
            {
                "minutes": round(worked / 60, 3),
                "wall_minutes": round(before + (time.monotonic() - began) / 60, 3),
                "matches": trainer.matches,
                "kept": int(kept.sum()),
                "positions": len(kept),
            }
        )
        print(
            f"{worked / 60:6.2f} min {trainer.matches:11,} matches  {found.value:.1%}"
            f" [{found.low:.1%}, {found.high:.1%}]",
            flush=True,
        )
        if args.save is not None:
            goals = np.concatenate(rewards)
            save_checkpoint(Checkpoint.of(trainer, goals), args.save, overwrite=True)
        if args.json is not None:
            record = {"values": args.values, "seed": args.seed, "points": points}
            write_atomic(args.json, msgspec.json.encode(record))


def _choose_config(values: str) -> tuple[TrainConfig, str | None]:
    """Return settings, and the features that a value function sees."""
    if values == "zero":
        learner, function = ZeroSettings(), PolicyValueSettings()
        return TrainConfig(learner, SelfPlay(), function=function), None
    preset = PRESETS[GAME] if values == "ntuple" else NETWORKS[GAME]
    return preset.config, preset.features


def _evaluator(trainer: Trainer) -> Evaluator:
    if trainer.network is not None:
        return PolicyValueEvaluator(trainer.network)
    assert trainer.function is not None, "presets of Connect Four have one"
    return ValueFunctionEvaluator(trainer.function)


def plot(args: argparse.Namespace) -> None:
    """Draw curves, a line for each run."""
    figure = Figure(figsize=(WIDTH, 4.3), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    colours = dict(zip(_NAMES, COLOURS, strict=False))
    for file in args.curves:
        curve = msgspec.json.decode(file.read_bytes())
        points, kind = curve["points"], curve["values"]
        minutes = [point["minutes"] for point in points]
        kept = [100 * point["kept"] / point["positions"] for point in points]
        drawn = [line.get_label() for line in axes.lines]
        label = _NAMES[kind] if _NAMES[kind] not in drawn else "_again"
        axes.plot(minutes, kept, color=colours[kind], label=label)
    axes.set_xlabel("minutes of one core")
    axes.set_ylabel("results kept, %")
    axes.set_title("Connect Four: the move with the best value, without search")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(args.picture, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    labelling = commands.add_parser("label", help="label positions by bitbully")
    labelling.set_defaults(run=label)
    labelling.add_argument("file", type=Path)
    labelling.add_argument("--seed", type=int, required=True)
    labelling.add_argument("--count", type=int, default=1000)
    measuring = commands.add_parser("measure", help="ask players for their moves")
    measuring.set_defaults(run=measure)
    measuring.add_argument("file", type=Path)
    measuring.add_argument("--player", action="append", help="may be given repeatedly")
    measuring.add_argument("--seconds", type=float, default=1.0, help="of each move")
    measuring.add_argument("--untimed", action="store_true", help="playouts limit it")
    measuring.add_argument("--count", type=int, help="the first so many positions")
    measuring.add_argument("--seed", type=int, default=1, help="of the players")
    measuring.add_argument("--jobs", type=int, default=1, help="answers at once")
    measuring.add_argument("--json", type=Path, help="where answers are kept")
    training = commands.add_parser("train", help="train a preset, and measure it")
    training.set_defaults(run=train)
    training.add_argument("file", type=Path)
    training.add_argument("--values", choices=tuple(_NAMES), default="ntuple")
    training.add_argument("--minutes", type=float, default=30.0, help="of a processor")
    training.add_argument("--every", type=float, default=1.0, help="minutes")
    training.add_argument("--seed", type=int, default=1)
    training.add_argument("--save", type=Path, help="where checkpoints go")
    training.add_argument(
        "--resume", action="store_true", help="go on from --save and --json"
    )
    training.add_argument("--json", type=Path, help="where the curve goes")
    plotting = commands.add_parser("plot", help="draw curves of training")
    plotting.set_defaults(run=plot)
    plotting.add_argument("picture", type=Path)
    plotting.add_argument("curves", type=Path, nargs="+")
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
