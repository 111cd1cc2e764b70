"""Agents inside a configuration of OpenCode: their texts, and the files that these name."""

import json
from pathlib import Path

import pytest

from agls.prompt_files.agent_places import AgentFolder
from agls.prompt_files.found_agents import find_agents, stamps_of

AGENTS = {
    "near": {"description": "Near: here", "prompt": "{file:./prompts/near.txt}"},
    "far": {"description": "Far.", "prompt": "Behind {file:../outside.txt} it."},
    "here": {"description": "Here.", "prompt": 'You write "docs".\nAlways.', "steps": 3},
    "half": {"model": "anthropic/some"},
    "old": {"description": "Old.", "prompt": "Do.", "disable": True},
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "outside.txt").write_text("for nobody")
    folder = tmp_path / "project"
    (folder / "prompts").mkdir(parents=True)
    (folder / "prompts/near.txt").write_text("You are near.")
    (folder / "opencode.json").write_text(json.dumps({"agent": AGENTS}))
    return folder


def configured(folder: Path) -> AgentFolder:
    return AgentFolder(str(folder), "", "project", str(folder), only="opencode.json", configuration=True)


def test_texts_are_those_of_the_configuration_and_of_files_in_the_folder(project: Path) -> None:
    found = {each.file.name: each for each in find_agents([configured(project)])}
    assert {name: each.file.prompt for name, each in found.items()} == {
        "near": "You are near.",
        "far": "Behind (the file ../outside.txt that stood here cannot be read) it.",
        "here": 'You write "docs".\nAlways.',
    }
    assert [each.file.problem for each in found.values()] == ["", "", ""]
    assert found["near"].file.description == "Near: here"
    assert found["here"].file.max_turns == 3


def test_link_to_a_file_outside_is_not_followed(project: Path) -> None:
    (project / "prompts/near.txt").unlink()
    (project / "prompts/near.txt").symlink_to(project.parent / "outside.txt")
    near = find_agents([configured(project)])[0]
    assert "cannot be read" in near.file.prompt


def test_change_of_the_configuration_is_seen_and_a_broken_one_is_named(project: Path) -> None:
    before = stamps_of([configured(project)])
    (project / "opencode.json").write_text('{"agent": ')
    assert stamps_of([configured(project)]) != before
    (broken,) = find_agents([configured(project)])
    assert broken.file.problem.startswith("it is not valid JSON")
    (project / "opencode.json").unlink()
    assert find_agents([configured(project)]) == []
