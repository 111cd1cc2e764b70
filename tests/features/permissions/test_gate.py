"""The gate in a real run: asked, answered, remembered, refused."""

from pathlib import Path

import pytest

from agls.engine.facts import Entry, Noted
from agls.engine.vocabulary import Answer, Question, StopReason, ToolCall, ToolResult
from agls.features.permissions.grants import ROOM, session_grants
from agls.features.permissions.settings import Settings
from support.rooms import FakeWorkspace, do, use

from .scene import FakeGrants, Scene, pick, result, run

pytestmark = pytest.mark.promise("P2", "P15")


async def test_reading_in_the_workspace_is_not_asked(scene: Scene) -> None:
    state = await scene.run(use(do("c1", "read", "a.py"), do("c2", "think")))
    assert scene.asked == []
    assert not result(state).is_error
    assert not result(state, "c2").is_error


@pytest.mark.row(44)
async def test_a_question_shows_the_call_and_always_the_same_answers(scene: Scene) -> None:
    """Asked, and allowed once."""
    await scene.run(run("git status"), reply=pick("once"))
    (question,) = scene.asked
    assert question.call_id == "c1"
    assert (question.title, question.reason) == (
        "shell git status",
        "It runs a command: git is not found, or the workspace decides what it is.",
    )
    assert question.subject == {"type": "command", "command": "git status", "cwd": ""}
    assert [(o.option_id, o.decision, o.scope, o.rule) for o in question.options] == [
        ("once", "allow", "once", ""),
        ("session", "allow", "session", "shell(git status)"),
        ("project", "allow", "project", "shell(git status)"),
        ("reject", "reject", "once", ""),
    ]
    assert scene.shell.done == [{"value": "git status"}]


async def test_question_about_a_command_says_whether_it_would_run_in_the_sandbox(scene: Scene) -> None:
    scene.sandbox.says = "It would run outside of the sandbox."
    await scene.run(run("git status"), use(do("c2", "write", "a.py")), reply=pick("once"))
    command, edit = scene.asked
    assert command.reason.endswith(". It would run outside of the sandbox.")
    assert "sandbox" not in edit.reason


async def test_call_that_can_only_fail_is_not_asked_about(scene: Scene) -> None:
    wrong = ToolCall("c1", "write", {"value": "a.py", "problem": "old_text was not found"})
    state = await scene.run(use(wrong), reply=pick("once"))
    assert scene.asked == []
    assert scene.write.done == []
    assert result(state).text == "old_text was not found"


async def test_a_compound_command_is_only_ever_allowed_once(scene: Scene) -> None:
    await scene.run(run("git status; ls"), run("git status; ls", "c2"), reply=pick("once"))
    assert [o.option_id for o in scene.asked[0].options] == ["once", "reject"]
    assert len(scene.asked) == 2
    assert len(scene.shell.done) == 2


async def test_answer_that_was_not_offered_is_a_refusal(scene: Scene) -> None:
    state = await scene.run(run("git status; ls"), reply=pick("session"))
    assert scene.shell.done == []
    assert session_grants(state, FakeGrants()) == ()


@pytest.mark.row(44, 76)
async def test_allowed_for_the_session_is_not_asked_again_even_after_a_resume(scene: Scene) -> None:
    """For the session, also when it is resumed."""
    await scene.run(run("git status"), run("git status", "c2"), reply=pick("session"))
    assert len(scene.asked) == 1
    state = await scene.run(run("git status", "c3"), run("git log", "c4"), reply=pick("reject"))
    assert [question.title for question in scene.asked] == ["shell git log"]
    assert len(scene.shell.done) == 3
    assert session_grants(state, FakeGrants()) == ("shell(git status)",)
    assert scene.grants.rules == []


@pytest.mark.row(44)
async def test_allowed_for_the_project_holds_in_other_sessions(scene: Scene) -> None:
    """Always, in this folder."""
    await scene.run(run("git status"), reply=pick("project"))
    assert scene.grants.rules == ["shell(git status)"]
    scene.session_id = ""
    await scene.run(run("git status"), reply=pick("reject"))
    assert scene.asked == []
    assert list(scene.root.iterdir()) == [], "nothing is written into the project"


