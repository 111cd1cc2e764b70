"""Hooks in Cursor's form: what such a hook gets, which calls it sees, and what its answer means.

Its events are ours under other names, as far as both mean the same (docs/hooks.md has the table).
"""

import json
from collections.abc import Mapping, Sequence
from posixpath import join

from agls.engine.vocabulary import JsonObject
from agls.features.hooks.answers import (
    BLOCKED,
    DECISIONS,
    LONGEST,
    NOTHING,
    HookAnswer,
    HookFailed,
    answer_of_program,
    json_of,
)
from agls.features.hooks.matching import check_expression, fits_anywhere
from agls.features.hooks.settings import Event
from agls.frozen import frozen
from agls.json_values import is_object, object_in, objects_in, text_in
from agls.regex import regex
from agls.short_text import cut

SHELL = "beforeShellExecution"
MCP = "beforeMCPExecution"
READ = "beforeReadFile"
EDIT = "afterFileEdit"
AFTER_SHELL = "afterShellExecution"
AFTER_MCP = "afterMCPExecution"
PROMPT = "beforeSubmitPrompt"
STOP = "stop"
EVENTS: Mapping[str, tuple[Event, str]] = {  # our event, and the matcher for its tools
    SHELL: ("PreToolUse", "shell"),
    MCP: ("PreToolUse", "^mcp__"),
    READ: ("PreToolUse", "read_file"),
    EDIT: ("PostToolUse", "edit_file,write_file"),
    AFTER_SHELL: ("PostToolUse", "shell"),
    AFTER_MCP: ("PostToolUse", "^mcp__"),
    PROMPT: ("UserPromptSubmit", ""),
    STOP: ("Stop", ""),
}
NEWER = frozenset(["afterAgentResponse", "afterAgentThought", "beforeTabFileRead", "afterTabFileEdit"])
NOT_YET = "Cursor has the event {}, agls has not: this hook never runs, and all others do"
BEHIND = frozenset({EDIT, AFTER_SHELL, AFTER_MCP})  # what these say counts for nothing
FOR_COMMANDS = frozenset({SHELL, AFTER_SHELL})
TOOLS = {"Shell": "Bash", "Write": "Write|Edit|MultiEdit|NotebookEdit"}  # the others have the same name
_NAMED = regex(rf"\b(?:{'|'.join(TOOLS)})\b")
_OF_SERVER = regex(r"\bMCP:(\w*)")
USUAL_LOOPS = 5  # times that a hook for the end lets the agent go on, unless it says another number
NO_MATCHER = "a matcher is a text, and for {} alone: take it out, or write the hook into .agls/hooks.json"
NO_LIMIT = "loop_limit is a number or null: correct it"


