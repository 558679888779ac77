"""Zero in Connect Four: how fast it plays, how well it learns, beside a plain loop.

    python benchmarks/zero.py rates [--seconds 20]
    python benchmarks/zero.py curve FILE [--minutes 5] [--seed 1] [--save FILE]
    python benchmarks/zero.py match [--minutes 5] [--matches 40] [--seed 1]

`rates` counts positions of self-play per second of processor time, ours and a plain
AlphaZero loop on OpenSpiel in numpy (`plain_alphazero.py`), in turn. `curve` trains for
minutes of processor time, and prints the share of decisive positions (labelled by
`connect_four.py label`) in which the result is kept: by the policy alone, by the values
one move ahead, and by searches of the learner. `match` trains both for the same
processor time, and has them play, 64 simulations to a move, from random openings.
Any setting of the learner follows as name=value.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from plain_alphazero import PlainAlphaZero

from gamelore.bench.decisive import GAME, find_column, load_positions, write_move
from gamelore.engine import CircuitSimulator, simulator
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.gdl import read_term
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig, complete_options
from gamelore.learn.files import save_checkpoint
from gamelore.learn.zero.lane_search import search_moves
from gamelore.learn.zero.trainer import ZeroTrainer
from gamelore.match.standings import share
from gamelore.settings import from_options

_OPEN_SPIEL = "connect_four"
_SEARCHES = (32, 200)
_OPENING = 4  # random moves of a match


def make_trainer(options: Sequence[str], seed: int) -> ZeroTrainer:
    """Return a trainer of the learner zero, with settings by name."""
    given: dict[str, object] = {"learner": "zero", "seed": seed}
    for option in options:
        name, _, value = option.partition("=")
        given[name.replace("-", "_")] = (
            json.loads(value) if value[0] in "0123456789tf" else value
        )
    config = from_options(TrainConfig, complete_options(given))
    return ZeroTrainer(StateGraph(simulator(load(GAME))), config)


def train(trainer: ZeroTrainer, seconds: float) -> float:
    """Train for seconds of processor time; return how many it took."""
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds:
        trainer.run_for(1 << 30, 0.2)
    return spent


# ── rates ───────────────────────────────────────────────────────────────────────────


def measure_rates(args: argparse.Namespace) -> None:
    """Print positions per second of processor time, of both."""
    ours = make_trainer(args.setting, args.seed)
    train(ours, 1.0)
    theirs = PlainAlphaZero(_OPEN_SPIEL, seed=args.seed)
    theirs.play()
    for _ in range(args.rounds):
        before, began = ours.positions, time.process_time()
        train(ours, args.seconds)
        rate = (ours.positions - before) / (time.process_time() - began)
        before, began = theirs.positions, time.process_time()
        while time.process_time() - began < args.seconds:
            theirs.play()
        plain = (theirs.positions - before) / (time.process_time() - began)
        print(
            f"zero {rate:,.0f}/s, plain {plain:,.1f}/s, {rate / plain:,.0f}x",
            flush=True,
        )


# ── the curve ───────────────────────────────────────────────────────────────────────


class LabelledPositions:
    """Positions whose good moves are known."""

    def __init__(self, engine: CircuitSimulator, path: Path) -> None:
        positions = load_positions(path)
        self.engine = engine
        self.rows = np.array([one.line(engine)[-1].row for one in positions], np.uint64)
        self.keep = [set(one.keep) for one in positions]
        self.legal = engine.legal(self.rows)
        self.movers = [int(one > 1) for one in self.legal[1].sum(axis=1)]

    def count(self, moves: Sequence[int]) -> int:
        """Return in how many positions these moves, by number, keep the result."""
        names = self.engine.moves
        return sum(
            find_column(names[mover][move]) in keep
            for mover, move, keep in zip(self.movers, moves, self.keep, strict=True)
        )

    def measure(self, trainer: ZeroTrainer) -> dict[str, int]:
        """Return in how many positions each way of choosing keeps the result."""
        network = trainer.network
        policy = network.policy(self.rows, self.legal)
        best = [int(policy[mover][i].argmax()) for i, mover in enumerate(self.movers)]
        found = {"policy": self.count(best), "values": self.count(self._ahead(trainer))}
        for simulations in _SEARCHES:
            joint = search_moves(network, trainer.search_rule(simulations), self.rows)
            moves = [int(joint[i, mover]) for i, mover in enumerate(self.movers)]
            found[f"{simulations} simulations"] = self.count(moves)
        return found

    def _ahead(self, trainer: ZeroTrainer) -> list[int]:
        """Return the moves that lead to the best values, exact where terminal."""
        found = self.engine.expand(self.rows)
        goals = self.engine.goals(found.successors) / 100
        ended = self.engine.terminal(found.successors)[:, None]
        values = np.where(ended, goals, trainer.network.evaluate(found.successors))
        best: dict[int, tuple[float, int]] = {}
        for parent, moves, value in zip(
            found.parents, found.moves, values, strict=True
        ):
            mover = self.movers[parent]
            one = float(value[mover]), int(moves[mover])
            best[parent] = max(best.get(parent, one), one)
        return [best[i][1] for i in range(len(self.rows))]


def draw_curve(args: argparse.Namespace) -> None:
    """Train, and print the shares of positions kept after each interval."""
    trainer = make_trainer(args.setting, args.seed)
    engine = trainer.network.simulator
    positions = LabelledPositions(engine, args.file)
    trainer.run_for(1, 0.0)
    spent, wanted = 0.0, 0.0
    while True:
        found = positions.measure(trainer)
        shares = {
            name: share(kept, len(positions.rows)) for name, kept in found.items()
        }
        text = ", ".join(
            f"{name} {one.value:.1%} [{one.low:.1%}, {one.high:.1%}]"
            for name, one in shares.items()
        )
        print(
            f"{spent / 60:5.2f} min, {trainer.matches:,} matches,"
            f" {trainer.positions:,} positions: {text}",
            flush=True,
        )
        if spent >= 60 * args.minutes:
            break
        wanted = min(wanted + 60 * args.every, 60 * args.minutes)
        spent += train(trainer, wanted - spent)
    if args.save is not None:
        rewards = np.zeros(trainer.matches, np.int16)
        save_checkpoint(Checkpoint.of(trainer, rewards), args.save, overwrite=True)


# ── matches ─────────────────────────────────────────────────────────────────────────


def play_matches(args: argparse.Namespace) -> None:
    """Train both for the same processor time; print the points of ours."""
    ours = make_trainer(args.setting, args.seed)
    theirs = PlainAlphaZero(_OPEN_SPIEL, seed=args.seed)
    train(ours, 1.0)
    train(ours, 60 * args.minutes)
    began = time.process_time()
    while time.process_time() - began < 60 * args.minutes:
        theirs.play()
    print(
        f"zero {ours.matches:,} matches and {ours.positions:,} positions,"
        f" plain {theirs.matches:,} and {theirs.positions:,}",
        flush=True,
    )
    rule = ours.search_rule(args.simulations)
    points = sum(
        play_match(ours, theirs, rule.simulations, number, args.seed)
        for number in range(args.matches)
    )
    found = share(points, args.matches)
    interval = f"[{found.low:.1%}, {found.high:.1%}]"
    print(f"{points} of {args.matches}: {found.value:.1%} {interval}")


def play_match(
    ours: ZeroTrainer, theirs: PlainAlphaZero, simulations: int, number: int, seed: int
) -> float:
    """Return our points of a match; two numbers share an opening, each side once."""
    random = np.random.default_rng((seed, number // 2))
    engine = ours.network.simulator
    rule = ours.search_rule(simulations)
    position, state = Position.initial(engine), theirs.game.new_initial_state()
    side = number % 2
    step = 0
    while not position.is_terminal:
        player = state.current_player()
        if step < _OPENING:
            column = int(random.choice(state.legal_actions()))
        elif player == side:
            joint = search_moves(ours.network, rule, position.row[None])
            column = find_column(engine.moves[player][int(joint[0, player])])
        else:
            column = theirs.choose(state, simulations)
        position = position.advance(read_term(write_move(column)))
        state.apply_action(column)
        step += 1
    goal = position.goals[engine.roles[side]]
    assert goal is not None
    return goal / 100


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    runs: dict[str, Callable[[argparse.Namespace], None]] = {
        "rates": measure_rates,
        "curve": draw_curve,
        "match": play_matches,
    }
    for name, run in runs.items():
        command = commands.add_parser(name, help=str(run.__doc__).strip().lower())
        command.set_defaults(run=run)
        if name == "curve":
            command.add_argument("file", type=Path)
            command.add_argument("--every", type=float, default=1.0, help="minutes")
            command.add_argument("--save", type=Path)
        if name == "rates":
            command.add_argument("--seconds", type=float, default=20.0)
            command.add_argument("--rounds", type=int, default=3)
        else:
            command.add_argument("--minutes", type=float, default=5.0)
        if name == "match":
            command.add_argument("--matches", type=int, default=40)
            command.add_argument("--simulations", type=int, default=64)
        command.add_argument("--seed", type=int, default=1)
        command.add_argument("setting", nargs="*", help="of the learner: name=value")
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
