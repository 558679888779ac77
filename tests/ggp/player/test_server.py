"""A player server over real sockets, as a manager in good order sees it."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from gamelore.agents.agent import MatchEntry, PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Compound, Game, Move, Role, Term, to_kif
from gamelore.gdl.canonical import canonical_form
from gamelore.gdl.rules import ARITIES, CONNECTIVES
from gamelore.ggp.messages import (
    Play,
    Start,
    Stop,
    list_rules,
    read_move,
    write_message,
)
from gamelore.ggp.net.http import ReplyReader, write_request
from gamelore.ggp.player.server import PlayerServer, ServerLimits
from gamelore.match.record import MatchRecord
from gamelore.player import Briefing, Clock, Player

TICTACTOE = load("tictactoe")
LONG = (120, 60)  # start and play clock: more than any step takes on a busy machine


def exchange(server: PlayerServer, data: bytes, seconds: float = 300.0) -> bytes:
    """All bytes that a server answers to some bytes, until it closes."""
    with socket.create_connection(server.address, timeout=seconds) as line:
        line.sendall(data)
        pieces = []
        while piece := line.recv(65_536):
            pieces.append(piece)
    return b"".join(pieces)


def ask(server: PlayerServer, text: str, **headers: Any) -> str:
    """What a server answers to a message."""
    reader = ReplyReader()
    reply = reader.feed(exchange(server, write_request(text, **headers)))
    assert reply is not None
    return reply.text


def start_text(game: Game, match: str, role: Role, start: float, play: float) -> str:
    return write_message(Start(match, role, list_rules(game), start, play))


class Spy:
    """An agent that notes what it is told, and plays with players of a kind."""

    def __init__(self, player: Player | None = None) -> None:
        self.player = player or PLAYERS["random"](1)
        self.entries: list[MatchEntry] = []
        self.records: list[MatchRecord] = []
        self.closed = False
        self.seconds_to_finish = 0.0

    def enter(self, entry: MatchEntry, clock: Clock) -> Player:
        self.entries.append(entry)
        self.player.start(entry.briefing, clock)
        return self.player

    def finish(self, entry: MatchEntry, record: MatchRecord) -> None:
        time.sleep(self.seconds_to_finish)
        self.records.append(record)

    def close(self) -> None:
        self.closed = True


class Choosing:
    """A player that chooses by a function."""

    def __init__(self, choose: Any) -> None:
        self.function = choose
        self.role: Role = ""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        self.role = briefing.role

    def choose(self, position: Position, clock: Clock) -> Move:
        return self.function(position, clock)  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def server() -> Iterator[PlayerServer]:
    agent = PlayerAgent(PLAYERS["random"])
    with PlayerServer(agent, port=0, name="ann", at_once=2) as server:
        yield server


@pytest.fixture
def spy() -> Spy:
    return Spy()


def play_out(
    server: PlayerServer, game: Game, role: Role, match: str, seed: int = 0
) -> Position:
    """Have a server play one match, its opponents moving at random."""
    rng = Random(seed)
    assert ask(server, start_text(game, match, role, *LONG)) == "ready"
    position = Position.initial(game)
    joint: tuple[Move, ...] | None = None
    while not position.is_terminal:
        answer = read_move(ask(server, write_message(Play(match, joint))))
        assert answer in position.legal_moves(role)
        joint = tuple(
            answer if r == role else rng.choice(position.legal_moves(r))
            for r in game.roles
        )
        position = position.advance(joint)
    assert ask(server, write_message(Stop(match, joint))) == "done"
    return position


# ── messages ────────────────────────────────────────────────────────────────────────


def test_it_says_who_it_is(server: PlayerServer) -> None:
    assert ask(server, "( INFO )") == "( ( name ann ) ( status available ) )"


def test_a_reply_is_what_the_reference_player_sends(server: PlayerServer) -> None:
    text = b"( ( name ann ) ( status available ) )"
    assert exchange(server, write_request("( INFO )")) == (
        b"HTTP/1.0 200 OK\r\n"
        b"Content-type: text/acl\r\n"
        b"Content-length: %d\r\n"
        b"Access-Control-Allow-Origin: *\r\n"
        b"Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
        b"Access-Control-Allow-Headers: Content-Type\r\n"
        b"Access-Control-Allow-Age: 86400\r\n\r\n%s" % (len(text), text)
    )


def test_browsers_may_ask_first_and_may_get(server: PlayerServer) -> None:
    options = exchange(server, b"OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert b"Access-Control-Allow-Methods: POST, GET, OPTIONS" in options
    assert options.startswith(b"HTTP/1.0 200 OK")
    target = quote("( INFO )")
    answer = exchange(server, f"GET /{target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert answer.endswith(b"( ( name ann ) ( status available ) )")


def test_headers_of_the_dresden_controller_are_understood(server: PlayerServer) -> None:
    body = b"(INFO)"
    answer = exchange(
        server,
        b"POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\n"
        b"Receiver: ann\r\nContent-type: text/acl\r\nContent-length: 6\r\n\r\n" + body,
    )
    assert answer.endswith(b"( status available ) )")


@pytest.mark.parametrize("name", ["tictactoe", "tron", "trio", "pig", "peg-solitaire"])
def test_it_plays_games_of_all_kinds(server: PlayerServer, name: str) -> None:
    game = load(name)
    for number, role in enumerate(game.roles):
        end = play_out(server, game, role, f"{name}-{number}", number)
        assert end.is_terminal
    assert server.matches == ()


def capitals(game: Game) -> Game:
    return Game.from_kif(game.to_kif().upper(), game.name)


def scrambled(game: Game) -> Game:
    """The same rules with every name that has no meaning replaced."""
    kept = {*ARITIES, *CONNECTIVES, "<=", "random"}
    names: dict[str, str] = {}

    def new(found: re.Match[str]) -> str:
        word = found[0]
        if word in kept or word.isdigit():
            return word
        mark = "?" if word[0] == "?" else ""
        return mark + names.setdefault(word, f"w{37 * len(names) % 1009}")

    return Game.from_kif(re.sub(r"[^\s()]+", new, game.to_kif()), game.name)


@pytest.mark.parametrize("change", [capitals, scrambled])
def test_it_answers_in_the_names_of_the_match(
    server: PlayerServer, change: Any
) -> None:
    game = change(TICTACTOE)
    assert not {*game.roles} & {*TICTACTOE.roles}
    for role in game.roles:
        play_out(server, game, role, f"renamed-{role}")


def test_all_renamings_are_one_game(spy: Spy) -> None:
    with PlayerServer(spy, port=0) as server:
        for number, game in enumerate((TICTACTOE, capitals(TICTACTOE))):
            ask(server, start_text(game, f"m{number}", game.roles[0], *LONG))
            ask(server, f"( ABORT m{number} )")
    first, second = spy.entries
    assert first.simulator is second.simulator
    assert first.role == second.role


# ── matches ─────────────────────────────────────────────────────────────────────────


def test_one_match_at_a_time_unless_told_otherwise(spy: Spy) -> None:
    with PlayerServer(spy, port=0, name="bob") as server:
        assert ask(server, start_text(TICTACTOE, "one", "x", *LONG)) == "ready"
        assert ask(server, start_text(TICTACTOE, "two", "o", *LONG)) == "busy"
        assert ask(server, "( INFO )") == "( ( name bob ) ( status busy ) )"
        assert ask(server, "( PLAY two NIL )") == "busy"
        assert ask(server, "( STOP two NIL )") == "busy"
        assert ask(server, "( ABORT two )") == "busy"
        assert ask(server, "( ABORT one )") == "aborted"
        assert ask(server, "( PLAY one NIL )") == "busy"
        assert ask(server, start_text(TICTACTOE, "two", "o", *LONG)) == "ready"


def test_two_matches_at_once(server: PlayerServer) -> None:
    ends: list[Position] = []

    def play(role: Role) -> None:
        for number in range(3):
            ends.append(play_out(server, TICTACTOE, role, f"{role}{number}", number))

    threads = [
        threading.Thread(target=play, args=(role,), daemon=True) for role in ("x", "o")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(ends) == 6


def test_a_match_begun_twice_begins_anew(spy: Spy) -> None:
    with PlayerServer(spy, port=0) as server:
        for _ in range(2):
            assert ask(server, start_text(TICTACTOE, "one", "x", *LONG)) == "ready"
            move = read_move(ask(server, "( PLAY one NIL )"))
            assert move in Position(TICTACTOE).legal_moves("x")
        assert server.matches == ("one",)
    assert len(spy.records) == 2
    assert spy.closed


def test_a_match_is_kept_before_it_is_done(spy: Spy) -> None:
    spy.seconds_to_finish = 0.3
    with PlayerServer(spy, port=0) as server:
        end = play_out(server, TICTACTOE, "x", "one")
        (record,) = spy.records
    assert record.complete
    assert record.goals == tuple(end.goals.values())
    assert record.faults == ()
    assert len(record.moves) == 9 - sum("b" in to_kif(fact) for fact in end.facts)


def test_a_match_given_up_is_not_complete(spy: Spy) -> None:
    with PlayerServer(spy, port=0) as server:
        ask(server, start_text(TICTACTOE, "one", "x", *LONG))
        ask(server, "( PLAY one NIL )")
        assert ask(server, "( ABORT one )") == "aborted"
    (record,) = spy.records
    assert not record.complete
    assert record.moves == ()


def test_a_match_without_messages_is_dropped(spy: Spy) -> None:
    limits = ServerLimits(silence=0.2)
    with PlayerServer(spy, port=0, limits=limits) as server:
        assert ask(server, start_text(TICTACTOE, "one", "x", 0.5, 0.1)) == "ready"
        until = time.monotonic() + 60
        while not spy.records and time.monotonic() < until:
            time.sleep(0.05)
        assert not server.matches
    assert [record.complete for record in spy.records] == [False]


def test_preview_has_the_game_prepared(spy: Spy) -> None:
    with PlayerServer(spy, port=0) as server:
        rules = TICTACTOE.to_kif().replace("\n", " ")
        assert ask(server, f"( PREVIEW ( {rules} ) 10 )") == "ready"
        assert server.matches == ()


def test_opponents_are_named_by_header_or_setting(spy: Spy) -> None:
    with PlayerServer(spy, port=0, opponents=("carl",)) as server:
        ask(server, start_text(TICTACTOE, "one", "x", 20, 5), opponents=("dora",))
        ask(server, "( ABORT one )")
        ask(server, start_text(TICTACTOE, "two", "x", 20, 7))
    assert spy.entries[0].opponents == ("dora",)
    assert spy.entries[-1].opponents == ("carl",)
    assert spy.entries[-1].start_clock == 20
    assert spy.entries[-1].play_clock == 7


# ── what others do ──────────────────────────────────────────────────────────────────


def own(name: str, *arguments: Term) -> Move:
    return Compound(name, arguments)


def test_it_goes_on_from_the_joint_move_whatever_it_answered(spy: Spy) -> None:
    seen: list[int] = []

    def first(position: Position, clock: Clock) -> Move:
        seen.append(len(position.legal_moves(spy.entries[0].role)))
        return position.legal_moves(spy.entries[0].role)[0]

    spy.player = Choosing(first)
    with PlayerServer(spy, port=0) as server:
        ask(server, start_text(TICTACTOE, "one", "x", *LONG))
        answer = read_move(ask(server, "( PLAY one NIL )"))
        other = next(
            move for move in Position(TICTACTOE).legal_moves("x") if move != answer
        )
        ask(server, write_message(Play("one", (other, "noop"))))
        reply = own("mark", "1", "1") if other != own("mark", "1", "1") else answer
        last = read_move(ask(server, write_message(Play("one", ("noop", reply)))))
        position = Position(TICTACTOE).advance(other, "noop").advance("noop", reply)
        assert last in position.legal_moves("x")
    assert seen == [9, 1, 7]


@pytest.mark.parametrize(
    "moves",
    [
        "( noop noop )",
        "( (mark 1 1) )",
        "( (mark 1 1) noop noop )",
        "( (mark 9 9) noop )",
        "( (jump 1) (sees it) )",
        "( (f (g (h 1))) noop )",
        "5 (mark 1 1) ( (sees it) )",
        "percept",
        "( () )",
        "",
    ],
)
def test_joint_moves_that_cannot_be_followed_are_answered(
    server: PlayerServer, moves: str
) -> None:
    assert ask(server, start_text(TICTACTOE, "odd", "x", *LONG)) == "ready"
    for _ in range(2):
        answer = read_move(ask(server, f"( PLAY odd {moves} )"))
        assert answer in Position(TICTACTOE).legal_moves("x")
    assert ask(server, f"( STOP odd {moves} )") == "done"
    assert server.matches == ()


def test_rules_with_errors_are_refused(server: PlayerServer) -> None:
    for rules in (
        "(role x)",
        "(role x) (<= (legal x ?m) (not (true ?m)))",
        "(role x) (<= (foo ?x))",
        "",
        "()",
        "(role x) ((a) b)",
    ):
        text = f"( START bad x ( {rules} ) 5 5 )"
        answer = exchange(server, write_request(text))
        assert answer.startswith(b"HTTP/1.0 400 "), answer
        assert ask(server, "( PLAY bad NIL )") == "busy"
    assert b" 400 " in exchange(
        server, write_request(start_text(TICTACTOE, "bad", "nobody", 5, 5))
    )
    assert server.matches == ()


# ── what players do ─────────────────────────────────────────────────────────────────


class PrivateError(Exception):
    """Of nobody's family."""


