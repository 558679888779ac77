"""The command `gamelore` itself: help, errors, exit codes, start-up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from gamelore.cache import CacheWarning
from gamelore.cli import main
from gamelore.cli.group import COMMANDS
from gamelore.errors import GameloreError


def subcommand(name: str) -> click.Command:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return command


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0
    assert f"gamelore {name} " in result.output
    assert "Examples:" in result.output or name == "games"


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_are_called_what_the_table_says(name: str) -> None:
    assert subcommand(name).name == name


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_has_the_first_line_of_each_help(name: str) -> None:
    first = (subcommand(name).help or "").split("\n\n")[0]
    assert " ".join(first.split()) == COMMANDS[name]


def test_help_lists_every_command() -> None:
    result = CliRunner().invoke(main, ["--help"])
    for name, summary in COMMANDS.items():
        assert f"  {name} " in result.output
        assert summary in result.output


def test_version() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert result.output.startswith("gamelore, version")


def test_an_unknown_command_gets_a_hint() -> None:
    result = CliRunner().invoke(main, ["simulat"])
    assert result.exit_code == 2
    assert "no such command: simulat; did you mean simulate?" in result.output


def test_an_unknown_command_unlike_any_gets_no_hint() -> None:
    result = CliRunner().invoke(main, ["zzz"])
    assert result.exit_code == 2
    assert "no such command: zzz\n" in result.output


def raise_in(name: str, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(subcommand(name), "callback", fail)


def test_errors_end_in_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    raise_in("games", GameloreError("something is wrong"), monkeypatch)
    result = CliRunner().invoke(main, ["games"])
    assert result.exit_code == 1
    assert result.output == "error: something is wrong\n"


def test_ctrl_c_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    raise_in("games", KeyboardInterrupt(), monkeypatch)
    result = CliRunner().invoke(main, ["games"])
    assert result.exit_code == 130
    assert result.output == "interrupted\n"


HEAVY = {"numba", "clingo", "aigverse", "rich", "numpy"}


@pytest.mark.parametrize("arguments", [["games"], ["check", "rules.kif"], ["--help"]])
def test_light_commands_import_nothing_heavy(
    arguments: list[str], tmp_path: Path
) -> None:
    (tmp_path / "rules.kif").write_text("(role x)")
    code = f"""
import sys
from gamelore.cli import main
main({arguments!r}, standalone_mode=False)
print("heavy:", {HEAVY!r} & set(sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "heavy: set()" in done.stdout, done.stdout + done.stderr


def test_a_pipe_that_closes_is_no_error() -> None:
    code = "from gamelore.cli import main; main(['games'])"
    with subprocess.Popen(
        [sys.executable, "-u", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 0


def test_warnings_are_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(*args: object, **kwargs: object) -> None:
        warnings.warn("a folder is full", CacheWarning, stacklevel=1)

    monkeypatch.setattr(subcommand("games"), "callback", warn)
    result = CliRunner().invoke(main, ["games"])
    assert result.exit_code == 0
    assert result.output == "warning: a folder is full\n"


BUSY = """
import ctypes, signal
from gamelore.cli import main
from gamelore.cli.games import command

def sleep(*args, **kwargs):
    libc = ctypes.CDLL(None)  # as a kernel: without the GIL, deaf to signals
    while True:
        try:
            print("busy", flush=True)
            for _ in range(10**9):
                libc.poll(None, 0, 100)
        except (KeyboardInterrupt, SystemExit):
            pass

signal.signal(signal.SIGINT, signal.default_int_handler)
command.callback = sleep
main(["games"])
"""


UNWINDING = """
import time
from gamelore.cli import main
from gamelore.cli.games import command

def sleep(*args, **kwargs):
    try:
        print("busy", flush=True)
        time.sleep(3600)
    finally:
        print("tidied up", flush=True)

command.callback = sleep
main(["games"])
"""


def test_sigterm_unwinds_what_listens() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", UNWINDING], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "busy\n"
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(300) == 128 + signal.SIGTERM
        finally:
            process.kill()
        assert process.stdout.read() == "tidied up\n"


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to a process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_what_does_not_listen(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", BUSY],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "busy\n"
        process.send_signal(number)
        try:
            assert process.wait(300) == 128 + number
        finally:
            process.kill()
        assert process.stderr.read() == "interrupted\n"
