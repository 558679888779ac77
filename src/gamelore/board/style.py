"""Colours and lines of the pictures: one stylesheet for light and dark pages.

The palette is that of Okabe and Ito, which people with any kind of colour vision can
tell apart; every colour also has a sign of its own inside its pieces.
"""

from __future__ import annotations

_LIGHT = {
    "paper": "#ffffff",
    "cell": "#f3efe6",
    "shade": "#ddd3c0",
    "grid": "#a79f8f",
    "ink": "#2b2a28",
    "faint": "#77726a",
    "last": "#f2c14e",
    "mark": "#0072b2",
    "plain": "#e9e6df",
    "white": "#fbfaf7",
    "black": "#2c2b2a",
    "red": "#d55e00",
    "blue": "#0072b2",
    "green": "#009e73",
    "yellow": "#f0e442",
    "orange": "#e69f00",
    "purple": "#cc79a7",
    "teal": "#56b4e9",
    "pink": "#f3b6d0",
    "brown": "#8c6239",
    "grey": "#8b8b8b",
    "rim": "#4a4743",
}

_DARK = {
    **_LIGHT,
    "paper": "#1b1c1e",
    "cell": "#2c2e31",
    "shade": "#3a3d41",
    "grid": "#5d6167",
    "ink": "#ece9e3",
    "faint": "#a7a39b",
    "last": "#8a6d1f",
    "mark": "#56b4e9",
    "plain": "#44474c",
    "black": "#0b0b0c",
    "rim": "#c9c5bd",
    "blue": "#2b8fd0",
    "brown": "#a97c50",
}

_RULES = """
.gl-board{font-family:ui-sans-serif,system-ui,sans-serif;color:var(--gl-ink)}
.gl-board text{fill:var(--gl-ink);text-anchor:middle;dominant-baseline:central}
.gl-board .paper{fill:var(--gl-paper)}
.gl-board .cell .face{fill:var(--gl-cell);stroke:var(--gl-grid);stroke-width:1}
.gl-board .cell.shade .face{fill:var(--gl-shade)}
.gl-board .cell.stones .face{fill:var(--gl-cell);stroke:none}
.gl-board .cell.point .face{stroke-width:1.5}
.gl-board .cell.slot .face{fill:transparent;stroke:none}
.gl-board .cell.last .face{fill:var(--gl-last)}
.gl-board .gridline{pointer-events:none}
.gl-board .gridline{stroke:var(--gl-grid);stroke-width:1.2;fill:none}
.gl-board .link{stroke:var(--gl-grid);stroke-width:2;fill:none}
.gl-board .wall{stroke:var(--gl-ink);stroke-width:5;stroke-linecap:round}
.gl-board .pieces,.gl-board .marks,.gl-board .lines{pointer-events:none}
.gl-board .body{stroke:var(--gl-rim);stroke-width:1.5;stroke-linejoin:round}
.gl-board .stroke{fill:none;stroke-width:5;stroke-linecap:round}
.gl-board .sign{fill:none;stroke:var(--gl-paper);stroke-width:2.2;opacity:.85}
.gl-board .c-yellow .sign,.gl-board .c-white .sign,.gl-board .c-pink .sign,
.gl-board .c-teal .sign,.gl-board .c-orange .sign{stroke:#2b2a28}
.gl-board .letter{font-weight:600;font-size:14px}
.gl-board .c-black .letter,.gl-board .c-red .letter,.gl-board .c-blue .letter,
.gl-board .c-green .letter,.gl-board .c-brown .letter{fill:#fff}
.gl-board .c-white .letter,.gl-board .c-yellow .letter,.gl-board .c-orange .letter,
.gl-board .c-teal .letter,.gl-board .c-purple .letter,.gl-board .c-pink .letter,
.gl-board .c-grey .letter{fill:#1d1c1b}
.gl-board .number{font-size:19px;font-weight:500}
.gl-board .label{font-size:11px;fill:var(--gl-faint)}
.gl-board .name{font-size:8px;fill:var(--gl-faint)}
.gl-board .caption{font-size:13px;text-anchor:start}
.gl-board .mark:not(.own) circle{fill:var(--gl-mark);}
.gl-board .mark circle{opacity:.82}
.gl-board .mark text{fill:#fff;font-size:11px;font-weight:600}
.gl-board .arrow:not(.own){stroke:var(--gl-mark)}
.gl-board .arrow{stroke-width:4;opacity:.7;stroke-linecap:round}
"""

COLOURS = [name for name in _LIGHT if name not in ("paper", "cell", "shade", "grid")]


def stylesheet() -> str:
    """Return the stylesheet of all boards, for a page that holds them.

    Every picture has it inside; a page whose security policy forbids styles inside
    pages can link to it as a file.
    """
    light = _variables(_LIGHT)
    dark = _variables(_DARK)
    paints = "\n".join(
        f".gl-board .c-{name} .body{{fill:var(--gl-{name})}}"
        f".gl-board .c-{name} .stroke,.gl-board .wall.c-{name}"
        f"{{stroke:var(--gl-{name})}}"
        for name in COLOURS
    )
    return (
        f".gl-board{{{light}}}\n"
        f"@media (prefers-color-scheme:dark){{.gl-board[data-theme=auto]{{{dark}}}}}\n"
        f":root[data-theme=light] .gl-board[data-theme=auto]{{{light}}}\n"
        f":root[data-theme=dark] .gl-board[data-theme=auto]{{{dark}}}\n"
        f".gl-board[data-theme=dark]{{{dark}}}{_RULES}{paints}\n"
    )


def _variables(colours: dict[str, str]) -> str:
    return ";".join(f"--gl-{name}:{value}" for name, value in colours.items())
