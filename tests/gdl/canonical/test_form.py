"""One game whatever its names: recognised, told from others, played alike."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from itertools import combinations, product
from pathlib import Path
from random import Random

import pytest

from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.games import library, load
from gamelore.gdl import (
    And,
    Atom,
    CanonicalForm,
    Compound,
    Condition,
    Game,
    Not,
    Or,
    Rule,
    Term,
    Variable,
    canonical_form,
    find_variables,
    to_kif,
)
from gamelore.gdl.reader import KEYWORDS

SAME_IN_THE_CORPUS = {
    ("blocks", "blocksWorld"),
    ("test.ticTacToe", "ticTacToe"),
    ("ttcc4", "tttcc4"),
}
"""Files that hold one game twice; some with other `base` and `input`."""

Renaming = Callable[[Term], Term]


def scrambled(game: Game, random: Random) -> Game:
    """The same game as a manager may send it: other words, another order."""
    words: dict[str, str] = {}

    def word(symbol: str) -> str:
        if re.fullmatch("-?[0-9]+", symbol) or symbol.lower() in {*KEYWORDS, "random"}:
            return symbol
        return words.setdefault(symbol, f"w{random.randrange(10**9)}-{len(words)}")

    rules = [_rule(rule, word, random) for rule in game.rules]
    roles = [rule for rule in rules if rule.head.relation == "role"]
    others = [rule for rule in rules if rule.head.relation != "role"]
    random.shuffle(others)
    for role in reversed(roles):  # anywhere, but in their order
        first = next((i for i, r in enumerate(others) if r in roles), len(others))
        others.insert(random.randint(0, first), role)
    return Game.from_kif("".join(f"{rule}\n" for rule in others))


def in_capitals(game: Game) -> Game:
    """The same game as the Dresden controller sends it."""
    return Game.from_kif(game.to_kif().upper())


def _rule(rule: Rule, word: Callable[[str], str], random: Random) -> Rule:
    known: set[Variable] = set()
    for condition in (rule.head, *rule.body):
        known |= find_variables(condition)
    order = sorted(known)
    random.shuffle(order)
    variables = {old: Variable(f"q{i}") for i, old in enumerate(order)}

    def rename(term: Term) -> Term:
        if isinstance(term, Variable):
            return variables[term]
        if isinstance(term, Compound):
            return Compound(word(term.functor), tuple(map(rename, term.arguments)))
        return word(term)

    def relation(name: str) -> str:
        return name if name in KEYWORDS else word(name)

    head = Atom(relation(rule.head.relation), tuple(map(rename, rule.head.arguments)))
    body = [_condition(part, relation, rename, random) for part in rule.body]
    random.shuffle(body)
    return Rule(head, tuple(body))


def _condition(
    condition: Condition,
    relation: Callable[[str], str],
    rename: Renaming,
    random: Random,
) -> Condition:
    def inside(parts: tuple[Condition, ...]) -> tuple[Condition, ...]:
        new = [_condition(part, relation, rename, random) for part in parts]
        random.shuffle(new)
        return tuple(new)

    match condition:
        case Atom():
            arguments = tuple(map(rename, condition.arguments))
            return Atom(relation(condition.relation), arguments)
        case Not():
            return Not(inside((condition.condition,))[0])
        case Or():
            return Or(inside(condition.options))
        case And():
            return And(inside(condition.parts))


def library_names() -> list[str]:
    return [entry.name for entry in library()]


def fingerprint(game: Game) -> str:
    form = canonical_form(game)
    assert form.exact
    return form.game.fingerprint


def graph_game(edges: Iterable[tuple[str, str]]) -> Game:
    """A game whose rules hold a graph, and are as symmetric as it is."""
    facts = "".join(f"(edge {a} {b}) (edge {b} {a})" for a, b in edges)
    return Game.from_kif(
        f"(role walker) {facts}"
        "(<= (init (at ?x)) (edge ?x ?y))"
        "(<= (legal walker (go ?y)) (true (at ?x)) (edge ?x ?y))"
        "(<= (next (at ?y)) (does walker (go ?y)))"
        "(<= terminal (true (at ?x)) (not (edge ?x ?x)))"
        "(goal walker 50)"
    )


def cycle(*names: str) -> list[tuple[str, str]]:
    return list(zip(names, (*names[1:], names[0]), strict=True))


SMALL = [f"small{i}" for i in range(30)]
CAPITAL = [f"capital{i}" for i in range(30)]
SQUARES = [f"s{x}{y}" for x, y in product(range(4), repeat=2)]


def rooks() -> list[tuple[str, str]]:
    """4×4 squares, joined where a rook goes."""
    return [(a, b) for a, b in combinations(SQUARES, 2) if a[1] == b[1] or a[2] == b[2]]


def shrikhande() -> list[tuple[str, str]]:
    """The other graph of 16 nodes in which counting neighbours sees no difference."""
    steps = {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)}
    return [
        (a, b)
        for a, b in combinations(SQUARES, 2)
        if ((int(b[1]) - int(a[1])) % 4, (int(b[2]) - int(a[2])) % 4) in steps
    ]


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_library_games_are_recognised(every: int) -> None:
    for name in library_names()[::every]:
        game = load(name)
        wanted = fingerprint(game)
        assert fingerprint(scrambled(game, Random(name))) == wanted, name
        assert fingerprint(in_capitals(game)) == wanted, name
        assert fingerprint(canonical_form(game).game) == wanted, name


def test_library_games_are_told_apart() -> None:
    names = library_names()
    assert len({fingerprint(load(name)) for name in names}) == len(names)


def test_corpus_games_are_recognised_and_told_apart(corpus: Path) -> None:
    files = sorted((corpus / "games").glob("*.kif"))
    known: dict[str, str] = {}
    for path in files[::15]:
        game = Game.from_file(path)
        wanted = fingerprint(game)
        assert fingerprint(scrambled(game, Random(path.stem))) == wanted, path.stem
        first = known.setdefault(wanted, path.stem)
        assert first == path.stem or (first, path.stem) in SAME_IN_THE_CORPUS


@pytest.mark.slow
def test_every_corpus_game(corpus: Path) -> None:
    files = sorted((corpus / "games").glob("*.kif"))
    known: dict[str, str] = {}
    for path in files:
        game = Game.from_file(path)
        wanted = fingerprint(game)
        for turn in range(2):
            other = scrambled(game, Random(f"{path.stem} {turn}"))
            assert fingerprint(other) == wanted, path.stem
        assert fingerprint(in_capitals(game)) == wanted, path.stem
        first = known.setdefault(wanted, path.stem)
        assert first == path.stem or (first, path.stem) in SAME_IN_THE_CORPUS


@pytest.mark.parametrize(
    "name", ["tictactoe", "pig", "rock-paper-scissors", "trio-3x3"]
)
def test_canonical_game_plays_the_same(name: str) -> None:
    play_both(scrambled(load(name), Random(name)), Random(name), steps=30)


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_canonical_corpus_games_play_the_same(corpus: Path, every: int) -> None:
    files = sorted(
        (corpus / "games").glob("*.kif"), key=lambda path: path.stat().st_size
    )
    for path in files[:60:every]:
        play_both(Game.from_file(path), Random(path.stem), steps=6)


def play_both(game: Game, random: Random, steps: int) -> None:
    """Play a game and its canonical form side by side, at random."""
    form = canonical_form(game)
    given = Position(simulator(game, "interpreter"))
    renamed = Position(simulator(form.game, "interpreter"))
    assert [form.to_original(role) for role in form.game.roles] == [*game.roles]
    for _ in range(steps):
        assert given.is_terminal == renamed.is_terminal
        assert [*given.goals.values()] == [*renamed.goals.values()]
        assert {form.to_canonical(fact) for fact in given.facts} == {*renamed.facts}
        if given.is_terminal:
            return
        joint = []
        for role, new in zip(game.roles, form.game.roles, strict=True):
            legal = given.legal_moves(role)
            assert {form.to_original(move) for move in renamed.legal_moves(new)} == {
                *legal
            }
            joint.append(random.choice(legal))
        given = given.advance(joint)
        renamed = renamed.advance([form.to_canonical(move) for move in joint])


# ── what is kept, and the way back ──────────────────────────────────────────────────


def test_names_with_a_meaning_are_kept() -> None:
    form = canonical_form(load("pig"))
    assert "random" in form.game.roles
    assert "100" in form.renaming.inverse.names
    text = form.game.to_kif()
    assert Game.from_kif(text).fingerprint == form.game.fingerprint


def test_the_order_of_the_text_is_kept_beside_the_canonical_one() -> None:
    game = load("tictactoe")
    form = canonical_form(game)
    back = tuple(map(form.renaming.inverse.rename_rule, form.rules_as_given))
    assert back == game.rules
    assert form.rules_as_given != form.game.rules
    assert len(form.rules_as_given) == len(form.game.rules)


def test_capitals_name_the_role_of_chance_too() -> None:
    form = canonical_form(in_capitals(load("pig")))
    assert "random" in form.game.roles
    assert form.to_original("random") == "RANDOM"


def test_base_and_input_may_be_renamed_or_left_out() -> None:
    """Some managers' scramblers take them for names like any other."""
    text = load("tictactoe").to_kif()
    hints = """
        (index 1) (index 2) (index 3) (symbol x) (symbol o) (symbol b)
        (<= (base (cell ?a ?b ?s)) (index ?a) (index ?b) (symbol ?s))
        (<= (input ?r (mark ?a ?b)) (role ?r) (index ?a) (index ?b))
        (<= (input ?r noop) (role ?r))
    """
    renamed = hints.replace("(base", "(qux").replace("(input", "(zap")
    plain = fingerprint(Game.from_kif(text))
    assert fingerprint(Game.from_kif(text + hints)) == plain
    assert fingerprint(Game.from_kif(text + renamed)) == plain


