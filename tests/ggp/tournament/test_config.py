"""Tournament files: what they say, and what is said of mistakes in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamelore.errors import TournamentError
from gamelore.ggp.tournament.config import EXAMPLE, read_tournament
from gamelore.ggp.tournament.runner import make_settings

PLAYERS = '[players]\na = "random"\nb = "novice"\n'


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "cup.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_example_is_a_tournament(tmp_path: Path) -> None:
    tournament = read_tournament(written(tmp_path, EXAMPLE))
    assert [each.name for each in tournament.competitors] == [
        "searcher",
        "careful",
        "chance",
    ]
    first, second = tournament.disciplines
    assert (first.name, first.repeats, first.play_clock) == ("tictactoe", 10, 2)
    assert (second.name, second.repeats, second.play_clock) == ("connect-3", 5, 1)
    assert tournament.output == tmp_path / "results"


def test_what_the_example_hides_is_read_too(tmp_path: Path) -> None:
    """Every line that is commented out, taken in, but for the unreachable files."""
    (tmp_path / "rules").mkdir()
    sheet = "(role a) (init x) (legal a b) (next x) terminal (goal a 1)"
    (tmp_path / "rules" / "my-game.kif").write_text(sheet, encoding="utf-8")
    marks = ("served", "mine", "learner", "[[games]]", 'game = "rules', 'name = "mine')
    lines = [
        line[2:] if line.startswith("# ") and line[2:].startswith(marks) else line
        for line in EXAMPLE.splitlines()
    ]
    tournament = read_tournament(written(tmp_path, "\n".join(lines)))
    served, mine, learner = tournament.competitors[3:]
    assert (served.spec, learner.spec) == ("localhost:9147", "td")
    assert mine.spec == "my_package.my_module:MyPlayer"
    assert learner.store == tmp_path / "learner.db"
    assert tournament.disciplines[2].name == "mine"


def test_defaults(tmp_path: Path) -> None:
    tournament = read_tournament(written(tmp_path, f'games = ["nim"]\n{PLAYERS}'))
    (game,) = tournament.disciplines
    assert tournament.output == tmp_path / "cup"
    assert (game.repeats, game.start_clock, game.play_clock) == (1, 10.0, 5.0)
    assert tournament.competitors[1].store == tmp_path / "cup" / "stores" / "b.db"
    assert not tournament.scramble and tournament.at_once == 1
    assert game.grace == 1.0


def test_the_grace_of_the_file_and_of_a_game(tmp_path: Path) -> None:
    games = '[[games]]\ngame = "nim"\n[[games]]\ngame = "tictactoe"\ngrace = 0\n'
    tournament = read_tournament(written(tmp_path, f"grace = 2.5\n{PLAYERS}{games}"))
    assert [each.grace for each in tournament.disciplines] == [2.5, 0.0]
    assert make_settings(tournament, "nim").grace == 2.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("repeats = ", "is no TOML file.*--example"),
        ("games = []", r"\[players\] needs at least one player"),
        (f"{PLAYERS}", 'games needs at least one game, as in: games = \\["tictactoe"'),
        (f'repeat = 3\ngames = ["nim"]\n{PLAYERS}', "repeat is no key.*mean repeats?"),
        (f'zebra = 3\ngames = ["nim"]\n{PLAYERS}', "zebra is no key.*known are output"),
        (
            f'games = ["nim"]\nplay_clock = "5"\n{PLAYERS}',
            "play_clock wants a number, got '5'",
        ),
        (
            f'games = ["nim"]\nplay_clock = 0\n{PLAYERS}',
            "play_clock must be a positive",
        ),
        (f'games = ["nim"]\nplay_clock = nan\n{PLAYERS}', "play_clock must be a pos"),
        (f'games = ["nim"]\nplay_clock = inf\n{PLAYERS}', "play_clock must be a pos"),
        (f'games = ["nim"]\ngrace = -1\n{PLAYERS}', "grace must be from 0.*got -1"),
        (f'games = ["nim"]\ngrace = nan\n{PLAYERS}', "grace must be from 0.*got nan"),
        (f'games = ["nim"]\nrepeats = 0\n{PLAYERS}', "repeats must be from 1 to"),
        (f'games = ["nim"]\nrepeats = 2.5\n{PLAYERS}', "repeats wants a whole number"),
        (f'games = ["nim"]\nrepeats = true\n{PLAYERS}', "repeats wants a whole number"),
        (f'games = ["nim"]\nscramble = 1\n{PLAYERS}', "scramble wants true or false"),
        (f'games = ["nim"]\nat_once = 0\n{PLAYERS}', "at_once must be from 1"),
        (f'games = ["nim"]\nseed = -1\n{PLAYERS}', "seed must be from 0"),
        (f'games = ["nimm"]\n{PLAYERS}', r"games\[1\].game cannot.*did you mean nim"),
        (
            f'games = ["x.kif"]\n{PLAYERS}',
            r"games\[1\].game cannot be played.*x\.kif",
        ),
        (f"games = [3]\n{PLAYERS}", r"games\[1\] wants a table, got 3"),
        (f"games = [{{}}]\n{PLAYERS}", r"games\[1\].game is missing"),
        (f'games = ["nim", "nim"]\n{PLAYERS}', "two games called nim.*another name"),
        (
            f'games = [{{game = "nim", clock = 3}}]\n{PLAYERS}',
            r"games\[1\].clock is no key.*did you mean play_clock",
        ),
        (
            f'games = [{{game = "nim", name = "a b"}}]\n{PLAYERS}',
            r"games\[1\].name has the name 'a b'.*letters",
        ),
        ('games = ["nim"]\n[players]\na = "random"', "nim needs 2 players.*are 1"),
        ('games = ["nim"]\n[players]\n"a.b" = "random"', "a.b has the name 'a.b'"),
        ('games = ["nim"]\n[players]\na = 3', "players.a wants a table, got 3"),
        (
            'games = ["nim"]\n[players]\na = "x"\nA = "y"',
            "players.A differs from another name in capitals only",
        ),
        (
            'games = ["nim"]\n[players]\na = {player = "td", stor = "x"}',
            "players.a.stor is no key.*did you mean store",
        ),
        ('games = ["nim"]\n[players]\na = {}', "players.a.player is missing"),
    ],
)
def test_mistakes_are_named_with_the_way_out(
    tmp_path: Path, text: str, message: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(TournamentError, match=message) as caught:
        read_tournament(path)
    assert str(caught.value).startswith(str(path))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match=r"cannot read .*No such file"):
        read_tournament(tmp_path / "none.toml")
    with pytest.raises(TournamentError, match="cannot read"):
        read_tournament(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TournamentError, match="is no TOML file"):
        read_tournament(binary)
