"""Matches at equal time a move: our player against OpenSpiel's MCTSBot and others.

Both players sit in one process and think in turn, on one core, for the same time a
move, with no time before the first one and none on the other's moves. MCTSBot is
OpenSpiel's C++ search with random rollouts (uct_c = 2 and solve, as in OpenSpiel's own
examples, one rollout a simulation), with a limit of time in the place of simulations.
Our simulator is the referee; the rules are the same in all these games (a test plays
them side by side).

Each pairing plays half of its matches in each role. A draw is no win; the score
counts it half. Intervals are Wilson's at 95%. Every match is written to the file of
--json as it ends, and matches that are in it already are not played again: an
interrupted run goes on where it stopped.

    python benchmarks/tree_strength.py [GAME ...] [--player mcts]
        [--against openspiel --against monte-carlo] [--matches 200] [--seconds 1]
        [--seed 1] [--jobs 1] [--json FILE] [--opening 0] [--their-seconds 1]

A player is a spec as for `gamelore match`, or one with settings: "mcts decisive=off",
"openspiel uct_c=1.4 rollouts=10".
Players without chance would play the same match over and over: --opening begins with
random moves, the same in two matches that follow one another with exchanged roles.
--their-seconds is for opponents that have a depth, such as heuristic-6, and need more
time for it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import fmean

import numpy as np

from gamelore.adapters.open_spiel_bots import MCTSBotPlayer
from gamelore.bench.journal import Journal, Record, work_through
from gamelore.bench.players import (
    Opening,
    PacedPlayer,
    PlayerMaker,
    parse_player,
    warm_up,
)
from gamelore.engine import Simulator, simulator
from gamelore.games import load
from gamelore.match.match import play_match
from gamelore.match.standings import share

GAMES = (
    "connect-four",
    "othello",
    "breakthrough",
    "english-draughts",
    "hex-7x7",
    "hex-11x11",
    "gomoku",
)
OPPONENTS = ("openspiel", "monte-carlo")
ROLES = ("first", "second")
TOLERANCE = 0.05  # of the time a move, by which a player's mean may be longer


# ── a match ─────────────────────────────────────────────────────────────────────────


def play(task: Record) -> Record:
    """Play the match of a task, and return what came of it."""
    sim = _simulator(task["game"])
    texts = task["player"], task["against"]
    seeds = np.random.SeedSequence((task["seed"], task["match"])).generate_state(3)
    paces = task["seconds"], task.get("their_seconds", task["seconds"])
    drawn = Opening(task.get("opening", 0), (task["seed"], task["match"] // 2))
    ours, theirs = (
        PacedPlayer(_maker(text, task["game"])(int(seed)), pace, drawn)
        for text, seed, pace in zip(texts, seeds[:2], paces, strict=True)
    )
    role = task["match"] % 2
    players = {sim.roles[role]: ours, sim.roles[1 - role]: theirs}
    record = play_match(sim, players, seed=int(seeds[2]))
    goals = [goal or 0 for goal in record.goals]
    roles = [role, 1 - role]
    return {
        "role": role,
        "goals": [goals[one] for one in roles],
        "moves": len(record.moves),
        "complete": record.complete,
        "faults": [
            sum(fault.role == sim.roles[one] for fault in record.faults)
            for one in roles
        ],
        "seconds": [_mean(one.times) for one in (ours, theirs)],
        "slowest": [round(max(one.times, default=0.0), 4) for one in (ours, theirs)],
        "simulations": _mean(theirs.player.simulations)
        if isinstance(theirs.player, MCTSBotPlayer)
        else None,
    }


@cache
def _simulator(game: str) -> Simulator:
    return simulator(load(game))


@cache
def _maker(text: str, game: str) -> PlayerMaker:
    """Return what makes a player, once it has made a first move in this process."""
    maker = parse_player(text)
    warm_up(maker, _simulator(game))
    return maker


def _mean(values: list[float] | list[int]) -> float:
    return round(fmean(values), 4) if values else 0.0


# ── all of them ─────────────────────────────────────────────────────────────────────


@dataclass
class Tally:
    """The matches of one pairing."""

    pace: float
    """Seconds of a move."""
    results: Counter[tuple[int, int]] = field(default_factory=Counter)
    """By role, and by 1, 0 or -1: won, drawn, lost."""
    matches: list[Record] = field(default_factory=list)

    def add(self, result: Record) -> None:
        ours, theirs = result["goals"]
        self.results[result["role"], (ours > theirs) - (ours < theirs)] += 1
        self.matches.append(result)

    def count(self, outcome: int) -> int:
        return self.results[0, outcome] + self.results[1, outcome]

    def __str__(self) -> str:
        played = len(self.matches)
        won = share(self.count(1), played)
        score = share(self.count(1) + self.count(0) / 2, played)
        by_role = ", ".join(
            "{}-{}-{} {}".format(*(self.results[n, o] for o in (1, 0, -1)), name)
            for n, name in enumerate(ROLES)
        )
        return (
            f"{self.count(1)} won, {self.count(0)} drawn, {self.count(-1)} lost"
            f" of {played}: {won.value:.1%} [{won.low:.1%}, {won.high:.1%}],"
            f" score {score.value:.1%} ({by_role})"
        )

    @property
    def details(self) -> str:
        """What a move took, and whatever went wrong."""
        ours, theirs = (fmean(m["seconds"][n] for m in self.matches) for n in (0, 1))
        slowest = [max(m["slowest"][n] for m in self.matches) for n in (0, 1)]
        faults = [sum(m["faults"][n] for m in self.matches) for n in (0, 1)]
        late = max(ours, theirs) > (1 + TOLERANCE) * self.pace
        simulations = [m["simulations"] for m in self.matches if m["simulations"]]
        return (
            f"seconds a move {ours:.3f} and {theirs:.3f}, at most {slowest[0]:.3f} and"
            f" {slowest[1]:.3f}; faults {faults[0]} and {faults[1]}"
            + (f"; {fmean(simulations):,.0f} simulations" if simulations else "")
            + ("; NOT AT EQUAL TIME" if late else "")
        )


def list_tasks(args: argparse.Namespace) -> Iterator[Record]:
    """Yield all matches; every pairing has its first before any has its second."""
    for match in range(args.matches):
        for game in args.games:
            for against in args.against or OPPONENTS:
                task = {
                    "game": game,
                    "player": args.player,
                    "against": against,
                    "seconds": args.seconds,
                    "seed": args.seed,
                    "match": match,
                }
                if args.opening:
                    task["opening"] = args.opening
                if args.their_seconds is not None:
                    task["their_seconds"] = args.their_seconds
                yield task


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--player", default="mcts")
    parser.add_argument("--against", action="append", help="may be given repeatedly")
    parser.add_argument("--matches", type=int, default=200, help="of each pairing")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each move")
    parser.add_argument("--their-seconds", type=float, help="of the other's moves")
    parser.add_argument("--opening", type=int, default=0, help="random moves at first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="matches at once")
    parser.add_argument("--json", type=Path, help="where matches are kept as they end")
    args = parser.parse_args()
    for text in (args.player, *(args.against or OPPONENTS)):
        parse_player(text)  # an error comes before all matches
    tallies: dict[tuple[str, str], Tally] = {}
    done = work_through(list_tasks(args), play, Journal(args.json), jobs=args.jobs)
    with suppress(KeyboardInterrupt):  # what was played is reported
        for task, result in done:
            pairing = task["game"], task["against"]
            pace = max(args.seconds, args.their_seconds or 0.0)
            tally = tallies.setdefault(pairing, Tally(pace))
            tally.add(result)
            print(f"{' against '.join(pairing)}: {tally}", flush=True)
    print(f"\n{args.player}, {args.seconds} s a move, seed {args.seed}:")
    for (game, against), tally in sorted(tallies.items()):
        print(f"{game} against {against}: {tally}\n    {tally.details}")


if __name__ == "__main__":
    main()
