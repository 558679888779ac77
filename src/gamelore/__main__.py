"""`python -m gamelore` is the command `gamelore`."""

from gamelore.cli import main

if __name__ == "__main__":
    main()
