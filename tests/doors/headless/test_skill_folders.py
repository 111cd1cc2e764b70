"""Skills of every convention from the command line: offered, loaded, explained, and kept."""

import json

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply
from support.skill_folders import offered_skills, results_read, write_skill

pytestmark = [pytest.mark.row(55), pytest.mark.timeout(300)]
PLACES = ("agls", "agents", "claude", "github", "codex", "cursor", "gemini", "opencode", "kimi")


def test_model_is_offered_skills_of_all_conventions_and_loads_one_bundled_one_and_a_command(
    agls: Agls,
) -> None:
    for place in PLACES:
        write_skill(agls.workspace / f".{place}/skills", f"in-{place}")
        write_skill(agls.home / f".{place}/skills", f"own-{place}")
    write_skill(agls.home / "skills")
    commands = agls.workspace / ".claude/commands"
    commands.mkdir()
    (commands / "fix.md").write_text("---\ndescription: Fix an issue\n---\nFix issue $1.\n")
    agls.run("trust", str(agls.workspace))
    calls = [("skill", {"name": name}) for name in ("pdf", "in-kimi", "create-skill")]
    command = ("skill", {"name": "fix", "arguments": "12"})
    replies = [
        Reply(calls=[*calls, command]),
        Reply(calls=[calls[0], ("skill", {"name": "pfd"})]),
        Reply("Done."),
    ]
    with ModelServer(replies) as server:
        done = agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert done.code == 0, done.err
        tool = offered_skills(server)
        first, again = results_read(server, 1), results_read(server)[-2:]
    names = {f"{whose}-{place}" for whose in ("in", "own") for place in PLACES}
    assert set(tool["parameters"]["properties"]["name"]["enum"]) == {*names, "pdf", "create-skill", "fix"}
    assert "- pdf: Handle pdf: when asked. (user)" in tool["description"]
    home = f"{agls.home}/skills/pdf"
    assert first[0] == (
        f'<skill name="pdf" folder="{home}">\nLook into references/forms.md, '
        f"run {home}/scripts/fill.sh.\n</skill>"
        f"\n\nFiles of the skill, in {home}. Read or run one when the instructions call for it: "
        "references/forms.md, scripts/fill.sh"
    )
    assert f"run {agls.workspace}/.kimi/skills/in-kimi/scripts/fill.sh." in first[1]
    assert "Write a skill: a folder" in first[2]
    assert first[3].endswith("Fix issue 12.")
    assert (
        again[0]
        == "The skill pdf is loaded already: its instructions stand above, and nothing of them changed."
    )
    assert again[1] == "There is no skill 'pfd' that you may load. Did you mean 'pdf'?"


def test_nothing_of_an_untrusted_folder_is_read_and_without_skills_the_tool_waits(agls: Agls) -> None:
    write_skill(agls.workspace / ".claude/skills")
    with ModelServer([Reply("Done.")]) as server:
        agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert offered_skills(server) == {}
        assert "pdf" not in json.dumps(server.posts[0].body)
    shown = agls.run("run", "/skills").out
    assert "pdf" not in shown
    assert f"Skills of {agls.workspace} are not read: nobody trusts the folder." in shown


def test_broken_skills_are_named_with_line_and_remedy_and_harm_no_other(agls: Agls) -> None:
    skills = agls.workspace / ".agls/skills"
    write_skill(skills)
    write_skill(skills, "bad", "---\nname: bad\ndescription: 'x\n---\nx")
    write_skill(skills, "odd", "---\nname: Odd\ndescription: x y\nhooks: none\n---\nx")
    agls.run("trust", str(agls.workspace))
    found = agls.run("doctor", "--offline").out
    assert ".agls/skills/bad/SKILL.md cannot be used: line " in found
    assert "its name 'Odd' should be up to 64 lower-case letters" in found
    assert "its hooks are no map of events: write them as in the settings" in found
    assert "**Cannot be used:** line " in agls.run("run", "/skills").out
    with ModelServer([Reply("Done.")]) as server:
        agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert offered_skills(server)["parameters"]["properties"]["name"]["enum"] == [
            "odd",
            "pdf",
            "create-skill",
        ]


def test_used_skill_survives_a_compaction_word_for_word_and_a_resume(agls: Agls) -> None:
    write_skill(agls.home / "skills")
    with ModelServer() as server:
        server.add(
            Reply(calls=[("skill", {"name": "pdf"})]), Reply("One."), Reply("A summary."), Reply("Two.")
        )
        where = ("--base-url", server.url, "--model", "m")
        first = agls.run("run", "go", "--output", "json", *where).whole["sessionId"]
        text = results_read(server)[0]
        assert agls.run("resume", first, "/compact", *where).code == 0
        done = agls.run("resume", first, "And now?", *where)
        assert done.code == 0, done.err
        messages = server.posts[-1].body["messages"]
    assert not [m for m in messages if m["role"] == "tool"], "the result was summed up"
    assert json.dumps(text)[1:-1] in json.dumps(messages)


def test_helper_has_the_skills_of_its_parent(agls: Agls) -> None:
    write_skill(agls.home / "skills")
    task = {"tasks": [{"prompt": "Do it."}]}
    load = Reply(calls=[("skill", {"name": "pdf"})])
    with ModelServer([Reply(calls=[("delegate", task)]), load, Reply("Done."), Reply("All.")]) as server:
        done = agls.run("run", "go", "--mode", "allowAll", "--base-url", server.url, "--model", "m")
        assert done.code == 0, done.err
        assert '<skill name="pdf"' in results_read(server, 2)[0]
