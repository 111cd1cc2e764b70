"""Hooks that a folder offers: read in the shapes of other agents, and run after consent only."""

import json
from pathlib import Path
from typing import Any

import pytest

from agls.features.hooks import cursor
from agls.features.hooks.condition import fits
from agls.features.hooks.folder_hooks import find_hooks
from agls.features.hooks.offered_hook import OTHER_EVENTS, TYPES
from agls.features.hooks.settings import EVENTS
from agls.plugin_files import hook_events
from support.family import cast, config_for, delegate, task
from support.model_server import ModelServer, Reply
from support.rich_run import call
from support.wire import AGENT, Message, Wire, script, turns

WRITE = call("write_file", path="a.txt", content="one\n")


class OneFile:
    """Reads one file."""

    def __init__(self, content: object) -> None:
        self.content = content if isinstance(content, str) else json.dumps(content)

    def text(self, path: str) -> tuple[str, str, str] | None:
        return (path, path, self.content)

    def below(self, folder: str, ends: tuple[str, ...]) -> list[str]:
        return []

    def is_file(self, path: str) -> bool:
        return True

    def holds(self, path: str) -> bool:
        return True

    def shown(self, path: str) -> str:
        return path


@pytest.mark.parametrize(
    "hooks",
    [
        {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "c", "timeout": 5}]}]},
        {"PreToolUse": [{"matcher": "Bash", "command": "c", "timeout": 5}]},
    ],
)
def test_hooks_are_read_in_groups_and_flat(hooks: Message) -> None:
    found = find_hooks(["f.json"], OneFile({"hooks": hooks}))
    (offered,) = found.offered
    assert offered.hook.setting.model_dump(exclude_defaults=True) == {
        "event": "PreToolUse",
        "matcher": "Bash",
        "command": "c",
        "timeout": 5.0,
    }
    assert not offered.hook.may_allow
    assert offered.offer.name == "PreToolUse 1 of f.json"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "Expecting property name"),
        ("[]", 'it is no object: write { "hooks": { ... } }'),
        ({"hooks": {"Stop": ["c"]}}, "entry 1 of Stop is no object"),
        ({"hooks": {"Stop": [{"command": 5}]}}, "its command is 5: write a text"),
        ({"hooks": {"Stop": [{"command": "c", "timeout": "ten"}]}}, 'its timeout is "ten": write a number'),
        ({"hooks": {"Stop": [{"command": "c", "args": "a"}]}}, 'its args is "a": write a list'),
        ({"hooks": {"Stop": [{"command": "c", "matcher": 5}]}}, "its matcher is 5: write a text"),
        ({"hooks": {"Stop": [{"type": "http"}]}}, "a hook of the type 'http' needs its 'url': add it"),
        (
            {"hooks": {"Stop": [{"powershell": "./x.ps1"}]}},
            "for PowerShell alone: write one for other shells",
        ),
        (
            {"hooks": {"FileChanged": [{"command": "c"}]}},
            "Claude Code has the event FileChanged, agls has not",
        ),
        ({"hooks": []}, "its hooks are no JSON object"),
        ({"hooks": [{"command": "c"}]}, 'hook 1 of the list says no event: write "event"'),
        ({"hooks": {"Never": [{"command": "c"}]}}, "hook 1 (Never): there is no event Never here"),
        (
            {"hooks": {"Stop": [{"type": "agent", "command": "c"}]}},
            "an agent needs a prompt, by which it judges",
        ),
        ({"hooks": {"Stop": [{"hooks": [{}]}]}}, "a hook of the type 'command' needs its 'command': add it"),
    ],
)
@pytest.mark.row(47)
def test_broken_hook_of_a_file_is_named_with_its_reason(content: object, problem: str) -> None:
    good = {"hooks": {"Stop": [{"command": "c"}]}}
    found = find_hooks(["f.json"], OneFile(content))
    assert (len(found.offered), len(found.problems)) == (0, 1)
    assert found.problems[0].startswith("f.json")
    assert problem in found.problems[0]
    assert len(find_hooks(["f.json"], OneFile(good)).offered) == 1


