"""What came of a tournament: tables for people and for programs, and a picture."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from gamelore.files import write_text_atomic
from gamelore.ggp.tournament.config import Tournament
from gamelore.ggp.tournament.schedule import Fixture
from gamelore.match.ratings import Estimate, Result
from gamelore.match.standings import (
    Standing,
    flat,
    in_columns,
    mean_goal,
    standings,
    table,
)

PICTURES = ("standings.svg", "standings.png")


@dataclass(frozen=True)
class Report:
    """The results of a tournament so far."""

    tournament: Tournament
    results: Mapping[Fixture, Result]
    """Of the matches that are over."""
    planned: int
    """How many matches the tournament has."""

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Everybody's row, the best first."""
        names = [each.name for each in self.tournament.competitors]
        return standings(self.results.values(), names)

    @cached_property
    def goals(self) -> dict[str, dict[str, Estimate]]:
        """For each game, everybody's mean goal."""
        return {
            discipline.name: {
                row.player: mean_goal(self._list_goals(row.player, discipline.name))
                for row in self.standings
            }
            for discipline in self.tournament.disciplines
        }

    def _list_goals(self, player: str, game: str) -> list[int | None]:
        return [
            goal
            for result in self.results.values()
            if result.game == game
            for name, goal in zip(result.players, result.goals, strict=True)
            if name == player
        ]

    def __str__(self) -> str:
        name, done = self.tournament.name, len(self.results)
        heading = f"{name}: {done:,} of {self.planned:,} matches"
        return f"{heading}\n\n{table(self.standings)}\n\n{self._table_of_goals()}"

    def _table_of_goals(self) -> str:
        """Mean goals, a line for each player and a column for each game."""
        cells = [
            [
                row.player,
                *(f"{goals[row.player].value:.1f}" for goals in self.goals.values()),
            ]
            for row in self.standings
        ]
        return in_columns([["mean goal", *self.goals], *cells]).replace("nan", "  -")

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "tournament": self.tournament.name,
            "output": str(self.tournament.output),
            "matches": len(self.results),
            "planned": self.planned,
            "standings": [row.to_json() for row in self.standings],
            "games": list(self.rows_by_role()),
        }

    def rows_by_role(self) -> Iterable[dict[str, object]]:
        """What everybody did in every role of every game, one plain row each."""
        for discipline in self.tournament.disciplines:
            for place, role in enumerate(discipline.roles):
                for row in self.standings:
                    own = [
                        result
                        for result in self.results.values()
                        if result.game == discipline.name
                        and result.players[place] == row.player
                    ]
                    goal = mean_goal(result.goals[place] for result in own)
                    yield {
                        "game": discipline.name,
                        "role": role,
                        "player": row.player,
                        "matches": len(own),
                        "goal": goal.value if own else None,
                        "goal_low": goal.low,
                        "goal_high": goal.high,
                        "faults": sum(
                            each.faults[place] for each in own if each.faults
                        ),
                    }

    def rows_by_match(self) -> Iterable[dict[str, object]]:
        """Every match that is over, a plain row for each who played in it."""
        roles = {each.name: each.roles for each in self.tournament.disciplines}
        for fixture, result in self.results.items():
            for place, player in enumerate(result.players):
                yield {
                    "match": fixture.id,
                    "game": fixture.game,
                    "repeat": fixture.repeat,
                    "role": roles[fixture.game][place],
                    "player": player,
                    "goal": result.goals[place],
                    "faults": result.faults[place] if result.faults else 0,
                }


def write_report(report: Report, folder: Path) -> None:
    """Write all tables and pictures into a folder."""
    tables = {
        "standings.txt": f"{report}\n",
        "standings.csv": as_csv(list(map(flat, report.standings))),
        "games.csv": as_csv(list(report.rows_by_role())),
        "matches.csv": as_csv(list(report.rows_by_match())),
        "standings.json": json.dumps(report.to_json(), indent=2) + "\n",
    }
    for name, text in tables.items():
        write_text_atomic(folder / name, text)
    # matplotlib takes a second to import, so it is only where pictures are wanted
    from gamelore.match.plots import draw_standings

    for name in PICTURES:
        draft = folder / f".draft-{name}"
        draw_standings(report.standings, draft, report.tournament.name, report.goals)
        draft.replace(folder / name)


def as_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """A table with a heading; numbers with a fraction are rounded to six digits."""
    file = io.StringIO()
    if rows:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow(
                [
                    round(cell, 6) if isinstance(cell, float) else cell
                    for cell in row.values()
                ]
            )
    return file.getvalue()