def fail(position: Position, clock: Clock) -> Move:
    raise ZeroDivisionError("on purpose")


def fail_badly(position: Position, clock: Clock) -> Move:
    raise PrivateError("on purpose")


def cheat(position: Position, clock: Clock) -> Move:
    return own("mark", "7", "7")


def mumble(position: Position, clock: Clock) -> Any:
    return 5


def shrug(position: Position, clock: Clock) -> Any:
    return None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("choose", [fail, fail_badly, cheat, mumble, shrug])
def test_a_player_that_fails_is_replaced_by_a_legal_move(choose: Any) -> None:
    spy = Spy(Choosing(choose))
    with PlayerServer(spy, port=0) as server:
        end = play_out(server, TICTACTOE, "x", "one")
    assert end.is_terminal
    (record,) = spy.records
    assert record.complete
    if choose is not fail_badly:
        assert record.faults


@pytest.mark.timing
def test_a_late_player_is_overtaken_in_time() -> None:
    def oversleep(position: Position, clock: Clock) -> Move:
        time.sleep(clock.left + 0.5)
        return position.legal_moves(position.roles[0])[0]

    spy = Spy(Choosing(oversleep))
    with PlayerServer(spy, port=0) as server:
        assert ask(server, start_text(TICTACTOE, "one", "x", 20, 0.5)) == "ready"
        began = time.monotonic()
        move = read_move(ask(server, "( PLAY one NIL )"))
        assert 0.4 < time.monotonic() - began < 0.5
        assert move in Position(TICTACTOE).legal_moves("x")
        ask(server, "( ABORT one )")
    assert {fault.kind for fault in spy.records[0].faults} == {"late"}


