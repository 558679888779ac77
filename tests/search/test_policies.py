"""How the built-in players choose, as objects and in kernels."""

from __future__ import annotations

from collections import Counter

import pytest

from gamelore.agents.builtin import make_player
from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import Interpreter, Simulator, simulator
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.gdl import to_kif
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock, Player
from gamelore.search.policies import PlayerSettings
from gamelore.search.policy_player import PolicyPlayer

LOSING, OPEN, WINNING = range(3)
BOTH_CAN_WIN = "(cell 1 1 x) (cell 1 2 x) (cell 2 1 o) (cell 2 2 o)"
WIN = {"x": "(mark 1 3)", "o": "(mark 2 3)"}


@pytest.fixture(params=["circuit", "interpreter"])
def tictactoe(request: pytest.FixtureRequest) -> Simulator:
    return simulator(load("tictactoe"), request.param)


def choices(
    position: Position, role: str, settings: PlayerSettings, times: int = 60
) -> Counter[str]:
    """What a player does when asked again and again."""
    player = PolicyPlayer(settings, seed=5)
    player.start(Briefing(position.simulator, role), Clock())
    return Counter(to_kif(player.choose(position, Clock())) for _ in range(times))


def one_ply_outcome(graph: StateGraph, mover: int, child: int) -> int:
    """What a move leads to within a turn, from the definition."""

    def classify(node: int) -> int:
        goals = graph.simulator.goal_values[mover]
        goal = int(graph.goals(node)[mover])
        return {max(goals): WINNING, min(goals): LOSING}.get(goal, OPEN)

    if graph.is_terminal(child):
        return classify(child)
    if graph.mover(child) == mover:
        return OPEN
    replies = [edge.child for edge in graph.edges(child)]
    ends = [classify(node) for node in replies if graph.is_terminal(node)]
    return LOSING if LOSING in ends else OPEN


@pytest.mark.parametrize("name", ["tictactoe", "connect-3", "othello-4x4", "nim"])
def test_one_ply_outcomes_are_as_defined(name: str) -> None:
    graph = StateGraph(simulator(load(name)))
    Trainer(graph, TrainConfig(opponent=PlayerSettings("novice"))).run(300)
    seen = Counter[int]()
    for node in range(len(graph)):
        if graph.is_terminal(node) or int(graph.nodes.mover[node]) < 0:
            continue
        first = int(graph.nodes.first[node])
        for i, edge in enumerate(graph.edges(node)):
            found = int(graph.nodes.outcome[first + i])
            if found >= 0:
                assert found == one_ply_outcome(graph, graph.mover(node), edge.child)
                seen[found] += 1
    assert len(seen) == 3, "every kind of outcome must have been checked"


@pytest.mark.parametrize("role", ["x", "o"])
def test_a_novice_takes_a_win(tictactoe: Simulator, role: str) -> None:
    position = Position(tictactoe, f"{BOTH_CAN_WIN} (control {role})")
    assert set(choices(position, role, PlayerSettings("novice", 0.0))) == {WIN[role]}


def test_a_novice_blocks(tictactoe: Simulator) -> None:
    position = Position(tictactoe, "(cell 1 1 x) (cell 1 2 x) (cell 2 2 o) (control o)")
    found = choices(position, "o", PlayerSettings("novice", 0.0))
    assert set(found) == {"(mark 1 3)"}


@pytest.mark.parametrize("role", ["x", "o"])
def test_a_weak_player_lets_the_other_win(tictactoe: Simulator, role: str) -> None:
    position = Position(tictactoe, f"{BOTH_CAN_WIN} (control {role})")
    found = choices(position, role, PlayerSettings("weak", 0.0), 200)
    others_win = WIN["o" if role == "x" else "x"]
    assert set(found).isdisjoint({WIN[role], others_win})
    assert len(found) == 3, "all moves that lose, at random"


def test_a_weak_player_avoids_winning(tictactoe: Simulator) -> None:
    position = Position(tictactoe, "(cell 1 1 x) (cell 1 2 x) (cell 2 2 o) (control x)")
    found = choices(position, "x", PlayerSettings("weak", 0.0), 100)
    assert "(mark 1 3)" not in found
    assert len(found) > 1


def test_epsilon_is_how_often_moves_are_random(tictactoe: Simulator) -> None:
    position = Position(tictactoe, f"{BOTH_CAN_WIN} (control x)")
    found = choices(position, "x", PlayerSettings("novice", 0.5), 1000)
    # a random move is the win in 1 of 5: 0.5 + 0.5 / 5 = 0.6; 4 deviations are 0.062
    assert abs(found["(mark 1 3)"] / 1000 - 0.6) < 0.062
    assert len(found) == 5


def test_random_play_is_uniform(tictactoe: Simulator) -> None:
    found = choices(Position(tictactoe), "x", PlayerSettings("random"), 1800)
    assert len(found) == 9
    chi_square = sum((count - 200) ** 2 / 200 for count in found.values())
    assert chi_square < 26.1, "0.1% of uniform samples are above"


