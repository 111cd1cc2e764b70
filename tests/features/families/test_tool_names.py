"""Names of tools from other products are read as ours, and rules hold for the real tool."""

import json
from pathlib import Path
from shlex import quote

import pytest

from agls.engine.vocabulary import JsonObject, ToolCall
from agls.features.families.feature import with_patches
from agls.features.families.patch_commands import as_patch
from agls.features.families.tool_names import COMMANDS, OUR_TOOLS, with_our_tool
from agls.order import TOOLS
from doors.headless.conftest import Agls

EDITOR = "str_replace_based_edit_tool"


def calls_of(
    agls: Agls, *calls: tuple[str, JsonObject], options: tuple[str, ...] = ("--yolo",)
) -> list[JsonObject]:
    """Run a model that makes these calls. **Returns** them as clients see them."""
    script = [{"calls": [{"name": name, "arguments": given}]} for name, given in calls]
    agls.script(*script, {"text": "Done."})
    done = agls.run("run", "go", *options, "--output", "jsonl")
    items = [event["data"]["item"] for event in done.events if event["type"] == "itemCompleted"]
    return [item for item in items if item["kind"] == "toolCall"]


def test_table_names_tools_that_exist_and_takes_no_name_of_them() -> None:
    assert {*OUR_TOOLS.values(), *COMMANDS.values()} <= TOOLS
    assert not OUR_TOOLS.keys() & TOOLS


@pytest.mark.parametrize(
    ("name", "offered", "read_as"),
    [
        ("Read", {"read_file"}, "read_file"),
        ("Grep", {"grep"}, "grep"),
        ("Read", {"read_file", "Read"}, "Read"),  # a tool of the editor has this name
        ("Bash", {"read_file"}, "Bash"),  # there is no shell here
        ("mcp__files__read", {"read_file"}, "mcp__files__read"),
        (EDITOR, {"read_file"}, EDITOR),  # it says no command
    ],
)
def test_name_is_ours_only_where_no_tool_has_it(name: str, offered: set[str], read_as: str) -> None:
    assert with_our_tool(ToolCall("c1", name, {"path": "a"}), offered).name == read_as


