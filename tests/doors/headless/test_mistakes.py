"""Mistakes of users at the command line: each gets a message that names it and says what to do."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from doors.headless.conftest import SCRIPTED, Agls, Done
from support.model_server import Failure, ModelServer

pytestmark = pytest.mark.timeout(150)  # several processes, on a slow machine


@pytest.mark.parametrize(
    ("rules", "known"),
    [
        ('deny = ["shel"]', "'shell'"),
        ('deny = ["write_fil"]', "'write_file'"),
        ('allow = ["read_fil"]', "'read_file'"),
        ('ask = ["Read"]', "'read'"),
        ('deny = ["web_fech(domain:example.com)"]', "'web_fetch'"),
    ],
)
def test_rule_with_a_misspelt_tool_is_refused_with_the_tool_that_was_meant(
    agls: Agls, rules: str, known: str
) -> None:
    agls.configure(f"{SCRIPTED}[permissions]\n{rules}\n")
    agls.script({"text": "done"})
    for command in (("run", "hi", "--yolo"), ("permissions", "list")):
        done = agls.run(*command)
        assert done.code == 2
        assert f"config.toml:6: permissions.{rules.partition(' ')[0]}: there is no tool" in done.err
        assert f"did you mean {known}?" in done.err


def test_rule_for_a_tool_of_a_client_is_kept_and_the_doctor_reports_it(agls: Agls) -> None:
    agls.configure(f'{SCRIPTED}[permissions]\ndeny = ["deploy", "mcp__issues__close"]\n')
    agls.script({"text": "done"})
    assert agls.run("run", "hi").code == 0
    found = agls.run("doctor", "--offline").out
    assert "agls has no tool 'deploy'" in found
    assert "mcp__issues__close" not in found


@pytest.mark.parametrize(
    "table",
    [
        'tools = ["read_fil"]',
        '[[agents.x.phases]]\nname = "look"\nprompt = "Look: {{input}}"\ntools = ["read_fil"]',
    ],
)
def test_agent_with_a_misspelt_tool_is_refused(agls: Agls, table: str) -> None:
    agls.configure(f'{SCRIPTED}[agents.x]\ndescription = "Looks."\n{table}\n')
    done, found = agls.run("run", "--agent", "x", "hi"), agls.run("doctor", "--offline")
    assert (done.code, found.code) == (2, 1)
    for shown in (done.err, found.out):
        assert "there is no tool 'read_fil'; did you mean 'read_file'?" in shown


def test_archived_session_is_not_the_latest_one(agls: Agls) -> None:
    agls.script({"text": "done"})
    first, second = (agls.run("run", words, "--output", "json").whole["sessionId"] for words in ("a", "b"))
    assert agls.run("sessions", "archive", second).code == 0
    assert agls.run("-c", "go on", "--output", "json").whole["sessionId"] == first


def test_doctor_accepts_a_readable_file_that_only_names_the_variable_of_a_key(agls: Agls) -> None:
    agls.environment["WORK_API_KEY"] = "WORK_API_KEY"
    named = '[models.m]\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\n'
    for key, is_reported in (('api_key_env = "WORK_API_KEY"', False), ('api_key = "sk-4711-4711"', True)):
        agls.configure(f"{named}{key}\n")
        agls.config_file.chmod(0o644)
        assert ("holds a key" in agls.run("doctor", "--offline").out) is is_reported


def test_doctor_says_that_the_program_is_inside_the_workspace(agls: Agls) -> None:
    own = agls.workspace / "venv" / "bin"
    own.mkdir(parents=True)
    shutil.copy(Path(sys.executable).with_name("agls"), own / "agls")
    agls.environment["PATH"] = f"{own}:/usr/bin:/bin"
    assert f"{own / 'agls'} is inside this workspace" in agls.run("doctor", "--offline").out
    agls.environment["PATH"] = "/usr/bin:/bin"
    assert "not in an absolute folder of the PATH" in agls.run("doctor", "--offline").out


def test_way_on_after_an_unknown_model_asks_for_another_one(agls: Agls) -> None:
    missing = Failure(404, "The model `nope` does not exist", code="model_not_found")
    with ModelServer([missing] * 2) as server:
        done = agls.run("run", "hi", "--base-url", server.url, "-m", "nope")
    assert done.code == 1
    last = done.err.splitlines()[-1]
    assert last.startswith("Go on with another model: agls resume ses_")
    assert last.endswith("--model NAME")
    assert "nope" not in last


def test_way_on_after_a_dead_address_says_when_it_works(agls: Agls) -> None:
    done = agls.run("run", "hi", "--base-url", "http://127.0.0.1:9/v1", "-m", "m")
    assert "Go on once this address answers: agls resume ses_" in done.err


def test_terminal_says_why_a_call_was_rejected_and_no_advice_for_the_model(agls: Agls) -> None:
    agls.configure(f'{SCRIPTED}[permissions]\ndeny = ["read(secrets/**)"]\n')
    read, write = (
        {"calls": [{"name": name, "arguments": {"path": "secrets/a", **more}}]}
        for name, more in (("read_file", {}), ("write_file", {"content": "x"}))
    )
    agls.prompts([read, {"text": "no"}], [write, {"text": "no"}])
    by_rule = agls.run("run", "look")
    assert "rejected: read_file secrets/a  (The rule deny read(secrets/**) forbids it.)" in by_rule.err
    assert "Do not try" not in by_rule.err
    explained = agls.run("permissions", "explain", "--kind", "read", "secrets/a")
    assert "Do not try" not in explained.out


SHELL = {"calls": [{"name": "shell", "arguments": {"command": "npm test"}}]}
EDIT = {"calls": [{"name": "edit_file", "arguments": {"path": "a.py", "old_text": "1", "new_text": "2"}}]}


def test_refused_call_recommends_the_rule_for_itself(agls: Agls) -> None:
    agls.configure(f'{SCRIPTED}[permissions]\nask = ["shell"]\n')
    agls.script(SHELL, {"text": "done"})
    done = agls.run("run", "test it", "--mode", "acceptEdits")
    assert 'To allow such calls: a rule: [permissions] allow = ["shell(npm test)"].' in done.err
    assert "acceptEdits" not in done.err


def test_question_that_no_prepared_answer_fits_recommends_prepared_answers(agls: Agls) -> None:
    agls.configure(f'{SCRIPTED}[permissions]\nask = ["shell"]\n')
    (agls.home / "answers.json").write_text('[{"question": "Another one", "answer": "yes"}]')
    which = {"name": "ask_user", "arguments": {"question": "Which database?"}}
    asked = list[Done]()
    for calls in ([which], [which, *SHELL["calls"]]):
        agls.script({"calls": calls}, {"text": "done"})
        asked.append(agls.run("run", "go", "--answers", str(agls.home / "answers.json")))
    assert [done.code for done in asked] == [3, 3]
    assert all("before it asks: --answers FILE" in done.err for done in asked)
    assert "To allow such calls: a rule" not in asked[0].err and "asked about each time" not in asked[0].err
    assert 'allow = ["shell(npm test)"]. To answer questions of the model' in asked[1].err


def test_mode_for_edits_is_recommended_only_for_what_it_allows(agls: Agls, tmp_path: Path) -> None:
    inside, outside = (
        {"calls": [{"name": "write_file", "arguments": {"path": path, "content": "x"}}]}
        for path in ("a.txt", str(tmp_path / "elsewhere.txt"))
    )
    agls.script(inside, {"text": "done"})
    assert "To allow such calls: --mode acceptEdits (edits), or a rule" in agls.run("run", "write").err
    agls.script(outside, {"text": "done"})
    done = agls.run("run", "write", "--mode", "acceptEdits")
    assert "To allow such calls: a rule: [permissions] allow" in done.err


def test_edit_of_a_file_that_was_not_read_fails_without_a_question(agls: Agls) -> None:
    (agls.workspace / "a.py").write_text("x = 1\n")
    agls.configure(f'{SCRIPTED}[permissions]\nask = ["edit"]\n')
    agls.script(EDIT, {"text": "done"})
    events = agls.run("run", "edit it", "--output", "jsonl").events
    assert [each["type"] for each in events].count("requestOpened") == 0
    ended = next(
        e["data"]["item"] for e in events if e["type"] == "itemCompleted" and "input" in e["data"]["item"]
    )
    assert (ended["status"], "was not read in this session" in ended["output"]) == ("failed", True)


def test_wrong_setting_shows_the_value_and_that_it_was_not_written(agls: Agls) -> None:
    before = agls.config_file.read_text()
    unknown = agls.run("config", "set", "budgt.max_turns", "40")
    assert unknown.err == "agls: budgt: unknown key; did you mean 'budget'? ('40' was not written)\n"
    elsewhere = agls.run("config", "set", "max_turns", "40")
    assert "unknown key; did you mean 'budget.max_turns'?" in elsewhere.err
    wrong = agls.run("config", "set", "budget.max_turns", "many")
    assert wrong.err == "agls: budget.max_turns: this must be a whole number ('many' was not written)\n"
    assert agls.config_file.read_text() == before
    assert "agls config explain shows all" in agls.run("config", "get", "nonsense").err


def test_setting_that_nobody_made_says_what_holds_and_leaves_no_table_behind(agls: Agls) -> None:
    before = agls.config_file.read_text()
    assert (
        agls.run("config", "get", "budget.max_turns").err
        == "default (no limit at a terminal, 50 without one)\n"
    )
    assert agls.run("config", "set", "budget.day.max_model_calls", "5").code == 0
    taken = agls.run("config", "unset", "budget.day.max_model_calls")
    assert "budget.day.max_model_calls is not set any more." in taken.err
    assert agls.config_file.read_text().strip() == before.strip()


def test_rule_of_the_settings_that_is_revoked_is_named_with_its_place(agls: Agls) -> None:
    agls.configure(f'{SCRIPTED}[permissions]\nallow = ["shell(npm test *)"]\n')
    done = agls.run("permissions", "revoke", "shell(npm test *)")
    assert done.code != 0
    assert f"permissions.allow (user file, {agls.config_file}:6). Take it out there." in done.err


def test_explanation_of_a_compound_command_names_the_rule_for_its_part(agls: Agls) -> None:
    agls.configure(f'{SCRIPTED}[permissions]\nallow = ["shell(npm test *)"]\n')
    said = agls.run("permissions", "explain", "npm test 2>&1 | tail").out
    assert "npm test: the rule shell(npm test *)" in said
    assert "not known" not in said


def test_review_of_a_branch_that_does_not_exist_is_refused(agls: Agls) -> None:
    git = ("git", "-c", "user.name=n", "-c", "user.email=e@example.org")
    for words in (("init", "-q", "-b", "trunk"), ("commit", "-q", "--allow-empty", "-m", "begin")):
        subprocess.run([*git, *words], cwd=agls.workspace, check=True)
    (agls.workspace / "a.py").write_text("x = 1\n")
    agls.script({"text": "done"})
    for words, message in (
        ("/review trnk", "no branch or commit 'trnk'. Did you mean trunk?"),
        ("/review trunk..nope", "There is no branch or commit 'nope'."),
    ):
        done = agls.run("run", "--trust", words)
        assert done.code != 0
        assert message in done.err
        assert "fatal" not in done.err


def test_zero_days_of_spending_are_refused(agls: Agls) -> None:
    done = agls.run("usage", "--days", "0")
    assert (done.code, done.err) == (2, "agls: --days 0 shows nothing: name 1 day or more.\n")


def test_unusual_effort_is_sent_with_a_remark(agls: Agls) -> None:
    agls.script({"text": "done"})
    done = agls.run("run", "hi", "--effort", "silly")
    assert done.code == 0
    assert "The effort 'silly' is not one of none, minimal, low" in done.err
    assert "'silly'" in agls.run("run", "/effort silly").out
    assert "effort" not in agls.run("run", "hi", "--effort", "low").err


def test_attached_file_that_a_rule_denies_is_named(agls: Agls) -> None:
    agls.configure(f'{SCRIPTED}[permissions]\ndeny = ["read(secrets/**)"]\n')
    agls.script({"text": "done"})
    (agls.workspace / "secrets").mkdir()
    (agls.workspace / "secrets" / "a").write_text("x")
    (agls.workspace / "b").write_text("x")
    done = agls.run("run", "look", "--attach", "secrets/a", "--attach", "b")
    assert "secrets/a goes to the model: you attached it" in done.err
    assert done.err.count("you attached it") == 1


def test_commands_that_cannot_be_used_and_unknown_models_are_marked(agls: Agls) -> None:
    folder = agls.home / "commands"
    folder.mkdir()
    (folder / "empty.md").write_text("---\ndescription: Fix it\n---\n")
    (folder / "fix.md").write_text("---\nmodel: nomodel\n---\nFix it.\n")
    listed = agls.run("run", "/command.list").out
    assert "Its model nomodel is not configured here" in listed
    assert "**Cannot be used:** it has no text" in listed
    assert "Cannot be used: it has no text" in agls.run("run", "/help").out


def test_command_about_a_new_session_points_to_the_latest_one(agls: Agls) -> None:
    agls.script({"text": "done"})
    assert agls.run("run", "hi").code == 0
    shown = agls.run("run", "/usage")
    assert shown.err == (
        "This is about a new session, which was not kept. For the latest session of this "
        "folder: agls -c /usage\n"
    )
    assert "was not kept" in agls.run("run", "/mode plan").err
    assert "was not kept" not in agls.run("run", "/help").err + agls.run("-c", "/usage").err
    assert agls.run("run", "/usage", "-q").err == ""


def test_command_that_fails_in_a_new_session_names_the_way_to_the_latest_one(agls: Agls) -> None:
    agls.script({"text": "done"})
    assert agls.run("run", "hi").code == 0
    done = agls.run("run", "/undo")
    assert done.code == 1
    assert done.err == (
        "agls: There is no prompt to rewind to.\n"
        "That is about a new session. For the latest session of this folder: agls -c /undo\n"
    )
    assert agls.run("-c", "/undo").code == 0
    assert "about a new session" not in agls.run("-c", "/undo").err


def test_command_that_acts_outside_of_its_session_says_nothing_about_sessions(agls: Agls) -> None:
    agls.script({"text": "done"})
    assert agls.run("run", "hi").code == 0
    for words in ("/memory", "/memory add I like tabs", "/resume"):
        done = agls.run("run", words)
        assert (done.code, done.err) == (0, ""), words


def test_command_about_a_worktree_says_nothing_about_sessions(agls: Agls) -> None:
    agls.script({"text": "done"})
    assert agls.run("run", "hi").code == 0
    commit = "commit", "-qm", "First", "--allow-empty"
    for arguments in (("init", "-q"), ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", *commit)):
        subprocess.run(["git", *arguments], cwd=agls.workspace, check=True)
    assert agls.run("trust").code == 0
    for words in ("/worktree side", "/worktree remove side"):
        done = agls.run("run", words)
        assert (done.code, done.err) == (0, ""), words


def test_change_that_is_not_there_is_refused_with_the_reason(agls: Agls) -> None:
    agls.script({"text": "done"})
    assert agls.run("run", "hi").code == 0
    done = agls.run("changes", "undo", "a.py:7")
    assert (done.code, done.out) == (2, "")
    assert "There is no change that this applies to." in done.err
    assert done.err.endswith("agls changes list\n")


def test_record_of_runs_is_in_words(agls: Agls) -> None:
    agls.script(EDIT, {"text": "done"})
    assert agls.run("run", "hi").code == 0
    shown = agls.run("-c", "/audit").out
    assert ": done; " in shown
    assert "phaseStarted" not in shown


def test_file_that_cannot_be_written_is_said_without_numbers_of_the_system(agls: Agls) -> None:
    (agls.home / "memory").write_text("a file stands where a folder should be\n")
    agls.state.write_text("and here\n")
    for words in (("memory",), ("memory", "add", "x"), ("trust",)):
        done = agls.run(*words)
        assert done.code != 0, words
        assert ("Errno" in done.err, str(agls.home) in done.err) == (False, True), done.err


def test_plan_of_a_new_session_is_kept_and_gone_on_with(agls: Agls) -> None:
    added = agls.run("run", "/plan add write the docs").err
    assert "write the docs" in agls.run("-c", "/plan").out
    assert agls.run("run", "/plan").code == 0
    (session,) = agls.sessions()  # a plan that was only looked at is no work
    assert f'Go on in it: agls resume {session["sessionId"]} "…"' in added


def test_last_rewind_can_be_found_again_and_undone(agls: Agls) -> None:
    agls.script({"text": "done"})
    assert agls.run("run", "hi").code == 0
    agls.run("undo")
    listed = agls.run("rewind").out
    assert "This session is rewound to before its first prompt." in listed
    command = listed.splitlines()[-1].partition(": agls ")[2]
    assert agls.run(*command.split()).code == 0
    assert "0 files after" in agls.run("rewind").out


def test_empty_questions_and_wrong_answers_are_refused_in_words(agls: Agls) -> None:
    assert "There is nothing to explain" in agls.run("permissions", "explain", "").err
    (agls.workspace / "answers.json").write_text('[{"question": "Which?", "anser": "blue"}]')
    refused = agls.run("run", "hi", "--answers", "answers.json")
    assert "answer 1 has no 'answer'" in refused.err
    assert "“Stop the run” works only while a run is active." in agls.run("run", "/stop").err


def test_empty_list_of_trusted_folders_says_so(agls: Agls) -> None:
    assert agls.run("trust", "--list").err == "No folder is trusted.\n"


def test_quiet_run_does_not_mention_files_of_an_untrusted_folder(agls: Agls) -> None:
    agls.script({"text": "done"})
    (agls.workspace / "AGENTS.md").write_text("Be kind.\n")
    assert "AGENTS.md" in agls.run("run", "hi").err
    assert agls.run("run", "hi", "-q").err == ""


def test_group_of_commands_alone_lists_what_there_is(agls: Agls) -> None:
    agls.configure("")
    groups = dict.fromkeys(("config", "hooks", "key", "mcp", "permissions", "plugin"), "list")
    for group, below in (groups | {"explain": "instructions"}).items():
        alone, listed = agls.run(group), agls.run(group, below)
        assert (alone.code, alone.out, alone.err) == (0, listed.out, listed.err), group
    assert agls.run("config", "--json").out == agls.run("config", "list", "--json").out
    assert "COMMAND" in agls.run("mcp", "--help").out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("compact",), 'agls -c "/compact"'),
        (("undoo",), "undo"),
        (("review",), 'agls run "/review"'),
        (("commit",), 'agls run "/commit"'),
        (("doctr",), "doctor"),
        (("fork",), "agls sessions fork"),
        (("plan",), 'agls run --mode plan "…"'),
        (("plugin", "install", "x"), "agls plugin add"),
        (("plugin", "update", "x"), "agls plugin add SOURCE, which updates as well"),
        (("plugin", "upgrade", "x"), "agls plugin add SOURCE, which updates as well"),
        (("mcp", "add-json", "x"), "agls mcp add NAME JSON"),
        (("mcp", "rm", "x"), "agls mcp remove"),
    ],
)
def test_word_of_another_program_is_answered_with_the_command_here(
    agls: Agls, typed: tuple[str, ...], meant: str
) -> None:
    done = agls.run(*typed)
    word = typed[1] if len(typed) > 1 else typed[0]
    assert done.code == 2
    assert done.err.startswith(f"agls: there is no command {word!r}; did you mean {meant}")


def test_model_that_a_variable_decides_is_named_with_the_variable(agls: Agls) -> None:
    agls.configure("")
    agls.environment |= {
        "OPENAI_API_KEY": "k",
        "OPENAI_MODEL": "gpt-x",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    }
    shown = agls.run("config", "get", "model")
    assert (shown.out, shown.err) == ("gpt-x\n", "OPENAI_MODEL\n")
    agls.configure('[models.mine]\nbase_url = "http://127.0.0.1:9/v1"\n')
    assert agls.run("config", "get", "model").err == "the first of [models]\n"
    agls.configure("")
    agls.environment.clear()
    assert "no model is configured" in agls.run("config", "get", "model").err


def test_key_of_a_table_is_named_whole(agls: Agls) -> None:
    assert "did you mean 'permissions.mode'?" in agls.run("config", "set", "mode", "plan").err
    assert "did you mean 'permissions.mode'?" in agls.run("config", "get", "mode").err


def test_attached_files_that_are_not_what_they_seem_are_said(agls: Agls) -> None:
    agls.script({"text": "Fine."})
    (agls.workspace / "fake.png").write_text("no image\n")
    done = agls.run("run", "look", "--attach", "fake.png")
    assert (done.code, done.out) == (0, "Fine.\n")
    assert "fake.png is named like an image and is text" in done.err
    missing = agls.run("run", "look", "--attach", "missing")
    assert (missing.code, "there is no such file in" in missing.err) == (2, True)
    assert "it is a folder" in agls.run("run", "look", "--attach", ".").err
    assert len(agls.sessions()) == 1


def test_no_turns_are_refused_before_anything_is_made(agls: Agls) -> None:
    refused = agls.run("run", "hi", "--max-turns", "0")
    assert (refused.code, "Give 1 or more" in refused.err) == (2, True)
    assert agls.sessions() == []


def test_offline_list_of_models_says_what_was_not_looked_for(agls: Agls) -> None:
    agls.configure("")
    assert "were not looked for (--offline)" in agls.run("models", "--offline").err


def test_prepared_answers_that_are_no_list_are_called_so(agls: Agls) -> None:
    agls.script({"text": "Done."})
    (agls.workspace / "answers.json").write_text('{"answer": "yes"}')
    done = agls.run("run", "go", "--answers", "answers.json")
    assert done.code == 2
    assert 'they are no list; write a list such as [{"question"' in done.err