def test_a_player_that_is_overtaken_answers_with_its_best_move_so_far() -> None:
    told: list[Move] = []
    released = threading.Event()

    def oversleep(position: Position, clock: Clock) -> Move:
        legal = position.legal_moves(position.roles[0])
        clock.note("no-such-move")
        for move in (legal[3], legal[5]):
            told.append(move)
            clock.note(move)
        while not released.wait(0.005):  # it thinks on while the next move is asked for
            if len(told) > 2:
                clock.note(told[0])
        return legal[0]

    form = canonical_form(TICTACTOE)
    with PlayerServer(Spy(Choosing(oversleep)), port=0) as server:
        assert ask(server, start_text(TICTACTOE, "one", "x", 20, 0.5)) == "ready"
        position = Position(TICTACTOE)
        first = read_move(ask(server, "( PLAY one NIL )"))
        assert first == form.to_original(told[1])
        told.append("it is late")
        position = position.advance(first)
        answer = read_move(ask(server, write_message(Play("one", (first, "noop")))))
        assert answer == "noop"
        reply = position.legal_moves("o")[0]
        position = position.advance(reply)
        answer = read_move(ask(server, write_message(Play("one", ("noop", reply)))))
        assert answer in position.legal_moves("x")
        assert answer != form.to_original(told[0])
        released.set()
        ask(server, "( ABORT one )")


