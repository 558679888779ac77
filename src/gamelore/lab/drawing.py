"""Positions as messages: a picture, the legal moves, and the cells they are about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gamelore.engine.position import Position
from gamelore.gdl import Move, to_kif
from gamelore.lab.events import MoveChoice, PositionView
from gamelore.lab.shelf import LabGame
from gamelore.match.record import CHANCE

_STYLE = re.compile(r"<style>[^<]*</style>")

_MOST_SPOTS = 20_000  # that are remembered

MOST_CHOICES = 3000
"""Legal moves of a role that a page is told."""


def describe_move(move: Move) -> str:
    """Return a move for people: `mark 2 2`."""
    text = to_kif(move)
    return text[1:-1] if text.startswith("(") else text


def make_choice(game: LabGame, position: Position, role: str, move: Move) -> MoveChoice:
    """Return a move of a role with the cells that it is about."""
    cells = list(game.board.find_cells(move))
    spot = cells[-1] if cells else ""
    if len(cells) > 2:
        key = position.row.tobytes(), role, move
        if key not in game.spots:
            if len(game.spots) > _MOST_SPOTS:
                game.spots.clear()
            game.spots[key] = _find_spot(game, position, role, move) or spot
        spot = game.spots[key]
    return MoveChoice(to_kif(move), describe_move(move), cells, spot)


def _find_spot(game: LabGame, position: Position, role: str, move: Move) -> str:
    """Return the cell of a move that it changes, of one that names a whole column."""
    if any(
        len(position.legal_moves(one)) != 1 for one in position.roles if one != role
    ):
        return ""
    joint = [move if r == role else position.legal_moves(r)[0] for r in position.roles]
    before, after = (
        {(piece.cell, piece.kind) for piece in game.board.describe(facts).pieces}
        for facts in (position.facts, position.advance(tuple(joint)).facts)
    )
    changed = {cell for cell, _ in before ^ after}
    return next((cell for cell in game.board.find_cells(move) if cell in changed), "")


def choosing_roles(position: Position) -> list[str]:
    """Return the roles with more than one legal move, chance left out."""
    return [
        role
        for role in position.roles
        if role != CHANCE and len(position.legal_moves(role)) > 1
    ]


def acting_roles(game: LabGame, position: Position) -> list[str]:
    """Return whose moves matter: who has a choice, or whose move is on the board."""
    deciding = [role for role in position.roles if len(position.legal_moves(role)) > 1]
    if deciding:
        return deciding
    on_board = [
        role
        for role in position.roles
        if any(game.board.find_cells(move) for move in position.legal_moves(role))
    ]
    return on_board or [role for role in position.roles if role != CHANCE]


def describe_joint(game: LabGame, before: Position, joint: Sequence[Move]) -> list[str]:
    """Return the moves of those who chose, for people."""
    acting = acting_roles(game, before)
    return [
        describe_move(move)
        for role, move in zip(before.roles, joint, strict=True)
        if role in acting
    ]


def acting_move(game: LabGame, before: Position, joint: Sequence[Move]) -> Move | None:
    """Return the move of a joint move that is to be marked on the board."""
    acting = acting_roles(game, before)
    moves = [
        move for role, move in zip(before.roles, joint, strict=True) if role in acting
    ]
    for move in moves:
        if game.board.find_cells(move):
            return move
    return moves[0] if moves else None


def view_position(
    game: LabGame,
    position: Position,
    step: int,
    last: tuple[Position, Sequence[Move]] | None = None,
    *,
    flipped: bool = False,
) -> PositionView:
    """Return a position as a message.

    `last`: the position before, and the joint move made there.
    """
    before = None if last is None else acting_move(game, *last)
    over = position.is_terminal
    svg = _without_style(
        game.board.draw_svg(
            position.facts,
            last_move=before,
            previous=None if last is None else last[0].facts,
            flipped=flipped,
            over=over,
        )
    )
    choosing = [] if over else choosing_roles(position)
    if over:
        legal = {}
    else:
        deciding = [r for r in position.roles if len(position.legal_moves(r)) > 1]
        listed = deciding or [role for role in position.roles if role != CHANCE]
        legal = {
            role: [
                make_choice(game, position, role, move)
                for move in position.legal_moves(role)[:MOST_CHOICES]
            ]
            for role in listed
        }
    return PositionView(
        game=game.id,
        label=game.game.name,
        step=step,
        svg=svg,
        roles=list(position.roles),
        choosing=choosing,
        legal=legal,
        terminal=over,
        goals=dict(position.goals) if over else {},
        colours=dict(game.board.describe(position.facts).colours),
        last=[] if last is None else [to_kif(move) for move in last[1]],
    )


def _without_style(svg: str) -> str:
    """Return a picture without its stylesheet, which the page links to."""
    return _STYLE.sub("", svg)
