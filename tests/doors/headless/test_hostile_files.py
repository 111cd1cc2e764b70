"""Files that nobody can read, or that are to hide something: each is named, and no run ends by one."""

import os

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_published_files import place, said

pytestmark = [pytest.mark.row(47), pytest.mark.timeout(300)]
GOOD = "---\ndescription: Good.\n---\nDo.\n"


def test_links_in_a_circle_and_pipes_are_named_or_left_out_and_harm_no_other(agls: Agls) -> None:
    skills, agents = agls.workspace / ".claude/skills", agls.workspace / ".claude/agents"
    place(agls.workspace, {".claude/skills/good/SKILL.md": GOOD, ".claude/agents/good.md": GOOD})
    for folder in (skills, agents):
        (folder / "loop").symlink_to("loop")
    for name in ("circle", "pipe", "gone"):
        (skills / name).mkdir()
    (skills / "circle/SKILL.md").symlink_to("SKILL.md")
    (skills / "gone/SKILL.md").symlink_to("nowhere")
    os.mkfifo(skills / "pipe/SKILL.md")
    os.mkfifo(agents / "pipe.md")
    agls.script({"text": "Done."})
    done = agls.run("run", "go", "--trust")
    assert (done.code, done.out.strip()) == (0, "Done."), done.err
    problems = {row["name"]: row["problem"] for row in said(agls, "/skills")["skills"]}
    assert problems["good"] == ""
    assert {name for name, problem in problems.items() if problem} == {"circle", "gone", "pipe"}
    assert "not a regular file" in problems["pipe"]
    agents_found = {row["name"]: row["problem"] for row in said(agls, "/agent.list")["agents"]}
    assert agents_found["good"] == ""
    assert "it is not a file" in agents_found["pipe"]
    doctor = agls.run("doctor", "--offline", "--trust").out
    for name in ("circle/SKILL.md", "gone/SKILL.md", "pipe/SKILL.md", "agents/pipe.md"):
        assert f"/{name} cannot be used" in doctor
    assert "a bug in agls" not in doctor


def test_hidden_characters_that_escapes_write_are_spelled_out(agls: Agls) -> None:
    hidden = r'"Good\u202edoog \U000e0041\x1b[31m"'
    place(
        agls.workspace,
        {
            ".claude/skills/one/SKILL.md": f"---\ndescription: {hidden}\n---\nDo.\n",
            ".claude/agents/two.md": f"---\nname: two\ndescription: {hidden}\n---\nDo.\n",
            ".claude/commands/three.md": f"---\ndescription: {hidden}\n---\nDo.\n",
            ".gemini/commands/four.toml": 'description = "Good\\u202e"\nprompt = "Do\\u202e."\n',
            ".codex/agents/five.toml": 'description = "Good\\u202e"\ndeveloper_instructions = "Do\\u202e."\n',
            "opencode.json": '{"agent": {"six": {"description": "Good\\u202e", "prompt": "Do."}}}',
        },
    )
    agls.run("trust", str(agls.workspace))
    for action, count in (("/skills", 1), ("/agent.list", 3), ("/command.list", 2)):
        shown = agls.run("run", action).out
        assert shown.count(r"Good\u{202e}") == count, shown
        assert not {"\u202e", "\U000e0041"} & {*shown}
    agls.script({"text": "Done."})
    asked = agls.run("run", "/four", "--output", "jsonl")
    assert r"Do\\u{202e}." in asked.out
