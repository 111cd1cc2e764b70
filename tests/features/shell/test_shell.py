"""The shell tool with real commands in a real workspace."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from inline_snapshot import snapshot

from agls.engine.feature import Feature
from agls.engine.ports import Effect, Target
from agls.engine.vocabulary import Answer, Terminal
from agls.features import shell
from agls.features.shell.settings import Settings
from agls.room.run_ports import RunInfo
from agls.room.session_ports import OutputLimits
from agls.terminal_codes import enclosed, without_marks
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.background import no_tasks
from support.fake_editor import FakeEditor
from support.fake_user import FakeUser
from support.kept_outputs import NOTHING_KEPT, no_keys
from support.patience import within
from support.toolbox import Toolbox

NOBODY = FakeUser(Answer("unanswered"), available=False)


def room(settings: Settings, user: FakeUser) -> Feature:
    """The room in a session that nobody keeps."""
    return shell.ROOM.build(settings, user, no_tasks(), RunInfo(), no_keys, NOTHING_KEPT)


class NoBash(OpenWorkspace):
    """A machine without bash."""

    def which(self, program: str) -> str:
        return "" if program == "bash" else super().which(program)


@pytest.fixture
def editor() -> FakeEditor:
    return FakeEditor()


@pytest.fixture
def tools(tmp_path: Path, editor: FakeEditor) -> Toolbox:
    settings = Settings(output_bytes=1_000, max_timeout_s=300)
    return Toolbox(
        room(settings, NOBODY),
        OpenWorkspace(str(tmp_path), (), editor, Processes()),
    )


def without_seconds(text: str) -> str:
    head, _, _ = text.rpartition(", ")
    return head


async def test_patch_that_stays_a_command_is_answered_with_the_tool(tools: Toolbox) -> None:
    outcome = await tools.call("shell", command="echo so; apply_patch --help")
    assert (
        "[apply_patch is no program here. Where it is a tool of yours, call that with the patch"
        in outcome.text
    )


@pytest.mark.row(35)
@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("watch -n1 date", False),
        ("cd . && watch ls", False),
        ("watch --version", True),
        ("echo watch ls", True),
    ],
)
async def test_watch_is_not_begun_when_nothing_would_end_it(tools: Toolbox, command: str, runs: bool) -> None:
    outcome = await tools.call("shell", command=command)
    assert (outcome.text.startswith("Not run: watch repeats"), outcome.status == "failed") == (
        not runs,
        not runs,
    )


async def test_a_command_gives_its_output_and_its_exit_code(tools: Toolbox, tmp_path: Path) -> None:
    """The exit code."""
    outcome = await tools.call("shell", command="echo out; echo err >&2; exit 3")
    assert without_seconds(outcome.text) == enclosed("out\nerr") + "\n[exit code 3"
    assert (outcome.status, outcome.effects, outcome.truncated) == ("completed", "unknown", 0)
    assert outcome.terminal == Terminal("echo out; echo err >&2; exit 3", str(tmp_path), 3)
    assert "".join(tools.shown) == "out\nerr\n"


async def test_a_command_without_output_still_says_how_it_ended(tools: Toolbox) -> None:
    assert without_seconds((await tools.call("shell", command="true")).text) == "[exit code 0"


@pytest.mark.row(4, 35)
async def test_output_is_shown_while_it_comes(tools: Toolbox, tmp_path: Path) -> None:
    """Five lines are five deltas, and none is written before the one before it was shown."""
    tools.shown = _Seen(tmp_path)
    wait = "until [ -e seen$n ]; do sleep 0.02; done"
    await tools.call("shell", command=f"for n in 0 1 2 3 4; do echo $n; {wait}; done")
    assert tools.shown == ["0\n", "1\n", "2\n", "3\n", "4\n"]


async def test_it_is_bash_without_the_users_files(tools: Toolbox) -> None:
    outcome = await tools.call("shell", command="[[ -n $BASH_VERSION ]] && shopt -q login_shell || echo $-")
    assert "i" not in outcome.text.split("\n")[1]
    assert without_seconds(outcome.text).endswith("[exit code 0")


async def test_without_bash_it_is_sh(tmp_path: Path) -> None:
    workspace = NoBash(str(tmp_path), (), FakeEditor(), Processes())
    outcome = await Toolbox(room(Settings(), NOBODY), workspace).call("shell", command="echo $0")
    assert outcome.text.split("\n")[1].endswith("sh")
    assert "bash" not in outcome.text


async def test_a_command_runs_in_the_folder_it_names(tools: Toolbox, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    outcome = await tools.call("shell", command="pwd", cwd="sub")
    assert without_marks(outcome.text).startswith(str(tmp_path / "sub"))
    assert outcome.terminal.cwd == str(tmp_path / "sub")
    assert (await tools.call("shell", command="pwd", cwd="missing")).status == "failed"
    assert (await tools.call("shell", command="pwd", cwd="..")).status == "failed"


async def test_a_command_that_waits_for_input_gets_none(tools: Toolbox) -> None:
    outcome = await tools.call("shell", command="cat; echo end")
    assert without_seconds(outcome.text) == enclosed("end") + "\n[exit code 0"


@pytest.mark.row(35)
async def test_a_command_is_stopped_when_its_time_is_over(tools: Toolbox) -> None:
    """The time limit."""
    for watch in within(3.0):
        with watch:
            outcome = await tools.call("shell", command="echo begin; sleep 60", timeout_s=0.5)
    assert outcome.status == "failed"
    assert without_seconds(without_marks(outcome.text)) == snapshot("""\
