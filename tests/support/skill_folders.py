"""Skills in folders, and what a model reads of them."""

from pathlib import Path
from typing import Any

from support.model_server import ModelServer

PDF = """---
name: {name}
description: Handle {name}: when asked.
allowed-tools: Bash(touch *)
---
Look into references/forms.md, run ${{CLAUDE_SKILL_DIR}}/scripts/fill.sh.
"""
LOAD = {"name": "skill", "arguments": {"name": "pdf"}}


def write_skill(folder: Path, name: str = "pdf", text: str = PDF) -> Path:
    """Write a skill with a script and a text."""
    for file, content in {
        "SKILL.md": text.format(name=name),
        "scripts/fill.sh": "touch filled",
        "references/forms.md": "Forms.",
    }.items():
        path = folder / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder / name


def offered_skills(server: ModelServer, request: int = 0) -> dict[str, Any]:
    """Return the tool as the model is offered it, {} where it is not."""
    tools: list[dict[str, Any]] = [each["function"] for each in server.posts[request].body["tools"]]
    nothing: dict[str, Any] = {}
    return next((each for each in tools if each["name"] == "skill"), nothing)


def results_read(server: ModelServer, request: int = -1) -> list[str]:
    """Return the results of tools that the model reads."""
    return [m["content"] for m in server.posts[request].body["messages"] if m["role"] == "tool"]
