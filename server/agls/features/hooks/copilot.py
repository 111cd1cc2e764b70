"""Hooks in the form of Copilot: its names of tools and of what a hook gets; answers are read as ours are.

Events whose names begin with a capital letter have the form of Claude Code there, too, which is ours.
"""

import json
import time
from collections.abc import Mapping, Sequence

from agls.engine.vocabulary import JsonObject
from agls.features.hooks.answers import HookAnswer, answer_of_program
from agls.features.hooks.forms import ToolHookForm, checked_pattern
from agls.features.hooks.settings import Event
from agls.features.hooks.spelling import MILLISECONDS, names_of
from agls.frozen import frozen
from agls.json_values import is_object, object_in, text_in

EVENTS: Mapping[str, Event] = {
    "sessionStart": "SessionStart",
    "sessionEnd": "SessionEnd",
    "userPromptSubmitted": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "permissionRequest": "PermissionRequest",
    "agentStop": "Stop",
    "subagentStart": "SubagentStart",
    "subagentStop": "SubagentStop",
    "errorOccurred": "StopFailure",
    "preCompact": "PreCompact",
    "notification": "Notification",
}
OF_TOOLS = ("preToolUse", "postToolUse", "postToolUseFailure", "permissionRequest")
NAMES: Mapping[str, str] = {
    "shell": "bash",
    "edit_file": "edit",
    "multi_edit": "edit",
    "write_file": "create",
    "read_file": "view",
    "list_dir": "view",
    "web_fetch": "web_fetch",
    "delegate": "task",
    "plan": "update_todo",
}
MEMBERS: Mapping[str, Mapping[str, str]] = {  # of calls: ours, then theirs
    "edit_file": {"old_text": "old_str", "new_text": "new_str"},
    "write_file": {"content": "file_text"},
}
KEPT = ("source", "reason", "prompt", "trigger", "message", "stop_hook_active")


@frozen
class CopilotForm(ToolHookForm):
    """How a hook of Copilot's differs. Its pattern may have our names, too."""

    @property
    def folder_names(self) -> Sequence[str]:
        """The variables with the folder."""
        return ("COPILOT_PROJECT_DIR",)

    @property
    def after_tools(self) -> str:
        """The event behind a call."""
        return "postToolUse"

    def tool_names(self, tool: str) -> Sequence[str]:
        """**Returns** the names of a tool there, then those that our own hooks know."""
        return (NAMES.get(tool, tool), *names_of(tool))

    def file(self, ours: JsonObject) -> str:
        """**Returns** the file of a call."""
        return text_in(object_in(ours, "agls_tool", "input").get("path"))

    def given(self, ours: JsonObject, content: str = "") -> JsonObject:
        """**Returns** what it gets."""
        data: JsonObject = {
            "sessionId": ours["session_id"],
            "timestamp": int(time.time() * MILLISECONDS),
            "cwd": ours["cwd"],
            "hookEventName": self.event,
            "transcriptPath": ours["transcript_path"],
            "agls": object_in(ours, "agls"),
            **{name: ours[name] for name in KEPT if name in ours},
        }
        if "error" in ours and self.event not in OF_TOOLS:
            said = text_in(ours["error"])
            data["error"] = {"message": said, "name": text_in(ours.get("reason")) or "Error", "stack": ""}
        return data | self._of_call(ours)

    def _of_call(self, ours: JsonObject) -> JsonObject:
        call = object_in(ours, "agls_tool")
        if not call:
            return {}
        tool, members = text_in(call.get("name")), MEMBERS.get(text_in(call.get("name")), {})
        arguments = {members.get(name, name): value for name, value in object_in(call, "input").items()}
        made: JsonObject = {
            "toolName": self.tool_names(tool)[0],
            "toolArgs": json.dumps(arguments, ensure_ascii=False, separators=(",", ":")),
        }
        if "tool_response" in ours:
            text = text_in(object_in(ours, "tool_response").get("output"))
            made["toolResult"] = {"resultType": "success", "textResultForLlm": text}
        elif "error" in ours:
            made["toolResult"] = {"resultType": "failure", "textResultForLlm": text_in(ours["error"])}
        return made

    def answer(self, code: int | None, output: str, errors: str, ours: JsonObject) -> HookAnswer:
        """**Returns** what its program said. **Raises** `HookFailed`."""
        return answer_of_program(code, self._in_our_words(output, ours), errors, texts=False)

    def _in_our_words(self, output: str, ours: JsonObject) -> str:
        """Return its output with `modifiedArgs` as `updatedInput`; text that is no JSON stays as it is."""
        try:
            said = json.loads(output)
        except (ValueError, RecursionError):
            return output
        if not is_object(said) or not is_object(changed := said.get("modifiedArgs")):
            return output
        members = MEMBERS.get(text_in(object_in(ours, "agls_tool").get("name")), {})
        back = {theirs: name for name, theirs in members.items()}
        arguments = {back.get(name, name): value for name, value in changed.items()}
        return json.dumps({**said, "updatedInput": arguments})


def copilot_form(event: str, entry: JsonObject) -> CopilotForm:
    """**Returns** the form of an entry of the file. **Raises** `ValueError` for what is not read here."""
    return CopilotForm(event, checked_pattern(entry.get("matcher")) if event in OF_TOOLS else "")


def in_our_words(event: str, entry: JsonObject) -> JsonObject:
    """**Returns** an entry as one of `.agls/hooks.json`, whose matcher is not for the names of its tools."""
    return {**entry, "matcher": "" if event in OF_TOOLS else text_in(entry.get("matcher"))}
