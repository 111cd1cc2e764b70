"""The tools for files and commands as a user of the command line meets them: each row of the page, whole."""

import json
import os
import time
from functools import partial
from typing import Any

import pytest

from doors.headless.conftest import SCRIPTED, Agls, Done
from support.leftovers import processes_with
from support.model_server import Answer, Failure, ModelServer, Reply, Request
from support.patience import wait_until
from support.rich_run import call


def items(done: Done) -> list[dict[str, Any]]:
    """The calls of a run, as they ended."""
    ended = [event["data"]["item"] for event in done.events if event.get("type") == "itemCompleted"]
    return [item for item in ended if item["kind"] == "toolCall"]


@pytest.mark.row(31)
def test_files_are_listed_read_written_edited_and_found(agls: Agls) -> None:
    """One run does all of it, and what is on the disk afterwards is what it did."""
    (agls.workspace / "src").mkdir()
    (agls.workspace / "src/app.py").write_text("import os\n\n\ndef total(items):\n    return sum(items)\n")
    (agls.workspace / ".gitignore").write_text("*.log\n")
    (agls.workspace / "noise.log").write_text("total\n")
    turns = [
        call("list_dir"),
        call("glob", pattern="*.py"),
        call("grep", pattern="total", context=1),
        call("read_file", path="src/app.py", offset=4, limit=2),
        call("edit_file", path="src/app.py", old_text="sum(items)", new_text="len(items)"),
        call("write_file", path="new/notes.md", content="# Notes\n"),
        call("glob", pattern="**", exclude=".*"),
    ]
    agls.script(*({"calls": [each]} for each in turns), {"text": "done"})
    done = agls.run("run", "--mode", "acceptEdits", "--output", "jsonl", "go")
    assert done.code == 0, done.err
    listed, globbed, grepped, read, edited, written, after = (item["output"] for item in items(done))
    assert listed == "src/\n.gitignore\t6\nnoise.log\t6"
    assert globbed == "src/app.py"
    assert grepped == "src/app.py\n3-\n4:def total(items):\n5-    return sum(items)"
    assert read == "4\tdef total(items):\n5\t    return sum(items)"
    assert edited.startswith("Edited src/app.py, line 5.\n") and "5\t    return len(items)" in edited
    assert written == "Created new/notes.md."
    assert after == "new/notes.md\nsrc/app.py"
    assert (agls.workspace / "src/app.py").read_text().endswith("    return len(items)\n")
    assert (agls.workspace / "new/notes.md").read_text() == "# Notes\n"


@pytest.mark.row(31)
def test_file_of_which_only_a_part_was_read_is_not_replaced_whole(agls: Agls) -> None:
    """Neither by `write_file` nor by a patch that adds it; page by page the whole of it is known, too."""
    lines = [f"line_{number} = {number}\n" for number in range(1, 41)]
    files = [agls.workspace / f"{name}.py" for name in "abc"]
    for file in files:
        file.write_text("".join(lines))
    added = "*** Begin Patch\n*** Add File: {}.py\n+only = 1\n*** End Patch"
    turns = [
        call("apply_patch", patch=added.format("a")),
        call("read_file", path="a.py", limit=10),
        call("write_file", path="a.py", content="only = 1\n"),
        call("apply_patch", patch=added.format("a")),
        call("edit_file", path="a.py", old_text="line_20 = 20", new_text="line_20 = 0"),
        call("write_file", path="a.py", content="only = 1\n"),
        call("read_file", path="b.py", offset=31),
        call("read_file", path="b.py", limit=30),
        call("write_file", path="b.py", content="only = 1\n"),
        call("read_file", path="c.py"),
        call("apply_patch", patch=added.format("c")),
    ]
    agls.script(*({"calls": [each]} for each in turns), {"text": "done"})
    done = agls.run("run", "--mode", "acceptEdits", "--output", "jsonl", "go")
    assert done.code == 0, done.err
    unread, _, part, again, edited, after, _, _, whole, _, over = items(done)
    assert "was not read in this session" in unread["output"]
    for refused in (part, again):
        assert refused["status"] == "failed"
        assert "read only in part: lines 11 to 40" in refused["output"]
    assert edited["status"] == "completed", "what was not shown may be changed in its place"
    assert "lines 1 to 40 of it, as it is now, were not shown" in after["output"]
    assert (whole["output"], over["output"]) == ("Wrote b.py.", "Wrote c.py.\n1\tonly = 1")
    wanted = "".join(lines).replace("= 20\n", "= 0\n")
    assert [file.read_text() for file in files] == [wanted, "only = 1\n", "only = 1\n"]


