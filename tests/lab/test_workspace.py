"""Paths stay inside the folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gamelore.lab.workspace import Workspace, WorkspaceError, hash_text

PART = st.sampled_from(["..", ".", "a", "~", "", "\\", "C:", "x.kif", ".git", "a\0b"])


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "folder")
    made.create()
    return made


@given(st.one_of(st.text(max_size=60), st.lists(PART, max_size=6).map("/".join)))
@example("../outside.kif")
@example("/etc/passwd.kif")
@example("a/../../b.kif")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_path_leads_out(workspace: Workspace, path: str) -> None:
    for text in (path, f"{path}.kif"):
        try:
            found = workspace.find(text, ".kif")
        except WorkspaceError:
            continue
        assert found.resolve().is_relative_to(workspace.folder)
        assert found.suffix == ".kif"


def test_links_do_not_lead_out(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret.kif").write_text("(role x)")
    (workspace.folder / "link.kif").symlink_to(tmp_path / "secret.kif")
    (workspace.folder / "way").symlink_to(tmp_path)
    for path in ("link.kif", "way/secret.kif"):
        with pytest.raises(WorkspaceError, match="out of the folder"):
            workspace.read_rules(path)


def test_rules_are_written_and_read(workspace: Workspace) -> None:
    version = workspace.write_rules("mine/new.kif", "(role x)\n", None)
    assert workspace.read_rules("mine/new.kif") == ("(role x)\n", version)
    assert workspace.write_rules("mine/new.kif", "(role y)\n", version)
    assert [path.name for path in workspace.list_files(".kif")] == ["new.kif"]


def test_what_others_wrote_is_not_replaced(workspace: Workspace) -> None:
    version = workspace.write_rules("a.kif", "one", None)
    with pytest.raises(WorkspaceError, match="exists"):
        workspace.write_rules("a.kif", "two", None)
    (workspace.folder / "a.kif").write_text("theirs")
    with pytest.raises(WorkspaceError, match="somebody else"):
        workspace.write_rules("a.kif", "two", version)


def test_drafts_are_kept_by_their_text(workspace: Workspace) -> None:
    key = workspace.keep_draft("(role x)", "A <b>game</b>/..")
    assert key == workspace.keep_draft("(role x)", "other name")
    assert workspace.read_draft(key) == ("(role x)", "A-b-game-b")
    assert hash_text("(role x)").startswith(key)
    for other in ("0" * 12, "../x", "*", ""):
        with pytest.raises(WorkspaceError):
            workspace.read_draft(other)
