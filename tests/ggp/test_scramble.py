"""Scrambled rules: the same game in words that mean nothing, and the way back."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.errors import MessageError
from gamelore.games import load
from gamelore.gdl import Compound, Game, Move, Variable, read_term
from gamelore.ggp.scramble import Scramble

WORDS = re.compile(r"[^\s()?]+")
KEPT = {
    *("role", "init", "true", "next", "legal", "does", "goal", "terminal", "distinct"),
    *("base", "input", "sees", "not", "or", "and", "<=", "random"),
}


def words(game: Game) -> set[str]:
    return set(WORDS.findall(game.to_kif()))


def random_walk(position: Position, seed: int) -> list[tuple[Move, ...]]:
    """The joint moves of a random match."""
    rng = Random(seed)
    moves: list[tuple[Move, ...]] = []
    while not position.is_terminal and len(moves) < 60:
        joint = tuple(rng.choice(position.legal_moves(r)) for r in position.roles)
        position = position.advance(joint)
        moves.append(joint)
    return moves


@pytest.mark.parametrize("name", ["tictactoe", "pig", "rock-paper-scissors", "trio"])
def test_nothing_but_gdls_own_words_and_numbers_is_left(name: str) -> None:
    game = load(name)
    scrambled = Scramble(game, 3).game
    shared = {word for word in words(game) & words(scrambled) if not word.isdecimal()}
    assert shared <= KEPT
    assert all(len(word) > 3 for word in words(scrambled) - KEPT if word.isalpha())


@pytest.mark.parametrize("name", ["tictactoe", "pig", "rock-paper-scissors", "trio"])
def test_the_game_is_the_same(name: str) -> None:
    game = load(name)
    scramble = Scramble(game, 3)
    plain = Position.initial(Interpreter(game))
    renamed = Position.initial(Interpreter(scramble.game))
    for joint in random_walk(plain, seed=5):
        for role, theirs in zip(game.roles, scramble.game.roles, strict=True):
            assert scramble.to_scrambled(role) == theirs
            legal = {scramble.to_original(m) for m in renamed.legal_moves(theirs)}
            assert legal == {*plain.legal_moves(role)}
        plain = plain.advance(joint)
        renamed = renamed.advance([scramble.to_scrambled(m) for m in joint])
        assert renamed.is_terminal == plain.is_terminal
        assert [*renamed.goals.values()] == [*plain.goals.values()]
        assert {*map(scramble.to_original, renamed.facts)} == {*plain.facts}


def test_a_seed_repeats_and_seeds_differ() -> None:
    game = load("tictactoe")
    assert Scramble(game, 1).game == Scramble(game, 1).game
    assert Scramble(game, 1).game != Scramble(game, 2).game


def test_the_games_own_words_are_unknown_to_players() -> None:
    scramble = Scramble(load("tictactoe"), 1)
    with pytest.raises(MessageError, match="unknown word mark"):
        scramble.to_original(read_term("(mark 1 1)"))
    with pytest.raises(MessageError, match="unknown word noop"):
        scramble.to_original("noop")


def test_variables_numbers_and_names_in_parentheses() -> None:
    rules = """
    (role x) (init (at 0)) (<= (legal x (go)) (true (at ?here)) (free))
    (<= (free) (not busy)) (<= busy (true busy)) (<= (next (at 10)) (does x (go)))
    (<= terminal (true (at 10))) (goal x 100)
    """
    scramble = Scramble(Game.from_kif(rules), 7)
    text = scramble.game.to_kif()
    assert "?here" not in text and "?" in text
    assert "10" in text and "100" in text
    go = scramble.to_scrambled("(go)")
    assert (
        isinstance(go, str)
        and go.startswith("(")
        and scramble.to_original(go) == "(go)"
    )
    term = Compound("at", (Variable("here"), "10"))
    assert scramble.to_original(scramble.to_scrambled(term)) == term
    assert Game.from_kif(text).rules == scramble.game.rules


def test_public_games_survive(corpus: Path) -> None:
    for path in sorted((corpus / "games").glob("*.kif"))[::20]:
        game = Game.from_file(path)
        scrambled = Scramble(game, 11).game
        again = Game.from_kif(scrambled.to_kif())
        assert again.rules == scrambled.rules
        assert len(again.roles) == len(game.roles)
