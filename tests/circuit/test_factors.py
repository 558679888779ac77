"""ANDs that share pairs of literals: equal to ANDs made one by one."""

from __future__ import annotations

from random import Random

import pytest

from gamelore.circuit.factors import conjoin_all
from gamelore.circuit.graph import GraphBuilder

INPUTS = 12
MASK = (1 << 256) - 1


@pytest.mark.parametrize("gathered", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_factored_ands_equal_plain_ones(seed: int, gathered: bool) -> None:
    random = Random(seed)
    builder = GraphBuilder(INPUTS)
    literals = [2 * (1 + i) + random.randrange(2) for i in range(INPUTS)]
    literals += [builder.both(*random.sample(literals, 2)) for _ in range(20)]
    literals += [literal ^ 1 for literal in literals[INPUTS:]]
    products = [
        random.sample(sorted(set(literals)), random.choice([1, 2, 2, 3, 4, 5, 8, 15]))
        for _ in range(200)
    ]
    plain = [builder.conjoin(product) for product in products]
    factored = conjoin_all(products, builder.both, gathered=gathered)
    graph = builder.finish([*plain, *factored])
    values = graph.evaluate([random.getrandbits(256) for _ in range(INPUTS)], MASK)
    assert values[: len(plain)] == values[len(plain) :]


def test_pairs_in_common_are_made_once() -> None:
    builder = GraphBuilder(40)
    goes = [2 * (1 + i) for i in range(20)]
    shoots = [2 * (21 + i) for i in range(20)]
    products = [
        [a, b, c, d]
        for a, b in zip(goes[::2], goes[1::2], strict=True)
        for c, d in zip(shoots[::2], shoots[1::2], strict=True)
    ]
    conjoin_all(products, builder.both, gathered=True)
    assert builder.gates == 10 + 10 + 10 * 10


def test_no_products_give_no_literals() -> None:
    assert conjoin_all([], GraphBuilder(1).both, gathered=True) == []
