"""Messages of the GGP protocol: text to values and back."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.errors import MessageError
from gamelore.games import load
from gamelore.gdl import Compound, Game, Term, Variable, read_term, to_kif
from gamelore.ggp.messages import (
    LIMITS,
    Abort,
    About,
    Info,
    Message,
    Play,
    Preview,
    Start,
    Stop,
    list_rules,
    make_game,
    read_about,
    read_message,
    read_move,
    write_about,
    write_message,
)

MARK = Compound("mark", ("3", "2"))

CAPTURED = {
    "( INFO )": Info(),
    "(info)": Info(),
    "INFO": Info(),
    "( PREVIEW (( role you ) ( next done )) 10 )": Preview(
        (Compound("role", ("you",)), Compound("next", ("done",))), 10
    ),
    "( START cap1 you (( role you ) (<= terminal (true ?x)) open ) 5 3)": Start(
        "cap1",
        "you",
        (
            Compound("role", ("you",)),
            Compound("<=", ("terminal", Compound("true", (Variable("x"),)))),
            "open",
        ),
        5,
        3,
    ),
    "(START monty1 RANDOM ((ROLE CANDIDATE)(ROLE RANDOM)) 5 2.5)": Start(
        "monty1",
        "RANDOM",
        (Compound("ROLE", ("CANDIDATE",)), Compound("ROLE", ("RANDOM",))),
        5,
        2.5,
    ),
    "( PLAY m1 NIL )": Play("m1", None),
    "(Play m1 nil)": Play("m1", None),
    "( PLAY m1 () )": Play("m1", None),
    "( PLAY m1 (( mark 3 2 ) noop ) )": Play("m1", (MARK, "noop")),
    "(PLAY m1 ((mark 3 2)noop))": Play("m1", (MARK, "noop")),
    "( play m1 ( noop ) )": Play("m1", ("noop",)),
    "(STOP m1 ((MARK 3 2) NOOP))": Stop("m1", (Compound("MARK", ("3", "2")), "NOOP")),
    "( stop m1 nil )": Stop("m1", None),
    "( ABORT m1 )": Abort("m1"),
    "\r\n( ABORT\tm1 )\r\n": Abort("m1"),
}


@pytest.mark.parametrize("text", CAPTURED)
def test_messages_are_read_as_real_programs_send_them(text: str) -> None:
    assert read_message(text) == CAPTURED[text]


@pytest.mark.parametrize("message", dict.fromkeys(CAPTURED.values()))
def test_messages_are_read_back_from_their_text(message: Message) -> None:
    assert read_message(write_message(message)) == message


def test_clocks_are_written_without_a_point_where_they_can_be() -> None:
    text = write_message(Start("m", "x", (), 5.0, 0.5))
    assert text.split()[-3:] == ["5", "0.5", ")"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "found none"),
        ("   ", "found none"),
        ("( INFO ) ( INFO )", "found 2"),
        ("( PLAY m1 NIL", "never closed"),
        ("PLAY m1 NIL )", "closes nothing"),
        ("( )", "verb"),
        ("( ( PLAY ) m1 NIL )", "verb"),
        ("( JUMP m1 )", "unknown verb `jump`"),
        ("( PLAY )", "play does not go"),
        ("( PLAY m1 )", "play does not go"),
        ("( PLAY m1 noop )", "list of moves or nil"),
        ("( PLAY (m1) NIL )", "play does not go"),
        ("( PLAY m1 ( (mark 1 ?x) ) )", "no variables"),
        ("( PLAY m1 ( ((mark) 1) ) )", "where a name must be"),
        ("( PLAY m1 ( () ) )", "empty parentheses"),
        ("( PLAY m1 5 (mark 1 1) ((sees me)) )", "hidden information"),
        ("( START m1 x ((role x)) 5 )", "start does not go"),
        ("( START m1 x ((role x)) five 3 )", "number of seconds, not `five`"),
        ("( START m1 x ((role x)) -1 3 )", "number of seconds"),
        ("( START m1 x ((role x)) nan 3 )", "number of seconds"),
        ("( START m1 x ((role x)) inf 3 )", "number of seconds"),
        ("( START m1 x ((role x)) ) (() 5 3 )", "closes nothing"),
        ("( START m1 x (()) 5 3 )", "empty parentheses"),
        ("( START m1 x ((role ?)) 5 3 )", "without a name"),
        ("( START m\x00 x ((role x)) 5 3 )", "unreadable character U+0000"),
        ("( PLAY m\ud800 NIL )", "unreadable character U+D800"),
        ("( PREVIEW ((role x)) )", "preview does not go"),
        (f"( PLAY m1 ({'(f ' * 200}a{')' * 200}) )", "nested over 100 deep"),
        (f"( PLAY {'m' * 2000} NIL )", "a word of over 1,000"),
        ("(" * 500_000, "nested over 100 deep"),
        ("x" * 2_000_000, "over 1,000,000 characters"),
    ],
)
def test_what_is_wrong_is_said(text: str, part: str) -> None:
    with pytest.raises(MessageError, match=re.escape(part)) as caught:
        read_message(text)
    assert len(str(caught.value)) < 200


def test_an_error_tells_verb_and_match_where_they_can_be_read() -> None:
    for text in (
        "( PLAY m1 5 (mark 1 1) ((sees me)) )",
        "( play m1 ( () ) )",
        "( PLAY m1 noop )",
    ):
        with pytest.raises(MessageError) as caught:
            read_message(text)
        assert (caught.value.verb, caught.value.match) == ("play", "m1")
    with pytest.raises(MessageError) as caught:
        read_message("( START m2 x (()) 5 3 )")
    assert (caught.value.verb, caught.value.match) == ("start", "m2")


def test_too_many_rules_are_refused() -> None:
    with pytest.raises(MessageError, match="more than 30,000 rules"):
        read_message(f"( START m x ({'a ' * (LIMITS.rules + 1)}) 5 3 )")


@pytest.mark.parametrize("text", ["noop", " ( mark 3 2 ) ", "(mark 3 2)", "(f)"])
def test_moves_are_read_as_terms(text: str) -> None:
    assert read_move(text) == read_term(text)


@pytest.mark.parametrize("text", ["", "a b", "((a))", "()", "?x", "(f ?x)", "(a", "a)"])
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(MessageError):
        read_move(text)


def test_answers_to_info_are_read_and_written() -> None:
    about = About("gamelore", "available")
    assert write_about(about) == "( ( name gamelore ) ( status available ) )"
    assert read_about(write_about(about)) == about
    assert read_about("( ( NAME Ann ) ( STATUS BUSY ) ( species alien ) )") == About(
        "Ann", "busy", "alien"
    )
    assert read_about("available") == About(status="available")
    with pytest.raises(MessageError):
        read_about("( ( name")


@pytest.mark.parametrize("name", ["tictactoe", "pig", "tron", "hex"])
def test_rules_travel_whole(name: str) -> None:
    game = load(name)
    rules = list_rules(game)
    message = read_message(write_message(Start("m", game.roles[0], rules, 10, 5)))
    assert isinstance(message, Start)
    assert message.rules == rules
    assert make_game(message.rules).fingerprint == game.fingerprint


def test_public_rules_travel_whole(corpus: Path) -> None:
    paths = sorted((corpus / "games").glob("*.kif"))
    for path in random.Random(5).sample(paths, 12):
        game = Game.from_file(path)
        rules = game.to_kif().replace("\n", " ")
        message = read_message(f"( START m {game.roles[0]} ( {rules} ) 10 5 )")
        assert isinstance(message, Start)
        assert make_game(message.rules).fingerprint == game.fingerprint


words = st.text("abcXYZ019_<=+-", min_size=1, max_size=8)
terms: st.SearchStrategy[Term] = st.recursive(
    words,
    lambda inner: st.builds(
        Compound, words, st.lists(inner, min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=8,
)
joint_moves = st.lists(terms, min_size=1, max_size=4).map(tuple)
clocks = st.integers(0, 100_000) | st.floats(0, 1000, allow_nan=False)


@given(
    st.builds(Play, words, st.none() | joint_moves)
    | st.builds(Stop, words, st.none() | joint_moves)
    | st.builds(Start, words, words, st.lists(terms).map(tuple), clocks, clocks)
    | st.builds(Preview, st.lists(terms).map(tuple), clocks)
    | st.builds(Abort, words)
)
def test_any_message_is_read_back(message: Message) -> None:
    assert read_message(write_message(message)) == message


@given(terms)
def test_any_move_is_read_back(move: Term) -> None:
    assert read_move(to_kif(move)) == move


@given(st.text("() startplayNIL?;\n\t\x00é0159", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    for candidate in (text, f"( START m r ({text}) 5 3 )", f"( PLAY m ({text}) )"):
        try:
            read_message(candidate)
        except MessageError as error:
            assert str(error)