begin
[stopped: it ran longer than 0.5 s; ask for more with timeout_s\
""")
    assert outcome.terminal.exit_code is None


async def test_the_time_limit_has_a_limit(tmp_path: Path) -> None:
    workspace = OpenWorkspace(str(tmp_path), (), FakeEditor(), Processes())
    tools = Toolbox(room(Settings(max_timeout_s=0.2), NOBODY), workspace)
    outcome = await tools.call("shell", command="sleep 60", timeout_s=1_000)
    assert outcome.text.startswith("[stopped: it ran longer than 0.2 s")


async def test_signal_is_reported(tools: Toolbox) -> None:
    outcome = await tools.call("shell", command="kill -KILL $$")
    assert outcome.status == "failed"
    assert without_seconds(outcome.text) == "[ended by SIGKILL"
    assert outcome.terminal.signal == "SIGKILL"


@pytest.mark.row(35)
async def test_output_beyond_what_is_kept_keeps_its_ends(tmp_path: Path, editor: FakeEditor) -> None:
    """The cap."""
    limits, settings = OutputLimits(kept=1_000), Settings(output_bytes=1_000)
    feature = shell.ROOM.build(
        settings, NOBODY, no_tasks(), RunInfo(), no_keys, replace(NOTHING_KEPT, limits=limits)
    )
    workspace = OpenWorkspace(str(tmp_path), (), editor, Processes())
    outcome = await Toolbox(feature, workspace).call("shell", command="echo first; seq 10000; echo last")
    text = without_marks(outcome.text)
    assert text.startswith("first\n1\n")
    assert "last\n[To see all of it, send the output to a file" in text
    assert len(outcome.text) < 1_400
    assert outcome.truncated == len("first\nlast\n") + sum(len(f"{n}\n") for n in range(1, 10_001)) - 1_000


async def test_unsaved_documents_are_named_before_the_output(
    tools: Toolbox, tmp_path: Path, editor: FakeEditor
) -> None:
    (tmp_path / "a.py").write_text("old\n")
    editor.open((tmp_path / "a.py").as_uri(), "new\n")
    outcome = await tools.call("shell", command="cat a.py")
    assert without_seconds(without_marks(outcome.text)) == snapshot("""\
[Not saved in the editor, so the command saw these files as they are on disk: a.py]
old
[exit code 0\
""")


@pytest.mark.row(35, 40)
async def test_cancelling_ends_the_command(tools: Toolbox, tmp_path: Path) -> None:
    """The whole tree ends. The command sleeps."""
    call = asyncio.create_task(tools.call("shell", command="echo $$ > pid; sleep 60 & wait"))
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        await asyncio.sleep(0.01)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not Path("/proc", (tmp_path / "pid").read_text().strip()).exists()


@pytest.mark.parametrize(
    "character",
    list("\0\r\x1b\x7f\x85\u00a0\u202e\u2066\u200b\u2028\U000e0041"),
    ids=lambda character: f"U+{ord(character):04X}",
)
async def test_command_with_invisible_characters_is_not_run(tools: Toolbox, character: str) -> None:
    outcome = await tools.call("shell", command=f"echo a{character}b")
    assert outcome.status == "failed"
    assert f"U+{ord(character):04X}" in outcome.text
    assert "at character 7" in outcome.text
    assert tools.shown == []


async def test_half_a_character_is_not_run(tools: Toolbox) -> None:
    assert (await tools.call("shell", command="echo \ud800")).status == "failed"
    assert tools.shown == []


async def test_ordinary_letters_of_all_languages_are_run(tools: Toolbox) -> None:
    outcome = await tools.call("shell", command="cat <<'E'\n\tgrün 日本語 🙂\nE")
    assert without_marks(outcome.text).startswith("\tgrün 日本語 🙂\n")


async def test_a_preview_shows_the_exact_command_and_its_folder(tools: Toolbox, tmp_path: Path) -> None:
    command = "  make  'x'\nmake install " + "y" * 100
    preview = await tools.preview("shell", command=command, cwd="sub", description="harmless")
    assert preview.title == "Run make  'x'"
    assert preview.subject == {"type": "command", "command": command, "cwd": str(tmp_path / "sub")}
    assert preview.targets == (Target(Effect.EXECUTES, command),)
    long = await tools.preview("shell", command="echo " + "y" * 100)
    assert long.title == "Run echo " + "y" * 55 + "…"


def test_description_of_the_tool() -> None:
    tool, _ = room(Settings(), NOBODY).tools
    assert (tool.spec.name, tool.spec.description, tool.spec.schema) == snapshot(
        (
            "shell",
            """\
Run a bash command and wait for it to end; you get its output, standard error included.

Every command runs in a fresh shell with an empty standard input and no terminal: nobody answers what it
asks. It begins in the folder and with the exported variables that the last one left. It is stopped when
its time is over. One in the background goes on while you work: you get its id at once, look at it or stop
it with shell_task, and get a message when it has ended. Use the file and search tools to read, change and
find files.\
""",
            {
                "additionalProperties": False,
                "properties": {
                    "command": {"minLength": 1, "type": "string"},
                    "description": {
                        "default": "",
                        "description": "what it does and why, in a few words, for the user",
                        "type": "string",
                    },
                    "timeout_s": {
                        "exclusiveMinimum": 0,
                        "type": "number",
                        "description": "seconds: 120 if not given, at most 3600, 43200 in the background",
                    },
                    "cwd": {
                        "default": "",
                        "description": "folder for this one, from the root of the workspace (.)",
                        "type": "string",
                    },
                    "background": {
                        "default": False,
                        "description": "run in the background: servers, watchers, long builds",
                        "type": "boolean",
                    },
                },
                "required": ["command"],
                "type": "object",
            },
        )
    )
    assert tool.spec.effects == {Effect.EXECUTES, Effect.WRITES, Effect.NETWORK}


class _Seen(list[str]):
    """A list that makes a file `seen0`, `seen1` … in a folder for each that was added."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def append(self, text: str) -> None:
        (self._folder / f"seen{len(self)}").touch()
        super().append(text)


async def test_output_names_files_that_the_command_changed_and_processes_it_left(
    tools: Toolbox, tmp_path: Path, editor: FakeEditor
) -> None:
    (tmp_path / "a.py").write_text("old\n")
    editor.open((tmp_path / "a.py").as_uri(), "old\n")
    outcome = await tools.call("shell", command="echo new > a.py; sleep 60 >/dev/null 2>&1 &")
    assert without_seconds(outcome.text) == snapshot("""\
[It changed files that are open in the editor; read them before you edit: a.py]
[What it left running was ended with it; number of processes: 1. What shall go on is run in the background.]
[exit code 0\
""")


@pytest.mark.parametrize(
    ("how", "answer", "saved"),
    [
        ("never", Answer("selected", "save"), False),
        ("all", Answer("dismissed"), True),
        ("edited", Answer("selected", "save"), True),
        ("edited", Answer("selected", "leave"), False),
        ("edited", Answer("dismissed"), False),
        ("edited", Answer("cancelled"), False),
    ],
)
async def test_editor_saves_the_users_changes_when_it_should(
    tmp_path: Path,
    editor: FakeEditor,
    how: Literal["never", "edited", "all"],
    answer: Answer,
    saved: bool,
) -> None:
    user = FakeUser(answer)
    workspace = OpenWorkspace(str(tmp_path), (), editor, Processes())
    tools = Toolbox(room(Settings(save_before_commands=how), user), workspace)
    uri = (tmp_path / "a.py").as_uri()
    await tools.call("shell", command="true")
    assert not user.asked, "nothing is unsaved"
    editor.open(uri, "typed\n")
    editor.open("untitled:Untitled-1", "typed\n")
    editor.saving = lambda uri: (tmp_path / "a.py").write_text("typed\n") and None
    outcome = await tools.call("shell", command="cat a.py")
    assert ("typed\n" in outcome.text) == saved
    assert ("on disk: a.py" in outcome.text) != saved
    assert [question.title for question in user.asked] == (
        ["Save your own changes: a.py"] * (how == "edited")
    )


async def test_a_command_in_the_background_is_prepared_and_checked_like_any_other(
    tmp_path: Path, editor: FakeEditor
) -> None:
    tasks, user = no_tasks(), FakeUser(Answer("dismissed"))
    built = shell.ROOM.build(Settings(), user, tasks, RunInfo(), no_keys, NOTHING_KEPT)
    tools = Toolbox(built, OpenWorkspace(str(tmp_path), (), editor, Processes()))
    for name, text in (("a.py", "saved\n"), ("b.py", "typed\n")):
        (tmp_path / name).write_text("saved\n")
        editor.open((tmp_path / name).as_uri(), text)
    begun = await tools.call("shell", command="echo changed > a.py; exit 4", background=True)
    assert begun.text.startswith("[It runs as task_1.")
    assert [question.title for question in user.asked] == ["Save your own changes: b.py"]
    await tasks.over()
    outcome = tasks.tasks["task_1"].outcome
    assert outcome
    assert outcome.terminal == Terminal("echo changed > a.py; exit 4", str(tmp_path), 4)
    assert "[It changed files that are open in the editor; read them before you edit: a.py]" in outcome.text
    assert (
        "[Not saved in the editor, so the command saw these files as they are on disk: b.py]" in outcome.text
    )
    looked = await tools.call("shell_task", task_id="task_1", wait_s=60)
    assert looked.text == outcome.text
    assert tasks.tasks["task_1"].is_reported


async def test_a_command_in_the_background_is_stopped_when_its_time_is_over(tmp_path: Path) -> None:
    tasks = no_tasks()
    built = shell.ROOM.build(Settings(task_timeout_s=0.2), NOBODY, tasks, RunInfo(), no_keys, NOTHING_KEPT)
    tools = Toolbox(built, OpenWorkspace(str(tmp_path), (), FakeEditor(), Processes()))
    await tools.call("shell", command="sleep 60", background=True, timeout_s=1_000)
    waited = await tools.call("shell_task", task_id="task_1", wait_s=60)
    assert "[stopped: it ran longer than 0.2 s" in waited.text
    assert tasks.running == ()


def test_description_of_the_task_tool() -> None:
    _, tool = room(Settings(), NOBODY).tools
    assert tool.spec.effects == frozenset()
    assert (tool.spec.name, tool.spec.description, tool.spec.schema) == snapshot(
        (
            "shell_task",
            """\
See what a command in the background printed since you last looked, or stop it.

Without a task_id you get the list of all.\
""",
            {
                "additionalProperties": False,
                "properties": {
                    "task_id": {"default": "", "description": "as shell gave it", "type": "string"},
                    "wait_s": {
                        "default": 0,
                        "description": "seconds to wait for its end first",
                        "maximum": 600,
                        "minimum": 0,
                        "type": "number",
                    },
                    "stop": {
                        "default": False,
                        "description": "end it and all that it started",
                        "type": "boolean",
                    },
                },
                "type": "object",
            },
        )
    )


async def test_user_of_an_editor_that_cannot_save_is_not_asked(tmp_path: Path, editor: FakeEditor) -> None:
    editor.can_save = False
    user = FakeUser(Answer("dismissed"))
    tools = Toolbox(room(Settings(), user), OpenWorkspace(str(tmp_path), (), editor, Processes()))
    editor.open((tmp_path / "a.py").as_uri(), "typed\n")
    outcome = await tools.call("shell", command="true")
    assert not user.asked
    assert outcome.terminal
    assert outcome.terminal.unsaved == ("a.py",)


async def test_missing_user_is_not_asked_about_unsaved_files(tmp_path: Path, editor: FakeEditor) -> None:
    tools = Toolbox(
        room(Settings(), NOBODY),
        OpenWorkspace(str(tmp_path), (), editor, Processes()),
    )
    editor.open((tmp_path / "a.py").as_uri(), "typed\n")
    assert "Not saved" in (await tools.call("shell", command="true")).text
    assert not NOBODY.asked


@pytest.mark.row(35)
def test_schema_says_how_long_a_command_may_run() -> None:
    """As it is configured."""
    settings = Settings(timeout_s=30, max_timeout_s=300, task_timeout_s=900)
    tool, other = (room(each, NOBODY).tools[0].spec for each in (settings, Settings()))
    assert tool.schema["properties"]["timeout_s"]["description"] == (
        "seconds: 30 if not given, at most 300, 900 in the background"
    )
    assert "120 if not given, at most 3600, 43200" in other.schema["properties"]["timeout_s"]["description"]
    assert tool.description == other.description != ""
