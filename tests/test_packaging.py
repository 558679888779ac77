"""The wheel and the sdist: what is in them, and that they work without the sources.

They are built from a copy of the tree, or taken from the folder `$GAMELORE_DIST`, as
`make dist` does.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from email.message import Message
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement
from websockets.sync.client import connect
from websockets.typing import Origin

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = {"pettingzoo", "gymnasium", "notebooks", "openspiel", "ray", "lab", "all"}
PARTS = (
    *("src", "tests", "docs", "benchmarks", "examples"),
    *("README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE"),
    *("Makefile", "mkdocs.yml", "pyproject.toml"),
)


def test_extras_of_pyproject() -> None:
    assert set(PROJECT["optional-dependencies"]) >= EXTRAS
    (everything,) = PROJECT["optional-dependencies"]["all"]
    named = re.fullmatch(r"gamelore\[(.*)\]", everything)
    assert named
    assert set(named[1].split(",")) == EXTRAS - {"all"}


def test_the_citation_file_names_the_project() -> None:
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert text.startswith("cff-version: 1.2.0\n")
    for field in ("message", "title", "type", "license", "authors", "keywords"):
        assert re.search(rf"^{field}:", text, re.MULTILINE), field
    assert f"license: {PROJECT['license']}\n" in text


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with one wheel and one sdist."""
    named = os.environ.get("GAMELORE_DIST")
    if named:
        return ROOT / named
    for module in ("build", "hatchling", "hatch_vcs"):
        pytest.importorskip(module, reason="a tool for development")
    tree = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, tree / part, ignore=ignored)
        else:
            shutil.copy(ROOT / part, tree / part)
    build(tree, tree / "dist")
    return tree / "dist"