def test_a_player_is_told_a_clock_that_ends_before_the_managers() -> None:
    clocks: list[Clock] = []

    def note(position: Position, clock: Clock) -> Move:
        clocks.append(clock)
        return position.legal_moves(position.roles[0])[0]

    with PlayerServer(Spy(Choosing(note)), port=0) as server:
        ask(server, start_text(TICTACTOE, "one", "x", 20, 1))
        before = time.monotonic()
        ask(server, "( PLAY one NIL )")
        after = time.monotonic()
    (clock,) = clocks
    assert clock.seconds == pytest.approx(0.91)
    assert before <= clock.started <= after


def test_players_that_hang_do_not_pile_up() -> None:
    released = threading.Event()

    def hang(position: Position, clock: Clock) -> Move:
        released.wait(60)
        return position.legal_moves(position.roles[0])[0]

    spy = Spy(Choosing(hang))
    threads = threading.active_count()
    with PlayerServer(spy, port=0, limits=ServerLimits(hung=2)) as server:
        try:
            for match in ("m0", "m1"):
                text = start_text(TICTACTOE, match, "x", 20, 0.2)
                assert ask(server, text) == "ready"
                for _ in range(2):
                    answer = read_move(ask(server, f"( PLAY {match} NIL )"))
                    assert answer in Position(TICTACTOE).legal_moves("x")
                assert ask(server, f"( STOP {match} NIL )") == "done"
            more = start_text(TICTACTOE, "more", "x", 20, 0.2)
            assert ask(server, more) == "busy"
            assert threading.active_count() <= threads + 8
        finally:
            released.set()
        until = time.monotonic() + 60
        while "busy" in ask(server, "( INFO )") and time.monotonic() < until:
            time.sleep(0.05)
        assert ask(server, more) == "ready"


