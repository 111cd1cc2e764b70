"""Tool calls in the spelling that hooks of other products know, and back.

The names and members are those of the hooks reference of Claude Code (docs/hooks.md has the table).
"""

from collections.abc import Mapping
from posixpath import join, normpath

from agls.engine.vocabulary import JsonObject
from agls.json_values import object_in, text_in
from agls.modes import Mode
from agls.other_tool_names import OTHER_TOOL_NAMES, OtherNames

MILLISECONDS = 1000
MODE_NAMES: Mapping[Mode, str] = {
    "ask": "default",
    "acceptEdits": "acceptEdits",
    "plan": "plan",
    "allowAll": "bypassPermissions",
}


FILES = ("file_path", "notebook_path")
AGENTS: Mapping[str, str] = {  # of ours, as Claude Code calls them
    "": "general-purpose",
    "general": "general-purpose",
    "explore": "Explore",
    "plan": "Plan",
}
HELPER = "helper"  # any of them
NOTICES: Mapping[str, str] = {"plan_prompt": "permission_prompt", "form_prompt": "elicitation_dialog"}
NO_OTHER = OtherNames()
HANDING_OVER = ("Task", "Agent")  # the former name of that tool in Claude Code, and the present one
OF_AGENT = "agent__"  # begins the names of tools that each hand work to one agent
OF_AGENTS: Mapping[str, str] = {"task": "prompt", "background": "run_in_background"}
WHO = "subagent_type"


def names_of(tool: str) -> tuple[str, ...]:
    """**Returns** the names by which a hook may mean a tool: ours, and the present one elsewhere last."""
    if tool == "delegate" or tool.startswith(OF_AGENT):
        return (tool, *HANDING_OVER)
    known = OTHER_TOOL_NAMES.get(tool, NO_OTHER)
    return (tool, known.hook) if known.hook else (tool,)


def agent_names_of(agent: str) -> tuple[str, ...]:
    """**Returns** the names by which a hook may mean a helper, the one of other products first."""
    return tuple(dict.fromkeys((AGENTS.get(agent, agent), agent or HELPER, HELPER)))


def notice_names_of(kind: str) -> tuple[str, ...]:
    """**Returns** the names by which a hook may mean a question, ours first."""
    return (kind, NOTICES[kind]) if kind in NOTICES else (kind,)


def their_arguments(tool: str, arguments: JsonObject) -> JsonObject:
    """**Returns** the arguments of a call as hooks know them; a time is in milliseconds there."""
    members = _members(tool)
    renamed = {members.get(name, name): value for name, value in arguments.items()}
    if tool.startswith(OF_AGENT):
        agent = tool.removeprefix(OF_AGENT)
        renamed[WHO] = AGENTS.get(agent, agent.replace("__", ":"))
    return _scaled(renamed, MILLISECONDS) if tool == "shell" else renamed


def our_arguments(tool: str, changed: JsonObject) -> JsonObject:
    """**Returns** arguments that a hook wrote, in whichever of the two spellings, as the tool takes them."""
    back = {theirs: ours for ours, theirs in _members(tool).items()}
    scaled = _scaled(changed, 1 / MILLISECONDS) if tool == "shell" else changed
    added = {WHO} if tool.startswith(OF_AGENT) else set[str]()
    return {back.get(name, name): value for name, value in scaled.items() if name not in added}


def with_whole_paths(data: JsonObject, folder: str) -> JsonObject:
    """**Returns** what a hook gets with the file of a call as an absolute path, as other products give it."""
    said = object_in(data, "tool_input")
    paths = {name: said[name] for name in FILES if isinstance(said.get(name), str) and said[name]}
    if not paths or "agls_tool" not in data or text_in(data.get("tool_name")).startswith("mcp__"):
        return data
    whole = {name: normpath(join(folder, path)) for name, path in paths.items()}
    return {**data, "tool_input": {**said, **whole}}


def _members(tool: str) -> Mapping[str, str]:
    return OF_AGENTS if tool.startswith(OF_AGENT) else OTHER_TOOL_NAMES.get(tool, NO_OTHER).members


def _scaled(arguments: JsonObject, factor: float) -> JsonObject:
    value = arguments.get("timeout")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return dict(arguments)
    return {**arguments, "timeout": value * factor}