async def test_a_project_permission_that_cannot_be_saved_holds_for_the_session(scene: Scene) -> None:
    scene.grants.broken = True
    await scene.run(run("git status"), run("git status", "c2"), reply=pick("project"))
    assert len(scene.asked) == 1
    assert scene.seen.titles == ["The permission could not be saved"]
    assert "the disk is full" in scene.seen.texts[0]


async def test_a_revoked_permission_is_asked_again(scene: Scene) -> None:
    state = await scene.run(run("git status"), reply=pick("session"))
    journal = scene.store.open(scene.session_id)
    journal.append(Entry(state.seq + 1, 0.0, Noted(ROOM, "revoked", {"rules": ["shell(git status)"]})))
    journal.close()
    state = await scene.run(run("git status", "c2"), reply=pick("reject"))
    assert len(scene.asked) == 1
    assert session_grants(state, FakeGrants()) == ()


@pytest.mark.row(44)
async def test_refusal_reaches_the_model_with_the_users_words(scene: Scene) -> None:
    """No, with the reason."""
    state = await scene.run(run("rm x"), reply=pick("reject", "use git rm"))
    assert result(state).text == "Not run: the user said no. They said: use git rm"
    assert scene.shell.done == []
    state = await scene.run(run("rm x", "c2"), reply=pick("reject"))
    assert result(state, "c2").text == "Not run: the user said no.\nDo not try to do the same another way."


async def test_dismissed_question_is_a_refusal(scene: Scene) -> None:
    state = await scene.run(run("rm x"), reply=lambda question: Answer("dismissed"))
    assert result(state).text.startswith("Not run: the user said no.")


async def test_withdrawn_question_is_a_refusal(scene: Scene) -> None:
    state = await scene.run(run("rm x"), reply=lambda question: Answer("cancelled"))
    assert result(state).text == "Not run: the question was withdrawn before the user answered it."


@pytest.mark.row(43)
async def test_call_without_anybody_to_ask_is_refused_and_the_run_continues(scene: Scene) -> None:
    """A denial is a result, and the run goes on."""
    state = await scene.run(run("rm x"))
    assert "Nobody was there" in result(state).text
    assert scene.shell.done == []
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN


@pytest.mark.parametrize("mode", ["ask", "acceptEdits", "allowAll"])
@pytest.mark.parametrize(
    "call",
    [
        do("c1", "write", ".vscode/tasks.json"), do("c1", "write", ".git/hooks/pre-commit"), do("c1", "write",
        "/etc/x"),
        do("c1", "write", "../x"), do("c1", "write", "link/x"), do("c1", "shell", "rm -rf /"),
        do("c1", "shell", "rm -rf ~"), do("c1", "shell", "rm -rf $HOME/x"), do("c1", "shell",
        "cd / && rm -rf *"),
        do("c1", "shell", "echo x > .git/config"), do("c1", "shell", "git config core.hooksPath x"),
        do("c1", "shell", "rm -rf ../../x"), do("c1", "shell", "echo a | tee -a ../.bashrc"),
        do("c1", "shell", "rm x", cwd="/etc"), do("c1", "shell", "rm link/x"),
    ],
    ids=lambda call: str(call.arguments["value"]),
)  # fmt: skip
async def test_dangers_are_asked_about_in_every_mode_and_refused_without_anybody_to_ask(
    scene: Scene, mode: str, call: ToolCall
) -> None:
    (scene.root / "link").symlink_to("/")
    state = await scene.run(use(call), options={"mode": mode})
    assert "Nobody was there" in result(state).text
    (question,) = scene.asked
    told = result(state).text
    assert f"Why it needs that: {question.reason}" in told or "is outside of the workspace" in told
    assert scene.shell.done == scene.write.done == []
    danger = ("obey", "not known to be in the workspace", "outside the workspace")
    assert any(words in question.reason for words in danger)


