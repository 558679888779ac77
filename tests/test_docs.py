"""Every snippet of the documentation runs, and prints what it shows.

On each page, in order:

- a `python` block runs as a doctest if it has prompts, and as plain code if not;
- a `console` block's `$ gamelore …` lines run in this process, which knows of shells
  what they do with `echo … |`, `2>&1 | tail` and `*`; `...` stands for any output;
- a block after `<!-- file: NAME -->` is written to that file for the others to use.
"""

from __future__ import annotations

import doctest
import importlib.util
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gamelore.cli import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NEEDED = {"adapters.md": ("gymnasium", "pettingzoo"), "open-spiel.md": ("pyspiel",)}
"""What the snippets of a page need that not every installation has."""
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCK = re.compile(
    r"(?:^<!-- file: (?P<file>\S+) -->\n+)?"
    r"^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    file: str | None
    line: int


def read_blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("text")) + 1
        yield Block(match["language"], match["text"], match["file"], line)


def run_python(block: Block, page: Path, names: dict[str, Any]) -> None:
    if ">>>" not in block.text:
        exec(compile(block.text, f"{page.name}:{block.line}", "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(
        block.text, names, page.name, str(page), block.line
    )
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(test, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)
    names.update(test.globs)


def read_commands(text: str) -> Iterator[tuple[str, str]]:
    """Each `$` line of a console block, with the output shown under it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output.strip("\n")


def run_console(block: Block, page: Path, folder: Path) -> None:
    for command, expected in read_commands(block.text):
        place = f"{page.name}:{block.line}: $ {command}"
        run = COMMAND.fullmatch(command)
        if run is None:
            check_setup(command, place)
            continue
        status, printed = run_gamelore(run, folder)
        assert status in ((0, 1) if expected else (0,)), f"{place}\n{printed}"
        if expected:
            same = doctest.OutputChecker().check_output(
                f"{expected}\n", f"{printed.strip()}\n", OPTIONS
            )
            assert same, f"{place}\nshown:\n{expected}\nprinted:\n{printed}"


COMMAND = re.compile(
    r"(?:echo (?P<input>\w+) \| )?gamelore (?P<words>[^|&<>;$`]*?)"
    r"(?: 2>&1 \| tail -(?P<last>\d+))?"
)
"""A command of gamelore, as much of it as is run here."""


def run_gamelore(command: re.Match[str], folder: Path) -> tuple[int, str]:
    """Run a command in this process; return its status and what it prints."""
    words = [
        found
        for word in shlex.split(command["words"])
        for found in (expand_name(word, folder) if "*" in word else [word])
    ]
    result = CliRunner().invoke(
        main,
        words,
        input=f"{command['input']}\n" if command["input"] else None,
        env={"COLUMNS": "80"},
        prog_name="gamelore",
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    lines = result.output.splitlines(keepends=True)
    if command["last"]:
        return 0, "".join(
            lines[-int(command["last"]) :]
        )  # the status is that of `tail`
    return result.exit_code, result.output


def expand_name(pattern: str, folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in sorted(folder.glob(pattern))]


def check_setup(command: str, place: str) -> None:
    """Set-up commands are not run, but the targets and extras they name must exist."""
    tool, *words = shlex.split(command)
    if tool == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
        assert words[0] in targets, place
    elif tool == "pip":
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        for extra in re.findall(r"\[(\w+)\]", command):
            assert extra in project["optional-dependencies"], place
    else:
        assert "gamelore" not in (tool, *words), place


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for package in NEEDED.get(page.name, ()):
        pytest.importorskip(package, reason=f"{package} is not installed")
    names: dict[str, Any] = {"__name__": page.stem}
    for block in read_blocks(page):
        if block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            run_python(block, page, names)
        elif block.language == "console":
            run_console(block, page, tmp_path)


def test_every_block_names_its_language() -> None:
    for page in PAGES:
        for block in read_blocks(page):
            assert block.language, f"{page.name}:{block.line}"


def test_readme_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_glossary_names_what_there_is() -> None:
    """Every name in code type in the last column is one of the sources."""
    sources = {
        path.relative_to(ROOT / "src" / "gamelore").as_posix(): path.read_text("utf-8")
        for path in (ROOT / "src" / "gamelore").rglob("*.py")
    }
    words = set(re.findall(r"\w+", "\n".join(sources.values())))
    for line in (ROOT / "docs" / "glossary.md").read_text("utf-8").splitlines():
        for name in re.findall(r"`([^`]+)`", line.rpartition(" | ")[2]):
            if "/" in name:
                assert list((ROOT / "src" / "gamelore").glob(name)), name
            elif not name.startswith("gamelore "):
                unknown = set(re.findall(r"[A-Za-z]\w+", name)) - words - {"py"}
                assert not unknown or name.startswith("_"), name


EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
FEWER = {"demo": {"RUNS": 2}}
SMALLER = {"ppo_tictactoe": {"updates": 10, "steps": 4}}
"""What is done more often in an example than a test needs, and settings of its own."""
ARGUMENTS = {"contact_sheet": ["sheet.html", "--rules-only", "--plies", "1"]}
"""What an example is told on the command line, if it must be."""


PACKAGES = {"sb3_tictactoe": ["torch", "sb3_contrib"]}
"""What an example needs beyond the tools for development."""
EXTRAS = "make test-extras"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for package in PACKAGES.get(example.stem, []):
        pytest.importorskip(package, reason=f"{package} is not installed: {EXTRAS}")
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location(example.stem, example)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, example.stem, module)
    arguments = ARGUMENTS.get(example.stem, [])
    monkeypatch.setattr(sys, "argv", [str(example), *arguments])
    spec.loader.exec_module(module)
    for name, value in FEWER.get(example.stem, {}).items():
        assert getattr(module, name) > value
        monkeypatch.setattr(module, name, value)
    if example.stem in SMALLER:
        brief = partial(module.Settings, **SMALLER[example.stem])
        monkeypatch.setattr(module, "Settings", brief)
    module.main()
    assert capsys.readouterr().out


def test_an_example_is_a_program(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "many_positions.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode and "pip install 'gamelore[" in done.stderr:
        pytest.skip(done.stderr.strip().rpartition("\n")[2])
    assert done.returncode == 0, done.stderr
    assert "positions after two moves" in done.stdout


def test_site_builds(tmp_path: Path) -> None:
    mkdocs = Path(sys.executable).parent / "mkdocs"
    if not mkdocs.exists():
        pytest.skip("mkdocs is not installed")
    done = subprocess.run(
        [str(mkdocs), "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "index.html").exists()
