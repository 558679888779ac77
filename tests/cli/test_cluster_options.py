"""`--cluster`, `--workers` and what goes with them, where they are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gamelore.cli import main
from gamelore.cluster import open as open_module


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("simulate tictactoe --workers 2", "--workers is for --cluster"),
        ("tournament cup.toml --workers 2", "--workers is for --cluster"),
        ("arena --game tictactoe --workers 2", "--workers is for --cluster"),
        ("learn tictactoe --workers 2", "--workers is for --cluster"),
        ("reproduce cs221 --workers 2", "--workers is for --cluster"),
        ("learn tictactoe --staleness 5", "--staleness is for --cluster"),
        ("simulate tictactoe --threads 2 --cluster local", "use --workers"),
        ("reproduce cs221 --jobs 2 --cluster local", "use --workers"),
        ("learn tictactoe --cluster local --part 0", "--part"),
    ],
)
def test_options_that_do_not_go_together(arguments: str, message: str) -> None:
    result = CliRunner().invoke(main, arguments.split())
    assert result.exit_code == 2
    assert message in result.stderr


def test_without_ray_it_is_said_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(open_module, "find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    arguments = "reproduce cs221 --quick --cluster local --out new"
    result = CliRunner().invoke(main, arguments.split())
    assert result.exit_code == 1
    assert "pip install 'gamelore[ray]'" in result.stderr
    assert not (tmp_path / "new").exists()
