"""Agents by name and by import path."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamelore.agents.agent import Entry
from gamelore.agents.random_player import RandomPlayer
from gamelore.cli.agents import NAMES, make_agent, rehearse
from gamelore.engine import simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.match.match import play_match
from gamelore.player import Clock

MODULE = """
from gamelore.agents import PlayerAgent
from gamelore.agents.random_player import RandomPlayer

class Mine(RandomPlayer):
    pass

class Stubborn:
    def __init__(self, seed, patience):
        pass

class Learner(PlayerAgent):
    def __init__(self, seed):
        super().__init__(RandomPlayer, seed)

def make(seed):
    return Mine(seed)

def nothing(seed):
    return 5

ready = Learner(1)
number = 7
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my_players.py").write_text(MODULE)
    (tmp_path / "my_broken_players.py").write_text("def (:")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("game", ["tictactoe", "rock-paper-scissors", "trio-3x3"])
@pytest.mark.parametrize("name", [*NAMES, "minimax-3", "heuristic-2", "monte-carlo-20"])
def test_every_name_plays_every_kind_of_game(name: str, game: str) -> None:
    engine = simulator(load(game))
    own, *others = engine.roles
    agent = make_agent(name, seed=1)
    for number in range(2):
        entry = Entry(f"match {number}", engine, own, ("lots",), 30.0, 0.2)
        player = agent.enter(entry, Clock(30.0))
        players = {role: RandomPlayer(number) for role in others}
        record = play_match(engine, {own: player, **players}, play_clock=0.2)
        assert record.complete
        assert not [fault for fault in record.faults if fault.kind != "late"]
        agent.finish(entry, record)
    agent.close()


@pytest.mark.parametrize("path", ["Mine", "make", "Learner", "ready"])
def test_import_paths(folder: Path, path: str) -> None:
    agent = make_agent(f"my_players:{path}", seed=3)
    engine = simulator(load("tictactoe"))
    player = agent.enter(Entry("m", engine, "x"), Clock())
    assert isinstance(player, RandomPlayer)
    agent.close()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("minmax", "no player 'minmax'; did you mean minimax?"),
        ("minimax-0", "no player 'minimax-0'; did you mean minimax?"),
        ("minimax-5000", "no player 'minimax-5000'"),
        ("random-3", "no player 'random-3'"),
        ("nobody-at-all", "no player 'nobody-at-all' (there are random"),
        ("my_players:Mime", "there is no 'Mime'; did you mean Mine?"),
        ("my_players:number", "neither a class nor a function"),
        ("my_players:nothing", "makes int, which is no player"),
        ("my_players:Stubborn", "cannot be made from a seed: TypeError"),
        ("no_such_module:Player", "cannot import 'no_such_module'"),
        ("my_broken_players:Player", "cannot import 'my_broken_players'"),
        (":Player", "cannot import ''"),
    ],
)
def test_what_cannot_play(folder: Path, spec: str, message: str) -> None:
    with pytest.raises(GameloreError) as caught:
        make_agent(spec)
    assert message in str(caught.value)


def test_store_needs_a_folder(tmp_path: Path) -> None:
    with pytest.raises(GameloreError, match="there is no folder"):
        make_agent("td", store=tmp_path / "nowhere" / "lore.db")


def test_rehearsal_keeps_nothing(folder: Path) -> None:
    rehearse("td")
    assert {path.name for path in folder.glob("*.db*")} == set()
