"""The manager with players in this process: the same matches, clocks, interruptions."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest

from gamelore.agents.agent import MatchEntry, PlayerAgent
from gamelore.agents.random_player import RandomPlayer
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError, StuckError
from gamelore.games import load
from gamelore.gdl import Game, Move
from gamelore.ggp.manager.manager import Manager, MatchSettings, Moment, run_match
from gamelore.ggp.manager.peers import AgentFuture, LocalPeer, parse_address
from gamelore.match.match import play_match
from gamelore.match.record import MatchRecord
from gamelore.player import Briefing, Clock, Player

NO_CLOCKS = MatchSettings(math.inf, math.inf)
T = TypeVar("T")

LONG = 100.0  # seconds; more than any step takes on a busy machine


class Diary:
    """An agent that plays at random and writes down what it is told."""

    def __init__(self, seed: int = 0) -> None:
        self.player: Player = RandomPlayer(seed)
        self.entries: list[MatchEntry] = []
        self.records: list[MatchRecord] = []
        self.closed = False
        self.threads: set[str] = set()

    def enter(self, entry: MatchEntry, clock: Clock) -> Player:
        self.threads.add(threading.current_thread().name)
        self.entries.append(entry)
        self.player.start(Briefing(entry.simulator, entry.role), clock)
        return self.player

    def finish(self, entry: MatchEntry, record: MatchRecord) -> None:
        assert entry is self.entries[-1]
        self.records.append(record)

    def close(self) -> None:
        self.closed = True


class Hanging(RandomPlayer):
    """Takes far too long, until it is let go."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.release = threading.Event()

    def choose(self, position: Position, clock: Clock) -> Move:
        self.release.wait(LONG)
        return super().choose(position, clock)


class Failing(Diary):
    def enter(self, entry: MatchEntry, clock: Clock) -> Player:
        raise ValueError("not today")


class Wrong(RandomPlayer):
    def choose(self, position: Position, clock: Clock) -> Move:
        return "nonsense"


@pytest.fixture(scope="module")
def tictactoe() -> Simulator:
    return Interpreter(load("tictactoe"))


def random_peers(*seeds: int) -> list[LocalPeer]:
    return [LocalPeer(PlayerAgent(RandomPlayer, seed), f"r{seed}") for seed in seeds]


@pytest.mark.parametrize("game", ["tictactoe", "pig", "trio", "rock-paper-scissors"])
@pytest.mark.parametrize("clock", [math.inf, 30.0])
def test_managed_matches_are_the_matches_of_play_match(game: str, clock: float) -> None:
    simulator = Interpreter(load(game))
    manager = Manager(simulator, MatchSettings(clock, clock))
    peers = random_peers(*range(1, len(manager.player_roles) + 1))
    players: dict[str, Player] = {
        role: RandomPlayer(seed) for seed, role in enumerate(manager.player_roles, 1)
    }
    for seed in (7, 8):
        match = manager.run(peers, seed=seed)
        assert match.record == play_match(simulator, players, seed=seed)
        assert match.positions[-1].is_terminal
        assert len(match.positions) == len(match.times) == len(match.record.moves) + 1
        assert [*match.times] == sorted(match.times)
    for peer in peers:
        peer.close()


def test_faults_are_those_of_play_match(tictactoe: Simulator) -> None:
    peers = [LocalPeer(PlayerAgent(Wrong), "wrong"), *random_peers(2)]
    match = Manager(tictactoe, NO_CLOCKS).run(peers, seed=3)
    players: dict[str, Player] = {"x": Wrong(), "o": RandomPlayer(2)}
    assert match.record == play_match(tictactoe, players, seed=3)
    assert match.record.faults[0].answer == "nonsense"


def test_agents_are_told_what_they_need(tictactoe: Simulator) -> None:
    ann, bob = Diary(1), Diary(2)
    peers = [LocalPeer(ann, "ann"), LocalPeer(bob, "bob")]
    manager = Manager(tictactoe, MatchSettings(20, 10))
    matches = [manager.run(peers, seed=seed) for seed in range(3)]
    assert [entry.match for entry in ann.entries] == [m.match for m in matches]
    assert len({match.match for match in matches}) == 3
    entry = ann.entries[0]
    assert (entry.role, entry.opponents) == ("x", ("bob",))
    assert (entry.start_clock, entry.play_clock) == (20, 10)
    assert bob.entries[0].opponents == ("ann",)
    assert ann.records == bob.records == [match.record for match in matches]
    assert len(ann.threads) == 1 and threading.current_thread().name not in ann.threads
    for peer in peers:
        peer.close()
    assert ann.closed and bob.closed