@frozen
class CursorForm:
    """How a hook of Cursor's differs: its `event`, the `pattern` for commands, its limit for going on."""

    event: str
    pattern: str = ""
    most: int | None = USUAL_LOOPS

    def fits(self, data: JsonObject) -> bool:
        """**Returns** whether a call is one that it wants to see: the pattern is for the command."""
        command = text_in(object_in(data, "tool_input").get("command"))
        return not self.pattern or fits_anywhere(self.pattern, command)

    def given(self, ours: JsonObject, content: str = "") -> JsonObject:
        """**Returns** what it gets; `content` is that of the file which is about to be read."""
        data: JsonObject = {
            "conversation_id": ours["session_id"],
            "generation_id": object_in(ours, "agls").get("run_id"),
            "hook_event_name": self.event,
            "workspace_roots": [ours["cwd"]],
            "transcript_path": ours["transcript_path"],
            "agls": object_in(ours, "agls"),
        }
        call = object_in(ours, "agls_tool")
        arguments = object_in(call, "input")
        match self.event:
            case "beforeShellExecution":
                return data | {"command": text_in(arguments.get("command")), "cwd": ours["cwd"]}
            case "beforeMCPExecution":
                name = text_in(call.get("name")).rpartition("__")[2]
                said = json.dumps(arguments, ensure_ascii=False)
                return data | {"tool_name": name, "tool_input": said, "agls_tool": call}
            case "afterShellExecution":
                return data | {"command": text_in(arguments.get("command")), "output": _came_of(ours)}
            case "afterMCPExecution":
                name = text_in(call.get("name")).rpartition("__")[2]
                said = json.dumps(arguments, ensure_ascii=False)
                came = json.dumps({"content": [{"type": "text", "text": _came_of(ours)}]}, ensure_ascii=False)
                return data | {"tool_name": name, "tool_input": said, "result_json": came, "agls_tool": call}
            case "beforeReadFile":
                return data | {"file_path": self.file(ours), "content": content, "attachments": []}
            case "afterFileEdit":
                return data | {"file_path": self.file(ours), "edits": [_edit(arguments)]}
            case "beforeSubmitPrompt":
                files = [
                    {"type": "file", "file_path": each.get("uri")}
                    for each in objects_in(ours.get("attached"))
                ]
                return data | {"prompt": text_in(ours.get("prompt")), "attachments": files}
            case _:
                return data | {"status": "completed", "loop_count": _times(ours)}

    @property
    def folder_names(self) -> Sequence[str]:
        """The variables with the folder."""
        return ("CURSOR_PROJECT_DIR",)

    @property
    def also(self) -> Sequence[Event]:
        """The events that it sees besides its own: those behind commands and servers see failures, too."""
        return ("PostToolUseFailure",) if self.event in {AFTER_SHELL, AFTER_MCP} else ()

    @property
    def sees_content(self) -> bool:
        """Whether it gets the text of the file that is about to be read."""
        return self.event == READ

    def file(self, ours: JsonObject) -> str:
        """**Returns** the file of a call, absolute."""
        return join(text_in(ours["cwd"]), text_in(object_in(ours, "agls_tool", "input").get("path")))

    def answer(self, code: int | None, output: str, errors: str, ours: JsonObject) -> HookAnswer:
        """**Returns** what its program said. **Raises** `HookFailed`."""
        if code != 0 or not output.lstrip().startswith("{"):
            answer = answer_of_program(code, "" if code == 0 else output, errors, texts=False)
            return NOTHING if code == BLOCKED and self.event in {*BEHIND, STOP} else answer
        said = json_of(output)
        return self._answer(said, ours) if is_object(said) else NOTHING

    def _answer(self, said: JsonObject, ours: JsonObject) -> HookAnswer:
        if self.event in BEHIND:
            return NOTHING
        if self.event == STOP:
            reason = cut(text_in(said.get("followup_message")), LONGEST)
            goes_on = reason and (self.most is None or _times(ours) < self.most)
            return HookAnswer(decision="deny", reason=reason) if goes_on else NOTHING
        for_user, for_agent = _said(said, "user_message"), _said(said, "agent_message")
        word = "deny" if said.get("continue") is False else str(said.get("permission") or "")
        if word and word not in DECISIONS:
            raise HookFailed(f"it decided {cut(word, 40)!r}, which is none of allow, ask, deny")
        return HookAnswer(decision=DECISIONS.get(word, ""), reason=for_agent or for_user, message=for_user)


def cursor_form(event: str, entry: JsonObject) -> CursorForm:
    """**Returns** the form of an entry of the file. **Raises** `ValueError` for what is not read here."""
    pattern = entry.get("matcher") or ""
    if pattern and (event not in FOR_COMMANDS or not isinstance(pattern, str)):
        raise ValueError(NO_MATCHER.format(SHELL))
    check_expression(pattern)
    most = entry.get("loop_limit", USUAL_LOOPS)
    if most is not None and (isinstance(most, bool) or not isinstance(most, int)):
        raise ValueError(NO_LIMIT)
    return CursorForm(event, pattern, most)


def in_our_words(event: str, entry: JsonObject) -> JsonObject:
    """**Returns** an entry as one of `.agls/hooks.json`."""
    kept = {name: entry[name] for name in ("type", "command", "prompt", "timeout", "cwd") if name in entry}
    return {**kept, "matcher": EVENTS[event][1]}


def in_our_names(matcher: object) -> object:
    """**Returns** a matcher for tools as Cursor calls them, with the names of ours."""
    if not isinstance(matcher, str):
        return matcher
    named = _OF_SERVER.sub(r"mcp__.+__\1", matcher)
    return _NAMED.sub(lambda found: TOOLS[found[0]], named)


def _times(ours: JsonObject) -> int:
    """Return how often hooks let the agent go on in this run."""
    times = ours.get("agls_continued")
    return times if isinstance(times, int) else 0


def _came_of(ours: JsonObject) -> str:
    """Return what a call gave, or why it failed."""
    return text_in(object_in(ours, "tool_response").get("output")) or text_in(ours.get("error"))


def _edit(arguments: JsonObject) -> JsonObject:
    """Return an edit: a file that is written whole has nothing that was replaced."""
    old, new = text_in(arguments.get("old_text")), arguments.get("new_text", arguments.get("content"))
    return {"old_string": old, "new_string": text_in(new)}


def _said(said: JsonObject, name: str) -> str:
    """Return a text of an answer; the first versions of the form wrote `userMessage`."""
    return cut(text_in(said.get(name)) or text_in(said.get(name.replace("_m", "M"))), LONGEST)
