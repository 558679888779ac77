"""Settings dataclasses: checks, JSON and options, each in both directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from gamelore.settings import (
    Choice,
    SettingError,
    check,
    describe,
    from_json,
    from_options,
    list_options,
    setting,
    to_json,
    to_options,
)


@dataclass(frozen=True)
class Round:
    """A circle."""

    radius: float = setting(1.0, above=0, most=10)
    """Half of
    its width."""

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Square:
    """A square."""

    size: float = setting(2.0, option="width", least=0)
    """Its width."""
    colour: Literal["red", "blue"] = "red"

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Frame:
    """A frame."""

    width: int = setting(1, least=1)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Picture:
    """A picture."""

    shape: Round | Square | None = setting(
        factory=Round, choices={"round": Round, "square": Square, "none": None}
    )
    """What it shows."""
    frame: Frame | None = setting(None, prefix="frame-")
    weights: tuple[tuple[str, float], ...] = ()
    count: int = setting(3, least=0)
    limit: float | None = None

    def __post_init__(self) -> None:
        check(self)


PICTURES = [
    Picture(),
    Picture(Square(3.5, "blue"), Frame(4), (("a", 1.0), ("b", -2.5)), 0, 7.0),
    Picture(None),
]


@pytest.mark.parametrize("picture", PICTURES)
def test_json_is_settings_and_back(picture: Picture) -> None:
    assert from_json(Picture, to_json(picture)) == picture


@pytest.mark.parametrize("picture", PICTURES)
def test_options_are_settings_and_back(picture: Picture) -> None:
    given = {k: v for k, v in to_options(picture).items() if v is not None}
    assert from_options(Picture, given) == picture


def test_docstrings_of_fields_are_found() -> None:
    (radius,) = describe(Round)
    assert radius.text == "Half of its width."
    assert [one.text for one in describe(Square)] == ["Its width.", ""]


def test_options_are_flat_and_know_what_must_be_chosen() -> None:
    options = list_options(Picture)
    assert [*options] == [
        *("shape", "radius", "width", "colour"),
        *("frame_width", "weights", "count", "limit"),
    ]
    (use,) = options["colour"]
    assert use.chosen == (("shape", "square"),)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"radius": 0.0}, r"--radius must be in \(0, 10\], got 0.0"),
        ({"radius": float("nan")}, "--radius must be finite, got nan"),
        ({"shape": "square", "width": -1.0}, "--width must be 0 or more, got -1.0"),
        ({"frame_width": 0}, "--frame-width must be at least 1, got 0"),
        ({"count": 1.5}, "--count must be a whole number, got 1.5"),
        ({"width": 3.0}, "--width has no meaning for --shape round"),
        (
            {"shape": "square", "radius": 3.0},
            "--radius has no meaning for --shape",
        ),
        ({"weights": (("a", float("inf")),)}, "--weights of a must be finite"),
        ({"weights": (("a", 1.0), ("a", 2.0))}, "--weights names a twice"),
        ({"size": 3.0}, "--size is not known"),
    ],
)
def test_errors_name_what_was_typed(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        from_options(Picture, given)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "Picture must be an object"),
        ({"count": "three"}, "count cannot be 'three'"),
        ({"count": -1}, "count must be 0 or more, got -1"),
        ({"shape": {"kind": "star"}}, "shape must be one of round, square, none"),
        ({"shape": {"kind": "round", "sides": 3}}, "shape has no setting 'sides'"),
        ({"frame": 7}, "frame must be an object"),
    ],
)
def test_json_that_is_no_settings(record: object, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        from_json(Picture, record)


def test_a_choice_may_make_its_part_in_its_own_way() -> None:
    @dataclass(frozen=True)
    class Drawing:
        shape: Round = setting(
            factory=Round,
            choices={
                "big": Choice(
                    Round,
                    make=lambda **fields: Round(**{"radius": 9.0, **fields}),
                    applies=lambda one: one.radius > 5,
                ),
                "small": Round,
            },
        )

    assert from_options(Drawing, {"shape": "big"}).shape.radius == 9.0
    assert from_options(Drawing, {"shape": "big", "radius": 6.0}).shape.radius == 6.0
    assert to_options(Drawing(Round(7.0)))["shape"] == "big"
    assert to_options(Drawing(Round(2.0)))["shape"] == "small"
