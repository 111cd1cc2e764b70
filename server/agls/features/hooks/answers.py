"""What a hook said: its output read, and the answers of several hooks made one."""

import json
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any, Literal

from agls.engine.vocabulary import JsonObject
from agls.features.hooks.hook import Hook
from agls.frozen import frozen
from agls.json_values import is_object, object_in
from agls.short_text import cut

Decision = Literal["", "allow", "ask", "deny"]
STRICTNESS: Sequence[Decision] = ("", "allow", "ask", "deny")
LONGEST = 10_000  # characters of a text
REPLIES = ("action", "content", "worktreePath")  # to a server, and where a worktree is
BLOCKED = 2  # the exit code that refuses
DECISIONS: dict[str, Decision] = {
    "allow": "allow",
    "approve": "allow",
    "ask": "ask",
    "deny": "deny",
    "block": "deny",
}


class HookFailed(Exception):
    """A hook gave no answer: it did not start, took too long, crashed, or wrote what makes no sense."""


@frozen(kw_only=True)
class HookAnswer:
    """What hooks want: a `decision` with its reason, other arguments of the call, texts.

    `context` is for the model, `message` for the user. `reply` are the members with which one answers in the
    place of others (`REPLIES`). `output` takes the place of the call's output, `stop`
    ends the run with this reason ("": it goes on). `by` are the hooks behind the decision; `is_failure` is
    whether it is not theirs, but what their failure means.
    """

    decision: Decision = ""
    reason: str = ""
    arguments: JsonObject | None = None
    context: str = ""
    message: str = ""
    output: str | None = None
    stop: str = ""
    by: str = ""
    is_failure: bool = False
    reply: JsonObject = field(default_factory=dict[str, Any])


NOTHING = HookAnswer()


def answer_of_program(code: int | None, out: str, err: str, *, texts: bool) -> HookAnswer:
    """**Returns** what a program said. Its plain text is context where `texts`. **Raises** `HookFailed`."""
    if code == BLOCKED:
        return HookAnswer(decision="deny", reason=_text(err.strip() or out.strip() or "no reason was given"))
    if code != 0:
        how = "a signal ended it" if code is None else f"exit code {code}"
        raise HookFailed(f"{how}: {cut(err.strip() or out.strip(), 300)}".rstrip(": "))
    if out.lstrip().startswith("{"):
        return answer_of_json(json_of(out))
    return HookAnswer(context=_text(out.strip()) if texts else "")


def json_of(output: str) -> object:
    """**Returns** what a program wrote as JSON. **Raises** `HookFailed`."""
    try:
        return json.loads(output)
    except (ValueError, RecursionError) as problem:
        raise HookFailed(f"its output is no JSON: {problem}") from None


def answer_of_json(said: object) -> HookAnswer:
    """**Returns** what the JSON of a hook says. **Raises** `HookFailed`."""
    if not is_object(said):
        raise HookFailed("its answer is no JSON object")
    own = object_in(said, "hookSpecificOutput")
    special = own or said  # Copilot's hooks say it without
    asked = object_in(own, "decision")  # of PermissionRequest: {behavior, message, interrupt}
    words = (special.get("permissionDecision"), asked.get("behavior"), said.get("decision"))
    word = next((str(each) for each in (*words, said.get("permission")) if each), "")  # the last is Cursor's
    if word and word not in DECISIONS:
        raise HookFailed(f"it decided {cut(word, 40)!r}, which is none of {', '.join(DECISIONS)}")
    reason = (
        special.get("permissionDecisionReason")
        or asked.get("message")
        or said.get("reason")
        or said.get("stopReason")
        or said.get("agent_message")
        or said.get("user_message")
        or ""
    )
    arguments = special.get("updatedInput", said.get("updated_input"))
    output = special.get("updatedToolOutput")
    if arguments is not None and not is_object(arguments):
        raise HookFailed("its updatedInput is no JSON object")
    return HookAnswer(
        decision=DECISIONS.get(word, ""),
        reason=_text(reason),
        arguments=arguments,
        context=_text(
            special.get("additionalContext")
            or said.get("additionalContext")  # of Copilot
            or said.get("additional_context")  # of Cursor
            or ""
        ),
        message=_text(said.get("systemMessage") or said.get("user_message") or ""),
        output=None if output is None else _text(output),
        reply={name: own[name] for name in REPLIES if name in own},
        stop=_text(said.get("stopReason") or reason or "a hook ended the run")
        if said.get("continue") is False or asked.get("interrupt") is True
        else "",
    )


def without_permission(answer: HookAnswer) -> HookAnswer:
    """**Returns** what a hook said without what only one of the user's own may say: yes, in their place."""
    if answer.decision == "allow":
        answer = replace(answer, decision="")
    kept = {name: said for name, said in answer.reply.items() if name != "content" and said != "accept"}
    return replace(answer, reply=kept) if kept != answer.reply else answer


def after_failure(hook: Hook, problem: str) -> HookAnswer:
    """**Returns** what a failure of this hook means."""
    text = f"The hook {hook.name} failed: {problem}."
    match hook.on_failure:
        case "open":
            return HookAnswer(message=text, by=hook.name)
        case "ask":
            return HookAnswer(decision="ask", reason=text, by=hook.name)
        case "closed":
            return HookAnswer(decision="deny", reason=text, by=hook.name, is_failure=True)


def joined(answers: Sequence[HookAnswer]) -> HookAnswer:
    """**Returns** all of them as one: the strictest decision with its reasons, and every text.

    Of several that change the arguments, the last counts.
    """
    strictest = max((each.decision for each in answers), key=STRICTNESS.index, default="")
    deciding = [each for each in answers if each.decision == strictest and strictest]
    speaking = deciding or [each for each in answers if each != replace(NOTHING, by=each.by)]
    changing = [each for each in answers if each.arguments is not None]
    printing = [each for each in answers if each.output is not None]
    return replace(
        NOTHING,
        decision=strictest,
        reason=" ".join(each.reason for each in deciding if each.reason),
        by=", ".join(each.by for each in speaking if each.by),
        is_failure=bool(deciding) and all(each.is_failure for each in deciding),
        arguments=changing[-1].arguments if changing else None,
        output=printing[-1].output if printing else None,
        reply=next((each.reply for each in answers if each.reply), NOTHING.reply),
        context="\n".join(each.context for each in answers if each.context),
        message="\n".join(each.message for each in answers if each.message),
        stop=next((each.stop for each in answers if each.stop), ""),
    )


def _text(value: object) -> str:
    return cut(value if isinstance(value, str) else json.dumps(value), LONGEST)
