"""What a path means: how it is shown, and what is dangerous about it."""

from pathlib import Path

import pytest

from agls.engine.ports import WorkspaceError
from agls.workspace.paths import Ground, Own

pytestmark = pytest.mark.promise("P4")


@pytest.fixture
def ground(root: Path) -> Ground:
    return Ground(str(root))


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src/../b", "b"),
        ("{root}/src/a.py", "src/a.py"),
        ("file://{root}/a%20b", "a b"),
        ("", "."),
        ("{root}", "."),
        ("/etc/hosts", "/etc/hosts"),
    ],
)
def test_a_place_is_shown_relative_to_the_root_where_it_can_be(
    ground: Ground, root: Path, path: str, shown: str
) -> None:
    assert ground.place(path.format(root=root)).shown == shown


def test_a_parent_after_a_link_is_shown_as_what_it_is(ground: Ground, root: Path) -> None:
    (root / "a" / "b").mkdir(parents=True)
    (root / "link").symlink_to("a/b")
    place = ground.place("link/../x")
    assert (place.shown, place.path) == ("a/x", str(root / "a" / "x"))


def test_a_root_that_is_a_link_keeps_its_name(tmp_path: Path, root: Path) -> None:
    (tmp_path / "name").symlink_to(root)
    ground = Ground(str(tmp_path / "name"))
    for path in ("a", f"{root}/a", f"{tmp_path}/name/a"):
        place = ground.place(path)
        assert (place.shown, place.inside, place.path) == ("a", True, str(root / "a"))
        assert place.uri == (tmp_path / "name" / "a").as_uri()


def test_the_whole_file_system_may_be_the_workspace(root: Path) -> None:
    place = Ground("/").place(str(root / "a"))
    assert place.inside
    assert place.shown == str(root / "a")[1:]


def test_root_that_is_given_twice_counts_once(tmp_path: Path, root: Path) -> None:
    (tmp_path / "name").symlink_to(root)
    ground = Ground(str(root), [str(root), str(tmp_path / "name"), str(tmp_path)])
    assert [found.named for found in ground.roots] == [str(root), str(tmp_path)]


def test_a_workspace_needs_an_absolute_folder() -> None:
    with pytest.raises(WorkspaceError, match="absolute"):
        Ground("repo")


@pytest.mark.parametrize("path", [".git/config", ".GIT/hooks/x", "sub/.git", ".env", ".vscode/new.json"])
def test_a_protected_name_is_protected_though_nothing_is_there(ground: Ground, path: str) -> None:
    assert ground.place(path).protected
    assert not ground.place("src/main.py").protected


def test_a_link_to_and_from_a_protected_name_is_protected(ground: Ground, root: Path) -> None:
    (root / ".git").mkdir()
    (root / "innocent").symlink_to(".git")
    (root / "settings").mkdir()
    (root / ".vscode").symlink_to("settings")
    assert ground.place("innocent/hooks/pre-commit").protected
    assert ground.place(".vscode/tasks.json").protected


def test_the_folders_above_a_root_do_not_count(tmp_path: Path) -> None:
    root, extra = tmp_path / ".cursor" / "repo", tmp_path / ".claude" / "lib"
    root.mkdir(parents=True)
    extra.mkdir(parents=True)
    ground = Ground(str(root), [str(extra)])
    assert not ground.place("a.py").protected
    assert not ground.place(str(extra / "a.py")).protected
    assert ground.place(str(extra / ".env")).protected
    assert ground.place(str(tmp_path / ".cursor" / "mcp.json")).protected


def test_agls_s_own_folders_are_protected_wherever_they_lie(root: Path) -> None:
    ground = Ground(str(root), own=Own([str(root / "state")]))
    assert "agls itself" in ground.place("state/sessions/1.jsonl").protected
    assert not ground.place("stateless").protected


def test_name_in_another_unicode_form_is_the_one_that_is_there(ground: Ground, root: Path) -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    (root / decomposed).mkdir()
    (root / decomposed / f"{decomposed}.txt").touch()
    there = str(root / decomposed / f"{decomposed}.txt")
    assert ground.place(f"{composed}/{composed}.txt").path == there
    assert ground.place(f"{composed}/new.txt").path == str(root / decomposed / "new.txt")
    assert ground.place(f"na\u00efve/{composed}").path == str(root / "na\u00efve" / composed)
    (root / composed).mkdir()
    assert ground.place(f"{composed}/new.txt").path == str(root / composed / "new.txt")
