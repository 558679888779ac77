"""Plug-ins: the template package is found and used by name, a broken one is named."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from gamelore.agents import make_agent
from gamelore.agents.agent import MatchEntry
from gamelore.agents.random_player import RandomPlayer
from gamelore.agents.registry import AgentSpec, known_forms
from gamelore.cli import main
from gamelore.engine import simulator
from gamelore.errors import GameloreError, PluginError, UnknownGameError
from gamelore.games import (
    board,
    entry,
    feature_names,
    features_text,
    library,
    load,
    plugin_games,
    rules_text,
)
from gamelore.match.match import play_match
from gamelore.player import Clock
from gamelore.plugins import find_plugins
from gamelore.search.evaluator import Evaluator
from gamelore.search.evaluators import make_evaluator

TEMPLATE = Path(__file__).resolve().parent.parent / "examples" / "plugin"
BROKEN = """
from pathlib import Path
number = 5
class Needy:
    def __init__(self, seed, patience): pass
def nothing(): return None
def fail(): raise RuntimeError("out of order")
lost = Path("nowhere.kif")
"""

PACKAGES = "gamelore_corners", "broken_things"

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Put a package with entry points on the path, as an installer would."""

    def write(package: str, points: dict[str, dict[str, str]]) -> Path:
        info = tmp_path / f"{package.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
        )
        lines = []
        for group, named in points.items():
            lines += [f"[{group}]", *(f"{n} = {target}" for n, target in named.items())]
        (info / "entry_points.txt").write_text("\n".join(lines))
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        return tmp_path

    monkeypatch.chdir(tmp_path)
    yield write
    for name in [name for name in sys.modules if name.startswith(PACKAGES)]:
        del sys.modules[name]


@pytest.fixture
def template(install: Install) -> Path:
    project = tomllib.loads((TEMPLATE / "pyproject.toml").read_text())["project"]
    folder = install(project["name"], project["entry-points"])
    shutil.copytree(TEMPLATE / "src" / "gamelore_corners", folder / "gamelore_corners")
    return folder


@pytest.fixture
def broken(install: Install) -> Path:
    folder = install(
        "broken-package",
        {
            "gamelore.agents": {
                "absent": "no_such_module_at_all:Player",
                "needy": "broken_things:Needy",
                "numeric": "broken_things:number",
            },
            "gamelore.evaluators": {
                "empty": "broken_things:nothing",
                "failing": "broken_things:fail",
            },
            "gamelore.games": {
                "lost": "broken_things:lost",
                "wrong": "broken_things:number",
                "failing": "broken_things:fail",
                "nim": "broken_things:lost",
            },
        },
    )
    (folder / "broken_things.py").write_text(BROKEN)
    return folder


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, arguments, prog_name="gamelore")
    return result.exit_code, result.stdout, result.stderr


def test_the_player_is_an_agent_by_its_name(template: Path) -> None:
    spec = AgentSpec.parse("cautious")
    assert str(spec) == "cautious"
    assert not spec.is_own
    assert "cautious" in known_forms()
    engine = simulator(load("tictactoe"))
    agent = make_agent(spec, seed=1)
    player = agent.enter(MatchEntry("m", engine, "x"), Clock())
    assert type(player).__name__ == "CautiousPlayer"
    record = play_match(engine, {"x": player, "o": RandomPlayer(1)})
    assert record.complete
    assert not record.faults
    agent.close()


def test_the_game_is_one_of_the_library(template: Path) -> None:
    game = load("corners")
    assert (game.name, game.source) == ("corners", "corners")
    position_text = game.renderer(()) if game.renderer else ""
    assert position_text == board("corners").render(())
    assert rules_text("corners").startswith("; the most corners")
    assert entry("corners").package == "gamelore-corners"
    assert entry("corners").players == 2
    assert [added.name for added in plugin_games()[0]] == ["corners"]
    assert "corners" not in [known.name for known in library()]
    with pytest.raises(UnknownGameError, match="did you mean corners"):
        load("corner")