def test_base_and_input_that_rules_ask_for_may_be_renamed() -> None:
    text = """
        (role r) (base (p 1)) (input r (go 1)) (init (p 1)) (goal r 100)
        (<= (legal r ?m) (input r ?m)) (<= terminal (true ?f) (base ?f) (not (on ?f)))
        (on 1)
    """
    renamed = text.replace("(base", "(qux").replace("(input", "(zap")
    assert fingerprint(Game.from_kif(text)) == fingerprint(Game.from_kif(renamed))


def test_order_of_roles_counts() -> None:
    game = load("tictactoe")
    turned = game.to_kif().replace("(role x)\n(role o)", "(role o)\n(role x)")
    assert turned != game.to_kif()
    assert fingerprint(Game.from_kif(turned)) != fingerprint(game)


def test_numbers_count() -> None:
    game = load("tictactoe")
    cheap = Game.from_kif(game.to_kif().replace("50)", "40)"))
    assert fingerprint(cheap) != fingerprint(game)


def test_terms_find_their_way_back() -> None:
    form = canonical_form(load("tictactoe"))
    move = Compound("mark", ("2", "3"))
    assert form.to_original(form.to_canonical(move)) == move
    assert form.to_canonical(move) != move


def test_strange_names_stay_strange() -> None:
    form = canonical_form(load("tictactoe"))
    for name in (
        "nobody",
        *(name for name in form.renaming.inverse.names if name[0] == "c"),
    ):
        strange = form.to_canonical(name)
        assert strange not in form.renaming.inverse.names
        assert form.to_original(strange) == name


