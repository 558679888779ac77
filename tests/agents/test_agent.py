"""Who enters matches: players that serve again, and players for every game."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from threading import Event, Thread, current_thread, main_thread

import pytest

from gamelore.agents.agent import Agent, MatchEntry, PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.agents.fallback import CompiledOnly, FallbackPlayer, NotNowError
from gamelore.agents.random_player import RandomPlayer
from gamelore.agents.renamed import RenamedPlayer
from gamelore.engine import simulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.engine.simulator import Row, Simulator
from gamelore.games import load
from gamelore.gdl import Move
from gamelore.match.match import play_match
from gamelore.match.record import Fault, MatchRecord
from gamelore.player import Briefing, Clock, Player
from gamelore.search.mcts import Analysis, Candidate, TreePlayer, TreeSettings
from gamelore.search.mcts.player import TreeSearch
from gamelore.search.policy_player import PolicyPlayer


class Recorder:
    """Records its briefings, and moves at random."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.briefings: list[Briefing] = []
        self._inner = RandomPlayer(seed)

    def start(self, briefing: Briefing, clock: Clock) -> None:
        self.briefings.append(briefing)
        self._inner.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        return self._inner.choose(position, clock)


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


# ── thinking on the others' time ─────────────────────────────────────────────────────


class EndlessSearch:
    """A tree search that finds nothing, and records which threads search."""

    solved = False
    playouts = 0
    least = 1
    start_share = 0.5

    def __init__(self, position: Position) -> None:
        self.position = position
        self.threads: set[Thread] = set()
        self.pondered = Event()

    def set_root(self, row: Row) -> None:
        pass

    def search(self, playouts: int, end: float = math.inf) -> bool:
        self.playouts += playouts
        self.threads.add(current_thread())
        if current_thread() is not main_thread():
            self.pondered.set()
            time.sleep(0.02)
        return False

    def analyse(self, role: int, lines: int = 0) -> Analysis:
        name = self.position.roles[role]
        moves = self.position.legal_moves(name)
        candidates = tuple(Candidate(move, 1, 50.0) for move in moves)
        return Analysis(name, candidates, 1, 1, solved=False, value=50.0)


class EndlessPlayer(TreePlayer):
    """Thinks as a tree player does, by a search that never ends."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, TreeSettings(playouts=1))
        self.search: EndlessSearch | None = None

    def _make_trees(self, simulator: Simulator) -> list[TreeSearch]:
        self.search = EndlessSearch(Position.initial(simulator))
        return [self.search]


def wrap(player: Player, engine: Simulator, wrapping: str) -> Player:
    if wrapping == "fallback":
        return FallbackPlayer(player, RandomPlayer())
    if wrapping == "compiled only":
        return CompiledOnly(player)
    if wrapping == "renamed":
        return RenamedPlayer(player, engine)
    return player


@pytest.mark.parametrize("wrapping", ["", "fallback", "compiled only", "renamed"])
@pytest.mark.parametrize("end", ["finish", "late", "close", "enter again"])
def test_players_stop_thinking_when_their_match_ends(wrapping: str, end: str) -> None:
    engine = simulator(load("tictactoe"))
    made: list[EndlessPlayer] = []

    def make(seed: int) -> Player:
        made.append(EndlessPlayer(seed))
        return wrap(made[-1], engine, wrapping)

    agent = PlayerAgent(make)
    own = replace(entry("m", engine), ponders=True)
    player = agent.enter(own, Clock())
    player.choose(Position.initial(engine), Clock())
    search = made[0].search
    assert search is not None
    assert search.pondered.wait(timeout=60)
    (thread,) = search.threads - {main_thread()}
    assert thread.is_alive()
    if end == "close":
        agent.close()
    elif end == "enter again":
        agent.enter(replace(own, simulator=Interpreter(load("tictactoe"))), Clock())
    else:
        late = (Fault(0, "x", "late", ""),) if end == "late" else ()
        agent.finish(own, replace(nothing(engine), faults=late))
    assert not thread.is_alive()


def test_players_do_not_think_on_the_others_time_unasked() -> None:
    engine = simulator(load("tictactoe"))
    agent = PlayerAgent(EndlessPlayer)
    player = agent.enter(entry("m", engine), Clock())
    player.choose(Position.initial(engine), Clock())
    assert isinstance(player, EndlessPlayer)
    assert player.search is not None
    assert player.search.threads == {main_thread()}


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
