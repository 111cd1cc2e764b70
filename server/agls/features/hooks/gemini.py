"""Hooks in Gemini's form: its events and tools under its names, what such a hook gets, what its answer means.

Its events are ours under other names, as far as both mean the same (docs/hooks.md has the table).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from agls.engine.vocabulary import JsonObject
from agls.features.hooks.answers import (
    LONGEST,
    HookAnswer,
    answer_of_json,
    answer_of_program,
    json_of,
)
from agls.features.hooks.forms import ToolHookForm, checked_pattern
from agls.features.hooks.settings import Event
from agls.features.hooks.spelling import MILLISECONDS
from agls.frozen import frozen
from agls.json_values import is_object, object_in, text_in
from agls.short_text import cut

EVENTS: Mapping[str, Event] = {
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "BeforeAgent": "UserPromptSubmit",
    "AfterAgent": "Stop",
    "PreCompress": "PreCompact",
    "SessionStart": "SessionStart",
    "SessionEnd": "SessionEnd",
    "Notification": "Notification",
}
OF_TOOLS = ("BeforeTool", "AfterTool")
DECIDING = (*OF_TOOLS, "BeforeAgent", "AfterAgent")
NAMES: Mapping[str, Sequence[str]] = {  # of our tools there: the first is the one that a hook gets
    "shell": ("run_shell_command",),
    "edit_file": ("replace",),
    "multi_edit": ("replace",),
    "grep": ("search_file_content", "grep_search"),
    "list_dir": ("list_directory",),
    "web_search": ("google_web_search",),
    "plan": ("write_todos",),
    "remember": ("save_memory",),
    "skill": ("activate_skill",),
}
IN_FOLDERS = ("list_dir", "grep", "glob")  # their path is `dir_path` there
LONGEST_NAME = 60


@frozen
class GeminiForm(ToolHookForm):
    """How a hook of Gemini's differs."""

    @property
    def folder_names(self) -> Sequence[str]:
        """The variables with the folder."""
        return ("GEMINI_PROJECT_DIR", "GEMINI_CWD")

    @property
    def after_tools(self) -> str:
        """The event behind a call."""
        return "AfterTool"

    def tool_names(self, tool: str) -> Sequence[str]:
        """**Returns** the names of a tool there."""
        return NAMES.get(tool, (tool,))

    def file(self, ours: JsonObject) -> str:
        """**Returns** the file of a call, as hooks get it."""
        return text_in(object_in(ours, "tool_input").get("file_path"))

    def given(self, ours: JsonObject, content: str = "") -> JsonObject:
        """**Returns** what it gets."""
        members = ("session_id", "transcript_path", "cwd")
        data: JsonObject = {name: ours[name] for name in members} | {
            "hook_event_name": self.event,
            "timestamp": datetime.now(UTC).isoformat(),
            "agls": object_in(ours, "agls"),
        }
        return data | self._about(ours)

    def _about(self, ours: JsonObject) -> JsonObject:
        match self.event:
            case "BeforeTool" | "AfterTool":
                return self._of_call(ours)
            case "BeforeAgent":
                return {"prompt": text_in(ours.get("prompt"))}
            case "AfterAgent":
                return {
                    "prompt": text_in(ours.get("agls_prompt")),
                    "prompt_response": text_in(ours.get("last_assistant_message")),
                    "stop_hook_active": ours.get("stop_hook_active") is True,
                }
            case "Notification":
                message = text_in(ours.get("message"))
                return {"notification_type": "ToolPermission", "message": message, "details": {}}
            case _:
                return {name: ours[name] for name in ("source", "reason", "trigger") if name in ours}

    def _of_call(self, ours: JsonObject) -> JsonObject:
        tool = text_in(object_in(ours, "agls_tool").get("name"))
        said = dict(object_in(ours, "tool_input"))
        if tool in IN_FOLDERS and "path" in said:
            said["dir_path"] = said.pop("path")
        made: JsonObject = {"tool_name": self.tool_names(tool)[0], "tool_input": said}
        if "tool_response" in ours:
            text = text_in(object_in(ours, "tool_response").get("output"))
            made["tool_response"] = {"llmContent": text, "returnDisplay": text}
        elif "error" in ours:
            text = text_in(ours["error"])
            made["tool_response"] = {"llmContent": text, "returnDisplay": text, "error": text}
        return made

    def answer(self, code: int | None, output: str, errors: str, ours: JsonObject) -> HookAnswer:
        """**Returns** what its program said. **Raises** `HookFailed`."""
        if code == 0 and not output.lstrip().startswith("{"):
            return HookAnswer(message=cut(output.strip(), LONGEST))  # for the user: Gemini shows it
        if code == 0:
            said = json_of(output)
            return self._meant(said if is_object(said) else {}, ours)
        return self._meant(answer_of_program(code, output, errors, texts=False), ours)

    def _meant(self, said: HookAnswer | JsonObject, ours: JsonObject) -> HookAnswer:
        own: JsonObject = {}
        if not isinstance(said, HookAnswer):
            own = object_in(said, "hookSpecificOutput")
            said = self._read(said, own, ours)
        if self.event not in DECIDING:  # of the others Gemini takes texts only
            return replace(said, decision="", reason="", stop="")
        if self.event == "AfterTool" and said.decision == "deny":
            return replace(said, decision="", reason="", output=said.reason)
        return said

    def _read(self, said: JsonObject, own: JsonObject, ours: JsonObject) -> HookAnswer:
        """Return the answer in a JSON object. **Raises** `HookFailed`."""
        answer = answer_of_json({**said, "hookSpecificOutput": {}})
        context = cut(text_in(own.get("additionalContext")), LONGEST)
        output = own.get("tool_output") if self.event == "AfterTool" else None
        changed = own.get("tool_input") if self.event == "BeforeTool" else None
        return replace(
            answer,
            context=context,
            output=cut(output, LONGEST) if isinstance(output, str) else None,
            arguments=_merged(ours, changed) if is_object(changed) else None,
        )


def _merged(ours: JsonObject, changed: JsonObject) -> JsonObject:
    """Return the arguments of a call with those that a hook changed over them."""
    back = {("path" if name == "dir_path" else name): value for name, value in changed.items()}
    return {**object_in(ours, "tool_input"), **back}


def gemini_form(event: str, entry: JsonObject) -> GeminiForm:
    """**Returns** the form of an entry of the file. **Raises** `ValueError` for what is not read here."""
    return GeminiForm(event, checked_pattern(entry.get("matcher")) if event in OF_TOOLS else "")


def in_our_words(event: str, entry: JsonObject) -> JsonObject:
    """**Returns** an entry as one of `.agls/hooks.json`: there a time is in seconds."""
    kept = {name: entry[name] for name in ("type", "command") if name in entry}
    if isinstance(name := entry.get("name"), str):
        kept["name"] = cut(name, LONGEST_NAME)
    limit = entry.get("timeout")
    if isinstance(limit, int | float) and not isinstance(limit, bool):
        kept["timeout"] = limit / MILLISECONDS
    return {**kept, "matcher": "" if event in OF_TOOLS else text_in(entry.get("matcher"))}
