"""Names of arguments that models trained on other products write, and ours: one row for each tool.

Only what can mean nothing else is here: a time in milliseconds is no other name of one in seconds.
"""

from collections.abc import Mapping
from dataclasses import replace

from agls.engine.ports import ToolSpec
from agls.engine.vocabulary import JsonObject, ToolCall

PATH = (
    "file_path",
    "filePath",
    "filepath",
    "file",
    "filename",
    "absolute_path",
    "target_file",
    "relative_path",
)
FOLDER = ("dir_path", "directory", "dir", "folder", "directory_path", "target_directory", "search_path")
OLD = ("old_string", "oldString", "old_str", "old", "search")
NEW = ("new_string", "newString", "new_str", "new", "replace", "replacement")
CONTENT = ("contents", "text", "file_text", "file_content")
CASE = ("-i", "case_insensitive", "ignoreCase")
MOST = ("head_limit", "max_results", "maxResults", "max_matches")

OTHER_NAMES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "read_file": {"path": PATH},
    "write_file": {"path": PATH, "content": CONTENT},
    "edit_file": {"path": PATH, "old_text": OLD, "new_text": NEW, "replace_all": ("replaceAll",)},
    "edit_notebook": {
        "path": (*PATH, "notebook_path"),
        "cell": ("cell_number", "cell_index"),
        "action": ("edit_mode",),
        "source": ("new_source",),
        "type": ("cell_type",),
    },
    "multi_edit": {"path": PATH},
    "move_file": {
        "path": ("source", "source_path", "from", "src", "old_path"),
        "to": ("destination", "destination_path", "dest", "dst", "target", "new_path"),
    },
    "delete_file": {"path": PATH},
    "apply_patch": {"patch": ("input", "patch_text", "patchText", "diff")},
    "list_dir": {"path": (*FOLDER, "relative_workspace_path"), "max_entries": ("limit", *MOST)},
    "glob": {
        "pattern": ("glob", "glob_pattern", "globPattern", "file_pattern"),
        "path": FOLDER,
        "limit": MOST,
    },
    "grep": {
        "pattern": ("query", "regex", "regexp"),
        "path": (*FOLDER, "file_path", "filePath", "file"),
        "glob": ("include", "include_pattern", "includePattern", "file_pattern"),
        "exclude": ("exclude_pattern", "excludePattern"),
        "type": ("file_type",),
        "ignore_case": CASE,
        "context": ("-C", "context_lines"),
        "limit": MOST,
    },
    "shell": {
        "command": ("cmd", "script", "command_line", "commandLine"),
        "description": ("explanation",),
        "timeout_s": ("timeout_seconds", "timeout_sec", "timeout_secs"),
        "cwd": ("workdir", "working_directory", "workingDirectory", "directory", "dir_path"),
        "background": ("run_in_background", "is_background", "isBackground"),
    },
    "shell_task": {"task_id": ("bash_id", "shell_id", "taskId")},
    "code_intelligence": {
        "path": PATH,
        "symbol": ("symbolName", "symbol_name", "name", "query"),
        "limit": MOST,
    },
    "rename_symbol": {"path": PATH, "symbol": ("old_name", "oldName"), "new_name": ("newName",)},
    "web_fetch": {"url": ("uri", "address", "link")},
    "web_search": {
        "query": ("q", "search_query", "search_term"),
        "domains": ("allowed_domains", "include_domains"),
        "exclude_domains": ("blocked_domains",),
        "max_results": ("num_results", "count", "limit"),
    },
    "present_plan": {"plan": ("response", "plan_text")},
    "skill": {"name": ("skill", "skill_name")},
}
OURS: Mapping[str, Mapping[str, str]] = {
    tool: {theirs: ours for ours, others in row.items() for theirs in others}
    for tool, row in OTHER_NAMES.items()
}


def with_our_names(call: ToolCall, shown: Mapping[str, ToolSpec]) -> ToolCall:
    """Return the call with our names of its arguments.

    A name that the tool has itself stays, and so does one whose meaning the call gives a second time: that is
    a mistake, and the tool says which. `shown` are the tools that the model sees, by their names.
    """
    known = OURS.get(call.name, {})
    if not known.keys() & call.arguments.keys():
        return call
    spec = shown.get(call.name)
    own: JsonObject = spec.schema.get("properties", {}) if spec else dict.fromkeys(OTHER_NAMES[call.name])
    names = {name: known.get(name, name) if name not in own else name for name in call.arguments}
    meant = list(names.values())
    renamed = {
        ours if ours in own and meant.count(ours) == 1 else name: call.arguments[name]
        for name, ours in names.items()
    }
    return replace(call, arguments=renamed) if renamed != call.arguments else call
