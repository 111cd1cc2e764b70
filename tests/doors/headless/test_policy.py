"""Policies in the real program: what each key of a manifest does, and what no manifest can do."""

import json
from typing import Any

import pytest

from doors.headless.conftest import SCRIPTED, Agls, Done
from support.family import cast, delegate, task
from support.model_server import ModelServer, Reply
from support.rich_run import call

WRITE = call("write_file", path="a.txt", content="one\n")
RUN = ("run", "--trust", "--mode", "allowAll", "--output", "jsonl", "go")


def manifest(agls: Agls, name: str = ".agls-policy.json", **said: Any) -> None:
    """Write the policy of the folder."""
    (agls.workspace / name).write_text(json.dumps(said))


def shown(done: Done) -> list[str]:
    """The notices of a run."""
    return [str(each["data"]) for each in done.events if each.get("type") == "notice"]


def outputs(done: Done) -> list[str]:
    items = (each["data"]["item"] for each in done.events if each.get("type") == "itemCompleted")
    return [item["output"] for item in items if item["kind"] == "toolCall"]


@pytest.mark.row(45)
@pytest.mark.parametrize("said", [{"denyTools": ["write_file"]}, {"deny_tool_prefixes": ["write_"]}])
@pytest.mark.parametrize("name", [".agls-policy.json", ".claw-policy.json", ".codex-policy.json"])
def test_forbidden_tool_is_not_offered_and_refused(agls: Agls, said: dict[str, Any], name: str) -> None:
    manifest(agls, name, **said)
    calling = Reply(calls=[("write_file", {"path": "a.txt", "content": "one"})])
    with ModelServer([calling, Reply("done")]) as server:
        agls.configure(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n')
        done = agls.run(*RUN)
        offered = {tool["function"]["name"] for tool in server.posts[0].body["tools"]}
    assert "write_file" not in offered
    assert "edit_file" in offered
    assert outputs(done)[0].startswith(f"Not run: the policy of {name} forbids the tool write_file.")
    assert not (agls.workspace / "a.txt").exists()


@pytest.mark.row(45)
def test_forbidden_tool_is_forbidden_to_helpers_too(agls: Agls) -> None:
    manifest(agls, denyTools=["write_file"])
    write = Reply(calls=[("write_file", {"path": "a.txt", "content": "one"})])
    parts = {"ROOT": [delegate(task("WORK", "w")), Reply("All done.")], "WORK": [write, Reply("No.")]}
    with ModelServer(cast(parts)) as server:
        agls.configure(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n')
        assert agls.run("run", "--trust", "--mode", "allowAll", "ROOT").code == 0
    assert not (agls.workspace / "a.txt").exists()


@pytest.mark.row(45)
def test_model_reads_the_texts_before_a_prompt_once_and_around_tools(agls: Agls) -> None:
    guidance = {
        "beforePrompt": ["Tickets are named ABC-123."],
        "beforeTool": {"*": ["Think first."], "read_file": ["Read little."]},
        "afterTool": {"read_file": ["That was enough."]},
    }
    manifest(agls, hooks=guidance, managedSettings={"language": "Welsh"}, safeEnv=["CI_NAME"])
    (agls.workspace / "a.txt").write_text("one\n")
    reading = Reply(calls=[("read_file", {"path": "a.txt"}), ("read_file", {"path": "a.txt"})])
    agls.environment["CI_NAME"] = "canary-value"
    with ModelServer([reading, Reply("done"), Reply("again")]) as server:
        agls.configure(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n')
        agls.run(*RUN)
        agls.run("resume", "--trust", "again")
        first, second, third = (post.body for post in server.posts)
    tools = {tool["function"]["name"]: tool["function"]["description"] for tool in first["tools"]}
    assert tools["read_file"].endswith("\nThink first.\nRead little.")
    assert tools["write_file"].endswith("\nThink first.")
    before = str(first["messages"])
    assert "Tickets are named ABC-123." in before
    assert 'language": "Welsh' in before
    assert "CI_NAME" in before
    assert "canary-value" not in before
    roles = [message["role"] for message in second["messages"]]
    assert roles[-3:] == ["assistant", "tool", "tool"], "the texts stand in the results"
    assert str(second["messages"][-1]["content"]).endswith("That was enough.")
    assert str(third["messages"]).count("Tickets are named ABC-123.") == 1


@pytest.mark.row(45)
@pytest.mark.parametrize("turns", ["20", "1"])
def test_user_reads_the_texts_for_the_end_also_when_a_limit_ended_the_run(agls: Agls, turns: str) -> None:
    manifest(agls, hooks={"afterTurn": ["Ask for a review."]})
    agls.script({"calls": [WRITE]}, {"text": "done"})
    done = agls.run(*RUN, "--max-turns", turns)
    assert any("Ask for a review." in each for each in shown(done))


@pytest.mark.row(45)
def test_limit_of_a_policy_is_above_every_other(agls: Agls) -> None:
    manifest(agls, budget={"maxToolCalls": 1})
    agls.script({"calls": [WRITE]}, {"calls": [call("list_dir")]}, {"text": "done"})
    done = agls.run(*RUN, "--max-tool-calls", "30")
    assert done.events[-1]["data"]["stopReason"] in {"maxTurns", "budget"}, done.events[-1]


@pytest.mark.row(45)
def test_budget_of_a_policy_that_is_spent_asks_no_model(agls: Agls) -> None:
    manifest(agls, budget={"maxTurns": 0})
    agls.script({"text": "done"})
    done = agls.run(*RUN)
    assert done.events[-1]["data"]["stopReason"] in {"maxTurns", "budget"}, done.events[-1]
    assert not [event for event in done.events if event["type"] == "turnStarted"]


@pytest.mark.row(45)
def test_no_manifest_makes_a_folder_trusted(agls: Agls) -> None:
    manifest(agls, trusted=True, denyTools=["write_file"], hooks={"beforePrompt": ["Do as I say."]})
    agls.script({"calls": [WRITE]}, {"text": "done"})
    done = agls.run("run", "--mode", "acceptEdits", "--output", "jsonl", "go")
    assert "Do as I say." not in done.out
    assert (agls.workspace / "a.txt").exists(), "nothing of the folder counts"
    assert any("no file makes a folder trusted" in each for each in shown(agls.run(*RUN)))


@pytest.mark.row(47)
@pytest.mark.parametrize(
    ("text", "problem"), [("{", "Expecting"), ('{"denyTool": []}', "denyTool"), ("[]", "no JSON object")]
)
def test_broken_manifest_is_reported_and_the_others_hold(agls: Agls, text: str, problem: str) -> None:
    (agls.workspace / ".claw-policy.json").write_text(text)
    manifest(agls, denyTools=["write_file"])
    agls.script({"calls": [WRITE]}, {"text": "done"})
    done = agls.run(*RUN)
    assert any(".claw-policy.json" in each and problem in each for each in shown(done)), shown(done)
    assert not (agls.workspace / "a.txt").exists()
    listed = agls.run("run", "--trust", "/policy").out
    assert "- Policy of .agls-policy.json:" in listed
    assert "denyTools: ['write_file']" in listed
    assert "- Not followed: .claw-policy.json: " in listed


@pytest.mark.parametrize(
    "said", ['{"denyTools":["write_file"', '{"denyTools":"write_file"}', '{"denyTool":[]}']
)
def test_policy_that_cannot_be_understood_lets_only_tools_run_that_read(agls: Agls, said: str) -> None:
    (agls.workspace / ".agls-policy.json").write_text(said)
    calling = Reply(calls=[("list_dir", {}), ("write_file", {"path": "a.txt", "content": "one"})])
    with ModelServer([calling, Reply("done")]) as server:
        agls.configure(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n')
        done = agls.run(*RUN)
        offered = {tool["function"]["name"] for tool in server.posts[0].body["tools"]}
    assert "list_dir" in offered
    assert not offered & {"write_file", "shell"}
    listed, refused = outputs(done)
    assert ".agls-policy.json" in listed
    assert refused.startswith("Not run: the policy .agls-policy.json cannot be followed")
    assert not (agls.workspace / "a.txt").exists()
    (finding,) = policy_checks(agls)
    assert finding["status"] == "fail"
    assert "only tools that read may run" in finding["text"]


def test_unknown_key_of_a_policy_leaves_the_others_in_force(agls: Agls) -> None:
    manifest(agls, denyTools=["write_file"], foo=1, hooks={"afterTurn": ["Ask."], "later": 1})
    agls.script({"calls": [WRITE]}, {"calls": [call("edit_file", path="b.txt", edits=[])]}, {"text": "done"})
    done = agls.run(*RUN)
    denied, edited = outputs(done)
    assert denied.startswith("Not run: the policy of .agls-policy.json forbids the tool write_file.")
    assert "Not run: the policy" not in edited
    assert any("Ask." in each for each in shown(done))
    unknown = [(each["status"], each["text"]) for each in policy_checks(agls)]
    assert unknown == [
        ("warn", f".agls-policy.json: there is no key {key}. The rest of the file is followed.")
        for key in ("hooks.later", "foo")
    ]


def test_explaining_a_permission_says_that_a_policy_forbids_the_tool(agls: Agls) -> None:
    def explained(*arguments: str) -> str:
        return agls.run("permissions", "explain", "--trust", *arguments).out

    assert explained("ls").startswith("It runs without a question")
    manifest(agls, denyTools=["shell", "write_file"])
    assert explained("ls").startswith(
        "It is refused: the policy of .agls-policy.json forbids the tool shell."
    )
    assert "policy" not in explained("a.txt", "--kind", "edit"), "edit_file is left"
    (agls.workspace / ".agls-policy.json").write_text("{")
    assert "the policy .agls-policy.json cannot be followed" in explained("a.txt", "--kind", "edit")
    assert "policy" not in explained(".agls-policy.json", "--kind", "read").replace("agls-policy", "")


def policy_checks(agls: Agls) -> list[dict[str, str]]:
    """What the doctor says of policies."""
    checks = agls.run("doctor", "--offline", "--json", "--trust").whole["checks"]
    return [each for each in checks if each["name"] == "policy"]


def test_explaining_a_permission_says_where_the_command_would_run(agls: Agls) -> None:
    def explained(*arguments: str) -> str:
        return agls.run("permissions", "explain", "--trust", "--mode", "allowAll", *arguments).out

    assert "sandbox" in explained("touch x").splitlines()[1]
    agls.configure(f'{SCRIPTED}[sandbox]\nuse = "off"\n')
    assert "outside of any sandbox, which is switched off" in explained("touch x")
    assert "sandbox" not in agls.run("permissions", "explain", "touch x", "--mode", "ask").out


def test_users_own_policy_holds_in_every_folder(agls: Agls) -> None:
    agls.configure(f'{SCRIPTED}[policy.own]\ndenyTools = ["write_file"]\n')
    agls.script({"calls": [WRITE]}, {"text": "done"})
    assert outputs(agls.run(*RUN))[0].startswith("Not run: the policy of your config file")


def test_only_the_managed_file_says_what_is_managed(agls: Agls) -> None:
    agls.configure(f'{SCRIPTED}[policy.managed]\ndenyTools = ["write_file"]\n')
    agls.script({"calls": [WRITE]}, {"text": "done"})
    done = agls.run(*RUN)
    assert "policy.managed was ignored" in done.out + done.err
    assert (agls.workspace / "a.txt").exists()
