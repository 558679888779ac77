"""Capture Go, beside a program that floods groups."""

from __future__ import annotations

from collections.abc import Callable

import pytest

OTHER = {"black": "white", "white": "black"}

Point = tuple[int, int]


class CaptureGo:
    """Capture Go on a board of any size."""

    def __init__(self, size: int) -> None:
        side = range(1, size + 1)
        self.points = [(r, c) for r in side for c in side]
        self.mover = "black"
        self.captor = ""
        self.stones: dict[Point, str] = {}

    def near(self, point: Point) -> list[Point]:
        r, c = point
        around = [(r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c)]
        return [p for p in around if p in self.points]

    def has_liberty(self, point: Point, stones: dict[Point, str]) -> bool:
        group, todo = {point}, [point]
        while todo:
            for near in self.near(todo.pop()):
                if near not in stones:
                    return True
                if stones[near] == stones[point] and near not in group:
                    group.add(near)
                    todo.append(near)
        return False

    def captures(self, role: str, point: Point) -> bool:
        after = {**self.stones, point: role}
        return any(
            after.get(near) == OTHER[role] and not self.has_liberty(near, after)
            for near in self.near(point)
        )

    def placements(self, role: str) -> set[str]:
        return {
            f"(place {point[0]} {point[1]})"
            for point in self.points
            if point not in self.stones
            and (
                self.captures(role, point)
                or self.has_liberty(point, {**self.stones, point: role})
            )
        }

    def moves(self) -> set[str]:
        return self.placements(self.mover) or {"pass"}

    def play(self, move: str) -> None:
        if move != "pass":
            r, c = (int(word.strip("()")) for word in move.split()[1:])
            if self.captures(self.mover, (r, c)):
                self.captor = self.mover
            self.stones[r, c] = self.mover
        self.mover = OTHER[self.mover]

    def facts(self) -> set[str]:
        found = {f"(cell {r} {c} {p})" for (r, c), p in self.stones.items()}
        if self.captor:
            found.add(f"(captor {self.captor})")
        return found | {f"(control {self.mover})"}

    def territory(self, role: str) -> int:
        return sum(
            self.stones.get(point) == role
            or (
                point not in self.stones
                and all(self.stones.get(near) == role for near in self.near(point))
            )
            for point in self.points
        )

    def goals(self) -> dict[str, int] | None:
        if self.captor:
            return {self.captor: 100, OTHER[self.captor]: 0}
        if self.placements("black") or self.placements("white"):
            return None
        lead = self.territory("black") - self.territory("white")
        black = 50 if lead == 0 else 100 * (lead > 0)
        return {"black": black, "white": 100 - black}


@pytest.mark.parametrize(("size", "count"), [(2, 20), (3, 80), (4, 10)])
def test_capture_go_agrees(
    size: int,
    count: int,
    play_beside: Callable[[str, Callable[[], CaptureGo], int], list[int]],
) -> None:
    name = "capture-go" if size == 3 else f"capture-go-{size}x{size}"
    lengths = play_beside(name, lambda: CaptureGo(size), count)
    assert len(set(lengths)) > 1
