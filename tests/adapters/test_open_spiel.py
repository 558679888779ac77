"""Our games as OpenSpiel's: its own tests pass, and both say the same of a match."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is an extra")

import pyspiel
from open_spiel.python.observation import make_observation
from tests.marks import mark_slow

from gamelore.adapters import decisions
from gamelore.adapters.open_spiel import NAME, GameloreGame
from gamelore.engine.position import Position
from gamelore.errors import (
    ArgumentError,
    GameloreError,
    GroundingError,
    UnknownGameError,
)
from gamelore.gdl import to_kif

BLUFF = """
(role left) (role right)
(init open)
(hand a) (hand b)
(<= (legal ?p ?h) (role ?p) (hand ?h))
(<= (next (shown ?p ?h)) (does ?p ?h))
(<= terminal (not (true open)))
(<= (both ?g ?h) (true (shown left ?g)) (true (shown right ?h)))
(<= (goal left 100) (both a a))
(<= (goal left 0) (both a b))
(<= (goal left 0) (both b a))
(<= (goal left 50) (both b b))
(<= (goal right 0) (both a a))
(<= (goal right 100) (both a b))
(<= (goal right 100) (both b a))
(<= (goal right 50) (both b b))
"""
"""A matrix game: its only equilibrium plays a with probability 1/3 on both sides."""

GUESS = """
(role guesser) (role random)
(side heads) (side tails)
(init open)
(<= (legal guesser (call ?s)) (side ?s))
(<= (legal random (fall ?s)) (side ?s))
(<= (next right) (does guesser (call ?s)) (does random (fall ?s)))
(<= terminal (not (true open)))
(<= (goal guesser 100) (true right))
(<= (goal guesser 0) (not (true right)))
(goal random 0)
"""
"""A player and chance choose at once."""

TOGETHER = """
(role ann) (role bob)
(init (turn ann))
(<= (legal ?p (say ?w)) (true (turn ?p)) (word ?w))
(word yes) (word no)
(<= (legal ann wait) (true (turn bob)))
(<= (legal bob wait) (true (turn ann)))
(<= (next (turn bob)) (true (turn ann)))
(<= (next (said ?p ?w)) (does ?p (say ?w)))
(<= (next (said ?p ?w)) (true (said ?p ?w)))
(<= terminal (true (said bob ?w)))
(<= agreed (true (said ann ?w)) (true (said bob ?w)))
(<= (goal ?p 100) (role ?p) agreed)
(<= (goal ?p 10) (role ?p) (not agreed))
"""
"""Both have the same goals."""

SHEETS = {"bluff": BLUFF, "guess": GUESS, "together": TOGETHER}

KINDS = {
    "tictactoe": "SEQUENTIAL DETERMINISTIC ZERO_SUM 2",
    "breakthrough-6x6": "SEQUENTIAL DETERMINISTIC ZERO_SUM 2",
    "othello-4x4": "SEQUENTIAL DETERMINISTIC ZERO_SUM 2",
    "connect-four": "SEQUENTIAL DETERMINISTIC ZERO_SUM 2",
    "nim-1-3": "SEQUENTIAL DETERMINISTIC ZERO_SUM 2",
    "tron-4x4": "SIMULTANEOUS DETERMINISTIC ZERO_SUM 2",
    "rock-paper-scissors-2": "SIMULTANEOUS DETERMINISTIC ZERO_SUM 2",
    "trio-3x3": "SEQUENTIAL DETERMINISTIC GENERAL_SUM 3",
    "peg-solitaire": "SEQUENTIAL DETERMINISTIC GENERAL_SUM 1",
    "pig-8": "SEQUENTIAL EXPLICIT_STOCHASTIC ZERO_SUM 2",
    "guess": "SEQUENTIAL EXPLICIT_STOCHASTIC GENERAL_SUM 1",
    "bluff": "SIMULTANEOUS DETERMINISTIC ZERO_SUM 2",
    "together": "SEQUENTIAL DETERMINISTIC IDENTICAL 2",
}
"""Games of different kinds: who moves when, chance, sums of utilities, players."""
ALIKE = {"breakthrough-6x6", "othello-4x4", "connect-four", "nim-1-3", "tron-4x4"}


@pytest.fixture(scope="module")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sheets")
    for name, text in SHEETS.items():
        (folder / f"{name}.kif").write_text(text)
    return folder


def load(name: str, sheets: Path, more: str = "") -> Any:
    which = str(sheets / f"{name}.kif") if name in SHEETS else name
    return pyspiel.load_game(f"gamelore(game={which}{more})")


def simulate(game: Any) -> None:
    """Run OpenSpiel's own test, which takes seconds to import."""
    from open_spiel.python.tests import games_sim_test

    games_sim_test.GamesSimTest().sim_game(game)


@pytest.mark.parametrize("name", mark_slow(KINDS, ALIKE))
def test_passes_the_tests_that_openspiel_has_for_games(name: str, sheets: Path) -> None:
    game = load(name, sheets)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    simulate(game)
    kind = game.get_type()
    dynamics, chance, utility = kind.dynamics, kind.chance_mode, kind.utility
    found = f"{dynamics.name} {chance.name} {utility.name} {game.num_players()}"
    assert found == KINDS[name]