def test_model_of_another_product_calls_tools_by_its_names(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    (agls.workspace / "a.txt").write_text("one\n")
    called = calls_of(
        agls,
        ("Read", {"file_path": "a.txt"}),
        ("Edit", {"file_path": "a.txt", "old_string": "one", "new_string": "two"}),
        (EDITOR, {"command": "str_replace", "path": "a.txt", "old_str": "two", "new_str": "three"}),
        (EDITOR, {"command": "create", "path": "b.txt", "file_text": "new\n"}),
        ("Bash", {"command": "cat a.txt b.txt", "timeout": 5500}),
    )
    assert [item["status"] for item in called] == ["completed"] * 5
    names = ["read_file", "edit_file", "edit_file", "write_file", "shell"]
    assert [item["name"] for item in called] == names
    assert called[4]["input"]["timeout_s"] == 6, "its time is in milliseconds"
    assert "three" in json.dumps(called[4]) and "new" in json.dumps(called[4])


def test_work_of_another_product_in_another_form_is_done(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    (agls.workspace / "a.txt").write_text("one\ntwo\nthree\n")
    several = [{"old_string": "one", "new_string": "1"}, {"old_string": "two", "new_string": "2"}]
    todos = [{"content": "Mend", "status": "in_progress", "activeForm": "Mending"}, {"content": "Test"}]
    called = calls_of(
        agls,
        (EDITOR, {"command": "view", "path": "a.txt", "view_range": [2, 3]}),
        ("functions.read_file", {"file_path": "a.txt", "start_line": 1, "end_line": 1}),
        ("MultiEdit", {"file_path": "a.txt", "edits": several}),
        (
            "MultiEdit",
            {"file_path": "a.txt", "edits": [*several[:1], {"old_string": "x", "new_string": "y"}]},
        ),
        ("TodoWrite", {"todos": todos}),
        ("update_plan", {"plan": [{"step": "Mend", "status": "completed"}]}),
        ("Grep", {"pattern": "three", "-n": True, "-A": 1, "output_mode": "content"}),
        ("shell", {"command": ["bash", "-lc", "cat a.txt"], "timeout_ms": 2000}),
        (EDITOR, {"command": "insert", "path": "a.txt", "insert_line": 1, "insert_text": "x\n"}),
        ("red_file", {"path": "a.txt"}),
        ("Task", {"description": "Look", "prompt": "Look.", "subagent_type": "general-purpose"}),
    )
    named = [item["name"] for item in called]
    assert named[:3] == ["read_file", "read_file", "multi_edit"]
    assert called[0]["input"] == {"path": "a.txt", "offset": 2, "limit": 2}
    assert (agls.workspace / "a.txt").read_text() == "1\n2\nthree\n"
    assert "edit 1 of 2, and so none of them was made" in json.dumps(called[3])
    assert "[>] 1. Mend" in json.dumps(called[4]) and "[x] 1. Mend" in json.dumps(called[5])
    assert [item["status"] for item in called[6:8]] == ["completed"] * 2
    assert "old_text is the line above them" in json.dumps(called[8])
    assert "Did you mean read_file" in json.dumps(called[9])
    done = called[-1]  # behind what its helper called
    assert (done["name"], done["input"]["tasks"]) == ("delegate", [{"prompt": "Look.", "label": "Look"}])


def test_rule_for_the_real_tool_holds_for_its_other_names(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    rules = '[permissions]\nmode = "allowAll"\ndeny = ["shell(touch made)", "edit(a.txt)"]\n'
    agls.configure(agls.config_file.read_text() + rules)
    (agls.workspace / "a.txt").write_text("one\n")
    edit = {"file_path": "a.txt", "old_string": "one", "new_string": "two"}
    called = calls_of(agls, ("Bash", {"command": "touch made"}), ("replace", edit), options=())
    assert [item["name"] for item in called] == ["shell", "edit_file"]
    assert all("deny" in json.dumps(item) for item in called)
    assert not (agls.workspace / "made").exists()
    assert (agls.workspace / "a.txt").read_text() == "one\n"


BLOCK = "------- SEARCH\n{}=======\n{}+++++++ REPLACE\n"


def test_edits_between_search_and_replace_are_made(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    (agls.workspace / "a.txt").write_text("one\ntwo\nthree\n")
    conflict = "<<<<<<< SEARCH\n:start_line:3\n-------\nthree\n=======\n3\n3b\n>>>>>>> REPLACE"
    called = calls_of(
        agls,
        ("read_file", {"path": "a.txt"}),
        (
            "replace_in_file",
            {"path": "a.txt", "diff": BLOCK.format("one\n", "1\n") + BLOCK.format("two\n", "")},
        ),
        ("apply_diff", {"path": "a.txt", "diff": conflict}),
        ("replace_in_file", {"path": "b.txt", "diff": BLOCK.format("", "new\n")}),
    )
    assert [item["status"] for item in called] == ["completed"] * 4, called
    assert [item["name"] for item in called[1:]] == ["multi_edit", "edit_file", "write_file"]
    assert (agls.workspace / "a.txt").read_text() == "1\n3\n3b\n"
    assert (agls.workspace / "b.txt").read_text() == "new\n"


@pytest.mark.parametrize(
    "diff", ["", "text", BLOCK.format("a\n", "b\n")[:-12], "text\n" + BLOCK.format("a\n", "b\n"), 3]
)
def test_blocks_that_cannot_be_read_stay_as_they_are(diff: object) -> None:
    call = ToolCall("c1", "replace_in_file", {"path": "a", "diff": diff})
    assert with_our_tool(call, {"edit_file", "multi_edit", "write_file"}) == call


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("AskUserQuestion", "ask_user"),
        ("ask_followup_question", "ask_user"),
        ("ExitPlanMode", "present_plan"),
    ],
)
def test_questions_and_plans_of_other_products_are_ours(name: str, ours: str) -> None:
    assert with_our_tool(ToolCall("c1", name, {}), {ours}).name == ours


@pytest.mark.parametrize("name", ["edit_file", "edit", "Edit"])
def test_one_edit_with_a_list_of_them_is_several(name: str) -> None:
    offered = {"edit_file", "multi_edit"}
    edits = [{"old_text": "a", "new_text": "b"}]
    assert with_our_tool(ToolCall("c1", name, {"path": "x", "edits": edits}), offered).name == "multi_edit"
    one = ToolCall("c1", "edit_file", {"path": "x", "old_text": "a", "new_text": "b", "edits": edits})
    assert with_our_tool(one, offered) == one, "which of both is meant is not known"
    assert with_our_tool(ToolCall("c1", "edit_file", {"edits": edits}), {"edit_file"}).name == "edit_file"


PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+$two 'x'\n*** End Patch"
HEREDOC = f"apply_patch <<'EOF'\n{PATCH}\nEOF"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("shell", {"command": HEREDOC}),
        ("shell", {"command": ["apply_patch", PATCH]}),
        ("Bash", {"command": f"{HEREDOC}\n", "description": "Patch"}),
        ("exec_command", {"cmd": ["bash", "-lc", HEREDOC], "workdir": "."}),
        ("shell", {"command": HEREDOC.replace("'EOF'", "EOF").replace("apply_", "apply")}),
        ("shell", {"command": f"bash -lc {quote(HEREDOC)}"}),
        ("shell", {"command": f"cd . && {HEREDOC}"}),
    ],
)
def test_command_that_applies_a_patch_is_a_patch(name: str, arguments: JsonObject) -> None:
    made = as_patch(ToolCall("c1", name, arguments), {"shell", "apply_patch"})
    assert made == ToolCall("c1", "apply_patch", {"patch": PATCH})


