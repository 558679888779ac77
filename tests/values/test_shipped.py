"""Weights that come with gamelore."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.agents.registry import AgentSpec, make_agent
from gamelore.agents.translated import TranslatedPlayer
from gamelore.engine import CircuitSimulator, simulator
from gamelore.engine.position import Position
from gamelore.engine.translation import find_translation
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.gdl.canonical import canonical_form
from gamelore.graph import StateGraph
from gamelore.learn import trained
from gamelore.learn.config import TrainConfig
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.learn.trained import TrainedPlayer
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock
from gamelore.values import shipped
from gamelore.values.functions import ValueFunction
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.settings import LinearSettings
from gamelore.values.shipped import (
    FOLDER,
    LARGEST,
    find_shipped,
    list_shipped,
    read_weights,
    shipped_evaluator,
    write_weights,
)

SHIPPED = list_shipped()


def load_engine(name: str) -> CircuitSimulator:
    found = simulator(load(name))
    assert isinstance(found, CircuitSimulator)
    return found


@pytest.mark.parametrize(("levels", "apart"), [(1023, 0.001), (127, 0.01), (31, 0.04)])
def test_weights_survive_a_file(
    levels: int, apart: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "_LEVELS", (levels,))
    sim = load_engine("tictactoe")
    settings = NTupleSettings(tuples=4, tuple_length=5)
    config = TrainConfig(
        TDSettings(step_size=0.3), SelfPlay(), function=settings, seed=7
    )
    trainer = Trainer(StateGraph(sim), config)
    trainer.run(300)
    function = trainer.function
    assert function is not None
    found = read_weights(write_weights(function, 7, "300 matches", "tree"))
    assert (found.settings, found.seed, found.about) == (settings, 7, "300 matches")
    assert found.rules == sim.game.fingerprint
    assert found.form == canonical_form(sim.game).game.fingerprint
    assert found.search == "tree"
    rows = sim.expand(sim.initial_row()[None]).successors
    values = found.function(sim).evaluate(rows)
    assert values == pytest.approx(function.evaluate(rows), abs=apart)
    assert np.ptp(values) > 0


def test_other_functions_are_not_shipped() -> None:
    function = ValueFunction(StateGraph(load_engine("tictactoe")), LinearSettings())
    with pytest.raises(GameloreError, match="n-tuple"):
        write_weights(function, 0, "")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_weights_fit_their_games(name: str) -> None:
    """They are small, know the rules as they are, and say how they were learned."""
    assert (FOLDER / f"{name}.npz").stat().st_size < LARGEST
    sim = load_engine(name)
    evaluator = shipped_evaluator(sim)
    assert evaluator is not None
    rows = sim.expand(sim.initial_row()[None]).successors
    values = evaluator.evaluate(sim, rows, 0, 0)
    assert ((values > 0) & (values < 1)).all()
    assert "self-play" in str(start_trained(sim).strength)
    found = find_shipped(sim.game)
    assert found is not None
    assert found.renaming is None
    assert found.weights.form == canonical_form(sim.game).game.fingerprint
    assert found.weights.search in ("alpha-beta", "tree")


def test_games_without_weights_have_none() -> None:
    sim = load_engine("nim")
    assert find_shipped(sim.game) is None
    assert shipped_evaluator(sim) is None
    assert start_trained(sim).strength is None


def start_trained(sim: CircuitSimulator) -> TrainedPlayer:
    """The player by weights, in a match of a game."""
    player = TrainedPlayer()
    player.start(Briefing(sim, sim.roles[0]), Clock(0.01))
    return player


def rename(game: Game) -> Game:
    """The rules under other names and in another order, as managers send them."""
    words = {"cell": "spot", "control": "turn", "drop": "let", "move": "shift"}
    roles = [rule for rule in game.rules if rule.head.relation == "role"]
    others = [rule for rule in reversed(game.rules) if rule not in roles]
    text = "".join(f"{rule}\n" for rule in (*roles, *others))
    for old, new in words.items():
        text = re.sub(rf"\b{old}\b", new, text)
    return Game.from_kif(text, "sent")


def test_a_game_is_known_under_other_names() -> None:
    game = load("connect-four")
    sent = rename(game)
    for given in (sent, canonical_form(sent).game):
        found = find_shipped(given)
        assert found is not None
        assert found.game == game
        assert found.renaming is not None
        facts = Position.initial(simulator(given)).facts
        renamed = set(map(found.renaming.rename, facts))
        assert renamed == set(Position.initial(simulator(game)).facts)


def test_trained_plays_the_same_under_other_names() -> None:
    """In positions in which hardly two searches by playouts choose the same."""
    chosen = []
    for game in (load("breakthrough"), rename(load("breakthrough"))):
        sim = simulator(game)
        player = TrainedPlayer(5)
        player.start(Briefing(sim, sim.roles[0]), Clock())
        position, moves = Position.initial(sim), []
        for step in range(12):
            role = position.mover
            assert role is not None
            legal = sorted(map(str, position.legal_moves(role)))
            if role == sim.roles[0]:
                moves.append(str(player.choose(position, Clock())))
            position = position.advance(
                moves[-1] if role == sim.roles[0] else legal[step]
            )
        chosen.append(moves)
    assert chosen[1] == [move.replace("move", "shift") for move in chosen[0]]


def test_no_circuit_is_compiled_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = simulator(rename(load("connect-four")))
    monkeypatch.setattr(trained, "find_compiled", lambda game: None)

    def refuse(*given: object) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(trained, "simulator", refuse)
    player = TrainedPlayer(5)
    player.start(Briefing(sim, sim.roles[0]), Clock(0.2))
    assert player.choose(Position.initial(sim), Clock(0.2)) in Position.initial(
        sim
    ).legal_moves(sim.roles[0])


def test_trained_is_a_player() -> None:
    assert str(AgentSpec.parse("trained")) == "trained"
    make_agent("trained", seed=1).close()


def test_the_same_game_in_other_rules_is_played_by_its_weights(corpus: Path) -> None:
    text = (corpus / "games" / "conn4.kif").read_text(encoding="utf-8")
    played = simulator(Game.from_kif(text))
    players = {}
    for number, role in enumerate(played.roles):
        player = TrainedPlayer(number)
        players[role] = player
    record = play_match(played, players)
    assert record.complete
    assert not record.faults
    for player in players.values():
        assert isinstance(player._player, TranslatedPlayer)
        assert "in other rules; an n-tuple network" in str(player.strength)
        assert player._player._other is None, "both games agreed in all positions"


def test_where_the_games_differ_it_plays_by_the_rules_of_the_match() -> None:
    played, known = load_engine("tictactoe"), load_engine("tictactoe")
    found = find_translation(played, known)
    assert found is not None
    wrong = replace(found, fluents=np.roll(found.fluents, 1))
    player = TranslatedPlayer(RandomPlayer(1), wrong, lambda: RandomPlayer(2))
    player.start(Briefing(played, "x"), Clock(10))
    position = Position(played)
    assert player.choose(position, Clock(10)) in position.legal_moves("x")
    assert isinstance(player._other, RandomPlayer)
    player.rest()