def test_line_of_a_hook_is_its_own_where_others_have_the_same_command() -> None:
    content = """{ // Stop: "c"
 "permissions": {"deny": ["Bash(Stop)"]},
 "hooks": {
  "PreToolUse": [
   {"matcher": "a", "hooks": [{"type": "command", "command": "c"}]},
   {"matcher": "b", "hooks": [
    {"type": "command",
     "command": "c"},
    {"type": "command", "timeout": "x",
     "command": "c"}, {"type": "strange",
     "url": "c"}
   ]}],
  "Stop": [{"hooks": [{"type": "prompt", "command": "c",
    "timeout": "y"}]}]
}}"""
    found = find_hooks(["f.json"], OneFile(content))
    assert [each.split(": ")[:2] for each in found.problems] == [
        ["f.json:10", "hook 3 (PreToolUse)"],
        ["f.json:10", "hook 4 (PreToolUse)"],
        ["f.json:13", "hook 5 (Stop)"],
    ]


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        (
            ".github/hooks/h.json",
            {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "./b.sh", "timeoutSec": 9}]}},
            {"event": "PreToolUse", "command": "./b.sh", "timeout": 9.0},
        ),
        (
            ".github/hooks/c.json",
            {"hooks": {"userPromptSubmitted": [{"bash": "./b.sh", "cwd": "my scripts"}]}},
            {"event": "UserPromptSubmit", "command": "cd 'my scripts' && ./b.sh"},
        ),
        (
            ".github/hooks/e.json",
            {"hooks": {"errorOccurred": [{"bash": "./b.sh"}]}},
            {"event": "StopFailure", "command": "./b.sh"},
        ),
        (
            ".claude/settings.local.json",
            {"hooks": {"Stop": [{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": "${cwd}"}}]}},
            {"event": "Stop", "server": "s", "tool": "t", "input": {"a": "${cwd}"}},
        ),
        (
            ".claude/settings.json",
            {"hooks": {"Stop": [{"hooks": [{"type": "agent", "prompt": "Are the tests green?"}]}]}},
            {"event": "Stop", "prompt": "Are the tests green?", "agent": True},
        ),
        (
            ".codex/config.toml",
            '[[hooks.PreToolUse]]\nmatcher = "^Bash$"\n[[hooks.PreToolUse.hooks]]\ncommand = "c"\n',
            {"event": "PreToolUse", "matcher": "^Bash$", "command": "c"},
        ),
        (
            ".codex/config.toml",
            '[[hooks]]\nevent = "SessionStart"\ncommand = "c"\n',
            {"event": "SessionStart", "command": "c"},
        ),
        (
            ".claude/settings.json",
            {"hooks": {"Stop": [{"hooks": [{"type": "agent", "prompt": "Safe?", "model": "haiku"}]}]}},
            {"event": "Stop", "prompt": "Safe?", "agent": True, "model": "fast"},
        ),
        (
            ".claude/settings.json",
            '\ufeff{// remark\n"hooks": {"Stop": [{"matcher": null, "command": "c", "timeout": 3600,}],}}',
            {"event": "Stop", "command": "c", "timeout": 600.0},
        ),
        (
            ".claude/settings.json",
            {"hooks": {"PreToolUse": [{"hooks": [{"command": "c", "if": "Bash(rm *)", "shell": "bash"}]}]}},
            {"event": "PreToolUse", "command": "c", "condition": "Bash(rm *)"},
        ),
    ],
)
def test_hook_is_read_in_the_shapes_of_other_products(path: str, content: object, expected: Message) -> None:
    class OneFolder(OneFile):
        def below(self, folder: str, ends: tuple[str, ...]) -> list[str]:
            return [f"/p/{path}"]

    place = path.rpartition("/")[0] if path.startswith(".github") else path
    (offered,) = find_hooks([f"/p/{place}"], OneFolder(content)).offered
    assert offered.hook.setting.model_dump(exclude_defaults=True) == expected


def test_problem_of_a_hook_names_its_line_and_lists_that_are_missing() -> None:
    text = '{"hooks": {\n"Never": [{"command": "c"}],\n"Stop": {"command": "d"}}}'
    first, second = find_hooks(["f.json"], OneFile(text)).problems
    assert first == "f.json: the hooks of Stop are no list: write [ ... ] around them"
    assert second.startswith("f.json:2: hook 1 (Never): there is no event Never here, only SessionStart")


@pytest.mark.parametrize(
    ("condition", "arguments", "expected"),
    [
        ("Bash(rm *)", {"command": "rm -rf x"}, True),
        ("Bash(rm *)", {"command": "cd x && rm y"}, True),
        ("Bash(rm *)", {"command": "rmdir x"}, False),
        ("Bash(rm:*)", {"command": "rm"}, True),
        ("Bash(git push*--force)", {"command": "git push origin --force"}, True),
        ("Bash(git status)", {"command": "git stash"}, False),
        ("Edit(*.py)", {"command": "x"}, False),
        ("Bash", {"command": "x"}, True),
        ("not (readable", {"command": "x"}, True),
    ],
)
def test_condition_of_a_hook_fits_some_commands(condition: str, arguments: Message, expected: bool) -> None:
    assert fits(condition, ("shell", "Bash"), arguments, "/p") is expected


@pytest.mark.parametrize(
    ("condition", "path", "expected"),
    [
        ("Edit(*.py)", "/p/src/a.py", True),
        ("Edit(src/**)", "/p/src/deep/a.py", True),
        ("Edit(./src/*)", "/p/src/a.py", True),
        ("Edit(**/*.ts)", "/p/a.ts", True),
        ("Edit(*.py)", "/p/a.ts", False),
    ],
)
def test_condition_of_a_hook_fits_some_files(condition: str, path: str, expected: bool) -> None:
    assert fits(condition, ("edit_file", "Edit"), {"file_path": path}, "/p") is expected


def offer(folder: Path, command: str, matcher: str = "Write", **more: Any) -> None:
    """Write hooks of a project, as another agent has them."""
    (folder / ".claude").mkdir(exist_ok=True)
    handler = {"type": "command", "command": command, **more}
    hooks = {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [handler]}]}}
    (folder / ".claude" / "settings.json").write_text(json.dumps(hooks))


