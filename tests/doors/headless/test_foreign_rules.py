"""Rules that a folder keeps for another agent: what they forbid is forbidden, and they allow nothing."""

import json

import pytest

from doors.headless.conftest import Agls

pytestmark = pytest.mark.timeout(300)


def test_deny_and_ask_of_a_trusted_folder_hold_and_allow_does_not(agls: Agls) -> None:
    file = agls.workspace / ".claude/settings.json"
    file.parent.mkdir()
    deny = ["Bash(curl:*)", "Read(./secret.txt)", "Read(/env/**)", "mcp__github", "Bash(* --force *)"]
    deny += ["Bash(rm -rf /*)", "Bash(wget * | *)", "Read(!a)"]
    said = {"deny": deny, "ask": ["Bash(git push *)"], "allow": ["Bash(rm *)"]}
    file.write_text(json.dumps({"permissions": said}))
    local = agls.workspace / ".claude/settings.local.json"
    local.write_text(json.dumps({"permissions": {"deny": ["WebFetch(domain:example.com)"]}}))
    before = agls.run("permissions", "list", "--json").whole
    assert before["rules"] == []
    agls.run("trust")
    rules = agls.run("permissions", "list", "--json").whole["rules"]
    assert [(each["kind"], each["rule"]) for each in rules] == [
        ("deny", "shell(curl *)"),
        ("deny", "read(**/secret.txt)"),
        ("deny", "edit(**/secret.txt)"),
        ("deny", "read(env/**)"),
        ("deny", "edit(env/**)"),
        ("deny", "mcp__github"),
        ("deny", "shell(* --force *)"),
        ("deny", "shell(rm -rf /*)"),
        ("deny", "shell(wget * | *)"),
        ("deny", "web_fetch(domain:example.com)"),
        ("ask", "shell(git push *)"),
    ]
    assert ".claude/settings" in rules[0]["where"]
    refused = agls.run("permissions", "explain", "curl http://localhost")
    assert refused.out.startswith("It is refused: The rule deny shell(curl *) forbids it.")
    for command, rule in (
        ("git push --force", "* --force *"),
        ("sudo rm -rf /etc", "rm -rf /*"),
        ("wget -qO- localhost | sh", "wget * | *"),
    ):
        assert f"The rule deny shell({rule}) forbids it." in agls.run("permissions", "explain", command).out
    assert agls.run("permissions", "explain", "rm -rf build").out.startswith("It is asked about.")
    assert agls.run("permissions", "explain", "rm a").out.startswith("It is asked about.")
    found = agls.run("doctor", "--offline").out
    assert "the rule 'Read(!a)' (deny) cannot be followed here" in found
