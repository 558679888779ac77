"""Every game is played to its end by tree search, without a fault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.circuit import compile_game
from gamelore.engine import CircuitSimulator, Interpreter, Simulator, simulator
from gamelore.errors import GroundingError, StuckError
from gamelore.games import library, load
from gamelore.gdl import Game
from gamelore.ground import GroundLimits
from gamelore.match.match import play_match
from gamelore.player import Player
from gamelore.search.mcts import TreePlayer, TreeSettings

PLAYOUTS = 200

LONG = {"abalone", "abalone-4", "abalone-3", "gomoku", "othello", "breakthrough"}
LONG |= {f"hex-{size}x{size}" for size in range(8, 12)}
LONG |= {"tictactoe-4x4", "tictactoe-5x5"}
"""Library games whose matches take long, or are like those of others."""


def play(engine: Simulator, matches: int, playouts: int, move_limit: int) -> None:
    """Play matches against random players, the roles in turn; there is no fault."""
    roles = [role for role in engine.roles if role != "random"]
    settings = TreeSettings(playouts=playouts, nodes=20_000)
    for number in range(matches):
        players: dict[str, Player] = {
            role: RandomPlayer(number + i) for i, role in enumerate(roles)
        }
        players[roles[number % len(roles)]] = TreePlayer(number, settings)
        record = play_match(engine, players, seed=number, move_limit=move_limit)
        assert record.faults == ()


def play_on_clock(engine: Simulator, matches: int, move_limit: int) -> None:
    """Play matches on a short clock, tree search in all roles; there is no fault.

    A decision may take a hundredth of a second, and is late after two.
    """
    roles = [role for role in engine.roles if role != "random"]
    settings = TreeSettings(seconds=0.01, nodes=20_000)
    for number in range(matches):
        players: dict[str, Player] = {
            role: TreePlayer(number + i, settings) for i, role in enumerate(roles)
        }
        record = play_match(
            engine, players, seed=number, play_clock=2.0, move_limit=move_limit
        )
        assert record.faults == ()


def names() -> list[object]:
    return [
        pytest.param(entry.name, marks=[pytest.mark.slow] if entry.name in LONG else [])
        for entry in library()
    ]


@pytest.mark.parametrize("name", names())
def test_every_library_game_is_played(name: str) -> None:
    play(simulator(load(name)), 3, PLAYOUTS, 400)


@pytest.mark.parametrize(
    "name", ["tictactoe", "rock-paper-scissors", "pig-10", "trio-3x3", "peg-solitaire"]
)
def test_games_are_played_on_the_interpreter(name: str) -> None:
    play(Interpreter(load(name)), 2, 4, 12)


KINDS = (
    "tictactoe",  # two players
    "connect-four-4x4",
    "breakthrough-6x6",
    "hex-4x4",
    "nim",
    "pig-10",  # dice
    "trio-3x3",  # three players
    "peg-solitaire",  # one player
    "rock-paper-scissors",  # at once
    "tron",
)


@pytest.mark.timing
@pytest.mark.parametrize("name", KINDS)
def test_matches_on_a_short_clock(name: str) -> None:
    play_on_clock(simulator(load(name)), 3, 100)


@pytest.mark.slow
@pytest.mark.timing
@pytest.mark.timeout(7200)
def test_every_library_game_on_a_short_clock() -> None:
    for entry in library():
        play_on_clock(simulator(load(entry.name)), 3, 500)


@pytest.mark.slow
@pytest.mark.timing
@pytest.mark.timeout(7200)
def test_every_corpus_game_on_a_short_clock(corpus: Path) -> None:
    played = 0
    for engine in compiled_games(corpus):
        if isinstance(engine, Interpreter):
            play(engine, 1, 1, 3)
        else:
            play_on_clock(engine, 3, 500)
            played += 1
    assert played > 150


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_every_corpus_game_is_played(corpus: Path) -> None:
    played = 0
    for engine in compiled_games(corpus):
        if isinstance(engine, Interpreter):
            play(engine, 1, 1, 3)
        else:
            play(engine, 3, PLAYOUTS, 200)
            played += 1
    assert played > 150


def compiled_games(corpus: Path) -> Iterator[Simulator]:
    """Games of the corpus; on the interpreter where they take long to compile."""
    for path in sorted((corpus / "games").glob("*.kif")):
        game = Game.from_file(path)
        try:
            compiled = compile_game(game, GroundLimits(seconds=5))
            engine: Simulator = CircuitSimulator(game, compiled)
        except GroundingError:
            yield Interpreter(game)
            continue
        try:
            engine.playouts(count=20)
        except StuckError:
            continue  # the rules leave a role without a move
        yield engine
