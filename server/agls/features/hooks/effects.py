"""What agls does when hooks answered an event, said in words."""

from collections.abc import Iterator, Mapping, Sequence

from agls.engine.vocabulary import JsonObject
from agls.features.hooks.answers import HookAnswer
from agls.features.hooks.settings import Event
from agls.features.hooks.spelling import our_arguments
from agls.json_values import object_in

BEFORE: Sequence[Event] = (
    "PreToolUse",
    "PermissionRequest",
    "UserPromptSubmit",
    "PreCompact",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "WorktreeCreate",
    "ConfigChange",
)
DENIED: Mapping[Event, str] = {
    "PreToolUse": "refuse the call, and let the model read why",
    "PermissionRequest": "refuse the call in your place",
    "UserPromptSubmit": "refuse the prompt, and not keep it",
    "PostToolUse": "add the reason to the result of the call",
    "PostToolUseFailure": "add the reason to the result of the call",
    "PostToolBatch": "end the run",
    "Stop": "let the agent go on, and read the reason",
    "SubagentStop": "let the helper go on, and read the reason",
    "PreCompact": "make no summary now",
    "TaskCreated": "leave the plan as it was, and let the model read why",
    "TaskCompleted": "leave the plan as it was, and let the model read why",
    "Elicitation": "decline in your place",
    "ElicitationResult": "decline in your place",
    "WorktreeCreate": "make no worktree",
    "ConfigChange": "leave the file as it was",
}
ENDS: Sequence[Event] = ("Stop", "SubagentStop")  # a failure never puts them off
OVER: Sequence[Event] = (
    "SessionEnd",
    "StopFailure",
    "WorktreeRemove",
    "Setup",
)  # nothing is left that could be ended
NOTHING = "go on as without hooks"
CONTEXT: Mapping[Event, str] = {
    "SessionStart": "let the model read",
    "SubagentStart": "let the helper read",
    "PostToolBatch": "let the model read",
    "UserPromptSubmit": "add to the prompt",
    "Setup": "show you",
    "PreToolUse": "add to the result of the call",
    "PostToolUse": "add to the result of the call",
    "PostToolUseFailure": "add to the result of the call",
}
ANSWERED: Sequence[Event] = ("Elicitation", "ElicitationResult")
OUTPUT: Sequence[Event] = ("PreToolUse", "PostToolUse", "PostToolUseFailure")


def effects(event: Event, answer: HookAnswer, data: JsonObject) -> Sequence[str]:
    """**Returns** what agls would do, each as the end of a sentence that begins with "agls would"."""
    return [*_effects(event, answer, data)] or [NOTHING]


def _effects(event: Event, answer: HookAnswer, data: JsonObject) -> Iterator[str]:
    stops = bool(answer.stop) and event not in OVER
    if stops and event != "UserPromptSubmit":
        yield f"end the run: {answer.stop}"
    if answer.decision == "deny" or (stops and event in BEFORE):
        refused = "" if answer.is_failure and event in ENDS else DENIED.get(event, "")
        if refused and not (stops and event not in BEFORE):
            yield f"{refused}: {answer.reason or answer.stop}"
        if event in BEFORE:
            return
    if event == "PreToolUse":
        yield from _before_call(answer, data)
    yield from _in_your_place(event, answer)
    if answer.output is not None and event in OUTPUT:
        yield f"let the model read this in the place of what the tool gives: {answer.output}"
    if answer.context and event in CONTEXT:
        yield f"{CONTEXT[event]}: {answer.context}"


def _in_your_place(event: Event, answer: HookAnswer) -> Iterator[str]:
    if event in ANSWERED and (action := answer.reply.get("action")):
        yield f"{action} in your place"
    if event == "WorktreeCreate" and (place := answer.reply.get("worktreePath") or answer.context):
        yield f"let the work be done in {place}, and make no worktree with git"
    if event == "PermissionRequest" and answer.decision == "allow":
        yield "allow the call in your place, unless it is one that is asked about each time"


def _before_call(answer: HookAnswer, data: JsonObject) -> Iterator[str]:
    if answer.arguments is not None:
        name = object_in(data, "agls_tool")["name"]
        yield f"call {name} with other arguments: {our_arguments(name, answer.arguments)}"
    if answer.decision == "ask":
        yield f"ask you about the call: {answer.reason or 'no reason was given'}"
    if answer.decision == "allow":
        yield "not ask you about the call, unless a rule denies it or it is asked about each time"
