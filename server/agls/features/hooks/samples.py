"""Events that did not happen, as hooks would get them: for trying hooks."""

from collections.abc import Mapping, Sequence

from agls.engine.state import State
from agls.engine.vocabulary import AssistantMessage, JsonObject, StopReason, ToolCall, ToolResult
from agls.features.hooks.effects import ANSWERED
from agls.features.hooks.run_hooks import FINE, last_calls
from agls.features.hooks.session_end import OTHER
from agls.features.hooks.settings import SETUPS, Event
from agls.features.hooks.spelling import (
    HANDING_OVER,
    agent_names_of,
    names_of,
    notice_names_of,
    our_arguments,
)
from agls.features.hooks.tool_hooks import as_input, response
from agls.frozen import frozen
from agls.json_values import is_object
from agls.other_tool_names import OTHER_TOOL_NAMES

OF_TOOLS: Sequence[Event] = ("PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure")
OF_HELPERS: Sequence[Event] = ("SubagentStart", "SubagentStop")
TOOL = "shell"
ARGUMENTS: Mapping[str, JsonObject] = {
    "shell": {"command": "echo hello"},
    "read_file": {"path": "README.md"},
    "write_file": {"path": "example.txt", "content": "hello\n"},
    "edit_file": {"path": "example.txt", "old_text": "hello", "new_text": "goodbye"},
    "list_dir": {"path": "."},
    "glob": {"pattern": "**/*.py"},
    "grep": {"pattern": "hello"},
    "web_fetch": {"url": "https://example.com/"},
    "web_search": {"query": "hello"},
}
TASK: JsonObject = {"task_id": "1", "task_subject": "An example of a task"}
FORM: JsonObject = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ABOUT: Mapping[Event, tuple[str, Sequence[str]]] = {  # the member for the matcher, and what it may be
    "SessionStart": ("source", ("startup", "resume", "clear", "compact", "fork")),
    "StopFailure": ("reason", tuple(each.value for each in StopReason if each not in FINE)),
    "Notification": ("notification_type", ("permission_prompt", "plan_prompt", "form_prompt")),
    "PreCompact": ("trigger", ("manual", "auto")),
    "PostCompact": ("trigger", ("auto", "manual")),
    "SessionEnd": ("reason", ("closed", "exit")),
    "ConfigChange": ("source", ("user_settings", "project_settings")),
    "Setup": ("trigger", SETUPS),
}
SERVER = "mcp_server_name"  # for the matcher, and it may be any
ENDING: JsonObject = {"stop_hook_active": False, "last_assistant_message": "Hello.", "agls_continued": 0}
MEMBERS: Mapping[Event, JsonObject] = {
    "UserPromptSubmit": {"prompt": "Say hello."},
    "Stop": ENDING,
    "SubagentStop": ENDING,
    "StopFailure": {"error": "An example of a failure."},
    "Notification": {"message": "An example of a question"},
    "PreCompact": {"custom_instructions": ""},
    "PostCompact": {"compact_summary": "An example of a summary."},
    "TaskCreated": TASK,
    "TaskCompleted": TASK,
    "Elicitation": {"mode": "form", "message": "Who are you?", "requested_schema": FORM},
    "ElicitationResult": {"mode": "form", "action": "accept", "content": {"name": "Ada"}},
    "WorktreeCreate": {"name": "example"},
    "WorktreeRemove": {"worktree_path": "/tmp/example"},
    "ConfigChange": {"file_path": "config.toml"},
}
NOTHING_ABOUT = "The matcher of {} is compared with nothing: leave out {!r}."
NOT_AMONG = "{} is about one of {}, not about {!r}."
NO_OBJECT = "The tool_input is no JSON object."


@frozen
class Sample:
    """An event as hooks would get it: `data`, and the `subjects` that a matcher is compared with."""

    event: Event
    subjects: Sequence[str]
    data: JsonObject


def sample(event: Event, about: str, members: JsonObject, state: State) -> Sample:
    """**Returns** an event about this ("": what is usual), with these members in the place of made-up ones.

    A call, and what it gave, is the last one of its tool in the session, if there is one.

    **Raises** `ValueError` for what such an event cannot be about.
    """
    if event in OF_TOOLS:
        return _of_tool(event, about, members, state)
    if event == "PostToolBatch":
        calls = last_calls(state) or [{**as_input(_made_up(TOOL)), **response("hello\n", "completed")}]
        return Sample(event, _none(event, about), {"tool_calls": calls, **members})
    if event in OF_HELPERS:
        names = agent_names_of(about)
        return Sample(event, names, {"agent_type": names[0], **MEMBERS.get(event, {}), **members})
    if event in ANSWERED:
        server = about or str(members.get(SERVER) or "example")
        return Sample(event, (server,), {SERVER: server, **MEMBERS[event], **members})
    member, known = ABOUT.get(event, ("", ()))
    if not member:
        return Sample(event, _none(event, about), {**MEMBERS.get(event, {}), **members})
    data = {member: about or known[0], **MEMBERS.get(event, {}), **members}
    if data[member] not in known:
        raise ValueError(NOT_AMONG.format(event, ", ".join(known), data[member]))
    also = (OTHER,) if event == "SessionEnd" else notice_names_of(str(data[member]))[1:]
    return Sample(event, (data[member], *also), data)


def _none(event: Event, about: str) -> Sequence[str]:
    if about:
        raise ValueError(NOTHING_ABOUT.format(event, about))
    return ()


def _of_tool(event: Event, about: str, members: JsonObject, state: State) -> Sample:
    said = about or str(members.get("tool_name") or TOOL)
    named = HANDING_OVER[-1] if said in HANDING_OVER else said
    name = next((ours for ours, other in OTHER_TOOL_NAMES.items() if other.hook == named), said)
    given = members.get("tool_input")
    recorded = _recorded(name, state) if given is None else None
    call = recorded or _made_up(name)
    if given is not None:
        if not is_object(given):
            raise ValueError(NO_OBJECT)
        call = ToolCall(call.call_id, name, our_arguments(name, given))
    others = {key: value for key, value in members.items() if key not in {"tool_name", "tool_input"}}
    return Sample(event, names_of(name), {**as_input(call), **_besides(event, call, state), **others})


def _besides(event: Event, call: ToolCall, state: State) -> JsonObject:
    """Return what hooks of the event get besides the call."""
    results = (each for each in state.transcript if isinstance(each, ToolResult))
    text = next((each.text for each in results if each.call_id == call.call_id), "")
    match event:
        case "PermissionRequest":
            return {"permission_suggestions": [], "message": "An example of a question."}
        case "PostToolUse":
            return response(text or "An example of a result.", "completed")
        case "PostToolUseFailure":
            return {"error": text or "An example of a failure."}
        case _:
            return {}


def _recorded(name: str, state: State) -> ToolCall | None:
    replies = (each for each in reversed(state.transcript) if isinstance(each, AssistantMessage))
    calls = (call for reply in replies for call in reversed(reply.tool_calls))
    return next((call for call in calls if call.name == name), None)


def _made_up(name: str) -> ToolCall:
    return ToolCall("call_example", name, ARGUMENTS.get(name, {}))
