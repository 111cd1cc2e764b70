"""`agls doctor`: the same findings as in the editors, an exit code, and no secret."""

import json
from typing import Any

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from support.model_replies import page
from support.model_server import Failure, ModelServer, Reply
from support.wire import Wire

pytestmark = pytest.mark.timeout(150)  # several processes, on a slow machine
KEY = "sk-canary-doctor-4711"
CALL = Reply(calls=[("report", {"word": "ready"})])
PAGES = {"/v1/models": page({"data": [{"id": "large", "context_length": 32768}]})}


def checks(report: dict[str, Any]) -> dict[str, str]:
    return {check["name"]: check["status"] for check in report["checks"]}


def configure(agls: Agls, url: str) -> None:
    agls.configure(f'model = "m"\n[models.m]\nmodel = "large"\nbase_url = "{url}"\napi_key_env = "K"\n')
    agls.config_file.chmod(0o600)
    agls.environment["K"] = KEY


def test_machine_without_problems(agls: Agls) -> None:
    with ModelServer([CALL, CALL], pages=PAGES) as server:
        configure(agls, server.url)
        done, shown = agls.run("doctor", "--json"), agls.run("doctor")
    assert (done.code, shown.code, done.err) == (0, 0, "")
    assert checks(done.whole)["tools"] == "pass"
    assert "ok    tools        The model calls tools." in shown.out
    assert shown.out.splitlines()[-1].startswith(("Everything works", "Nothing failed"))


def test_wrong_key_fails_and_is_not_shown(agls: Agls) -> None:
    refuse = Failure(401, f"Incorrect API key provided: {KEY}")
    with ModelServer(lambda request: refuse, pages={"/v1/models": refuse.raw()}) as server:
        configure(agls, server.url)
        done = agls.run("doctor")
    assert done.code == 1
    assert "-> Check the key in the environment variable K." in done.out
    assert KEY not in done.out + done.err


def test_a_broken_configuration_is_what_it_is_for(agls: Agls) -> None:
    agls.configure(f'model = "m"\n[models.m\napi_key = "{KEY}"\n')
    done = agls.run("doctor", "--json", "--offline")
    assert done.code == 1
    config = next(check for check in done.whole["checks"] if check["name"] == "config")
    assert config["status"] == "fail"
    assert f"{agls.config_file}:2" in config["text"]
    assert KEY not in done.out + done.err


def test_an_editor_gets_the_same_findings(agls: Agls) -> None:
    with ModelServer([CALL, CALL], pages=PAGES) as server:
        configure(agls, server.url)
        alone = agls.run("doctor", "--json").whole
        command = ["env", *(f"{name}={value}" for name, value in agls.environment.items())]
        command += [f"AGLS_CONFIG={agls.config_file}", f"AGLS_STATE_DIR={agls.state}"]
        with Wire(agls.workspace, command=[*command, *Agls.argv(("serve", "--stdio"))]) as wire:
            wire.initialize()
            session = wire.session()
            params = {"sessionId": session, "name": "doctor", "input": {}}
            outcome = wire.call("agent/action/invoke", params)
            said = json.dumps(wire.messages)
    assert checks(outcome["data"]) == checks(alone)
    assert outcome["data"]["ok"] is True
    assert KEY not in said


def test_an_editor_can_ask_it_when_the_model_cannot_be_used(agls: Agls) -> None:
    agls.configure('model = "m"\n[models.m]\nbase_url = "http://127.0.0.1:1/v1"\napi_key_env = "NOT_SET"\n')
    command = ["env", f"AGLS_CONFIG={agls.config_file}", f"AGLS_STATE_DIR={agls.state}"]
    with Wire(agls.workspace, command=[*command, *Agls.argv(("serve", "--stdio"))]) as wire:
        wire.initialize()
        params = {"sessionId": wire.session(), "name": "doctor", "input": {"offline": True}}
        outcome = wire.call("agent/action/invoke", params)
    assert checks(outcome["data"])["model"] == "fail"
    assert "NOT_SET is not set" in outcome["output"][0]["text"]


def test_command_files_that_cannot_be_used_are_found(agls: Agls) -> None:
    """Those of the user, and of a folder that is trusted; nothing else is opened."""
    (agls.home / "commands").mkdir()
    (agls.home / "commands/empty.md").write_text("---\ndescription: nothing\n---\n")
    (agls.home / "commands/good.md").write_text("Do it.\n")
    below = agls.workspace / ".agls/commands"
    below.mkdir(parents=True)
    (below / "two words.md").write_text("Do it.\n")

    def found(*more: str) -> list[str]:
        checks = agls.run("doctor", "--offline", "--json", *more).whole["checks"]
        return [each["text"] for each in checks if each["name"] == "commands"]

    (own,) = found()
    assert "empty.md cannot be used: it has no text behind its front matter." in own
    both = found("--trust")
    assert len(both) == 2
    assert any("two words.md cannot be used: " in text for text in both)
    (agls.home / "commands/empty.md").unlink()
    assert found() == ["All command files can be used (1)."]


