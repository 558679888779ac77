"""Short matches that tell whether one player is better than another."""

from __future__ import annotations

import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import Simulator, simulator
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.gdl import Move
from gamelore.learn.trial import Trial, judge
from gamelore.player import Briefing, Clock, Player
from gamelore.search.alpha_beta import AlphaBetaPlayer


@pytest.fixture(scope="module")
def tictactoe() -> Simulator:
    return simulator(load("tictactoe"))


class Watched:
    """Plays at random, and keeps what it was told and asked."""

    def __init__(self, seed: int) -> None:
        self.player = RandomPlayer(seed)
        self.roles: list[str] = []
        self.first: list[Position] = []
        self._begins = False

    def start(self, briefing: Briefing, clock: Clock) -> None:
        self.roles.append(briefing.role)
        self._begins = True
        self.player.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        if self._begins:
            self.first.append(position)
        self._begins = False
        return self.player.choose(position, clock)


def run(trial: Trial) -> bool:
    while (verdict := trial.step()) is None:
        pass
    return verdict


def make_trial(engine: Simulator, candidate: Player, incumbent: Player) -> Trial:
    return Trial(engine, candidate, incumbent, seconds=0.05, seed=3)


def test_the_better_player_wins(tictactoe: Simulator) -> None:
    better, worse = AlphaBetaPlayer(depth=3, seed=1), RandomPlayer(2)
    trial = make_trial(tictactoe, better, worse)
    assert run(trial)
    assert trial.points > trial.matches / 2
    assert not run(make_trial(tictactoe, worse, better))


def test_matches_come_in_pairs_with_the_roles_exchanged(tictactoe: Simulator) -> None:
    candidate, incumbent = Watched(1), Watched(2)
    trial = make_trial(tictactoe, candidate, incumbent)
    while trial.matches < 4:
        trial.step()
    assert candidate.roles[:4] == ["x", "o", "x", "o"]
    assert incumbent.roles[:4] == ["o", "x", "o", "x"]
    # After two random moves it is x who moves: the candidate, then the incumbent.
    assert candidate.first[0] == incumbent.first[1]
    assert candidate.first[2] == incumbent.first[3]
    assert candidate.first[0] != candidate.first[2]
    assert len(candidate.first[0].facts) == 3  # two marks, and whose turn it is


@pytest.mark.parametrize(
    ("points", "matches", "verdict"),
    [
        (1.0, 1, None),
        (3.0, 3, None),
        (4.0, 4, True),
        (0.0, 2, False),
        (2.0, 7, False),
        (4.0, 8, None),
        (8.0, 16, False),
        (12.0, 16, True),
    ],
)
def test_a_score_tells_or_not(
    points: float, matches: int, verdict: bool | None
) -> None:
    assert judge(points, matches) is verdict
