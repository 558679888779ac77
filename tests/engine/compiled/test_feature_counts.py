"""Features: the circuit's counts are the interpreter's, and change no match."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from gamelore.circuit import store
from gamelore.engine import CircuitSimulator, Interpreter
from gamelore.engine.simulator import Row, Rows, Simulator
from gamelore.games import feature_names, load, load_features
from gamelore.gdl import Compound, Game, read_term, to_kif
from gamelore.gdl.features import FeatureRules

MARKS = """
(<= (other ?q) (me ?p) (opponent ?p ?q))
(<= (feature (marks own) ?r ?c) (me ?p) (true (cell ?r ?c ?p)))
(<= (feature (marks other) ?r ?c) (other ?p) (true (cell ?r ?c ?p)))
(<= (feature moves ?m) (me ?p) (legal ?p ?m))
(<= (weighted lead 1/2 ?r ?c) (me ?p) (true (cell ?r ?c ?p)))
(<= (weighted lead -1/2 ?r ?c) (other ?p) (true (cell ?r ?c ?p)))
(<= (average row ?r ?c) (me ?p) (true (cell ?r ?c ?p)))
(<= (feature never ?r) (true (cell ?r ?r x)) (true (cell ?r ?r o)))
(feature always 1) (feature always 2)
"""

CASES = [
    *(("abalone-3", which) for which in feature_names("abalone-3")),
    pytest.param("abalone", "abalearn3", marks=pytest.mark.slow),
    ("connect-four", "threats"),
    ("tictactoe", "marks"),
]


def choose_features(game: Game, which: str) -> FeatureRules:
    if which == "marks":
        return FeatureRules.from_kif(MARKS, game, name=which)
    return load_features(which, game)


def random_rows(sim: Simulator, count: int, seed: int = 0) -> Rows:
    """Positions of random matches, ends included."""
    generator = np.random.default_rng(seed)
    rows = [sim.initial_row()]
    while len(rows) < count:
        here = rows[-1][None]
        if sim.terminal(here)[0]:
            rows.append(sim.initial_row())
            continue
        joint = [generator.choice(np.flatnonzero(m[0])) for m in sim.legal(here)]
        rows.append(sim.advance(here, np.array([joint], np.int32))[0])
    return np.array(rows)


@pytest.mark.parametrize(("name", "which"), CASES)
def test_the_circuit_counts_what_the_interpreter_does(name: str, which: str) -> None:
    game = load(name)
    features = choose_features(game, which)
    fast = CircuitSimulator(game, features=features)
    slow = Interpreter(game, features)
    rows = random_rows(fast, 150)[:: 1 if name == "tictactoe" else 15]
    known = np.array([slow.encode(fast.facts(row)) for row in rows])
    for role in range(len(game.roles)):
        expected = slow.feature_counts(known, role)
        counts = fast.feature_counts(rows, role)
        assert counts.dtype == np.float32
        place = [fast.feature_names.index(name) for name in slow.feature_names]
        np.testing.assert_allclose(counts[:, place], expected, rtol=1e-6)
        others = np.delete(counts, place, axis=1)
        assert not others.any()


def test_values_by_hand() -> None:
    game = load("tictactoe")
    sim = CircuitSimulator(game, features=choose_features(game, "marks"))
    facts = ["(cell 1 1 x)", "(cell 3 1 x)", "(cell 2 2 o)", "(control o)"]
    row = sim.encode(map(read_term, facts))[None]
    names = [to_kif(name) for name in sim.feature_names]
    assert names == [
        *("(marks other)", "(marks own)", "moves", "lead", "row", "never", "always")
    ]
    assert sim.feature_counts(row, 0)[0].tolist() == [1, 2, 1, 0.5, 2, 0, 2]
    assert sim.feature_counts(row, 1)[0].tolist() == [2, 1, 6, -0.5, 2, 0, 2]


def test_both_sides_see_the_same_at_the_start() -> None:
    game = load("abalone")
    for which in feature_names("abalone"):
        sim = CircuitSimulator(game, features=load_features(which, game))
        start = sim.initial_row()[None]
        black, white = sim.feature_counts(start, 0), sim.feature_counts(start, 1)
        np.testing.assert_array_equal(black, white)


def test_abalearn_by_hand() -> None:
    game = load("abalone")
    sim = CircuitSimulator(game, features=load_features("abalearn3", game))
    stones = {
        "black": "55 54 56 45 44 65 66 51 52 53",  # 55 is surrounded
        "white": "99 98 48",
    }
    facts = [
        *(f"(stone {c} {p})" for p, cells in stones.items() for c in cells.split()),
        *("(lost black 2)", "(lost white 5)", "(control black)"),
    ]
    row = sim.encode(map(read_term, facts))[None]
    counts = sim.feature_counts(row)[0].tolist()
    values = dict(zip(map(to_kif, sim.feature_names), counts, strict=True))
    assert values["(in centre own)"] == 7
    assert values["(in middle own)"] == 2
    assert values["(in border own)"] == 1
    assert values["(in border other)"] == 3
    assert values["(lost own)"] == 2
    assert values["(lost other)"] == 5
    assert values["(protected own)"] == 1
    assert values["(distance own)"] == pytest.approx((6 * 1 + 2 + 3 + 4) / 10)
    assert values["(distance other)"] == 4
    assert values["(threatened own)"] == values["(threatened other)"] == 0


OWN, OTHER = "own", "other"

BOTH_SIDES = {
    # black is surrounded on 55; 99 is threatened by 77 and 88, 11 by nobody
    "(in centre own)": 7,  # 55 and the six around it
    "(in centre other)": 0,
    "(in middle own)": 2,  # 77, 88
    "(in middle other)": 1,  # 52
    "(in border own)": 0,
    "(in border other)": 2,  # 99, 11
    "(lost own)": 1,
    "(lost other)": 4,
    "(protected own)": 1,
    "(protected other)": 0,
    "(distance own)": (0 + 6 * 1 + 2 + 3) / 9,
    "(distance other)": (4 + 4 + 3) / 3,
    "(threatened own)": 0,
    "(threatened other)": 1,
}


def count_by_name(which: str, role: int) -> dict[str, float]:
    """Count the features of a position of Abalone, by name."""
    game = load("abalone")
    sim = CircuitSimulator(game, features=load_features(which, game))
    black, white = "55 54 56 45 44 65 66 77 88", "99 11 52"
    facts = [
        *(f"(stone {cell} black)" for cell in black.split()),
        *(f"(stone {cell} white)" for cell in white.split()),
        *("(lost black 1)", "(lost white 4)", "(control black)"),
    ]
    row = sim.encode(map(read_term, facts))[None]
    counts = sim.feature_counts(row, role)[0].tolist()
    return dict(zip(map(to_kif, sim.feature_names), counts, strict=True))


@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize("which", ["abalearn2", "abalearn3"])
def test_all_of_abalearn_by_hand_from_both_sides(which: str, role: int) -> None:
    found = count_by_name(which, role)
    expected = dict(BOTH_SIDES)
    if role == 1:
        for name in BOTH_SIDES:
            mirrored = name.replace(OWN, "?").replace(OTHER, OWN).replace("?", OTHER)
            expected[name] = BOTH_SIDES[mirrored]
    assert found == {name: pytest.approx(expected[name]) for name in found}
    assert len(found) == {"abalearn2": 8, "abalearn3": 14}[which]


def test_what_abalearns_opponent_thinks_by_hand() -> None:
    """A lost stone counts 5, one more than on the border; or, literally, nothing."""
    apart = (4 + 4 + 3) - (0 + 6 * 1 + 2 + 3)
    assert count_by_name("distances", 0) == {"lead": apart}
    assert count_by_name("distances", 1) == {"lead": -apart}
    assert count_by_name("heuristic", 0) == {"lead": apart + 5 * (4 - 1)}
    assert count_by_name("heuristic", 1) == {"lead": -apart - 5 * (4 - 1)}


@pytest.mark.parametrize("role", [0, 1])
def test_stones_and_mobility_of_othello_by_hand(role: int) -> None:
    """White has three stones and black one; either side has one move."""
    game = load("othello")
    sim = CircuitSimulator(game, features=load_features("heuristic", game))
    facts = ["(cell 4 4 white)", "(cell 4 5 white)", "(cell 4 6 white)"]
    facts += ["(cell 4 3 black)", "(control black)"]
    row = sim.encode(map(read_term, facts))[None]
    black = (1 - 3) + 4 * (1 - 1)
    expected = black if role == 0 else -black
    assert sim.feature_counts(row, role).tolist() == [[expected]]


def test_taken_literally_abalearns_opponent_pushes_nothing_off() -> None:
    """A stone of the other side on the border is worth 4 to it."""
    game = load("abalone")
    sim = CircuitSimulator(game, features=load_features("distances", game))
    facts = [
        *(f"(stone {cell} black)" for cell in (55, 66, 77, 88)),
        *("(stone 99 white)", "(lost black 0)", "(lost white 0)", "(control black)"),
    ]
    row = sim.encode(map(read_term, facts))[None]
    successors = sim.expand(row).successors
    stones = [[to_kif(f) for f in sim.facts(s)] for s in successors]
    off = np.array(["(lost white 1)" in facts for facts in stones])
    values = sim.feature_counts(successors, 0)[:, 0]
    assert off.sum() == 2  # by two stones, and by three
    assert values[off].max() < values[~off].min()


@pytest.mark.parametrize(
    ("black", "white", "threatened"),
    [
        ("52 53", "51", 1),  # two push one off
        ("52", "51", 0),
        ("53 54", "51", 0),  # nothing behind it
        ("53 54 55", "51 52", 1),  # three push off the second of two
        ("53 54", "51 52", 0),
        ("54 55 56", "51 52 53", 0),
    ],
)
def test_threats(black: str, white: str, threatened: int) -> None:
    game = load("abalone")
    sim = CircuitSimulator(game, features=load_features("abalearn3", game))
    facts = [
        *(f"(stone {cell} black)" for cell in black.split()),
        *(f"(stone {cell} white)" for cell in white.split()),
    ]
    row = sim.encode(map(read_term, facts))[None]
    counts = sim.feature_counts(row)[0]
    names = list(map(to_kif, sim.feature_names))
    assert counts[names.index("(threatened other)")] == threatened
    assert counts[names.index("(threatened own)")] == 0


def test_features_change_no_match_and_cost_nothing_where_there_are_none() -> None:
    game = load("abalone-3")
    plain = CircuitSimulator(game)
    seen = CircuitSimulator(game, features=load_features("abalearn3", game))
    one, other = plain.playouts(count=600, seed=5), seen.playouts(count=600, seed=5)
    assert one.length_counts == other.length_counts
    assert one.goal_counts == other.goal_counts
    first, end = plain.program.phases[4]
    assert first == end
    assert len(plain.program.features) == 0
    with pytest.raises(ValueError, match="compiled without features"):
        plain.feature_counts(plain.initial_row()[None])


def test_any_number_of_rows() -> None:
    game = load("tictactoe")
    sim = CircuitSimulator(game, features=choose_features(game, "marks"))
    rows = random_rows(sim, 130)
    singles = [sim.feature_counts(row[None])[0] for row in rows]
    np.testing.assert_array_equal(sim.feature_counts(rows), np.array(singles))
    assert sim.feature_counts(rows[:0]).shape == (0, 7)


def test_games_are_stored_with_their_features(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAMELORE_CACHE", str(tmp_path))
    game = load("tictactoe")
    features = choose_features(game, "marks")
    sim = CircuitSimulator(game, features=features)
    assert store.load(game) is None
    stored = store.load(game, features)
    assert stored is not None
    assert stored.features == sim.compiled.features
    rows = random_rows(sim, 20)
    again = CircuitSimulator(game, stored, features)
    np.testing.assert_array_equal(again.feature_counts(rows), sim.feature_counts(rows))


# ── threats of Connect Four ─────────────────────────────────────────────────────────

Discs = dict[tuple[int, int], str]


def find_discs(sim: Simulator, row: Row) -> Discs:
    """The discs on the board, by row and column."""
    found = {}
    for fact in sim.facts(row):
        if isinstance(fact, Compound) and fact.functor == "cell":
            r, c, player = map(str, fact.arguments)
            found[int(r), int(c)] = player
    return found


def completes(discs: Discs, cell: tuple[int, int], player: str, length: int) -> bool:
    """Whether a disc in an empty cell would complete a row."""
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        run = 1
        for sign in (1, -1):
            r, c = cell[0] + sign * down, cell[1] + sign * right
            while discs.get((r, c)) == player:
                run += 1
                r, c = r + sign * down, c + sign * right
        if run >= length:
            return True
    return False


def threats_by_hand(discs: Discs, size: tuple[int, int, int]) -> dict[str, int]:
    """The features of a board with so many rows and columns, for rows so long."""
    rows, columns, length = size
    counts: dict[str, int] = defaultdict(int)
    for player in ("red", "yellow"):
        for r, c in product(range(1, rows + 1), range(1, columns + 1)):
            if (r, c) in discs or not completes(discs, (r, c), player, length):
                continue
            lowest = min(r for r in range(1, rows + 1) if (r, c) not in discs)
            over = (r + 1, c)
            counts[f"(threat {player} {r})"] += 1
            counts[f"(ready {player})"] += r == lowest
            counts[f"(next {player})"] += r == lowest + 1
            if r < rows and over not in discs:
                stacked = completes(discs, over, player, length)
                counts[f"(stacked {player})"] += stacked
    return counts


@pytest.mark.parametrize(
    ("name", "size"), [("connect-four", (6, 7, 4)), ("connect-3", (5, 5, 3))]
)
def test_threats_are_cells_that_complete_a_row(
    name: str, size: tuple[int, int, int]
) -> None:
    game = load(name)
    sim = CircuitSimulator(game, features=load_features("threats", game))
    rows = random_rows(sim, 400, seed=2)
    names = list(map(to_kif, sim.feature_names))
    met: set[str] = set()
    for row, counts in zip(rows, sim.feature_counts(rows).tolist(), strict=True):
        expected = threats_by_hand(find_discs(sim, row), size)
        found = dict(zip(names, counts, strict=True))
        assert found == {one: expected.get(one, 0) for one in names}
        met.update(one for one in names if found[one])
    assert met >= {f"({f} {p})" for f in ("ready", "next") for p in game.roles}