@pytest.mark.row(31)
def test_file_that_was_moved_is_known_as_far_as_it_was_before(agls: Agls) -> None:
    for name in ("unread.py", "read.py", "edited.py"):
        (agls.workspace / name).write_text("x = 1\ny = 2\n")
    edited = (
        "*** Begin Patch\n*** Update File: edited.py\n*** Move to: c.py\n@@\n-x = 1\n+x = 3\n*** End Patch"
    )
    turns = [
        call("move_file", path="unread.py", to="a.py"),
        call("write_file", path="a.py", content="z = 0\n"),
        call("read_file", path="read.py"),
        call("move_file", path="read.py", to="b.py"),
        call("write_file", path="b.py", content="z = 0\n"),
        call("read_file", path="edited.py"),
        call("apply_patch", patch=edited),
        call("edit_file", path="c.py", old_text="y = 2", new_text="y = 4"),
    ]
    agls.script(*({"calls": [each]} for each in turns), {"text": "done"})
    done = agls.run("run", "--mode", "acceptEdits", "--output", "jsonl", "go")
    assert [item["status"] for item in items(done)] == ["completed", "failed", *["completed"] * 6], done.out
    assert "a.py was not read in this session" in items(done)[1]["output"]
    texts = [(agls.workspace / name).read_text() for name in ("a.py", "b.py", "c.py")]
    assert texts == ["x = 1\ny = 2\n", "z = 0\n", "x = 3\ny = 4\n"]


@pytest.mark.row(34)
def test_cells_are_inserted_changed_and_deleted_and_the_notebook_stays_valid(agls: Agls) -> None:
    """It begins without a cell; each cell has what the format wants of its type, and an id of its own."""
    file = agls.workspace / "n.ipynb"
    file.write_text(json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    edit = partial(call, "edit_notebook", path="n.ipynb")
    turns = [
        call("read_file", path="n.ipynb"),
        edit(cell=0, action="insert", source="x = 1\ny = 2"),
        edit(cell=1, action="insert", source="z"),
        edit(cell=0, action="insert", type="markdown", source="# Title"),
        edit(cell=1, source="x = 3"),
        edit(cell=2, action="delete"),
        edit(cell=9, source="nothing"),
    ]
    agls.script(*({"calls": [each]} for each in turns), {"text": "done"})
    done = agls.run("run", "--mode", "acceptEdits", "--output", "jsonl", "go")
    assert [item["status"] for item in items(done)] == [*["completed"] * 6, "failed"]
    assert "There is no cell 9: the last is 1" in items(done)[-1]["output"]
    title, code = json.loads(file.read_text())["cells"]
    assert title.keys() == {"cell_type", "id", "metadata", "source"}
    assert code.keys() == {*title.keys(), "execution_count", "outputs"}
    assert (title["cell_type"], "".join(title["source"])) == ("markdown", "# Title")
    assert (code["cell_type"], "".join(code["source"]), code["outputs"]) == ("code", "x = 3", [])
    assert title["id"] != code["id"]


@pytest.mark.row(34)
def test_change_of_a_notebook_is_shown_as_that_of_its_cells(agls: Agls) -> None:
    cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["one\n", "two"]}
    file = agls.workspace / "n.ipynb"
    file.write_text(
        json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    )
    edit = call("edit_notebook", path="n.ipynb", cell=0, source="one\nthree")
    agls.script({"calls": [call("read_file", path="n.ipynb")]}, {"calls": [edit]}, {"text": "done"})
    done = agls.run("run", "--mode", "acceptEdits", "go")
    assert "    -two\n    +three\n" in done.err, done.err
    assert "[+1 -1]" in done.err
    assert '"source"' not in done.err
    page = agls.run("sessions", "export", agls.sessions()[0]["sessionId"], "--format", "md").out
    assert "-two\n+three\n" in page
    assert '"source"' not in page.partition("```diff")[2].partition("```")[0]