@pytest.mark.parametrize("name", ["tron-4x4", "bluff"])
def test_simultaneous_games_can_be_turn_based(name: str, sheets: Path) -> None:
    converted = pyspiel.convert_to_turn_based(load(name, sheets))
    pyspiel.random_sim_test(converted, num_sims=2, serialize=False, verbose=False)
    simulate(converted)


@pytest.mark.parametrize(
    ("ours", "theirs"), [("tictactoe", "tic_tac_toe"), ("connect-four", "connect_four")]
)
def test_says_the_same_as_the_game_that_openspiel_has(ours: str, theirs: str) -> None:
    """Columns and cells come in the same order, so that even actions are the same."""
    rng = random.Random(ours)
    game, other = load(ours, Path()), pyspiel.load_game(theirs)
    for _ in range(5):
        states = [game.new_initial_state(), other.new_initial_state()]
        while not states[1].is_terminal():
            mine, yours = states
            assert not mine.is_terminal()
            assert mine.current_player() == yours.current_player()
            assert mine.legal_actions() == yours.legal_actions()
            action = rng.choice(yours.legal_actions())
            for state in states:
                state.apply_action(action)
        assert states[0].is_terminal()
        assert states[0].returns() == states[1].returns()
        assert states[0].history() == states[1].history()


@pytest.mark.parametrize("name", ["trio-3x3", "pig-8", "tron-4x4", "guess"])
def test_says_the_same_as_a_position(name: str, sheets: Path) -> None:
    """Playing by actions leads where playing by moves does."""
    rng = random.Random(name)
    state = load(name, sheets).new_initial_state()
    position = state.gdl_position()
    while not state.is_terminal():
        joint: dict[str, str] = {}
        before = state.gdl_position()
        while state.gdl_position() == before and not state.is_terminal():
            make_random_move(state, joint, rng)
        position = position.advance(joint)
        assert state.gdl_position() == position
        assert state.is_terminal() == position.is_terminal
    goals = [position.goal(role) or 0 for role in position.roles if role != "random"]
    assert state.returns() == pytest.approx([(goal - 50) / 50 for goal in goals])


def make_random_move(state: Any, joint: dict[str, str], rng: random.Random) -> None:
    """Apply random actions to a state, and note the moves that they stand for."""
    roles = [role for role in state.gdl_position().roles if role != "random"]
    if state.is_chance_node():
        action = rng.choice([outcome for outcome, _ in state.chance_outcomes()])
        joint["random"] = state.action_to_string(action)
        state.apply_action(action)
    elif state.is_simultaneous_node():
        actions = [rng.choice(state.legal_actions(p)) for p in range(len(roles))]
        for player, role in enumerate(roles):
            joint[role] = state.action_to_string(player, actions[player])
        state.apply_actions(actions)
    else:
        action = rng.choice(state.legal_actions())
        joint[roles[state.current_player()]] = state.action_to_string(action)
        state.apply_action(action)


def test_legal_actions_are_those_of_the_position() -> None:
    state = pyspiel.load_game("gamelore(game=breakthrough-6x6)").new_initial_state()
    texts = [state.action_to_string(action) for action in state.legal_actions()]
    legal = state.gdl_position().legal_moves("white")
    assert sorted(texts) == sorted(map(to_kif, legal))
    assert [state.string_to_action(text) for text in texts] == state.legal_actions()
    game, first = state.get_game(), state.legal_actions()[0]
    assert game.action_to_string(0, first) == texts[0]


def test_chance_is_uniform_and_comes_after_the_player(sheets: Path) -> None:
    state = load("guess", sheets).new_initial_state()
    assert state.current_player() == 0
    state.apply_action(state.string_to_action("(call tails)"))
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(0, 0.5), (1, 0.5)]
    assert "chosen: (call tails)" in str(state)
    state.apply_action(state.string_to_action("(fall tails)"))
    assert state.returns() == [1.0]


def test_forced_moves_are_made_by_whom_they_are_of() -> None:
    """The last empty cell of tic-tac-toe is a decision, too; waiting never is."""
    state = pyspiel.load_game("gamelore(game=tictactoe)").new_initial_state()
    for action in (0, 1, 2, 4, 3, 5, 7, 6):
        state.apply_action(action)
    assert state.current_player() == 0
    assert state.legal_actions() == [8]


def test_utilities(sheets: Path) -> None:
    game = load("bluff", sheets, ",utility=goals")
    assert game.get_type().utility.name == "CONSTANT_SUM"
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (0, 100, 100)
    game = load("bluff", sheets, ",utility=general")
    assert game.get_type().utility.name == "GENERAL_SUM"
    assert game.utility_sum() is None
    game = load("nim-1-3", sheets)
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1, 1, 0)
    assert game.max_game_length() == 4
    assert game.num_distinct_actions() == 4


