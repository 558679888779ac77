"""The command line: parse, call, print. Only this package prints and exits."""

from gamelore.cli.group import main

__all__ = ["main"]