@pytest.mark.row(35)
def test_command_streams_has_its_exit_code_its_time_and_a_cap_and_ends_with_its_tree(agls: Agls) -> None:
    mark = f"agls-row-{os.getpid()}"
    turns = [
        call("shell", command="echo one; sleep 0.3; echo two >&2; exit 7"),
        call("shell", command=f"bash -c 'exec -a {mark} sleep 600' & exec -a {mark} sleep 600", timeout_s=1),
        call("shell", command="seq 1 200000"),
        call("shell", command="printf 'at 1%%\\b\\b2%%\\b\\b3%%\\n10%%\\r20%%\\n'"),
    ]
    agls.script(*({"calls": [each]} for each in turns), {"text": "done"})
    done = agls.run("run", "--mode", "allowAll", "--output", "jsonl", "go")
    assert done.code == 0, done.err
    exited, stopped, flooded, overwritten = items(done)
    assert (exited["status"], exited["terminal"]["exitCode"]) == ("completed", 7)
    assert exited["output"].startswith("one\ntwo")
    pieces = [
        event["data"]["append"]
        for event in done.events
        if event["type"] == "itemDelta" and event["itemId"] == exited["itemId"]
    ]
    assert "".join(pieces).startswith("one") and len(pieces) > 1, "what comes later is shown later"
    assert stopped["status"] == "failed" and "ran longer than" in stopped["output"]
    wait_until(lambda: processes_with(mark) == [])
    assert flooded["output"].startswith("1\n2\n") and "200000" in flooded["output"]
    assert len(flooded["output"]) < 100_000
    assert overwritten["output"].startswith("at 3%\n20%\n"), "lines that overwrite themselves end as one sees"


@pytest.mark.row(35)
def test_command_in_the_background_ends_with_its_tree_when_its_own_time_is_over(agls: Agls) -> None:
    mark = f"agls-task-{os.getpid()}"
    sleeps = f"bash -c 'exec -a {mark} sleep 600' & exec -a {mark} sleep 600"
    agls.script(
        {"calls": [call("shell", command=sleeps, timeout_s=1, background=True)]},
        {"calls": [call("shell_task", task_id="task_1", wait_s=50)]},
        {"text": "done"},
    )
    done = agls.run("run", "--mode", "allowAll", "--output", "jsonl", "go")
    assert done.code == 0, done.err
    assert "stopped: it ran longer than 1 s" in items(done)[1]["output"]
    wait_until(lambda: processes_with(mark) == [])


DANGEROUS = [
    "rm -rf kept",
    "find kept -delete",
    "git clean -fdx",
    "echo gone > kept/a.txt",
    "python3 -c \"open('kept/a.txt', 'w')\"",
    "true && rm kept/a.txt",
    "$(echo rm) kept/a.txt",
    "ls | xargs rm -r",
    "/bin/rm -rf kept",
    "sudo rm -rf kept",
    'bash -c "rm -rf kept"',
    "git status\nrm -rf kept",
    "git push --force",
    "git push origin +main",
    "find kept -exec rm {} +",
    "\\rm -rf kept",
    "r''m -rf kept",
    "IFS=,;x=rm,-rf,kept;$x",
    "sh <<E\nrm -rf kept\nE",
    "trap 'rm -rf kept' EXIT; git status",
    "awk 'BEGIN{system(\"rm -rf kept\")}'",
    "tar cf x --remove-files kept",
    "sed -i d kept/a.txt",
    "cp /dev/null kept/a.txt",
    "mv kept gone",
    "timeout 9 rm -rf kept",
    "git reset --hard",
    "curl http://127.0.0.1:9/x | sh",
]


@pytest.mark.row(36)
@pytest.mark.parametrize("mode", ["ask", "acceptEdits", "plan"])
def test_dangerous_commands_do_not_run_without_a_yes(agls: Agls, mode: str) -> None:
    """Whatever is allowed besides, none of them runs, and each is answered."""
    (agls.workspace / "kept").mkdir()
    (agls.workspace / "kept/a.txt").write_text("kept\n")
    agls.script({"calls": [call("shell", command=command) for command in DANGEROUS]}, {"text": "done"})
    agls.configure(f'{SCRIPTED}[permissions]\nallow = ["shell(ls *)", "shell(git status)"]\n')
    done = agls.run("run", "--mode", mode, "--output", "jsonl", "go")
    held = items(done)
    assert len(held) == len(DANGEROUS)
    assert {item["status"] for item in held} <= {"rejected", "failed"}, json.dumps(held, indent=1)
    assert (agls.workspace / "kept/a.txt").read_text() == "kept\n"


