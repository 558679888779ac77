"""Every snippet of the documentation runs, and prints what it shows.

On each page, in order:

- a `python` block runs as a doctest if it has prompts, and as plain code if not;
- a `console` block's `$ gamelore …` lines run in this process, or in a shell if they
  need one; `...` stands for any output;
- a block after `<!-- file: NAME -->` is written to that file for the others to use.
"""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
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
        if "gamelore" not in command:
            check_make(command, place)
            continue
        in_shell = not command.startswith("gamelore ") or set(command) & set("|&<>;$`*")
        run = run_in_shell if in_shell else run_in_process
        status, printed = run(command, folder)
        assert status in ((0, 1) if expected else (0,)), f"{place}\n{printed}"
        if expected:
            same = doctest.OutputChecker().check_output(
                f"{expected}\n", f"{printed.strip()}\n", OPTIONS
            )
            assert same, f"{place}\nshown:\n{expected}\nprinted:\n{printed}"


def run_in_process(command: str, folder: Path) -> tuple[int, str]:
    """Run a command of gamelore; return its status and all it prints."""
    result = CliRunner().invoke(
        main, shlex.split(command)[1:], env={"COLUMNS": "80"}, prog_name="gamelore"
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def run_in_shell(command: str, folder: Path) -> tuple[int, str]:
    """The same in a new interpreter, with pipes and redirections."""
    scripts = Path(sys.executable).parent
    path = f"{scripts}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "80"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout


def check_make(command: str, place: str) -> None:
    """Set-up commands are not run, but the targets they name must exist."""
    words = command.split()
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
        assert words[1] in targets, place


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
"""What is done more often in an example than a test needs."""
ARGUMENTS = {"contact_sheet": ["sheet.html", "--rules-only", "--plies", "1"]}
"""What an example is told on the command line, if it must be."""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
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