def test_features_stand_beside_the_rule_sheet(template: Path) -> None:
    assert feature_names("corners") == ()
    file = template / "gamelore_corners" / "corners.marks.features.kif"
    file.write_text("(<= (feature marks 1) (true (cell ?r ?c red)))")
    assert feature_names("corners") == ("marks",)
    assert features_text("corners", "marks") == file.read_text()
    with pytest.raises(UnknownGameError, match="corners has no features 'stones'"):
        features_text("corners", "stones")


def test_the_evaluator_is_what_a_search_takes(template: Path) -> None:
    assert isinstance(make_evaluator("mobility"), Evaluator)
    assert str(AgentSpec.parse("minimax-3:mobility")) == "minimax-3:mobility"
    assert AgentSpec.parse("minimax:mobility") == AgentSpec("minimax", None, "mobility")
    with pytest.raises(GameloreError, match="'mobile'; did you mean mobility"):
        make_agent("minimax:mobile")


def test_commands_know_them(template: Path) -> None:
    status, printed, warned = run("games")
    assert (status, warned) == (0, "")
    line = next(line for line in printed.splitlines() if line.startswith("corners "))
    assert line.endswith("the most corners of a board of 3×3 win [gamelore-corners]")
    listed = json.loads(run("games", "--json")[1])
    assert {e["name"]: e["package"] for e in listed}["corners"] == "gamelore-corners"
    assert {e["name"]: e["package"] for e in listed}["nim"] == "gamelore"
    players = "cautious", "minimax-2:mobility"
    status, printed, warned = run("match", "corners", *players, "--seed", "1")
    assert status == 0, printed + warned
    assert "cautious" in printed
    assert run("check", "corners")[0] == 0


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("absent", "player 'absent' of the package broken-package cannot be used: Mod"),
        ("needy", "cannot be made from a seed: TypeError"),
        ("numeric", "neither a class nor a function"),
        ("minimax:empty", "makes NoneType, which is no Evaluator"),
        ("minimax:failing", "evaluator 'failing' of the package broken-package"),
    ],
)
def test_a_broken_player_is_an_error_when_used(
    broken: Path, spec: str, message: str
) -> None:
    parsed = AgentSpec.parse(spec)
    with pytest.raises(PluginError) as caught:
        make_agent(parsed)
    assert message in str(caught.value)


def test_a_broken_game_is_a_warning_in_the_list(broken: Path) -> None:
    status, printed, warned = run("games")
    assert status == 0
    assert "tictactoe" in printed
    assert len(warned.splitlines()) == 4
    assert "warning: the game 'failing' of the package broken-package" in warned
    assert "RuntimeError: out of order" in warned
    assert "'nim' of the package broken-package cannot be used: a game of the" in warned
    with pytest.raises(PluginError, match="there is no rule sheet"):
        load("lost")
    with pytest.raises(PluginError, match="is no path of a rule sheet, but int"):
        load("wrong")
    assert load("nim").roles == ("first", "second")
    assert run("match", "tictactoe", "absent", "random")[0] == 1


def test_two_packages_with_one_name(install: Install) -> None:
    install("one-package", {"gamelore.agents": {"same": "random:Random"}})
    install("two-package", {"gamelore.agents": {"same": "random:Random"}})
    plugin = find_plugins("agents")["same"]
    with pytest.raises(PluginError, match="several packages bring a player 'same'"):
        plugin.load()


@pytest.mark.slow
def test_the_template_is_installed_by_pip(tmp_path: Path) -> None:
    """Needs hatchling, but no network."""
    pytest.importorskip("hatchling", reason="a tool for development")
    source, target = tmp_path / "source", tmp_path / "installed"
    shutil.copytree(TEMPLATE, source)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index"]
    options = ["--no-deps", "--no-build-isolation", "--target", str(target)]
    subprocess.run([*pip, *options, str(source)], check=True, timeout=300)
    path = os.pathsep.join([str(target), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "gamelore", "match", "corners", "cautious", "random"],
        env={**os.environ, "PYTHONPATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "cautious" in done.stdout
