"""Which part of gamelore may import which, held as a table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

SOURCE = ROOT / "src"

LAYERS = (
    ("errors",),
    ("cache", "display", "files", "garbage", "plugins", "processors", "settings"),
    ("cluster",),
    ("_compile_kernels",),
    ("kernels",),
    ("ahead",),
    ("_hash_kernels", "_random_kernels"),
    ("gdl",),
    ("games",),
    ("board", "ground"),
    ("circuit",),
    ("engine",),
    ("graph",),
    ("player",),
    ("search",),
    ("match",),
    ("agents",),
    ("values",),
    ("learn", "ggp"),
    ("transfer",),
    ("adapters",),
    ("experiments", "bench", "lab"),
    ("cli",),
    ("__main__",),
)
"""The parts in order: each may import those in earlier lines, and nothing else.

The package's own `__init__` gathers the public names and may import any part but `cli`.
"""

MAY_IMPORT = {
    part: {below for layer in LAYERS[:depth] for below in layer}
    for depth, layer in enumerate(LAYERS)
    for part in layer
}

EXTRAS = {
    "pyspiel",
    "gamelore.adapters.open_spiel",
    "bitbully",
    "ray",
    "ray.util.scheduling_strategies",
    "gamelore.cluster.ray_cluster",
    "jax",
    "pgx",
    "pgx.experimental",
    "pettingzoo",
    "gamelore.adapters.pettingzoo",
    "open_spiel.python",
    "open_spiel.python.algorithms",
    "importlib.metadata",
    "gamelore.games.board_file",
    "gamelore.transfer.plots",
    "gamelore.learn.plots",
    "gamelore.match.plots",
    "gamelore.engine.verify.first_match",
    "gamelore.engine.verify.goal_conflicts",
    "gamelore.lab.access",
    "gamelore.lab.shared",
    "gamelore.lab.server",
    "gamelore.lab.workspace",
}
"""What not every installation has or what is slow to import, and so is imported where
it is used."""

COMPILERS = {"numba", "llvmlite"}
KERNELS = re.compile(r"(_\w*kernels(_64)?|_lanes|kernels)\.py")
"""What compiles at run time, and the only modules that may import it."""


def modules() -> list[Path]:
    return sorted((SOURCE / "gamelore").rglob("*.py"))


def name_module(path: Path) -> str:
    """The dotted name of a module, packages included."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_part(module: str) -> str:
    """`gdl` for `gamelore.gdl.terms`; empty for `gamelore` itself."""
    return module.split(".")[1] if "." in module else ""


def is_typing_block(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


@cache
def read_imports(path: Path) -> list[tuple[str, int, bool]]:
    return [*list_imports(ast.parse(path.read_text(encoding="utf-8")))]


def list_imports(
    tree: ast.AST, nested: bool = False
) -> Iterator[tuple[str, int, bool]]:
    """What is imported at run time: name, line, and whether inside a function."""
    for node in ast.iter_child_nodes(tree):
        if is_typing_block(node) or isinstance(node, ast.expr):
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno, nested
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in line {node.lineno}"
            module = node.module or ""
            for alias in node.names:
                full = f"{module}.{alias.name}"
                path = SOURCE / full.replace(".", "/")
                is_module = path.is_dir() or path.with_suffix(".py").exists()
                yield full if is_module else module, node.lineno, nested
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from list_imports(node, nested or inside)


def test_imports_point_one_way() -> None:
    for path in modules():
        for target, line, nested in read_imports(path):
            check_import(path, target, line, nested)


def check_import(path: Path, target: str, line: int, nested: bool) -> None:
    module = name_module(path)
    part, needed = find_part(module), find_part(target)
    place = f"{module}:{line} imports {target}"
    assert not nested or target in EXTRAS, f"{place} inside a function"
    if target.split(".")[0] in COMPILERS:
        assert KERNELS.fullmatch(path.name), f"{place}, but holds no kernels"
    if target.split(".")[0] != "gamelore":
        return
    if part == "":
        assert needed != "cli", place
    elif needed not in ("", part):
        assert needed in MAY_IMPORT[part], f"{place}, out of reach of {part}"
    # Kernels call kernels of the parts below; all else goes by a part's front door.
    own, _, name = target.rpartition(".")
    if name.startswith("_") and not KERNELS.fullmatch(path.name):
        assert module.startswith(own), f"{place}, which is private to {own}"


def test_every_part_has_a_place_in_the_table() -> None:
    parts = {find_part(name_module(path)) for path in modules()} - {""}
    assert parts == set(MAY_IMPORT)


def test_no_file_is_too_long() -> None:
    for path in [*modules(), *(ROOT / "tests").rglob("*.py")]:
        lines = path.read_text(encoding="utf-8").count("\n")
        assert lines <= 600, f"{path.relative_to(ROOT)} has {lines} lines"


def test_what_draws_is_imported_only_where_it_draws() -> None:
    """Commands that may draw load matplotlib, which takes seconds, when they do."""
    sources = {name_module(path): path for path in modules()}
    pending = [f"gamelore.cli.{name}" for name in ("learn", "patterns", "arena")]
    loaded: set[str] = set()
    while pending:
        module = pending.pop()
        if module in loaded:
            continue
        loaded.add(module)
        for target, line, nested in read_imports(sources[module]):
            if nested:
                continue
            place = f"{module}:{line} imports {target}"
            assert target.split(".")[0] != "matplotlib", place
            parents = (target[:end] for end in range(len(target) + 1))
            pending += [name for name in (*parents, target) if name in sources]
    assert "gamelore.learn.trainer" in loaded