def test_a_slow_player_holds_nobody_else_up() -> None:
    thinks, released = threading.Event(), threading.Event()

    def think(position: Position, clock: Clock) -> Move:
        thinks.set()
        released.wait(60)
        return position.legal_moves(position.roles[0])[0]

    with PlayerServer(Spy(Choosing(think)), port=0) as server:
        ask(server, start_text(TICTACTOE, "one", "x", 20, 100))
        arguments = (server, "( PLAY one NIL )")
        play = threading.Thread(target=ask, args=arguments, daemon=True)
        play.start()
        try:
            assert thinks.wait(60)
            for _ in range(10):
                assert "busy" in ask(server, "( INFO )")
            assert play.is_alive()
        finally:
            released.set()
            play.join(60)


# ── the port ────────────────────────────────────────────────────────────────────────


def test_connections_are_refused_until_it_is_ready(spy: Spy) -> None:
    server = PlayerServer(spy, port=0)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(server.address)
    with server:
        assert "available" in ask(server, "( INFO )")


def test_a_port_in_use_is_a_clear_error(server: PlayerServer) -> None:
    with pytest.raises(GameloreError, match="somebody listens there already"):
        PlayerServer(Spy(), *server.address)


def test_only_loopback_is_opened() -> None:
    with PlayerServer(Spy(), port=0) as server:
        assert server.address[0] == "127.0.0.1"


def test_a_stopped_server_is_gone(spy: Spy) -> None:
    server = PlayerServer(spy, port=0)
    server.start()
    address = server.address
    ask(server, start_text(TICTACTOE, "one", "x", *LONG))
    server.stop()
    server.stop()
    with pytest.raises(OSError):
        socket.create_connection(address, timeout=2)
    assert [record.complete for record in spy.records] == [False]
    assert spy.closed


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"margin": 0}, "margin must be positive"),
        ({"patience": 2}, r"patience must be in \[0, 1\]"),
        ({"hung": -1}, "hung must be positive"),
    ],
)
def test_limits_are_checked(settings: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ServerLimits(**settings)


def test_names_are_one_word(spy: Spy) -> None:
    with pytest.raises(ValueError, match="name must be one word"):
        PlayerServer(spy, port=0, name="two words")
    with pytest.raises(ValueError, match="at_once must be positive"):
        PlayerServer(spy, port=0, at_once=0)
