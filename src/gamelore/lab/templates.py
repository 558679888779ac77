"""Rules to begin with: short games of our own, and the library's sheets."""

from __future__ import annotations

from gamelore.errors import GameloreError
from gamelore.games import library, rules_text

_GRID = """\
; Two players take turns to claim cells of a 4 by 4 board.
; Whoever owns a whole row or column wins.

(role red)
(role blue)

; ── the first position ──
(init (control red))

; ── what may be done ──
(<= (legal ?role (claim ?row ?column))
    (true (control ?role))
    (index ?row)
    (index ?column)
    (not (taken ?row ?column)))
(<= (legal ?role noop)
    (role ?role)
    (not (true (control ?role))))

(<= (taken ?row ?column)
    (true (cell ?row ?column ?owner)))

; ── what comes of it ──
(<= (next (cell ?row ?column ?role))
    (does ?role (claim ?row ?column)))
(<= (next (cell ?row ?column ?owner))
    (true (cell ?row ?column ?owner)))
(<= (next (control red)) (true (control blue)))
(<= (next (control blue)) (true (control red)))

; ── how it ends ──
(<= (line ?role) (index ?row)
    (true (cell ?row 1 ?role)) (true (cell ?row 2 ?role))
    (true (cell ?row 3 ?role)) (true (cell ?row 4 ?role)))
(<= (line ?role) (index ?column)
    (true (cell 1 ?column ?role)) (true (cell 2 ?column ?role))
    (true (cell 3 ?column ?role)) (true (cell 4 ?column ?role)))
(<= open (index ?row) (index ?column) (not (taken ?row ?column)))

(<= terminal (line red))
(<= terminal (line blue))
(<= terminal (not open))

(<= (goal red 100) (line red))
(<= (goal red 0) (line blue))
(<= (goal red 50) (not (line red)) (not (line blue)))
(<= (goal blue 100) (line blue))
(<= (goal blue 0) (line red))
(<= (goal blue 50) (not (line red)) (not (line blue)))

; ── the board ──
(index 1) (index 2) (index 3) (index 4)

(<= (base (cell ?row ?column ?role)) (index ?row) (index ?column) (role ?role))
(<= (base (control ?role)) (role ?role))
(<= (input ?role (claim ?row ?column)) (role ?role) (index ?row) (index ?column))
(<= (input ?role noop) (role ?role))
"""

_PUZZLE = """\
; A puzzle for one: jump from 1 to 10 in steps of one or two, but never onto 4 or 7.

(role solver)

(init (at 1))
(init (step 1))

(<= (legal solver (go ?next)) (true (at ?here)) (succ ?here ?next) (not (hole ?next)))
(<= (legal solver (go ?next))
    (true (at ?here)) (succ ?here ?middle) (succ ?middle ?next) (not (hole ?next)))

(<= (next (at ?there)) (does solver (go ?there)))
(<= (next (step ?more)) (true (step ?now)) (succ ?now ?more))

(<= terminal (true (at 10)))
(<= terminal (true (step 9)))

(<= (goal solver 100) (true (at 10)))
(<= (goal solver 0) (not (true (at 10))))

(hole 4) (hole 7)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
"""

_SECRET = """\
; Both choose at once: whoever names the higher number wins, but 3 loses to 1.

(role left)
(role right)

(init (round open))

(number 1) (number 2) (number 3)
(beats 2 1) (beats 3 2) (beats 1 3)

(<= (legal ?role (name ?n)) (role ?role) (number ?n))

(<= (next (named ?role ?n)) (does ?role (name ?n)))

(<= decided (true (named left ?n)))
(<= terminal decided)

(<= (wins left) (true (named left ?a)) (true (named right ?b)) (beats ?a ?b))
(<= (wins right) (true (named left ?a)) (true (named right ?b)) (beats ?b ?a))

(<= (goal ?role 100) (wins ?role))
(<= (goal left 0) (wins right))
(<= (goal right 0) (wins left))
(<= (goal ?role 50) (role ?role) (not (wins left)) (not (wins right)))
"""

OWN = {
    "new: two players on a board": _GRID,
    "new: a puzzle for one": _PUZZLE,
    "new: both move at once": _SECRET,
}


def list_templates() -> list[str]:
    """Return the names of all templates."""
    return [*OWN, *(one.name for one in library())]


def read_template(name: str) -> str:
    """Return the rules of a template; `GameloreError` if there is none."""
    if name in OWN:
        return OWN[name]
    if name not in list_templates():
        raise GameloreError(f"there is no template {name!r:.60}")
    return rules_text(name)