def test_words_that_differ_in_case_are_two_symbols() -> None:
    text = "(role a) (role A) (init true) (init TRUE) (legal a TRUE) (legal A true)"
    text += "(<= terminal (true TRUE)) (goal a 1) (goal A 2)"
    form = canonical_form(Game.from_kif(text))
    assert len(set(form.renaming.names.values())) == len(form.renaming.names)
    assert form.to_original(form.to_canonical("TRUE")) == "TRUE"
    assert form.to_original(form.to_canonical("true")) == "true"
    assert form.to_canonical("TRUE") != form.to_canonical("true")


# ── symmetry ────────────────────────────────────────────────────────────────────────


def test_graphs_that_counting_cannot_tell_apart() -> None:
    one = graph_game(cycle(*"abcdef"))
    two = graph_game(cycle(*"abc") + cycle(*"def"))
    assert fingerprint(one) != fingerprint(two)
    for game in (one, two):
        for turn in range(5):
            assert fingerprint(scrambled(game, Random(turn))) == fingerprint(game)


def test_strongly_regular_graphs() -> None:
    one, two = graph_game(rooks()), graph_game(shrikhande())
    assert fingerprint(one) != fingerprint(two)
    for game in (one, two):
        for turn in range(3):
            assert fingerprint(scrambled(game, Random(turn))) == fingerprint(game)


@pytest.mark.parametrize(
    "edges", [combinations("abcdefghijkl", 2), zip(SMALL, CAPITAL, strict=True)]
)
def test_many_symbols_that_are_alike(edges: Iterable[tuple[str, str]]) -> None:
    game = graph_game(edges)
    assert fingerprint(scrambled(game, Random(1))) == fingerprint(game)


def test_variables_that_are_alike() -> None:
    hexagon = " ".join(f"(edge ?{a} ?{b})" for a, b in cycle(*"abcdef"))
    triangles = " ".join(f"(edge ?{a} ?{b})" for a, b in cycle(*"abc") + cycle(*"def"))
    sheet = "(role r) (init a) (edge 1 2) (legal r go) (goal r 0) (<= terminal {})"
    one, two = (Game.from_kif(sheet.format(body)) for body in (hexagon, triangles))
    assert fingerprint(one) != fingerprint(two)
    for game in (one, two):
        for turn in range(5):
            assert fingerprint(scrambled(game, Random(turn))) == fingerprint(game)


def test_giving_up_still_gives_a_valid_renaming() -> None:
    game = graph_game(rooks())
    form = canonical_form(game, work=1000)
    assert not form.exact
    assert len(set(form.renaming.names.values())) == len(form.renaming.names)
    assert canonical_form(game, work=1000).game == form.game
    assert plays(form, game)


def plays(form: CanonicalForm, game: Game) -> bool:
    legal = Position(simulator(game, "interpreter")).legal_moves("walker")
    walker = form.game.roles[0]
    renamed = Position(simulator(form.game, "interpreter")).legal_moves(walker)
    return {to_kif(form.to_original(m)) for m in renamed} == {*map(to_kif, legal)}


# ── speed ───────────────────────────────────────────────────────────────────────────


@pytest.mark.timing
def test_small_games_take_milliseconds() -> None:
    game = load("tictactoe")
    assert min(seconds(game) for _ in range(5)) < 0.02


def seconds(game: Game) -> float:
    started = time.perf_counter()
    canonical_form(game)
    return time.perf_counter() - started
