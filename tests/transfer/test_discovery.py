"""Which tree patterns games have."""

from __future__ import annotations

import warnings

import pytest
from tests.marks import mark_slow

from gamelore.engine import simulator
from gamelore.errors import NotTurnTakingError
from gamelore.games import library, load
from gamelore.graph import Pattern, PatternIndex, StateGraph
from gamelore.transfer import (
    IncompleteSearchWarning,
    TreePattern,
    count_patterns,
    find_patterns,
)

# As Banerjee and Stone say of their twelve, there are no wins in the middle level and
# no losses in the lowest.
FIRST = [
    "L",
    "L (D)",
    "L (N)",
    "L (N) (N W)",
    "L (N W)",
    "L (W)",
    "(D)",
    "(D) (W)",
    "(N) (N W)",
    "(N W)",
    "(N W) (W)",
    "(W)",
]


def test_tictactoe_has_twelve_patterns_for_who_moves_first(
    tictactoe: StateGraph,
) -> None:
    found = find_patterns(tictactoe, 0)
    assert [str(pattern) for pattern in found] == FIRST
    assert len(found) == 12


def test_tictactoe_has_ten_for_who_moves_second_and_fourteen_in_all(
    tictactoe: StateGraph,
) -> None:
    second = find_patterns(tictactoe, 1)
    assert len(second) == 10
    assert len(set(second) | set(map(TreePattern.parse, FIRST))) == 14


def test_outcomes_by_reward_are_the_same_patterns_renamed(
    tictactoe: StateGraph,
) -> None:
    names = {"L": "0", "D": "50", "W": "100"}
    by_reward = find_patterns(tictactoe, 0, outcomes="rewards")
    assert by_reward == sorted(TreePattern.parse(text).renamed(names) for text in FIRST)


def plain_pattern(graph: StateGraph, node: int, role: int, depth: int) -> Pattern:
    """A pattern by plain recursion."""
    if graph.is_terminal(node):
        return {0: "L", 50: "D", 100: "W"}[int(graph.goals(node)[role])]
    if depth == 0:
        return "N"
    return frozenset(
        plain_pattern(graph, edge.child, role, depth - 1) for edge in graph.edges(node)
    )


def plain_counts(graph: StateGraph, role: int, depth: int) -> dict[str, int]:
    """How many afterstates match each pattern, by walking over the whole game."""
    seen, waiting, afterstates = {graph.root}, [graph.root], set()
    while waiting:
        node = waiting.pop()
        for edge in graph.edges(node):
            if graph.mover(node) == role and not graph.is_terminal(edge.child):
                afterstates.add(edge.child)
            if edge.child not in seen:
                seen.add(edge.child)
                waiting.append(edge.child)
    counts: dict[str, int] = {}
    for node in afterstates:
        pattern = plain_pattern(graph, node, role, depth)
        if set("WDL") & set(str(pattern)):
            text = str(TreePattern.from_structure(pattern))
            counts[text] = counts.get(text, 0) + 1
    return counts


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("role", [0, 1])
def test_counts_equal_a_plain_walk(
    tictactoe: StateGraph, role: int, depth: int
) -> None:
    counts = count_patterns(tictactoe.simulator, role, depth)
    found = {str(pattern): count for pattern, count in counts.patterns.items()}
    assert found == plain_counts(tictactoe, role, depth)
    assert counts.complete


def test_counts_join() -> None:
    nim = simulator(load("nim-1-2"))
    first, second = (count_patterns(nim, role) for role in (0, 1))
    both = first | second
    assert both.afterstates == first.afterstates + second.afterstates
    assert set(both.patterns) == set(first.patterns) | set(second.patterns)
    assert list(both.patterns) == sorted(both.patterns)


def test_a_cut_search_says_so_and_still_finds_ends(tictactoe: StateGraph) -> None:
    counts = count_patterns(tictactoe.simulator, 0, limit=100)
    assert not counts.complete
    assert "there may be more" in str(counts)
    assert (
        counts.patterns
    )  # no match of tic-tac-toe ends in its first hundred positions
    assert set(counts.patterns) <= set(map(TreePattern.parse, FIRST))
    with pytest.warns(IncompleteSearchWarning, match="there may be more"):
        assert find_patterns(tictactoe, 0, limit=100) == list(counts.patterns)


def test_a_search_does_not_depend_on_what_was_explored_before() -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    before = count_patterns(graph.simulator, 0, limit=1000)
    PatternIndex(graph, 0, 4).number(graph.root)
    assert count_patterns(graph.simulator, 0, limit=1000) == before


def test_games_with_simultaneous_moves_are_refused() -> None:
    with pytest.raises(NotTurnTakingError):
        count_patterns(simulator(load("tron")), 0)


FEW = ("tictactoe", "connect-four", "breakthrough-6x6", "othello-4x4", "hex-4x4", "pig")
TURN_TAKING = {
    entry.name: entry.name not in FEW
    for entry in library()
    if entry.players == 2 and entry.name not in ("tron", "rock-paper-scissors")
}
"""By name, whether it takes long, or is like another one."""


@pytest.mark.parametrize(
    "name", mark_slow(TURN_TAKING, {name for name in TURN_TAKING if TURN_TAKING[name]})
)
def test_every_two_player_game_has_patterns(name: str) -> None:
    game = simulator(load(name))
    for role in (0, 1):
        counts = count_patterns(game, role, limit=3000)
        assert counts.patterns, f"{name}: {counts}"
        assert all(pattern.depth <= 2 for pattern in counts.patterns)


def test_a_complete_search_does_not_warn(tictactoe: StateGraph) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        find_patterns(tictactoe, 1)
