"""Read a search tree in plain Python: the candidate moves of its root."""

from __future__ import annotations

from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError
from gamelore.gdl import Move
from gamelore.search.mcts._tree_kernels import PROVEN, SIMULTANEOUS
from gamelore.search.mcts.plain_nodes import Edge, Node, Values
from gamelore.search.mcts.report import Analysis, Candidate, promise

_LINE = 12  # moves of a principal variation at most


def analyse(
    engine: Simulator, values: Values, root: Node, role: int, counts: tuple[int, int]
) -> Analysis:
    """Return what is known of a position for a role; counts: playouts and nodes."""
    mixed = root.mover == SIMULTANEOUS
    if mixed:
        found = _mixed_candidates(engine, values, root, role)
    elif root.mover == role or root.degree == 1:
        found = _candidates(engine, values, root, role)
    else:
        raise GameloreError(f"{engine.roles[role]} has no choice here")
    return Analysis(
        role=engine.roles[role],
        candidates=tuple(found),
        playouts=counts[0],
        nodes=counts[1],
        solved=root.status == PROVEN,
        mixed=mixed,
        value=values.mean(root, role),
    )


def _candidates(
    engine: Simulator, values: Values, root: Node, role: int
) -> list[Candidate]:
    """The moves of the role that chooses, the best first."""
    total = max(1, sum(edge.visits for edge in root.edges.values()))
    ranked = []
    for number, move in enumerate(root.choices[role]):
        edge = root.edges.get(number)
        candidate = Candidate(
            move=engine.moves[role][move],
            visits=edge.visits if edge else 0,
            value=values.mean(edge.child, role) if edge else values.mean(root, role),
            proven=edge is not None and edge.child.status == PROVEN,
            probability=edge.visits / total if edge else 0.0,
            line=_line(engine, root, number),
            spread=_spread(values, role),
        )
        ranked.append((_rank(values, root, edge, candidate, role), candidate))
    ranked.sort(key=lambda pair: pair[0], reverse=True)
    return [candidate for _, candidate in ranked]


def _spread(values: Values, role: int) -> float:
    low, high = values.ranges[role]
    return (high - low) / 2


def _rank(
    values: Values, root: Node, edge: Edge | None, candidate: Candidate, role: int
) -> tuple[float, ...]:
    """Return a key by which the best edge is the greatest, as in the other tree."""
    if edge is None:
        return (0.0, 0.0, 0.0)
    child, visits = edge.child, float(edge.visits)
    proven = child.status == PROVEN
    goal = values.mean(child, role)
    if root.status == PROVEN:
        if proven and goal >= root.goals[role] > values.ranges[role][0]:
            return 2.0, -float(child.proof)
        return 0.0, goal if proven else 0.0, visits
    edges = root.edges.values()
    most = max(one.visits for one in edges)
    assured = max(values.bounds(one.child, role)[0] for one in edges)
    if values.bounds(child, role)[1] < assured:
        return -1.0, goal, visits
    if proven and goal == assured:
        best = max(edges, key=lambda one: one.visits)
        if values.mean(best.child, role) <= goal:
            return 1.0, visits
    return 0.0, *promise(candidate, most)


def _mixed_candidates(
    engine: Simulator, values: Values, root: Node, role: int
) -> list[Candidate]:
    """The moves of one role where several choose at once, by its mean strategy."""
    moves, stride = root.choices[role], root.strides()[role]
    weights = root.strategies[role]
    total = sum(weights)
    by_move: list[list[tuple[int, Edge]]] = [[] for _ in moves]
    for number, edge in root.edges.items():
        by_move[number // stride % len(moves)].append((number, edge))
    found = []
    for i, move in enumerate(moves):
        tried = by_move[i]
        visits = sum(edge.visits for _, edge in tried)
        goals = sum(values.mean(edge.child, role) * edge.visits for _, edge in tried)
        most = max(tried, key=lambda pair: pair[1].visits, default=None)
        assured = min((values.bounds(e.child, role)[0] for _, e in tried), default=0.0)
        solved = root.status == PROVEN and assured >= root.goals[role]
        candidate = Candidate(
            move=engine.moves[role][move],
            visits=visits,
            value=goals / visits if visits else values.mean(root, role),
            proven=solved,
            probability=weights[i] / total if total > 0 else 1 / len(moves),
            line=_line(engine, root, most[0]) if most else (),
            spread=_spread(values, role),
        )
        found.append(candidate)
    return sorted(found, key=lambda one: (one.proven, one.probability), reverse=True)


def _line(engine: Simulator, node: Node, number: int) -> tuple[tuple[Move, ...], ...]:
    """Return a joint move and the likeliest ones after it."""
    line: list[tuple[Move, ...]] = []
    while len(line) < _LINE:
        joint = zip(engine.moves, node.joint_move(number), strict=True)
        line.append(tuple(moves[move] for moves, move in joint))
        edge = node.edges.get(number)
        if edge is None:
            break
        node = edge.child
        if not any(one.visits for one in node.edges.values()):
            break
        number = max(node.edges, key=lambda n: node.edges[n].visits)
    return tuple(line)