@pytest.mark.parametrize(
    ("arguments", "folder", "named"),
    [
        ({"command": HEREDOC}, "sub", "sub/a.txt"),
        ({"command": f"cd sub && {HEREDOC}"}, "", "sub/a.txt"),
        ({"command": f"cd 'in here' && {HEREDOC}"}, "sub", "sub/in here/a.txt"),
        ({"command": f"cd .. && {HEREDOC}"}, "sub", "a.txt"),
        ({"command": f"cd /etc && {HEREDOC}"}, "sub", "/etc/a.txt"),
        ({"command": HEREDOC, "workdir": "sub"}, "other", "sub/a.txt"),
        ({"command": HEREDOC.replace("a.txt", "/a.txt")}, "sub", "/a.txt"),
        ({"command": HEREDOC.replace("a.txt", "~/a.txt")}, "sub", "~/a.txt"),
        ({"command": HEREDOC.replace("a.txt", "../b.txt")}, "sub", "b.txt"),
    ],
)
def test_patch_of_a_command_begins_where_the_command_does(
    arguments: JsonObject, folder: str, named: str
) -> None:
    made = as_patch(ToolCall("c1", "shell", arguments), {"shell", "apply_patch"}, folder)
    assert (made.name, made.arguments) == ("apply_patch", {"patch": PATCH.replace("a.txt", named)})


def test_every_path_of_a_patch_begins_where_the_command_does() -> None:
    rows = (
        "*** Add File: {0}n.txt",
        "+*** Add File: x",
        "*** Update File: {0}a.txt",
        "*** Move to: {0}b.txt",
    )
    patch = "\n".join(("*** Begin Patch", *rows, "*** Delete File: {0}c.txt", "*** End Patch"))
    call = ToolCall("c1", "shell", {"command": f"cd sub && apply_patch <<'EOF'\n{patch.format('')}\nEOF"})
    assert as_patch(call, {"shell", "apply_patch"}).arguments == {"patch": patch.format("sub/")}


def test_quotes_in_which_the_shell_changes_nothing_may_stand_around_a_patch() -> None:
    patch = PATCH.replace("$two 'x'", "two")
    call = ToolCall("c1", "shell", {"command": f'apply_patch "{patch}"'})
    assert as_patch(call, {"shell", "apply_patch"}).arguments == {"patch": patch}


def test_patch_behind_a_command_that_may_leave_the_folder_stays_a_command() -> None:
    leave, patch = (
        ToolCall(name, "shell", {"command": text}) for name, text in (("a", "cd x"), ("b", HEREDOC))
    )
    assert with_patches([leave, patch], {"shell", "apply_patch"}, "") == [leave, patch]
    made = with_patches([patch, patch], {"shell", "apply_patch"}, "")
    assert [call.name for call in made] == ["apply_patch", "apply_patch"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": f"{HEREDOC}\nrm -rf x"},
        {"command": f"cd $HOME && {HEREDOC}"},
        {"command": f"cd a b && {HEREDOC}"},
        {"command": "cd sub && apply_patch <<'EOF'\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\nEOF"},
        {"command": "apply_patch --help"},
        {"command": "apply_patch 'unclosed"},
        {"command": "apply_patch 'other text'"},
        {"command": f'apply_patch "{PATCH}"'},  # the shell would put a variable in
        {"command": ["git", "apply"]},
        {"command": HEREDOC, "cwd": ["sub"]},
        {},
    ],
)
def test_command_that_does_anything_else_stays_one(arguments: JsonObject) -> None:
    call = ToolCall("c1", "shell", arguments)
    assert as_patch(call, {"shell", "apply_patch"}) == call
    patch = ToolCall("c1", "shell", {"command": HEREDOC})
    assert as_patch(patch, {"shell"}) == patch, "there is no such tool"


def test_patch_as_a_command_is_made_and_asked_about_as_an_edit(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    (agls.workspace / "a.txt").write_text("one\n")
    called = calls_of(agls, ("shell", {"command": HEREDOC}), options=("--mode", "acceptEdits"))
    assert [(item["name"], item["status"]) for item in called] == [("apply_patch", "completed")], called
    assert (agls.workspace / "a.txt").read_text() == "$two 'x'\n"
    outside = {"command": "apply_patch '*** Begin Patch\n*** Add File: ../out.txt\n+x\n*** End Patch'"}
    called = calls_of(agls, ("shell", outside), options=("--mode", "acceptEdits"))
    assert called[0]["status"] == "rejected"
    assert not (tmp_path / "out.txt").exists()


def test_patch_as_a_command_changes_the_file_in_the_folder_of_the_shell(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    (agls.workspace / "sub").mkdir()
    for folder in ("", "sub/"):
        (agls.workspace / f"{folder}a.txt").write_text("one\n")
    _, patched = calls_of(agls, ("shell", {"command": "cd sub"}), ("shell", {"command": HEREDOC}))
    assert patched["output"].startswith("Edited sub/a.txt, line 1.")
    assert (agls.workspace / "a.txt").read_text() == "one\n"
    assert (agls.workspace / "sub/a.txt").read_text() == "$two 'x'\n"