def test_hook_of_a_folder_runs_after_consent_and_asks_again_when_its_script_changed(tmp_path: Path) -> None:
    script(tmp_path, *[turns({"calls": [WRITE]}, "done")] * 3)
    check = tmp_path / "workspace" / "check.sh"
    check.parent.mkdir()
    check.write_text("exit 2\n")
    offer(check.parent, 'bash "$CLAUDE_PROJECT_DIR"/check.sh')
    with Wire(tmp_path, tmp_path / "config.toml") as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        session = wire.session()
        asked: list[Message] = []

        def answer(params: Message) -> Message:
            asked.append(params)
            return {"outcome": "selected", "optionId": "always"}

        wire.answers["agent/requestPermission"] = answer
        for _ in range(2):
            assert wire.run(session, options={"mode": "allowAll"}, chosenBy="user")
            assert not (check.parent / "a.txt").exists()
        assert [each["title"] for each in asked] == ["Use the hook PreToolUse 1 of .claude/settings.json"]
        check.write_text("exit 0\n")
        wire.run(session, options={"mode": "allowAll"}, chosenBy="user")
        assert len(asked) == 2
        assert "+exit 0" in str(asked[1])
        assert (check.parent / "a.txt").exists()


def test_consented_line_that_a_hook_changed_is_asked_about_like_any_command(tmp_path: Path) -> None:
    script(tmp_path, turns("done"))
    folder = tmp_path / "workspace"
    (folder / ".agls/commands").mkdir(parents=True)
    (folder / ".agls/commands/look.md").write_text("State: !`echo one`")
    changed = json.dumps({"hookSpecificOutput": {"updatedInput": {"command": "touch made", "cwd": "."}}})
    (folder / "answer.json").write_text(changed)
    offer(folder, "cat answer.json", matcher="Bash")
    with Wire(tmp_path, tmp_path / "config.toml") as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        asked: list[str] = []

        def answer(params: Message) -> Message:
            asked.append(params["title"])
            return {"outcome": "selected", "optionId": "once" if "Use the" in asked[-1] else "reject"}

        wire.answers["agent/requestPermission"] = answer
        given = {"input": "/look", "expand": True, "wait": True, "sessionId": wire.session()}
        assert wire.ask("agent/run", given)["result"]["stopReason"] == "endTurn"
        assert sorted(asked) == [
            "Run touch made",
            "Use the command /look",
            "Use the hook PreToolUse 1 of .claude/settings.json",
        ]
        assert not (folder / "made").exists()


class Asked:
    """What the user is asked, and how they answer: with these options, the last one again and again."""

    def __init__(self, wire: Wire, *options: str) -> None:
        self.titles: list[str] = []
        self._options = options
        wire.answers["agent/requestPermission"] = self._answer

    def _answer(self, params: Message) -> Message:
        self.titles.append(params["title"])
        chosen = self._options[min(len(self.titles), len(self._options)) - 1]
        return {"outcome": "selected", "optionId": chosen}


ALL = {"options": {"mode": "allowAll"}, "chosenBy": "user"}