@pytest.mark.parametrize("depth", [2, 4, 9])
def test_minimax_takes_a_win_and_blocks(tictactoe: Simulator, depth: int) -> None:
    settings = PlayerSettings("minimax", 0.0, depth)
    position = Position(tictactoe, f"{BOTH_CAN_WIN} (control o)")
    assert "(mark 2 3)" in choices(position, "o", settings, 20)
    block = Position(tictactoe, "(cell 1 1 x) (cell 1 2 x) (cell 2 2 o) (control o)")
    assert set(choices(block, "o", settings, 20)) == {"(mark 1 3)"}


def test_minimax_never_loses_tictactoe() -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    perfect = PlayerSettings("minimax", epsilon=0.0, depth=9)
    for role in ("first", "second"):
        trainer = Trainer(graph, TrainConfig(opponent=perfect, role=role, seed=1))
        assert trainer.run(20_000).rewards.max() == 50, "the learner at most draws"


def test_minimax_against_itself_draws() -> None:
    sim = simulator(load("tictactoe"))
    settings = PlayerSettings("minimax", epsilon=0.0, depth=9)
    for seed in range(5):
        pair: dict[str, Player] = {
            "x": PolicyPlayer(settings, seed),
            "o": PolicyPlayer(settings, seed + 1),
        }
        assert play_match(sim, pair).goals == (50, 50)


def naive_minimax(graph: StateGraph, role: int, node: int, depth: int) -> float:
    """The value without pruning or memory."""
    if graph.is_terminal(node):
        return float(graph.goals(node)[role])
    if depth == 0:
        goals = graph.simulator.goal_values[role]
        return (max(goals) + min(goals)) / 2
    values = [naive_minimax(graph, role, e.child, depth - 1) for e in graph.edges(node)]
    return max(values) if graph.mover(node) == role else min(values)


@pytest.mark.parametrize(("name", "depth"), [("connect-3", 4), ("othello-4x4", 3)])
def test_minimax_chooses_among_the_best(name: str, depth: int) -> None:
    sim = simulator(load(name))
    graph = StateGraph(sim)
    player = PolicyPlayer(PlayerSettings("minimax", 0.0, depth), seed=2, graph=graph)
    player.start(Briefing(sim, sim.roles[0]), Clock())
    rival = RandomPlayer(3)
    rival.start(Briefing(sim, sim.roles[1]), Clock())
    position = Position(sim)
    decisions = 0
    while not position.is_terminal:
        node = graph.number(position.row)
        move = player.choose(position, Clock())
        if graph.mover(node) == 0:
            decisions += 1
            values = {
                name: naive_minimax(graph, 0, child, depth - 1)
                for name, child in graph.moves(node)
            }
            assert values[move] == max(values.values())
        position = position.advance(move, rival.choose(position, Clock()))
    assert decisions >= 4


@pytest.mark.parametrize(
    ("name", "depth"), [("tictactoe", 5), ("connect-3", 4), ("nim", 4)]
)
def test_in_kernels_and_as_a_player_minimax_is_the_same(name: str, depth: int) -> None:
    """Both choose among the moves that are best by definition."""
    sim = simulator(load(name))
    graph = StateGraph(sim)
    settings = PlayerSettings("minimax", 0.0, depth)
    for seed in range(3):
        players: list[Player] = [
            PolicyPlayer(settings, seed=seed, graph=graph),
            make_player("minimax", seed, depth),
        ]
        for player in players:
            player.start(Briefing(sim, sim.roles[0]), Clock())
        rival = RandomPlayer(seed)
        rival.start(Briefing(sim, sim.roles[1]), Clock())
        position = Position(sim)
        while not position.is_terminal:
            node = graph.number(position.row)
            moves = [player.choose(position, Clock()) for player in players]
            if graph.mover(node) == 0:
                values = {
                    move: naive_minimax(graph, 0, child, depth - 1)
                    for move, child in graph.moves(node)
                }
                assert {values[move] for move in moves} == {max(values.values())}
            reply = rival.choose(position, Clock())
            position = position.advance(moves[seed % 2], reply)


@pytest.mark.parametrize("playouts", [50, 200])
def test_playouts_find_forced_wins(playouts: int) -> None:
    sim = simulator(load("tictactoe"))
    settings = PlayerSettings("monte-carlo", 0.0, playouts=playouts)
    for role in ("x", "o"):
        position = Position(sim, f"{BOTH_CAN_WIN} (control {role})")
        assert set(choices(position, role, settings, 20)) == {WIN[role]}
    # the corner blocks and makes two lines of x, of which o can block but one
    board = "(cell 1 1 x) (cell 2 2 o) (cell 3 3 x) (cell 1 3 o)"
    fork = Position(sim, f"{board} (control x)")
    assert set(choices(fork, "x", settings, 20)) == {"(mark 3 1)"}


def test_playouts_on_the_interpreter() -> None:
    position = Position(Interpreter(load("tictactoe")), f"{BOTH_CAN_WIN} (control o)")
    settings = PlayerSettings("monte-carlo", 0.0, playouts=8)
    assert set(choices(position, "o", settings, 5)) == {"(mark 2 3)"}


def test_choosing_before_the_start_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="start must be called"):
        PolicyPlayer().choose(Position("tictactoe"), Clock())


@pytest.mark.parametrize(
    ("name", "value"),
    [("name", "clever"), ("epsilon", 1.5), ("depth", 0), ("playouts", 0)],
)
def test_settings_are_checked(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be .*, got"):
        PlayerSettings(**{name: value})  # type: ignore[arg-type]
