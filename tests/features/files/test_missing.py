"""A path at which there is no file is answered with names near it."""

from pathlib import Path

import pytest

from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.file_tools import file_tools
from support.toolbox import Toolbox


@pytest.fixture(autouse=True)
def project(root: Path) -> None:
    (root / "src/deep").mkdir(parents=True)
    (root / "src/app.py").write_text("x = 1\n")
    (root / "src/deep/util[1].py").write_text("y = 1\n")


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("app.py", "src/app.py"),
        ("src/App.py", "src/app.py"),
        ("src/ap.py", "src/app.py"),
        ("scr/app.py", "src/app.py"),
        ("SRC/APP.PY", "src/app.py"),
        ("lib/Util[1].py", "src/deep/util[1].py"),
        ("util[1].py", "src/deep/util[1].py"),
        ("a/src/app.py", "src/app.py"),
    ],
)
async def test_missing_path_is_answered_with_the_near_name(tools: Toolbox, path: str, meant: str) -> None:
    told = f"{path} does not exist. Did you mean {meant}?"
    assert (await tools.call("read_file", path=path)).text == told
    edit = await tools.call("edit_file", path=path, old_text="x", new_text="y")
    assert (edit.status, edit.text) == ("failed", told)


async def test_file_that_went_after_it_was_read_is_said_to_have_been_there(
    tools: Toolbox, root: Path
) -> None:
    await tools.call("read_file", path="src/app.py")
    (root / "src/app.py").rename(root / "src/main.py")
    edit = await tools.call("edit_file", path="src/app.py", old_text="x", new_text="y")
    assert "was there when you read it" in edit.text


async def test_missing_folder_is_answered_with_the_near_folder(tools: Toolbox) -> None:
    assert (await tools.call("list_dir", path="scr")).text == "scr does not exist. Did you mean src?"


async def test_address_of_the_web_is_no_path(tools: Toolbox) -> None:
    told = (await tools.call("read_file", path="https://example.com/src/app.py")).text
    assert "is an address, not a file. For a page of the web use web_fetch" in told


async def test_missing_path_with_nothing_near_it_is_only_missing(tools: Toolbox) -> None:
    assert (await tools.call("read_file", path="zzzz")).text == "zzzz does not exist."


async def test_edit_of_a_folder_says_that_it_is_one(tools: Toolbox) -> None:
    edit = await tools.call("edit_file", path="src", old_text="x", new_text="y")
    assert edit.text == "src is a folder. See what is in it with list_dir."


async def test_names_that_are_hidden_are_not_near(root: Path) -> None:
    hidden = OpenWorkspace(str(root), (), NoEditor(), Processes(), hidden=(r".*app\.py",))
    tools = Toolbox(file_tools(), hidden)
    assert (await tools.call("read_file", path="src/ap.py")).text == "src/ap.py does not exist."


async def test_link_to_nothing_is_called_one(tools: Toolbox, root: Path) -> None:
    (root / "link.py").symlink_to("nowhere.py")
    told = "link.py is a link to something that does not exist."
    assert (await tools.call("read_file", path="link.py")).text == told


async def test_list_of_a_file_says_that_it_is_one_and_what_reads_it(tools: Toolbox) -> None:
    told = "src/app.py is a file, not a folder. See it with read_file."
    assert (await tools.call("list_dir", path="src/app.py")).text == told