@pytest.mark.parametrize("answer", ["once", "always"])
@pytest.mark.parametrize(
    ("command", "obeyed"), [("sh tools/check.sh", "tools/check.sh"), ("make -s check", "Makefile")]
)
def test_hook_whose_files_the_agent_changed_does_not_run_again_before_the_user_saw_it(
    tmp_path: Path, answer: str, command: str, obeyed: str
) -> None:
    other = call("write_file", path="b.txt", content="two\n")
    change = call("edit_file", path=obeyed, old_text="echo", new_text="touch pwned; echo")
    calls = [{"calls": [each]} for each in (WRITE, call("read_file", path=obeyed), change, other)]
    script(tmp_path, turns(*calls, "done"), turns("done"))
    folder = tmp_path / "workspace"
    for name, text in (("tools/check.sh", "echo x >> ran\n"), ("Makefile", "check:\n\techo x >> ran\n")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    offer(folder, command, matcher="")
    with Wire(tmp_path, tmp_path / "config.toml") as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        asked, session = Asked(wire, answer, "reject"), wire.session()
        assert wire.run(session, **ALL)["stopReason"] == "endTurn"
        assert not (folder / "pwned").exists()
        assert (folder / "ran").read_text() == "x\n" * 3, "it ran before each call up to the change"
        notices = [event["data"] for event in wire.events if event["type"] == "notice"]
        assert sum("A hook of this folder no longer runs" in str(each) for each in notices) == 1
        assert len(asked.titles) == 1
        wire.run(session, **ALL)
        assert (len(asked.titles), (folder / "pwned").exists()) == (2, False)


def test_refused_hook_is_asked_about_once_in_a_session_and_again_when_it_changes(tmp_path: Path) -> None:
    script(tmp_path, *[turns("done")] * 4)
    folder = tmp_path / "workspace"
    folder.mkdir()
    offer(folder, "sh check.sh")
    with Wire(tmp_path, tmp_path / "config.toml") as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        asked, session = Asked(wire, "reject"), wire.session()
        wire.run(session)
        wire.run(session)
        assert len(asked.titles) == 1
        (folder / "check.sh").write_text("exit 0\n")
        wire.run(session)
        assert len(asked.titles) == 2
        wire.run(wire.session(clientKey="another"))
        assert len(asked.titles) == 3, "another session asks"


@pytest.mark.parametrize(("answer", "runs"), [("once", True), ("reject", False)])
def test_helper_has_the_answer_of_the_run_that_it_works_for(tmp_path: Path, answer: str, runs: bool) -> None:
    write = Reply(calls=[("write_file", {"path": "a.txt", "content": "one\n"})])
    parts = {"ROOT": [delegate(task("WORK", "w")), Reply("Done.")], "WORK": [write, Reply("Written.")]}
    with ModelServer(cast(parts)) as server:
        config = config_for(tmp_path, server)
        offer(tmp_path / "workspace", "touch ran")
        with Wire(tmp_path, config) as wire:
            wire.initialize(AGENT, initializationOptions={"trusted": True})
            asked = Asked(wire, answer)
            wire.run(wire.session(), "ROOT", **ALL)
            assert asked.titles == ["Use the hook PreToolUse 1 of .claude/settings.json"]
    assert (tmp_path / "workspace/a.txt").exists()
    assert (tmp_path / "workspace/ran").exists() is runs


def test_hook_of_a_file_may_be_a_question_to_a_model() -> None:
    handler = {"type": "prompt", "prompt": "Is it good? $ARGUMENTS", "model": "fast", "timeout": 5}
    (offered,) = find_hooks(["hooks.json"], OneFile({"hooks": {"Stop": [{"hooks": [handler]}]}})).offered
    setting = offered.hook.setting
    assert (setting.prompt, setting.model, setting.timeout) == ("Is it good? $ARGUMENTS", "fast", 5)
    assert not offered.hook.may_allow
    assert offered.offer.definition["prompt"] == setting.prompt


def test_events_that_plugins_are_shown_with_are_those_that_there_are() -> None:
    """`plugin_files` stands below the rooms, so it has the names by itself."""
    assert {event for event in hook_events.EVENTS if event not in OTHER_EVENTS} == {*EVENTS}
    assert {*cursor.EVENTS} == hook_events.OF_CURSOR
    assert {*TYPES} == hook_events.TYPES


def test_session_that_the_model_sees_anew_begins_anew_for_hooks(tmp_path: Path) -> None:
    config = script(tmp_path, *(turns(f"answer {number} " * 3_000) for number in range(12)))
    seen = tmp_path / "seen"
    config.write_text(
        f"{config.read_text()}[[hooks.handlers]]\nevent = 'SessionStart'\n"
        f"matcher = 'clear|compact|fork|startup'\ncommand = 'cat >> {seen}; echo >> {seen}'\n"
    )
    with Wire(tmp_path, config) as wire:
        wire.initialize(AGENT)
        session = wire.session()
        for name in ("", "clear", "", "", "", "compact", ""):
            if name:
                wire.call("agent/action/invoke", {"sessionId": session, "name": name, "input": {}})
            wire.run(session)
        forked = wire.call("agent/action/invoke", {"sessionId": session, "name": "fork", "input": {}})
        wire.run(forked["data"]["sessionId"])
    given = [json.loads(line) for line in seen.read_text().splitlines() if line.strip()]
    assert [each["source"] for each in given] == ["startup", "clear", "compact", "fork"]
    assert {each["model"] for each in given} == {"play"}
