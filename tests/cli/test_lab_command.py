"""`gamelore lab`: opens, prints its address, and closes cleanly."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

from click.testing import CliRunner

from gamelore.cli import main


def test_it_opens_and_closes(tmp_path: Path, stop_signal: signal.Signals) -> None:
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "gamelore", "lab", "--no-browser"),
            *("--port", "0", "--folder", str(tmp_path / "new")),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        assert found is not None
        with urllib.request.urlopen(found[0]) as answer:
            assert b"gamelore lab" in answer.read()
        process.send_signal(stop_signal)
        output, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 0 and errors == ""
    assert "closed" in output and (tmp_path / "new" / "runs").is_dir()


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(
            main, ["lab", "--port", port, "--folder", str(tmp_path), "--no-browser"]
        )
    assert result.exit_code == 1
    assert f"cannot listen on 127.0.0.1:{port}" in result.output
    assert "--port" in result.output, "the way out"


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    result = CliRunner().invoke(main, ["lab", "--folder", str(file / "in")])
    assert result.exit_code == 1 and "cannot use the folder" in result.output
    assert "--folder" in result.output, "the way out"
    empty = CliRunner().invoke(main, ["lab", "--token", " "])
    assert empty.exit_code == 2 and "--token" in empty.output