@pytest.mark.row(42)
def test_answer_of_each_tool_is_bounded_and_says_how_to_go_on(agls: Agls) -> None:
    many = agls.workspace / "many"
    many.mkdir()
    for number in range(600):
        (many / f"a_name_that_is_rather_long_{number:05}.txt").write_text("needle\n")
    (agls.workspace / "long.txt").write_text(f"needle {'x' * 500_000}\n")
    (agls.workspace / "lines.txt").write_text("".join(f"needle {n} {'y' * 400}\n" for n in range(1_000)))
    asked = {
        "Raise max_entries, or use glob": call("list_dir", path="many"),
        "more files. Go on with offset=200": call("glob", pattern="many/*"),
        "Go on with offset=100": call("grep", pattern="needle", path="lines.txt", context=9),
        "There are more than these 100 files": call("grep", pattern="needle", output="files"),
        "more characters]": call("grep", pattern="needle", path="long.txt"),
        "Long lines are cut. More of line 1": call("read_file", path="long.txt"),
        "go on with offset": call("read_file", path="lines.txt", limit=100_000),
        "/outputs/": call("shell", command="cat lines.txt"),
        "edit_file": call("write_file", path="lines.txt", content="short\n"),
        "lines 1, 2, 3": call(
            "edit_file", path="lines.txt", old_text="needle", new_text="thread", replace_all=True
        ),
    }
    agls.script(*({"calls": [each]} for each in asked.values()), {"text": "done"})
    done = agls.run("run", "--mode", "allowAll", "--output", "jsonl", "go")
    assert done.code == 0, done.err
    outputs = [item["output"] for item in items(done)]
    assert [
        (words, output[-300:]) for words, output in zip(asked, outputs, strict=True) if words not in output
    ] == []
    assert [len(output) for output in outputs if len(output) > 61_000] == []


@pytest.mark.row(40)
@pytest.mark.parametrize("wait", ["shell_task", "helper_task"])
def test_waiting_for_work_in_the_background_can_be_cancelled(agls: Agls, wait: str) -> None:
    """The wait ends at once, and nothing of the work is left."""
    mark = f"agls-wait-{wait}-{os.getpid()}"
    sleep = ("shell", {"command": f"touch begun; exec -a {mark} sleep 600"})
    began = {
        "shell_task": ("shell", {**sleep[1], "background": True}),
        "helper_task": ("delegate", {"tasks": [{"prompt": "sleep"}], "background": True}),
    }[wait]
    turns = [Reply(calls=[began]), Reply(calls=[(wait, {"task_id": "task_1", "wait_s": 600})])]

    def answer(request: Request) -> Answer:
        prompt = next(m["content"] for m in request.body["messages"] if m["role"] == "user")
        return Reply(calls=[sleep]) if str(prompt).startswith("sleep") else turns.pop(0)

    with ModelServer(answer) as server:
        model = f'[permissions]\nmode = "allowAll"\n[models.m]\nbase_url = "{server.url}"\nmodel = "m"\n'
        agls.configure(f'model = "m"\n[history]\ntitles = false\n{model}')
        process = agls.start("run", "--output", "jsonl", "go")
        wait_until(lambda: not turns and (agls.workspace / "begun").exists())
        time.sleep(0.5)
        process.terminate()
        began_to_end = time.monotonic()
        out, _ = process.communicate(timeout=30)
        assert time.monotonic() - began_to_end < 10, "a second on a calm machine"
    assert json.loads(out.splitlines()[-1])["data"]["stopReason"] == "interrupted"
    wait_until(lambda: processes_with(mark) == [])


@pytest.mark.row(40)
def test_waiting_for_a_server_that_wants_patience_can_be_cancelled(agls: Agls) -> None:
    """It asked to be asked again in ten minutes."""
    failure = Failure(503, "come back later", {"Retry-After": "600"})
    with ModelServer([failure] * 20) as server:
        agls.configure(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\nmodel = "m"\n')
        process = agls.start("run", "--output", "jsonl", "go")
        wait_until(lambda: len(server.posts) > 0)
        time.sleep(0.5)
        process.terminate()
        began = time.monotonic()
        out, _ = process.communicate(timeout=30)
        assert time.monotonic() - began < 10, "a second on a calm machine"
    assert json.loads(out.splitlines()[-1])["data"]["stopReason"] == "interrupted"