def test_without_clocks_there_are_no_threads(tictactoe: Simulator) -> None:
    ann = Diary(1)
    before = {*threading.enumerate()}  # some of other tests may yet end
    Manager(tictactoe, NO_CLOCKS).run([LocalPeer(ann, "ann"), *random_peers(2)])
    assert {*threading.enumerate()} <= before
    assert ann.threads == {threading.current_thread().name}


def test_those_that_hang_are_late(tictactoe: Simulator) -> None:
    players = [Hanging(1), Hanging(2)]
    peers = [LocalPeer(PlayerAgent(lambda _, p=p: p), "h") for p in players]  # type: ignore[misc]
    settings = MatchSettings(LONG, 0.2, grace=0.05, move_limit=2)
    try:
        match = Manager(tictactoe, settings).run(peers)
        late = [(f.step, f.role) for f in match.record.faults if f.kind == "late"]
        assert late == [(s, r) for s in range(3) for r in ("x", "o")]
    finally:
        for player in players:
            player.release.set()
        for peer in peers:
            peer.close()
    wait_for_threads("agent h")


def test_all_are_asked_at_once(tictactoe: Simulator) -> None:
    all_think = threading.Barrier(2, timeout=LONG / 2)

    class Meeting(RandomPlayer):
        def choose(self, position: Position, clock: Clock) -> Move:
            all_think.wait()
            return super().choose(position, clock)

    peers = [LocalPeer(PlayerAgent(Meeting, seed), "meeting") for seed in range(2)]
    match = Manager(tictactoe, MatchSettings(LONG, LONG)).run(peers)
    assert match.record.complete and not match.record.faults
    for peer in peers:
        peer.close()


def test_one_that_is_late_once_plays_on(tictactoe: Simulator) -> None:
    late = threading.Event()

    class Sleepy(RandomPlayer):
        def choose(self, position: Position, clock: Clock) -> Move:
            if clock.seconds < LONG:
                late.wait(LONG)
            return super().choose(position, clock)

    class ShortFirstMove(LocalPeer):
        """Gives a moment for the first move, which is the second thing to do."""

        begun = 0

        def begin(self, task: Callable[[Clock], T], seconds: float) -> AgentFuture[T]:
            self.begun += 1
            return super().begin(task, 0.05 if self.begun == 2 else seconds)

    def wake(moment: Moment) -> None:
        if moment.moves:
            late.set()

    peers = [ShortFirstMove(PlayerAgent(Sleepy), "sleepy"), *random_peers(2)]
    match = Manager(tictactoe, MatchSettings(LONG, LONG)).run(peers, observer=wake)
    assert match.record.complete
    assert [fault.step for fault in match.record.faults] == [0]
    for peer in peers:
        peer.close()


@pytest.mark.parametrize("clock", [math.inf, LONG])
def test_one_that_cannot_enter(tictactoe: Simulator, clock: float) -> None:
    failing = Failing()
    peers = [LocalPeer(failing, "failing"), *random_peers(2)]
    match = Manager(tictactoe, MatchSettings(clock, clock)).run(peers)
    first, *others = match.record.faults
    assert (first.step, first.message) == (-1, "ValueError: not today")
    assert all("it never got ready" in fault.message for fault in others)
    assert len(others) == len(match.record.moves)
    assert failing.records == []
    for peer in peers:
        peer.close()


class OwnError(Exception):
    """An exception that only its author knows."""


@pytest.mark.parametrize("clock", [math.inf, LONG])
@pytest.mark.parametrize("error", [NameError("x"), OwnError("y"), TimeoutError("z")])
def test_whatever_an_agent_raises_is_a_fault(
    tictactoe: Simulator, clock: float, error: Exception
) -> None:
    class Raising(RandomPlayer):
        def choose(self, position: Position, clock: Clock) -> Move:
            raise error

    peers = [LocalPeer(PlayerAgent(Raising), "raising"), *random_peers(2)]
    match = Manager(tictactoe, MatchSettings(clock, clock)).run(peers)
    assert match.record.complete
    messages = {fault.message for fault in match.record.faults}
    assert messages == {f"{type(error).__name__}: {error}"}
    assert len(match.record.faults) == len(match.record.moves)
    for peer in peers:
        peer.close()


