"""Specs of agents: their text, and who they make."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from gamelore.agents import warm_up as warming
from gamelore.agents.agent import Agent, MatchEntry
from gamelore.agents.builtin import PARAMETERS, PLAYERS
from gamelore.agents.random_player import RandomPlayer
from gamelore.agents.registry import NAMES, AgentSpec, make_agent
from gamelore.agents.warm_up import warm_up
from gamelore.engine import simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.match.match import play_match
from gamelore.player import Clock

MODULE = """
from gamelore.agents import PlayerAgent
from gamelore.agents.builtin import PARAMETERS, PLAYERS
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
    (tmp_path / "my_failing_players.py").write_text("{}['key']")
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
        entry = MatchEntry(f"match {number}", engine, own, ("random",), 0.05, 0.02)
        player = agent.enter(entry, Clock(0.05))
        players = {role: RandomPlayer(number) for role in others}
        record = play_match(engine, {own: player, **players}, play_clock=0.02)
        assert record.complete
        assert not [fault for fault in record.faults if fault.kind != "late"]
        agent.finish(entry, record)
    agent.close()


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("random", AgentSpec("random")),
        ("td", AgentSpec("td")),
        ("minimax-4", AgentSpec("minimax", 4)),
        ("monte-carlo", AgentSpec("monte-carlo")),
        ("monte-carlo-100", AgentSpec("monte-carlo", 100)),
        ("learned:net.run", AgentSpec("learned", None, "net.run")),
        ("learned:runs/net.run:4", AgentSpec("learned", 4, "runs/net.run")),
        ("mcts:net.run", AgentSpec("mcts", None, "net.run")),
        ("mcts:runs/net.run:900", AgentSpec("mcts", 900, "runs/net.run")),
        ("package.module:Class", AgentSpec("import", None, "package.module:Class")),
    ],
)
def test_specs_have_a_text(text: str, spec: AgentSpec) -> None:
    assert AgentSpec.parse(text) == spec
    assert str(spec) == text
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_a_number_is_a_setting_of_the_same_player() -> None:
    for name in PARAMETERS:
        assert type(PLAYERS[name](1)) is type(PLAYERS[name](1, 3))


@pytest.mark.parametrize("path", ["Mine", "make", "Learner", "ready"])
def test_import_paths(folder: Path, path: str) -> None:
    agent = make_agent(f"my_players:{path}", seed=3)
    engine = simulator(load("tictactoe"))
    player = agent.enter(MatchEntry("m", engine, "x"), Clock())
    assert isinstance(player, RandomPlayer)
    agent.close()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("minmax", "no player 'minmax'; did you mean minimax?"),
        ("minmax-3", "no player 'minmax-3'; did you mean minimax?"),
        ("minimax-0", "minimax-0: the depth must be in 1 to 1000, got 0"),
        ("minimax-5000", "minimax-5000: the depth must be in 1 to 1000, got 5000"),
        ("monte-carlo-0", "monte-carlo-0: the playouts must be in 1 to 1000000, got 0"),
        ("random-3", "no player 'random-3'"),
        ("my_failing_players:Player", "cannot import 'my_failing_players': KeyError"),
        ("nobody-at-all", "no player 'nobody-at-all' (there are trained"),
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


def test_warming_up_keeps_nothing_and_is_done_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[AgentSpec] = []

    def make(spec: AgentSpec) -> Agent:
        made.append(spec)
        return make_agent(spec)

    monkeypatch.setattr(warming, "_warm", set())
    monkeypatch.setattr(warming, "make_agent", make)
    for text in ("td", "td", "minimax-2", "minimax-3"):
        warm_up(AgentSpec.parse(text))
    assert [*map(str, made)] == ["td", "minimax-2"]
    assert {path.name for path in folder.glob("*.db*")} == set()
