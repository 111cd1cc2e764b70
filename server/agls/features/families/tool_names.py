"""Calls of tools by the names of other products, on which models were trained, become calls of ours."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from agls.engine.vocabulary import JsonObject, ToolCall
from agls.features.families.search_blocks import read_search_blocks
from agls.other_tool_names import OTHER_TOOL_NAMES

OUR_TOOLS: Mapping[str, str] = {
    other: ours for ours, row in OTHER_TOOL_NAMES.items() for other in row.called.split()
}
EDITORS = frozenset({"str_replace_based_edit_tool", "str_replace_editor"})  # several tools in one
BLOCKS = frozenset({"replace_in_file", "apply_diff"})  # edits between SEARCH and REPLACE
MILLISECONDS = 1000  # a time of `Bash`, with a capital, is given in them
STOPPING = frozenset({"killshell", "killbash", "taskstop"})  # they look at a task and end it
PREFIXES = frozenset({"functions", "function", "default_api", "tools"})  # before a dot, of some servers
SEARCHED = frozenset({"multi_edit", "edit_notebook"})  # not shown where there is:
FINDER = "find_tools"
INSTEAD = (
    "{name} was not run: there is no such tool here. Call read_file to view, write_file to create, edit_file "
    "to replace a text. To insert lines call edit_file: old_text is the line above them, new_text that line "
    "and the new ones below it. An edit is undone by another edit."
)
COMMANDS: Mapping[object, str] = {"view": "read_file", "create": "write_file", "str_replace": "edit_file"}


def with_our_tool(call: ToolCall, offered: Collection[str]) -> ToolCall:
    """Return the call with our name of its tool, where no tool has the name that the call says.

    `offered` are the names of all tools of the run: a call is never led to one that is not there.
    """
    if call.malformed or (call.name in offered and _of_edits(call.name, call.arguments) == call.name):
        return call
    prefix, _, bare = call.name.rpartition(".")
    said = bare if prefix in PREFIXES else call.name
    name, arguments = said.lower(), dict(call.arguments)
    if name in STOPPING and "stop" not in arguments:
        arguments["stop"] = True
    if said == "Bash" and type(arguments.get("timeout")) is int and "timeout_s" not in arguments:
        arguments["timeout_s"] = -(-arguments.pop("timeout") // MILLISECONDS)
    if name in BLOCKS:
        ours, arguments = _by_blocks(arguments)
    elif name in EDITORS:
        command = arguments.pop("command", None)
        ours = COMMANDS.get(command, "") if isinstance(command, str) else ""
    else:
        ours = name if name in OUR_TOOLS.values() else OUR_TOOLS.get(name, "")
    ours = _of_edits(ours, arguments)
    is_there = ours in offered or (ours in SEARCHED and FINDER in offered)
    return replace(call, name=ours, arguments=arguments) if is_there else call


def _of_edits(name: str, given: JsonObject) -> str:
    """Return the tool for an edit: other products have one tool for one place and for a list of them."""
    is_list = isinstance(given.get("edits"), list) and not {"old_text", "old_string"} & given.keys()
    return "multi_edit" if name == "edit_file" and is_list else name


def _by_blocks(given: JsonObject) -> tuple[str, JsonObject]:
    """Return the tool and its arguments for edits between SEARCH and REPLACE; "" for what is none of them.

    One that replaces nothing is the whole text of a file.
    """
    diff = given.get("diff")
    edits = read_search_blocks(diff) if isinstance(diff, str) else ()
    others = {name: value for name, value in given.items() if name != "diff"}
    if not edits:
        return "", given
    if len(edits) > 1:
        return "multi_edit", {**others, "edits": edits}
    if not edits[0]["old_text"]:
        return "write_file", {**others, "content": edits[0]["new_text"]}
    return "edit_file", {**others, **edits[0]}