def test_an_observer_that_raises_does_not_end_a_match(tictactoe: Simulator) -> None:
    def fail(moment: Moment) -> None:
        raise OwnError("not now")

    match = Manager(tictactoe, NO_CLOCKS).run(random_peers(1, 2), observer=fail)
    assert match.record.complete


def test_an_interrupted_match_is_given_up(tictactoe: Simulator) -> None:
    ann = Diary(1)
    stages: list[str] = []

    def interrupt(moment: Moment) -> None:
        stages.append(moment.stage)
        if len(moment.moves) == 2:
            raise KeyboardInterrupt

    manager = Manager(tictactoe, NO_CLOCKS)
    with pytest.raises(KeyboardInterrupt):
        manager.run([LocalPeer(ann, "ann"), *random_peers(2)], observer=interrupt)
    (record,) = ann.records
    assert not record.complete and len(record.moves) == 2
    assert stages == ["start", "play", "play", "play"]


def test_observers_see_every_position(tictactoe: Simulator) -> None:
    seen: list[Moment] = []
    match = Manager(tictactoe, NO_CLOCKS).run(
        random_peers(1, 2), seed=1, observer=seen.append
    )
    assert [moment.stage for moment in seen] == [
        "start",
        *["play"] * len(match.record.moves),
        "over",
    ]
    assert tuple(moment.position for moment in seen[1:]) == match.positions
    assert seen[-1].moves == match.record.moves
    assert seen[-1].players == match.players == ("r1", "r2")


def test_chance_is_played_at_random() -> None:
    match = run_match("pig", random_peers(1, 2), seed=4)
    assert match.players.count("random") == 1
    assert match.record.complete and not match.record.faults


def test_the_move_limit_ends_a_match(tictactoe: Simulator) -> None:
    settings = MatchSettings(math.inf, math.inf, move_limit=3)
    match = Manager(tictactoe, settings).run(random_peers(1, 2))
    assert len(match.record.moves) == 3 and not match.record.complete


def test_as_many_players_as_roles(tictactoe: Simulator) -> None:
    with pytest.raises(GameloreError, match=r"takes 2 players \(x, o\), not 1"):
        Manager(tictactoe).run(random_peers(1))


def test_a_stuck_role_ends_the_match_for_all() -> None:
    rules = """
    (role x) (init (at 0)) (<= (legal x go) (true (at 0)))
    (<= (next (at 1)) (does x go)) (<= terminal (true (at 2)))
    (<= (next (at 2)) (true (at 1))) (<= (goal x 100) (true (at ?n)))
    """
    ann = Diary()
    with pytest.raises(StuckError):
        run_match(Game.from_kif(rules, name="stuck"), [LocalPeer(ann, "ann")])
    assert not ann.records[0].complete


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"start_clock": 0}, "start_clock must be positive"),
        ({"play_clock": -1}, "play_clock must be positive"),
        ({"grace": -1}, "grace must be zero or more"),
        ({"grace": math.inf}, "grace must be zero or more"),
        ({"move_limit": 0}, "move_limit must be positive"),
    ],
)
def test_settings_are_checked(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MatchSettings(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spec", "address"),
    [
        ("localhost:9147", ("localhost", 9147)),
        ("10.0.0.7:80", ("10.0.0.7", 80)),
        ("[::1]:9147", ("::1", 9147)),
        ("minimax", None),
        ("package.module:Class", None),
        ("module:Class9", None),
    ],
)
def test_addresses(spec: str, address: tuple[str, int] | None) -> None:
    assert parse_address(spec) == address


def test_impossible_ports() -> None:
    with pytest.raises(GameloreError, match="there is no port 99999"):
        parse_address("localhost:99999")


def wait_for_threads(*names: str) -> None:
    """Threads of these names come to an end."""

    def left() -> Sequence[str]:
        return [t.name for t in threading.enumerate() if t.name in names]

    deadline = time.monotonic() + LONG
    while left() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not left()