@pytest.mark.row(43)
async def test_allow_all_runs_the_rest_without_a_question(scene: Scene) -> None:
    """The widest tier."""
    calls = [
        do("c1", "write", "a.py"), do("c2", "shell", "rm -rf build 2>/dev/null"),
        do("c3", "shell", "cat /etc/hosts | head"), do("c4", "poke"), do("c5", "read", "/etc/hosts"),
        do("c6", "shell", "cat $FILE ~/x"),
    ]  # fmt: skip
    state = await scene.run(use(*calls), options={"mode": "allowAll"})
    assert scene.asked == []
    assert not any(m.is_error for m in state.transcript if isinstance(m, ToolResult))
    assert scene.workspace.allowed == ["/etc/hosts"]
    notes = state.notes[ROOM]
    allowed = {n.data["callId"]: n.data["by"] for n in notes if n.kind == "allowed"}
    assert list(allowed) == ["c1", "c2", "c3", "c4", "c6"]
    assert all("mode allowAll" in by for by in allowed.values())


async def test_a_deny_rule_holds_in_allow_all_also_for_commands_and_links(scene: Scene) -> None:
    scene.settings = Settings(mode="allowAll", deny=["read(.env)", "edit(secrets/**)", "shell(git push *)"])
    (scene.root / "secrets").mkdir()
    (scene.root / "link").symlink_to("secrets")
    calls = [
        do("c1", "read", ".env"), do("c2", "shell", "cat .env"), do("c3", "write", "link/x"),
        do("c4", "shell", "rm link/x"), do("c5", "shell", "cd x && git -C . push"), do("c6", "read",
        "a/../.env"),
    ]  # fmt: skip
    state = await scene.run(use(*calls))
    for call in calls:
        assert "Not run: The rule deny " in result(state, call.call_id).text
    assert scene.asked == []


async def test_deny_rules_of_one_tool_hold_for_a_tool_without_effects(scene: Scene) -> None:
    scene.settings = Settings(mode="allowAll", deny=["think"])
    state = await scene.run(use(do("c1", "think"), do("c2", "nothing_known")))
    assert "The rule deny think" in result(state).text
    assert "There is no tool called" in result(state, "c2").text


@pytest.mark.row(43)
async def test_plan_mode_refuses_every_effect_and_says_what_to_do(scene: Scene) -> None:
    """Reading only; a denial is a result."""
    scene.settings = Settings(allow=["*"])
    calls = [do("c1", "write", "a"), do("c2", "shell", "ls"), do("c3", "poke"), do("c4", "read", "a")]
    state = await scene.run(use(*calls), options={"mode": "plan"})
    for call_id in ("c1", "c2", "c3"):
        assert "Present your plan" in result(state, call_id).text
    assert not result(state, "c4").is_error


async def test_a_tool_that_names_only_reading_is_judged_by_all_it_can_do(scene: Scene) -> None:
    await scene.run(use(do("c1", "poke", "a.py")), reply=pick("reject"))
    assert scene.poke.done == []
    assert scene.asked[0].options[1].rule == "poke"


async def test_an_outside_path_is_opened_only_after_a_yes(scene: Scene) -> None:
    await scene.run(use(do("c1", "read", "/etc/hosts")), reply=pick("reject"))
    assert scene.workspace.allowed == []
    await scene.run(use(do("c2", "read", "/etc/hosts")), reply=pick("session"))
    await scene.run(use(do("c3", "read", "/etc/hosts")), reply=pick("reject"))
    assert scene.workspace.allowed == ["/etc/hosts", "/etc/hosts"]
    assert len(scene.read.done) == 2


async def test_call_runs_with_exactly_the_approved_arguments(scene: Scene) -> None:
    await scene.run(run("deploy 'a  b'\t\n"), reply=pick("once"))
    assert scene.shell.done == [{"value": "deploy 'a  b'\t\n"}]
    assert scene.asked[0].subject["command"] == "deploy 'a  b'\t\n"
    assert scene.asked[0].title == "shell deploy 'a  b'\\t\\n"


async def test_hidden_characters_are_shown(scene: Scene) -> None:
    await scene.run(use(do("c1", "write", "a\u202eb.py")), reply=pick("reject"))
    assert scene.asked[0].title == "write a⟨U+202E⟩b.py"
    assert scene.asked[0].subject["input"] == {"value": "a⟨U+202E⟩b.py"}
    assert [o.option_id for o in scene.asked[0].options] == ["once", "reject"]


