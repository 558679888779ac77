"""Pictures of standings: drawn as asked, and the same each time."""

from __future__ import annotations

from pathlib import Path

from gamelore.match.plots import draw_standings
from gamelore.match.ratings import Result
from gamelore.match.standings import mean_goal, standings

RESULTS = [Result(("a", "b"), (100, 0)), Result(("b", "c"), (100, 0))] * 3


def test_the_same_standings_give_the_same_file(tmp_path: Path) -> None:
    rows = standings(RESULTS, ["unplayed"])
    goals = {"nim": {"a": mean_goal([100]), "b": mean_goal([50])}}
    one, two = tmp_path / "one.svg", tmp_path / "two.svg"
    draw_standings(rows, one, "a cup", goals)
    draw_standings(rows, two, "a cup", goals)
    text = one.read_text(encoding="utf-8")
    assert text == two.read_text(encoding="utf-8")
    for word in ("a cup", "unplayed", "mean goal by game", "nim", "100"):
        assert word in text


def test_a_picture_in_dots(tmp_path: Path) -> None:
    path = tmp_path / "standings.png"
    draw_standings(standings(RESULTS), path)
    assert path.read_bytes().startswith(b"\x89PNG")
