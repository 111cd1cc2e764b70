"""Mentions become pieces of the prompt, when there is something that they name."""

from pathlib import Path

import pytest

from agls.engine.vocabulary import Resource, ResourceLink
from agls.features.mentions.expansion import MOST_CHARACTERS, expand
from agls.features.mentions.settings import Settings
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "app.py").write_text("one\ntwo\nthree\n")
    (folder / "a b.py").write_text("x\n")
    (folder / "odd:7").write_text("x\n")
    (folder / "picture.png").write_bytes(b"\x89PNG\0")
    (folder / "secret.key").write_text("canary")
    (tmp_path / "outside.py").write_text("canary")
    (folder / "link.py").symlink_to(tmp_path / "outside.py")
    return folder


async def pieces(root: Path, text: str, **settings: object) -> list[object]:
    hidden = (r"(?:.*/)?secret\.key",)
    workspace = OpenWorkspace(str(root), (), FakeEditor(), Processes(), hidden=hidden)
    found = await expand(Settings.model_validate(settings), text, workspace, workspace.snapshots)
    return [one.name if isinstance(one, ResourceLink) else one for one in found]


async def test_mentions_of_files_and_folders_become_links_once_each(root: Path) -> None:
    text = 'Compare @src/app.py, @src/app.py with @src/ and @"a b.py". See @picture.png @odd:7 (@a).'
    found = await pieces(root, text)
    assert found == ["src/app.py", "src", "a b.py", "picture.png", "odd:7"]


async def test_mention_of_lines_brings_the_lines(root: Path) -> None:
    uri = (root / "src" / "app.py").as_uri()
    assert await pieces(root, "@src/app.py:2-9.") == [Resource(f"{uri}#L2-L3", "two\nthree\n")]
    assert await pieces(root, "@src/app.py:1") == [Resource(f"{uri}#L1-L1", "one\n")]


@pytest.mark.parametrize(
    "text",
    [
        "@dataclass",
        "me@example.com",
        "@../outside.py",
        "@link.py",
        "@/etc/passwd",
        "@secret.key",
        "@secret.key:1",
        "@src/app.py:9",
        "@src/gone.py",
        "@gone/app.py",
        "@picture.png:1",
        "@src/:1",
        "@app.py\0",
        "@" + "x" * 5000,
    ],
)
async def test_word_that_names_nothing_in_the_workspace_stays_a_word(root: Path, text: str) -> None:
    assert await pieces(root, text) == []


async def test_settings_switch_it_off_and_bound_it(root: Path) -> None:
    assert await pieces(root, "@src/app.py", enabled=False) == []
    assert await pieces(root, "@src/app.py @src @picture.png", most=2) == ["src/app.py", "src"]


async def test_long_lines_are_cut(root: Path) -> None:
    (root / "long.txt").write_text("x" * (MOST_CHARACTERS + 10))
    (piece,) = await pieces(root, "@long.txt:1")
    assert isinstance(piece, Resource)
    assert len(piece.text) == MOST_CHARACTERS