async def test_a_yes_holds_only_for_what_was_shown(scene: Scene) -> None:
    def swap(question: Question) -> Answer:
        (scene.root / "notes.txt").symlink_to(scene.root / ".git/config")
        return Answer("selected", "once")

    state = await scene.run(use(do("c1", "write", "notes.txt")), reply=swap)
    assert "their answer was for something else" in result(state).text
    assert result(state).status == "failed", "it was allowed, and not refused"
    assert scene.write.done == []


async def test_a_command_the_user_changed_runs_as_they_wrote_it(scene: Scene) -> None:
    state = await scene.run(run("rm x"), reply=pick("once", new={"value": "git rm x"}))
    assert scene.shell.done == [{"value": "git rm x"}]
    assert not result(state).is_error


async def test_approval_with_the_same_input_changes_nothing(scene: Scene) -> None:
    await scene.run(run("ls"), reply=pick("once", new={"value": "ls"}))
    assert scene.shell.done == [{"value": "ls"}]


async def test_a_deny_rule_holds_for_what_the_user_wrote_too(scene: Scene) -> None:
    scene.settings = Settings(deny=["shell(git push *)"])
    state = await scene.run(run("git status"), reply=pick("session", new={"value": "git push"}))
    assert scene.shell.done == []
    assert result(state).text.startswith("Not run as the user changed it: The rule deny shell(git push *)")
    assert session_grants(state, FakeGrants()) == ()


async def test_command_allowed_in_one_folder_is_asked_about_in_another(scene: Scene) -> None:
    (scene.root / "a b").mkdir()
    calls = [
        do("c1", "shell", "npm test"),
        do("c2", "shell", "npm test", cwd="a b"),
        do("c3", "shell", "npm test"),
    ]
    await scene.run(use(*calls), use(do("c4", "shell", "npm test", cwd="a b")), reply=pick("session"))
    assert [question.options[1].rule for question in scene.asked] == [
        "shell(npm test)",
        "shell(cd 'a b' && npm test)",
    ]
    assert len(scene.shell.done) == 4


async def test_several_questions_may_be_open_at_once(scene: Scene) -> None:
    open_at_once: list[int] = []

    def reply(question: Question) -> Answer:
        open_at_once.append(len(scene.asked))
        return Answer("selected", "once")

    calls = [do(f"c{n}", "read", f"/etc/{n}") for n in range(3)]
    await scene.run(use(*calls), reply=reply)
    assert len(scene.read.done) == 3
    assert len(scene.asked) == 3


async def test_the_mode_of_the_session_beats_the_configured_one(scene: Scene) -> None:
    scene.settings = Settings(mode="allowAll")
    await scene.run(run("ls"), options={"mode": "ask"}, reply=pick("reject"))
    assert len(scene.asked) == 1


@pytest.mark.parametrize("mode", ["auto", "yolo", 7])
async def test_unknown_mode_means_ask_and_shows_a_notice(scene: Scene, mode: object) -> None:
    scene.settings = Settings(mode="allowAll")
    await scene.run(run("ls"), run("ls", "c2"), options={"mode": mode}, reply=pick("reject"))
    assert len(scene.asked) == 2
    assert scene.seen.titles == ["Permissions are asked for each call"]


async def test_a_path_that_cannot_be_one_is_refused_with_its_reason(scene: Scene) -> None:
    state = await scene.run(use(do("c1", "write", "a\0b")), options={"mode": "allowAll"})
    assert "cannot be the name of a file" in result(state).text
    assert scene.write.done == []


async def test_a_root_that_is_a_link_is_known_by_both_names(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(scene.root)
    scene.workspace = FakeWorkspace(tmp_path / "alias")
    scene.settings = Settings(deny=["edit(secrets/**)"], allow=["edit(src/**)"])
    state = await scene.run(use(do("c1", "write", "src/a"), do("c2", "write", str(scene.root / "secrets/x"))))
    assert not result(state).is_error
    assert "The rule deny" in result(state, "c2").text
