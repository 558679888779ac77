"""Who enters matches: players that serve again, and players for every game."""

from __future__ import annotations

import math

import pytest

from gamelore.agents.agent import Agent, MatchEntry, PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.agents.fallback import CompiledOnly, FallbackPlayer, NotNowError
from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import simulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.games import load
from gamelore.gdl import Move
from gamelore.match.match import play_match
from gamelore.match.record import MatchRecord
from gamelore.player import Briefing, Clock, Player
from gamelore.search.policy_player import PolicyPlayer


class Recorder:
    """Records its briefings, and moves at random."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.briefings: list[Briefing] = []
        self._lots = RandomPlayer(seed)

    def start(self, briefing: Briefing, clock: Clock) -> None:
        self.briefings.append(briefing)
        self._lots.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        return self._lots.choose(position, clock)


def entry(match: str, engine: Simulator, role: int = 0) -> MatchEntry:
    return MatchEntry(
        match, engine, engine.roles[role], start_clock=5.0, play_clock=2.0
    )


def nothing(engine: Simulator) -> MatchRecord:
    return MatchRecord(engine.game.name, engine.roles, (), (None, None), False)


@pytest.fixture
def tictactoe() -> Simulator:
    return Interpreter(load("tictactoe"))


def test_player_is_started_with_what_the_entry_says(tictactoe: Simulator) -> None:
    agent: Agent = PlayerAgent(Recorder, seed=7)
    player = agent.enter(entry("m", tictactoe, 1), Clock(5.0))
    assert isinstance(player, Recorder)
    assert player.seed == 7
    assert player.briefings == [Briefing(tictactoe, "o", 5.0, 2.0)]


def test_player_plays_one_match_after_the_other(tictactoe: Simulator) -> None:
    agent = PlayerAgent(Recorder)
    first = agent.enter(entry("one", tictactoe), Clock())
    agent.finish(entry("one", tictactoe), nothing(tictactoe))
    assert agent.enter(entry("two", tictactoe), Clock()) is first


def test_matches_at_once_have_players_of_their_own(tictactoe: Simulator) -> None:
    agent = PlayerAgent(Recorder, seed=3)
    first = agent.enter(entry("one", tictactoe), Clock())
    second = agent.enter(entry("two", tictactoe), Clock())
    assert isinstance(first, Recorder)
    assert isinstance(second, Recorder)
    assert first is not second
    assert first.seed != second.seed


def test_another_engine_gets_another_player(tictactoe: Simulator) -> None:
    agent = PlayerAgent(Recorder)
    slow = agent.enter(entry("one", tictactoe), Clock())
    other = Interpreter(load("tictactoe"))
    fast = agent.enter(entry("one", other), Clock())
    assert fast is not slow
    agent.finish(entry("one", other), nothing(other))
    assert agent.enter(entry("two", other), Clock()) is fast


def test_players_are_not_kept_without_end(tictactoe: Simulator) -> None:
    made: list[Recorder] = []

    def make(seed: int) -> Recorder:
        made.append(Recorder(seed))
        return made[-1]

    agent = PlayerAgent(make)
    for number in range(10):
        agent.enter(entry(str(number), tictactoe), Clock())
    for number in range(10):
        agent.finish(entry(str(number), tictactoe), nothing(tictactoe))
    again = [
        agent.enter(entry(f"{number} again", tictactoe), Clock())
        for number in range(10)
    ]
    assert 0 < sum(player in made[:10] for player in again) < 10
    agent.close()


# ── players for every game ──────────────────────────────────────────────────────────


def steady(name: str, seed: int = 0) -> Player:
    return FallbackPlayer(PLAYERS[name](seed), RandomPlayer(seed))


@pytest.mark.parametrize("name", ["novice", "minimax"])
def test_fallback_plays_where_roles_move_at_once(name: str) -> None:
    engine = simulator(load("rock-paper-scissors"))
    players = {role: steady(name, seed) for seed, role in enumerate(engine.roles)}
    record = play_match(engine, players)
    assert record.complete
    assert not record.faults


def test_fallback_leaves_games_with_turns_alone() -> None:
    engine = simulator(load("tictactoe"))
    alone = play_match(engine, {"x": PLAYERS["novice"](5), "o": RandomPlayer(1)})
    wrapped = play_match(engine, {"x": steady("novice", 5), "o": RandomPlayer(1)})
    assert alone == wrapped


def test_fallback_starts_at_once_on_the_interpreter(tictactoe: Simulator) -> None:
    class Slow(PolicyPlayer):
        def start(self, briefing: Briefing, clock: Clock) -> None:
            raise AssertionError("it was started")

    player = FallbackPlayer(CompiledOnly(Slow()), RandomPlayer())
    player.start(Briefing(tictactoe, "x"), Clock(1.0))
    position = Position.initial(tictactoe)
    assert player.choose(position, Clock()) in position.legal_moves("x")
    with pytest.raises(AssertionError):
        player.start(Briefing(tictactoe, "x"), Clock(math.inf))


def test_fallback_makes_one_move_for_a_player_that_has_no_time() -> None:
    engine = simulator(load("tictactoe"))
    asked: list[int] = []

    class Busy(RandomPlayer):
        def choose(self, position: Position, clock: Clock) -> Move:
            asked.append(len(asked))
            if len(asked) == 1:
                raise NotNowError("busy")
            return super().choose(position, clock)

    players: dict[str, Player] = {
        "x": FallbackPlayer(Busy(1), RandomPlayer(2)),
        "o": RandomPlayer(3),
    }
    assert not play_match(engine, players).faults
    assert len(asked) >= 3


def test_a_graph_of_ones_own_is_replaced_when_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gamelore.search.policy_player._MOST_NODES", 10)
    engine = simulator(load("tictactoe"))
    player = PolicyPlayer(seed=1)
    play_match(engine, {"x": player, "o": RandomPlayer(1)})
    assert player._graph is not None
    assert len(player._graph) > 10
    player.start(Briefing(engine, "x"), Clock())
    assert len(player._graph) == 1