def build(tree: Path, output: Path, *options: str) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", *options]
    done = subprocess.run(
        [*command, "--outdir", str(output), str(tree)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def read_metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(dist: Path) -> None:
    names = names_in(only(dist, "*.whl"))
    source = ROOT / "src"
    files = (path for path in (source / "gamelore").rglob("*") if path.is_file())
    wanted = {
        path.relative_to(source).as_posix()
        for path in files
        if "__pycache__" not in path.parts
    }
    assert {n for n in names if not n.split("/")[0].endswith(".dist-info")} == wanted
    assert "gamelore/py.typed" in wanted
    assert "gamelore/games/rules/tictactoe.kif" in wanted
    assert any(n.endswith(".dist-info/licenses/LICENSE") for n in names)


@pytest.mark.slow
def test_metadata(dist: Path) -> None:
    metadata = read_metadata(only(dist, "*.whl"))
    assert metadata["Name"] == "gamelore"
    assert re.match(r"[0-9]+\.[0-9]+", metadata["Version"])
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert set(metadata.get_all("Provides-Extra", [])) >= EXTRAS
    classifiers = metadata.get_all("Classifier", [])
    for version in ("3.11", "3.12", "3.13"):
        assert f"Programming Language :: Python :: {version}" in classifiers
    assert str(metadata.get_payload()).startswith("# gamelore")


@pytest.mark.slow
def test_the_sdist_builds_the_same_wheel(dist: Path, tmp_path: Path) -> None:
    """Where there is neither git nor a tag."""
    sdist = only(dist, "*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    tree = tmp_path / sdist.name.removesuffix(".tar.gz")
    for part in PARTS:
        assert (tree / part).exists(), part
    build(tree, tmp_path / "again", "--wheel")
    first, again = only(dist, "*.whl"), only(tmp_path / "again", "*.whl")
    assert first.name == again.name
    assert names_in(first) == names_in(again)


@pytest.mark.slow
def test_a_tag_is_the_version(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for part in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / part, tree)
    (tree / "src" / "gamelore").mkdir(parents=True)
    (tree / "src" / "gamelore" / "__init__.py").touch()
    person = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    version = [sys.executable, "-m", "hatchling", "version"]
    found = []
    for command in (["init", "-q"], ["add", "."], [*person, "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=tree, check=True)
    for tag in (None, "v7.8.9"):
        if tag:
            subprocess.run(["git", "tag", tag], cwd=tree, check=True)
        done = subprocess.run(
            version, cwd=tree, capture_output=True, text=True, check=True
        )
        found.append(done.stdout.strip())
    assert found[0].startswith("0.1.dev")
    assert found[1] == "7.8.9"


@pytest.mark.slow
def test_every_command_of_the_readme_works_without_the_sources(
    dist: Path, tmp_path: Path
) -> None:
    """In an environment of its own; dependencies are those of this one."""
    environment = install(only(dist, "*.whl"), tmp_path / "environment")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    code = "import gamelore; print(gamelore.__file__, gamelore.__version__)"
    printed = run([str(environment / "bin" / "python"), "-c", code], folder)
    assert str(environment) in printed
    assert read_metadata(only(dist, "*.whl"))["Version"] in printed
    readme = (ROOT / "README.md").read_text("utf-8")
    commands = re.findall(r"^\$ (gamelore .*)\n((?:(?![$`]).*\n)*)", readme, re.M)
    assert len(commands) >= 3
    commands += [(f"gamelore {each}", "...\n") for each in mentioned(readme)]
    for command, expected in commands:
        shown = run(["bash", "-c", command], folder, environment)
        options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        same = doctest.OutputChecker().check_output(expected, shown, options)
        assert same, f"$ {command}\nshown:\n{expected}\nprinted:\n{shown}"
    shutil.copy(ROOT / "README.md", folder)
    options_of_doctest = ["-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE"]
    python = str(environment / "bin" / "python")
    run([python, "-m", "doctest", *options_of_doctest, "README.md"], folder)


def mentioned(readme: str) -> list[str]:
    """Return the commands that the README names in its text, ready to run."""
    found = set(re.findall(r"`gamelore ([a-z]+)", readme)) | {"--help", "games"}
    runs = {
        "play": "play connect-four </dev/null",
        "analyse": "analyse tictactoe --seconds 0.2 --json",
        "check": "check tictactoe",
        "--help": "--help",
        "games": "games",
        "lab": "lab --no-browser --port 0 --folder lab > lab.txt & "
        "until grep http lab.txt; do sleep 0.1; done; kill $!; wait",
    }
    assert found <= set(runs)
    return [runs[name] for name in sorted(found)]


def install(wheel: Path, environment: Path, extra: str = "") -> Path:
    """Make an environment with a wheel, and with the dependencies of this one.

    With an extra, it has only those that the extra needs.
    """
    venv.create(environment, with_pip=False)
    pip = [sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python")]
    options = ["--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "install", *options, str(wheel)], check=True, timeout=300)
    here = sysconfig.get_paths()["purelib"]
    packages = next(environment.glob("lib/python*/site-packages"))
    if not extra:
        (packages / "dependencies.pth").write_text(f"{here}\n")
        return environment
    for name in list_requirements(extra):
        files = distribution(name).files or ()
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            if (Path(here) / top).exists() and not (packages / top).exists():
                (packages / top).symlink_to(Path(here) / top)
    return environment


def run(command: list[str], folder: Path, environment: Path | None = None) -> str:
    """Run a command without the sources on the path; return what it prints."""
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    if environment is not None:
        scripts = environment / "bin"
        variables["PATH"] = f"{scripts}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env={**variables, "COLUMNS": "80"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.slow
def test_the_lab_opens_from_the_wheel_with_its_extra_alone(
    dist: Path, tmp_path: Path
) -> None:
    """In an environment with what the extra `lab` asks for, and nothing else."""
    wheel = only(dist, "*.whl")
    environment = install(wheel, tmp_path / "environment", extra="lab")
    command = [str(environment / "bin" / "gamelore"), "lab", "--no-browser"]
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    program = subprocess.Popen(
        [*command, "--port", "0", "--folder", str(tmp_path / "folder")],
        cwd=tmp_path,
        env={**variables, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert program.stdout is not None
        said = program.stdout.readline()
        found = re.search(r"the lab is open at (http://\S+)", said)
        assert found, said + program.stdout.read()
        check_page(found[1], wheel)
        program.send_signal(signal.SIGINT)
        rest, _ = program.communicate(timeout=120)
        assert program.returncode == 0, rest
        assert "closed" in rest
    finally:
        program.kill()
        program.communicate()


def check_page(address: str, wheel: Path) -> None:
    """Check that a lab serves the page, and all files of it that a wheel has."""
    page = fetch(address).decode()
    for part in re.findall(r'(?:src|href)="(/[^"#]+)"', page):
        assert fetch(address.rstrip("/") + part)
    with zipfile.ZipFile(wheel) as archive:
        inside = "gamelore/lab/static/"
        names = [n for n in archive.namelist() if n.startswith(inside)]
        assert len(names) > 10
        for name in names:
            if not name.endswith("index.html"):
                there = fetch(f"{address}static/{name.removeprefix(inside)}")
                assert there == archive.read(name), name
    with connect(
        f"{address.replace('http', 'ws', 1)}ws", origin=Origin(address.rstrip("/"))
    ) as socket:
        welcome = json.loads(socket.recv(timeout=120))
    assert "tictactoe" in [entry["game"] for entry in welcome["games"]]


def fetch(address: str) -> bytes:
    with urlopen(address, timeout=120) as answer:
        content: bytes = answer.read()
    return content


def list_requirements(extra: str) -> set[str]:
    """Return the names of all distributions that an extra of ours needs."""
    given = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"][extra]]
    pending = [Requirement(text) for text in given]
    found: set[tuple[str, str]] = set()
    while pending:
        wanted = pending.pop()
        for part in ("", *wanted.extras):
            if (wanted.name, part) in found:
                continue
            found.add((wanted.name, part))
            for text in distribution(wanted.name).requires or ():
                needed = Requirement(text)
                if needed.marker is None or needed.marker.evaluate({"extra": part}):
                    pending.append(needed)
    return {name for name, _ in found}