def test_script_that_cannot_be_played_is_found_and_ends_a_run_as_wrong_configuration(agls: Agls) -> None:
    agls.configure('model = "s"\n[models.s]\ndialect = "scripted"\nscript = "absent.json"\n')
    checked, ran = agls.run("doctor", "--json"), agls.run("run", "hello")
    assert checks(checked.whole)["model"] == "fail"
    assert ran.code == 2
    assert "absent.json cannot be played: No such file or directory." in ran.err
    assert "Go on with" not in ran.err


def test_servers_of_the_config_file_that_cannot_start_are_found(agls: Agls) -> None:
    settings = '[mcp.servers.{}]\ncommand = "{}"\n'.format
    good = settings("good", "sh") + settings("off", "nosuchprog") + "enabled = false\n"
    no_variable = '[mcp.servers.web]\nurl = "https://${NO_VARIABLE}/mcp"\n'

    def found() -> list[tuple[str, str]]:
        checks = agls.run("doctor", "--offline", "--json").whole["checks"]
        return [(each["status"], each["text"]) for each in checks if each["name"] == "MCP servers"]

    agls.configure(good + settings("bad", "nosuchprog") + no_variable)
    program, variable = found()
    assert program[0] == variable[0] == "warn"
    assert program[1].startswith("The server bad cannot be used: there is no program nosuchprog")
    assert variable[1].startswith("The server web cannot be used: the variable NO_VARIABLE is not set")
    assert "The server bad cannot be used" in agls.run("run", "/doctor offline=true").out
    agls.configure(good)
    assert found() == [("pass", "Nothing is missing for the servers in your config file (1).")]


def test_names_of_models_that_there_are_not_are_found_with_their_places(agls: Agls) -> None:
    file = agls.workspace / ".agls" / "agents" / "tidy.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\nname: tidy\ndescription: Tidies.\nmodel: stong\n---\nTidy up.\n")
    agls.script({"text": "done"})
    agls.configure(f"""{SCRIPTED}fallback = "scriptd"
[tiers]
fsat = "scripted"
strong = "large"
[agents.reviewer]
description = "Reviews."
tier = "storng"
[[agents.reviewer.phases]]
name = "look"
prompt = "Look."
tier = "quick"
[critic]
model = "scripted"
""")
    found = agls.run("doctor", "--offline")
    for problem, fix in (
        ("models.scripted.fallback (user file, {file}:5) names 'scriptd'", "Did you mean scripted?"),
        (
            "tiers.strong (user file, {file}:8) names 'large'",
            "Write one of default, fast, strong, fsat, scripted",
        ),
        ("tiers.fsat (user file, {file}:7) is a tier that nothing asks for", "Did you mean fast?"),
        ("agents.reviewer.tier (user file, {file}:11) names 'storng'", "Did you mean strong?"),
        ("agents.reviewer.phases (user file, {file}:12) names 'quick'", "Write one of default"),
    ):
        after = found.out.partition(problem.format(file=agls.config_file))[2]
        assert fix in after.splitlines()[1], problem
    assert "critic.model" not in found.out
    assert "tidy.md" not in found.out  # the folder is not trusted
    assert agls.run("trust").code == 0
    assert f"{file}: there is no model or tier 'stong'" in agls.run("doctor", "--offline").out
    assert found.code == 0


def test_names_of_models_that_there_are_leave_no_finding(agls: Agls) -> None:
    agls.script({"text": "done"})
    agls.configure(f"""{SCRIPTED}[tiers]
fast = "scripted"
careful = "scripted"
[agents.reviewer]
description = "Reviews."
tier = "careful"
[agents.other]
description = "Is of a server of this machine that may not run now."
tier = "ollama/qwen3"
""")
    assert "model names" not in agls.run("doctor", "--offline").out


def test_skill_of_which_a_part_is_not_followed_needs_no_correction(agls: Agls) -> None:
    agls.configure("")
    for name, more in (("powershell", "shell: powershell\n"), ("broken", "description: [\n")):
        file = agls.workspace / ".claude" / "skills" / name / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(f"---\nname: {name}\ndescription: Does things.\n{more}---\nDo it.\n")
    checks = agls.run("doctor", "--offline", "--json", "--trust").whole["checks"]
    found = {
        name: check["fix"] for check in checks for name in ("powershell", "broken") if name in check["text"]
    }
    assert found["powershell"].startswith("All else in it works.")
    assert found["broken"].startswith("Correct the file.")
