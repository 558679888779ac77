"""Only games of many moves load what chooses among many."""

from __future__ import annotations

import pytest
from tests.circuit.queens import QUEENS
from tests.engine.compiled.test_turn_kernels import MANY

from gamelore.circuit import compile_game
from gamelore.engine.compiled.buffers import allocate_aligned
from gamelore.engine.compiled.choices import (
    has_many,
    load_many_moves,
    make_choices,
)
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.kernels import absent_address


@pytest.mark.parametrize(
    ("game", "many"),
    [
        (load("breakthrough"), False),
        (load("tictactoe"), False),
        (Game.from_kif(MANY), True),
        (Game.from_kif(QUEENS), True),
    ],
    ids=["breakthrough", "tictactoe", "many", "queens"],
)
def test_choices_among_many_are_there_where_they_are_needed(
    game: Game, many: bool
) -> None:
    turns = compile_game(game).turns
    assert has_many(turns) == many
    choices = make_choices(turns, allocate_aligned(16).reshape(4, 4))
    assert choices.many == (load_many_moves().address if many else absent_address())
