"""Tool calls in the spelling that hooks of other products know, and back.

The names and members are those of the hooks reference of Claude Code (docs/hooks.md has the table).
"""

from collections.abc import Mapping
from dataclasses import field

from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.modes import Mode

MILLISECONDS = 1000
MODE_NAMES: Mapping[Mode, str] = {
    "ask": "default",
    "acceptEdits": "acceptEdits",
    "plan": "plan",
    "allowAll": "bypassPermissions",
}


@frozen
class Spelling:
    """The other name of a tool, and of those arguments that have one: ours, then theirs."""

    name: str
    members: Mapping[str, str] = field(default_factory=dict[str, str])


SPELLINGS: Mapping[str, Spelling] = {
    "shell": Spelling("Bash", {"timeout_s": "timeout", "background": "run_in_background"}),
    "read_file": Spelling("Read", {"path": "file_path"}),
    "write_file": Spelling("Write", {"path": "file_path"}),
    "edit_file": Spelling("Edit", {"path": "file_path", "old_text": "old_string", "new_text": "new_string"}),
    "multi_edit": Spelling("MultiEdit", {"path": "file_path"}),
    "edit_notebook": Spelling("NotebookEdit", {"path": "notebook_path"}),
    "glob": Spelling("Glob"),
    "grep": Spelling("Grep"),
    "list_dir": Spelling("LS"),
    "web_fetch": Spelling("WebFetch"),
    "web_search": Spelling("WebSearch", {"domains": "allowed_domains", "exclude_domains": "blocked_domains"}),
    "plan": Spelling("TodoWrite"),
    "present_plan": Spelling("ExitPlanMode"),
    "delegate": Spelling("Task"),
}


def names_of(tool: str) -> tuple[str, ...]:
    """**Returns** the names by which a hook may mean a tool: ours, and the one of other products."""
    known = SPELLINGS.get(tool)
    return (tool, known.name) if known else (tool,)


def their_arguments(tool: str, arguments: JsonObject) -> JsonObject:
    """**Returns** the arguments of a call as hooks know them; a time is in milliseconds there."""
    members = SPELLINGS.get(tool, Spelling(tool)).members
    renamed = {members.get(name, name): value for name, value in arguments.items()}
    return _scaled(renamed, MILLISECONDS) if tool == "shell" else renamed


def our_arguments(tool: str, changed: JsonObject) -> JsonObject:
    """**Returns** arguments that a hook wrote, in whichever of the two spellings, as the tool takes them."""
    members = SPELLINGS.get(tool, Spelling(tool)).members
    back = {theirs: ours for ours, theirs in members.items()}
    scaled = _scaled(changed, 1 / MILLISECONDS) if tool == "shell" else changed
    return {back.get(name, name): value for name, value in scaled.items()}


def _scaled(arguments: JsonObject, factor: float) -> JsonObject:
    value = arguments.get("timeout")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return dict(arguments)
    return {**arguments, "timeout": value * factor}
