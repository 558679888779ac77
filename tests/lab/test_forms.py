"""The form of a training run is that of its settings."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.lab.forms import MAIN, make_form, read_form
from gamelore.learn.config import TrainConfig, complete_options
from gamelore.learn.run import RunConfig
from gamelore.settings import SettingError, from_options, list_options

FORM = {field.key: field for field in make_form()}


def test_every_setting_has_a_field() -> None:
    known = {**list_options(TrainConfig), **list_options(RunConfig)}
    assert FORM.keys() == known.keys() - {"snapshots"}
    assert all(field.help for field in FORM.values())
    assert next(iter(FORM.values())).group == MAIN


def test_an_empty_form_is_the_command_without_options() -> None:
    expected = from_options(TrainConfig, complete_options({}))
    assert read_form({}) == (expected, RunConfig())


@given(
    st.sampled_from(FORM["values"].choices),
    st.sampled_from(FORM["learner"].choices),
    st.sampled_from(FORM["schedule"].choices),
    st.integers(1, 10**6),
)
def test_choices_are_read(
    values: str, learner: str, schedule: str, matches: int
) -> None:
    given: dict[str, Any] = {
        "values": values,
        "learner": learner,
        "schedule": schedule,
        "matches": matches,
        "evaluate_against": "random",
    }
    if learner == "zero":
        del given["schedule"]
    if (learner == "zero") != (values == "policy-value"):
        with pytest.raises(SettingError, match=r"policy-value|zero"):
            read_form(given)
        return
    config, run = read_form(given)
    assert run.matches == matches and run.evaluate_against == ("random",)
    assert (config.function is None) == (values == "table")


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"alpha": 7}, "alpha"),
        ({"nonsense": 1}, "nonsense"),
        ({"hidden": 10}, "hidden"),
        ({"matches": 0}, "matches"),
        ({"matches": "many"}, "matches"),
        ({"against": "nobody"}, "against"),
    ],
)
def test_faults_name_their_field(options: dict[str, Any], name: str) -> None:
    with pytest.raises(SettingError) as fault:
        read_form(options)
    assert fault.value.name.lstrip("-").replace("-", "_") == name


def test_conditions_name_fields_that_there_are() -> None:
    for field in FORM.values():
        for condition in field.shown_for:
            for key, value in condition.items():
                assert value in FORM[key].choices
