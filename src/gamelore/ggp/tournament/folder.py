"""Where a tournament is kept: its settings, the records of its matches, its tables.

tournament.json     the settings: all that decides how a match goes
matches/ID.json     the record of every match that is over
matches/ID.live     the record so far of a match that is being played
standings.…, …      tables and pictures
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gamelore.errors import RecordError, TournamentError
from gamelore.files import LockedError, locked, write_text_atomic
from gamelore.ggp.live_record import SUFFIX as LIVE
from gamelore.ggp.manager.manager import ManagedMatch
from gamelore.ggp.manager.peers import parse_address
from gamelore.ggp.match_record import MatchFile, write_match
from gamelore.ggp.record_schema import read_outcome
from gamelore.ggp.tournament.config import Tournament
from gamelore.ggp.tournament.schedule import Fixture
from gamelore.match.ratings import Result
from gamelore.match.record import CHANCE

SETTINGS_FILE = "tournament.json"
_VERSION = 1
_SUFFIX = ".json"
_LOCK = ".lock"
_DEFAULTS = {"grace": 1.0}  # of folders made before there was such a setting


class TournamentFolder:
    """The output folder of one tournament."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.path = tournament.output
        self.matches = self.path / "matches"

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Make the folder and keep others from playing in it.

        `TournamentError` if it is somebody else's, or holds matches on other settings.
        """
        self._check_place()
        try:
            self.matches.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._error(f"cannot be made: {error.strerror}") from error
        with self._locked():
            settings = describe_settings(self.tournament)
            self._sweep()
            if any(self.matches.glob(f"*{_SUFFIX}")):
                settings = self._merged(settings)
            write_text_atomic(
                self.path / SETTINGS_FILE, json.dumps(settings, indent=2) + "\n"
            )
            yield

    def keep(self, match: ManagedMatch | MatchFile) -> None:
        """Keep the record of a match that is over."""
        write_match(match, self.matches, self.tournament.name)

    def results(self, fixtures: Iterable[Fixture]) -> dict[Fixture, Result]:
        """What came of the matches that are over already, read from their records."""
        found = {path.stem for path in self.matches.glob(f"*{_SUFFIX}")}
        return {
            fixture: self._read(fixture) for fixture in fixtures if fixture.id in found
        }

    def _read(self, fixture: Fixture) -> Result:
        """A result by the parts of a record that matter to it, which is much faster
        than to read all positions."""
        path = self.matches / f"{fixture.id}{_SUFFIX}"
        try:
            found = read_outcome(path.read_text(encoding="utf-8"), str(path))
            if found.match_id != fixture.id:
                raise RecordError(
                    f"{path} is damaged: matchId is that of another match"
                )
            own = found.gamelore
            faults = [fault.role for fault in own.faults]
            return _result(fixture, own.roles, own.goals, faults)
        except (OSError, ValueError, RecordError) as error:
            raise TournamentError(
                f"{error}; remove the file, and the match is played again"
            ) from error

    def _check_place(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise self._error("is a file, not a folder; name another one as output")
        if not self.path.exists() or not any(self.path.iterdir()):
            return
        if not (self.path / SETTINGS_FILE).exists() and not self._is_begun():
            raise self._error(
                f"holds something other than a tournament (no {SETTINGS_FILE}); name"
                " another folder as output, or empty this one"
            )

    def _is_begun(self) -> bool:
        """Whether there is no more than was made just before an end by force."""
        names = {path.name for path in self.path.iterdir()}
        begun = {"matches", _LOCK, *(name for name in names if name.endswith(".part"))}
        return names <= begun and not any(self.matches.glob("*"))

    def _sweep(self) -> None:
        """Remove what was being written when an earlier run was ended by force."""
        for pattern in (".*", f"*{LIVE}"):
            for path in self.matches.glob(pattern):
                path.unlink()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes from playing in the folder."""
        try:
            with locked(self.path / _LOCK):
                yield
        except LockedError as error:
            raise self._error("is in use: the tournament is being played") from error

    def _merged(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the settings of old and new matches; they must not contradict."""
        try:
            old = json.loads((self.path / SETTINGS_FILE).read_text(encoding="utf-8"))
            if old["version"] != _VERSION:
                raise ValueError(f"version {old['version']}")
            changes = [*_changes(old, settings)]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._error(
                f"has a {SETTINGS_FILE} that cannot be read ({error}); name another"
                " folder as output"
            ) from error
        if changes:
            what, before, now = changes[0]
            raise self._error(
                f"has matches played with {what} {before}, and the file now says {now};"
                " put it back, name another folder as output, or empty this one"
            )
        # Who is no longer in the file may come back, and must be the same then.
        for part in ("players", "games"):
            settings[part] = {**old[part], **settings[part]}
        return settings

    def _error(self, message: str) -> TournamentError:
        return TournamentError(f"the output folder {self.path} {message}")


def _result(
    fixture: Fixture,
    roles: Sequence[str],
    goals: Sequence[int | None],
    faults: Sequence[str],
) -> Result:
    """A result without the role `random`; a match cut short has no goals."""
    places = [number for number, role in enumerate(roles) if role != CHANCE]
    return Result(
        players=fixture.players,
        goals=tuple(goals[place] if goals else None for place in places),
        faults=tuple(faults.count(roles[place]) for place in places),
        game=fixture.game,
    )


def describe_settings(tournament: Tournament) -> dict[str, Any]:
    """All that must stay the same for matches to be of one tournament."""
    return {
        "version": _VERSION,
        "seed": tournament.seed,
        "scramble": tournament.scramble,
        "move_limit": tournament.move_limit,
        "players": {each.name: each.spec for each in tournament.competitors},
        "games": {
            each.name: {
                "rules": each.game.fingerprint,
                "start_clock": each.start_clock,
                "play_clock": each.play_clock,
                "grace": each.grace,
            }
            for each in tournament.disciplines
        },
    }


def _changes(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """What has changed, as it was and as it is; what is only new has not."""
    for key in ("seed", "scramble", "move_limit"):
        if old[key] != new[key]:
            yield key, json.dumps(old[key]), json.dumps(new[key])
    for name, spec in new["players"].items():
        before = old["players"].get(name, spec)
        # A player on the network is the same when it has moved.
        if before != spec and not (parse_address(before) and parse_address(spec)):
            yield f"players.{name}", json.dumps(before), json.dumps(spec)
    for name, game in new["games"].items():
        for key, value in game.items():
            before = old["games"].get(name, game).get(key, _DEFAULTS.get(key))
            if before == value:
                continue
            if key == "rules":
                yield f"rules of {name} that hash to", before[:8], value[:8]
            else:
                yield f"{key} of {name}", f"{before:g}", f"{value:g}"
