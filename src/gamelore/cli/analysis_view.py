"""An analysis as text: a table of candidate moves, and a sentence about the value."""

from __future__ import annotations

from collections.abc import Sequence

from gamelore.cli.options import counted
from gamelore.engine.position import Position
from gamelore.gdl import Move, to_kif
from gamelore.search.mcts.report import Analysis, Candidate

_HEADINGS = ("move", "visits", "share", "value", "95%", "then")


def describe_analysis(
    analysis: Analysis, position: Position, lines: int, width: int = 0
) -> str:
    """Return the text of an analysis, with at most so many candidates.

    `width`: columns at which lines of play are cut off, if not 0.
    """
    name = position.game.name
    head = (
        f"{analysis.role} to move in {name}:"
        f" {counted(analysis.playouts, 'playout')}, {counted(analysis.nodes, 'node')}"
    )
    shown = analysis.candidates[:lines]
    rows = [_HEADINGS, *(_describe_row(one, position) for one in shown)]
    text = [head, "", *_align(rows, width)]
    hidden = len(analysis.candidates) - len(shown)
    if hidden:
        text.append(f"and {counted(hidden, 'move')} more")
    return "\n".join([*text, "", describe_value(analysis)])


def describe_value(analysis: Analysis) -> str:
    """Return a sentence about the value of the position."""
    role, value = analysis.role, analysis.value
    if analysis.moves_left is not None:
        path = f"{role} gets {value:g} in {counted(analysis.moves_left, 'move')}"
        if analysis.solved:
            return f"solved: {path}, and no path is better"
        return f"{path}, by the best path so far"
    if analysis.solved:
        return f"solved: {role} gets {value:g} if everybody plays well"
    if analysis.mixed:
        return f"{role} gets about {value:.1f}, choosing at random by the shares"
    return f"{role} gets about {value:.1f}"


def _describe_row(one: Candidate, position: Position) -> tuple[str, ...]:
    low, high = one.interval
    return (
        to_kif(one.move),
        f"{one.visits:,}",
        f"{one.probability:.1%}",
        f"{one.value:g}" if one.proven else f"{one.value:.1f}",
        "proven" if one.proven else f"{max(low, 0):.1f}…{min(high, 100):.1f}",
        _describe_line(one.line, position),
    )


def _describe_line(line: Sequence[Sequence[Move]], position: Position) -> str:
    """Return the moves of those who have a choice, without the first joint move."""
    words = []
    for number, joint in enumerate(line):
        acting = [
            to_kif(move)
            for role, move in zip(position.roles, joint, strict=True)
            if len(position.legal_moves(role)) > 1
        ]
        if number and acting:
            words.append(acting[0] if len(acting) == 1 else f"[{' '.join(acting)}]")
        position = position.advance(tuple(joint))
    return " ".join(words)


def _align(rows: Sequence[tuple[str, ...]], width: int) -> list[str]:
    """Return rows as lines: words to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [f"{row[0]:<{widths[0]}}"]
        cells += [
            f"{cell:>{size}}" for cell, size in zip(row[1:5], widths[1:5], strict=True)
        ]
        line = "  ".join([*cells, row[5]]).rstrip()
        if width and len(line) > width:
            line = line[: width - 1] + "…"
        lines.append(line)
    return lines
