"""Searches for pages: of a position, of a whole match, for a hint.

A search runs in a thread and looks now and then whether somebody still wants it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event as Flag

import msgspec

from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.gdl import Move, to_kif
from gamelore.lab.drawing import acting_roles, describe_move, make_choice
from gamelore.lab.events import (
    AnalysisReport,
    CandidateView,
    Hint,
    ReviewPoint,
)
from gamelore.lab.requests import Place
from gamelore.lab.shelf import LabGame, complete_joint
from gamelore.search.mcts.analysis import (
    AnalysisLimits,
    analyse,
    find_role,
    start_search,
)
from gamelore.search.mcts.report import Analysis, Candidate
from gamelore.search.mcts.settings import TreeSettings

EVERY = 0.25
"""Seconds from one report to the next."""
HINT_SECONDS = 0.6
MOST_CANDIDATES = 40
"""Candidates that a page is told."""

_MISTAKES = ((0.3, "blunder"), (0.15, "mistake"), (0.07, "inaccuracy"))
# by the least share of the range of goals that a move has lost
_NODES = 300_000  # of a tree for one page


@dataclass(frozen=True)
class Spot:
    """A position to be searched, with its game and its place in a match."""

    game: LabGame
    position: Position
    step: int


def search_position(
    spot: Spot, seconds: float, lines: int, stopped: Flag
) -> Iterator[AnalysisReport]:
    """Yield what is known of a position, again and again, until time is up."""
    began = time.monotonic()
    limits = AnalysisLimits(seconds=seconds, every=EVERY, lines=lines)
    role = find_role(spot.position)
    settings = TreeSettings(nodes=_NODES)
    latest: AnalysisReport | None = None
    for analysis in analyse(spot.position, role, limits, settings=settings):
        if stopped.is_set():
            return
        if latest is not None:
            yield latest
        latest = make_report(spot, analysis, time.monotonic() - began)
    if latest is not None:
        latest.over = True
        yield latest


def make_report(spot: Spot, analysis: Analysis, seconds: float) -> AnalysisReport:
    """Return an analysis as a message."""
    value = best_value(analysis)
    return AnalysisReport(
        game=spot.game.id,
        step=spot.step,
        role=analysis.role,
        value=value,
        first=find_first_value(spot.game, analysis.role, value),
        playouts=analysis.playouts,
        nodes=analysis.nodes,
        solved=analysis.solved,
        mixed=analysis.mixed,
        candidates=[
            view_candidate(spot, analysis.role, one)
            for one in analysis.candidates[:MOST_CANDIDATES]
        ],
        seconds=seconds,
        over=False,
    )


def best_value(analysis: Analysis) -> float:
    """Return the value of the best move, or of the position where it is mixed."""
    if analysis.solved or analysis.mixed:
        return analysis.value
    return analysis.best.value


def find_first_value(game: LabGame, role: str, value: float) -> float | None:
    """Return what the first player gets, where one's gain is the other's loss."""
    if role == game.players[0]:
        return value
    total = game.goal_sum
    return None if total is None else total - value


def view_candidate(spot: Spot, role: str, one: Candidate) -> CandidateView:
    """Return a candidate of a role as a message."""
    choice = make_choice(spot.game, spot.position, role, one.move)
    low, high = one.interval
    labels, spots = _describe_line(spot.game, spot.position, one.line)
    return CandidateView(
        move=choice.move,
        label=choice.label,
        cells=choice.cells,
        spot=choice.spot,
        visits=one.visits,
        share=one.probability,
        value=one.value,
        low=max(0.0, low),
        high=min(100.0, high),
        proven=one.proven,
        line=[[to_kif(move) for move in joint] for joint in one.line],
        labels=labels,
        spots=spots,
    )


def _describe_line(
    game: LabGame, position: Position, line: Sequence[Sequence[Move]]
) -> tuple[list[str], list[str]]:
    """Return what is moved, for people, and the cells where it goes."""
    labels, spots = [], []
    for joint in line:
        acting = acting_roles(game, position)
        choices = [
            make_choice(game, position, role, move)
            for role, move in zip(position.roles, joint, strict=True)
            if role in acting
        ]
        labels.append(" + ".join(choice.label for choice in choices))
        spots.append(next((one.spot for one in choices if one.spot), ""))
        position = position.advance(tuple(joint))
    return labels, spots


# ── a whole match ───────────────────────────────────────────────────────────────────


def review_match(
    game: LabGame, place: Place, playouts: int, stopped: Flag
) -> Iterator[ReviewPoint]:
    """Yield a point for each position in which somebody chooses, and for the end."""
    before: ReviewPoint | None = None
    positions = game.locate(place)
    for step, position in enumerate(positions):
        if stopped.is_set():
            return
        last = step == len(positions) - 1
        joint = None if last else complete_joint(position, place.moves[step])
        point = _review_position(Spot(game, position, step), joint, playouts)
        if point is None:
            continue
        if before is not None:
            yield _rate_move(game, before, point)
        before = point
    if before is not None:
        yield before


def _review_position(
    spot: Spot, joint: Sequence[Move] | None, playouts: int
) -> ReviewPoint | None:
    """Return what is found; `played` is what the same search says of the move made."""
    position = spot.position
    first = spot.game.players[0]
    if position.is_terminal:
        goal = position.goals[first]
        if goal is None:
            return None
        return ReviewPoint(step=spot.step, role=first, value=goal, first=float(goal))
    try:
        role = find_role(position)
    except GameloreError:
        return None  # nobody has a choice
    settings = TreeSettings(playouts=playouts, nodes=_NODES)
    analysis = start_search(position, role, settings, seed=0, lines=0)(playouts)
    value = best_value(analysis)
    made = None if joint is None else joint[position.roles.index(role)]
    played = next((one for one in analysis.candidates if one.move == made), None)
    return ReviewPoint(
        step=spot.step,
        role=role,
        value=value,
        first=find_first_value(spot.game, role, value),
        best=describe_move(analysis.best.move),
        played=None if played is None else played.value,
    )


def _rate_move(game: LabGame, before: ReviewPoint, after: ReviewPoint) -> ReviewPoint:
    """Return a point with what its move has lost, as far as that can be told.

    Two searches are asked, that of the position before the move and that of the one
    after it; the smaller loss counts, since either alone cries wolf now and then.
    """
    if before.first is None or after.first is None or before.played is None:
        return before
    own = before.role == game.players[0]
    gain = after.first - before.first
    loss = max(0.0, min(-gain if own else gain, before.value - before.played))
    goals = game.simulator.goal_values[game.game.roles.index(before.role)]
    share = loss / max(1, max(goals) - min(goals))
    named = next((name for least, name in _MISTAKES if share >= least), "")
    return msgspec.structs.replace(before, loss=loss, mistake=named)


# ── a hint ──────────────────────────────────────────────────────────────────────────


def find_hint(spot: Spot) -> Hint:
    """Return the best move that a short search finds."""
    limits = AnalysisLimits(seconds=HINT_SECONDS, every=HINT_SECONDS)
    settings = TreeSettings(nodes=_NODES)
    *_, latest = analyse(spot.position, None, limits, settings=settings)
    choice = make_choice(spot.game, spot.position, latest.role, latest.best.move)
    return Hint(
        move=choice.move, label=choice.label, cells=choice.cells, spot=choice.spot
    )
