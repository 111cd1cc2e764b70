"""The file tools in real runs: what was read in one call may be edited in the next."""

from dataclasses import replace
from pathlib import Path

from inline_snapshot import snapshot

from agls.engine.facts import Replied
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import Workspace
from agls.engine.vocabulary import ToolCall, ToolOutcome
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.file_tools import file_tools
from support.rooms import results, use
from support.scenario import check


def in_workspace(workspace: Workspace) -> Feature:
    """Gives every call this workspace."""

    async def move(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        context = replace(invocation.context, workspace=workspace)
        return await inner(replace(invocation, context=context))

    return Feature(name="in_workspace", around_tool=move)


async def test_an_edit_after_a_read_is_made_and_one_before_it_is_not(root: Path) -> None:
    (root / "a.py").write_text("x = 1\n")
    workspace = OpenWorkspace(str(root), (), NoEditor(), Processes())
    edit = {"path": "a.py", "old_text": "x = 1", "new_text": "x = 2"}
    state = await check(
        use(ToolCall("c1", "edit_file", edit)),
        use(ToolCall("c2", "read_file", {"path": "a.py"}), ToolCall("c3", "list_dir", {})),
        use(ToolCall("c4", "edit_file", edit)),
        [Replied("", "done")],
        facts=None,
        features=(in_workspace(workspace), file_tools()),
    )
    assert results(state) == snapshot(
        {
            "c1": "a.py was not read in this session. Read it first, then change it.",
            "c2": "1\tx = 1",
            "c3": "a.py\t6",
            "c4": """\
Edited a.py, line 1.
1	x = 2\
""",
        }
    )
    assert (root / "a.py").read_text() == "x = 2\n"
    assert [note.kind for note in state.notes["files"]] == ["saw", "saw"]