def test_observations_show_the_facts() -> None:
    game = pyspiel.load_game("gamelore(game=nim-1-3)")
    state = game.new_initial_state()
    observation = make_observation(game)
    observation.set_from(state, player=1)
    assert observation.dict["player"].tolist() == [0, 1]
    engine = game.decisions.engine
    shown = {
        to_kif(engine.fluents[n]) for n in np.flatnonzero(observation.dict["facts"])
    }
    assert " ".join(sorted(shown)) == state.observation_string(0)
    assert observation.string_from(state, 0) == state.observation_string(1)
    assert state.observation_tensor(1) == observation.tensor.tolist()
    assert state.information_state_string(0) == ""


def test_information_states_hold_the_history() -> None:
    game = pyspiel.load_game("gamelore(game=nim-1-3,information_state_tensor=True)")
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    assert game.information_state_tensor_shape() == [2 + 4 * 4]
    seen = set()
    for history in ([], [0], [1], [0, 1], [0, 2], [1, 0]):
        state = game.new_initial_state()
        for action in history:
            state.apply_action(action)
        assert state.information_state_string(0) == ", ".join(map(str, history))
        seen.add(tuple(state.information_state_tensor(0)))
    assert len(seen) == 6
    with pytest.raises(ArgumentError, match="too large; max_game_length"):
        pyspiel.load_game(
            "gamelore(game=breakthrough-6x6,information_state_tensor=True)"
        )
    shorter = "gamelore(game=pig-8,information_state_tensor=True,max_game_length=50)"
    assert pyspiel.load_game(shorter).information_state_tensor_shape() == [902]


@pytest.mark.slow
def test_pickles_pass_to_a_process_that_has_imported_nothing(sheets: Path) -> None:
    game = load("guess", sheets)
    state = game.new_initial_state()
    state.apply_action(1)
    file = sheets / "state.pickle"
    file.write_bytes(pickle.dumps((game, state)))
    code = f"""
import pickle, pathlib
game, state = pickle.loads(pathlib.Path({str(file)!r}).read_bytes())
print(game.new_initial_state().legal_actions(), state.chance_outcomes(), state)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"[0, 1] [(0, 0.5), (1, 0.5)] {state}\n"
    assert str(copy.deepcopy(state)) == str(state.clone()) == str(state)


def test_a_position_has_a_state() -> None:
    game = pyspiel.load_game("gamelore(game=tictactoe)")
    position = Position("tictactoe").advance("(mark 2 2)")
    state = game.make_state(position)
    assert state.current_player() == 1
    moves = {state.action_to_string(1, action) for action in state.legal_actions()}
    assert moves == set(map(to_kif, position.legal_moves("o")))


def test_a_state_stored_for_other_rules_is_refused() -> None:
    game = pyspiel.load_game("gamelore(game=nim-1-3)")
    state = pyspiel.load_game("gamelore(game=nim-3-1)").new_initial_state()
    assert state.layout != game.layout
    moved = game.deserialize_state(state.serialize())
    with pytest.raises(GameloreError, match="another version of gamelore or"):
        moved.is_terminal()


def test_faults_are_said() -> None:
    with pytest.raises(UnknownGameError, match="did you mean tictactoe"):
        pyspiel.load_game("gamelore(game=tictactou)")
    with pytest.raises(ArgumentError, match="utility must be auto or general or goals"):
        pyspiel.load_game("gamelore(utility=sum)")
    with pytest.raises(ArgumentError, match="brackets, commas or ="):
        GameloreGame({"game": "a,b.kif"})


def test_a_game_that_only_the_interpreter_plays_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise GroundingError("too many rules")

    monkeypatch.setattr(decisions, "make_simulator", refuse)
    with pytest.raises(GameloreError, match="OpenSpiel needs a list of all moves"):
        pyspiel.load_game("gamelore(game=nim-2-2)")


def test_what_random_play_did_not_show_is_an_error(tmp_path: Path) -> None:
    """Goals add up to 100 unless sixty right choices of two are made."""
    steps = " ".join(f"(after s{n} s{n + 1})" for n in range(60))
    (tmp_path / "rare.kif").write_text(f"""
(role a) (role b) {steps}
(init (step s0)) (init lucky)
(<= (legal a left) (true (step ?s)))
(<= (legal a right) (true (step ?s)))
(legal b wait)
(<= (next (step ?t)) (true (step ?s)) (after ?s ?t))
(<= (next lucky) (true lucky) (does a right))
(<= (next (made ?s)) (does a right) (true (step ?s)))
(<= (next (made ?s)) (true (made ?s)))
(<= terminal (true (step s60)))
(<= (goal a 100) (true lucky))
(<= (goal a 50) (not (true lucky)))
(goal b 50)
""")
    game = pyspiel.load_game(f"gamelore(game={tmp_path / 'rare.kif'})")
    assert game.get_type().utility.name == "ZERO_SUM"
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.string_to_action("right"))
    with pytest.raises(GameloreError, match="load it with utility=general"):
        state.returns()


def test_the_name_is_registered_once() -> None:
    assert NAME in pyspiel.registered_names()
