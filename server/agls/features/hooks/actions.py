"""The actions of the room: which hooks there are, and what they would have decided about past calls."""

import asyncio
from collections.abc import Sequence
from functools import partial

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.engine.state import State
from agls.engine.vocabulary import AssistantMessage, JsonObject, ToolCall
from agls.features.hooks.events import RAN, ROOM, EventHooks
from agls.features.hooks.folder_hooks import FoundHooks
from agls.features.hooks.hook import Hook
from agls.features.hooks.runner import RanHook, answer_of
from agls.features.hooks.setting_up import SetUp, set_up
from agls.features.hooks.spelling import names_of
from agls.features.hooks.tool_hooks import as_input
from agls.features.hooks.trying import NOT_GIVEN, TryHooks, try_hooks
from agls.room.offers import Consents
from agls.short_text import brief
from agls.toolkit import Arguments, TypedAction

NONE = "There are no hooks. Add yours to your config file, as [[hooks.handlers]] (docs/hooks.md)."
NO_CALLS = "No call of this session is one that a PreToolUse hook sees."
LONGEST = 100  # characters of a call in the list


class ListHooks(Arguments):
    """Show the active hooks, where each comes from, and how its last run here ended."""


class TestHooks(Arguments):
    """Replay this session's calls to the PreToolUse hooks and show what each would decide. No tool runs."""

    most: int = Field(default=50, ge=1, le=1_000, description="at most this many calls, the last ones")


def actions_of(events: EventHooks, found: FoundHooks, consents: Consents) -> tuple[Action, ...]:
    """Return the actions."""
    listing = partial(_list, events.hooks[:], found, consents)
    return (
        TypedAction("hooks", "Show hooks", ListHooks, listing, group="Settings"),
        TypedAction(
            "hooks.test", "Test hooks", TestHooks, partial(_test, events, found, consents), group="Settings"
        ),
        TypedAction(
            "hooks.setup",
            "Run setup hooks",
            SetUp,
            partial(set_up, events, found, consents),
            group="Settings",
        ),
        TypedAction(
            "hooks.try", "Try hooks", TryHooks, partial(try_hooks, events, found, consents), group="Settings"
        ),
    )


async def _list(
    hooks: Sequence[Hook],
    found: FoundHooks,
    consents: Consents,
    arguments: ListHooks,
    context: ActionContext,
) -> ActionOutcome:
    notes = [note.data for note in context.state.notes.get(ROOM, ()) if note.kind == RAN]
    last = {data["hook"]: data for data in notes}
    rows = [_row(hook, last.get(hook.digest, {})) for hook in hooks]
    for each in found.offered:
        held = await asyncio.to_thread(consents.look, each.offer)
        state: JsonObject = {} if held.is_given else {"problem": NOT_GIVEN}
        rows.append(_row(each.hook, state or last.get(each.hook.digest, {})))
    lines = [*map(_line, rows), *(f"- Cannot be used: {problem}" for problem in found.problems)]
    lines += [f"- Left out: {why}" for why in found.off]
    data: JsonObject = {"hooks": rows, "problems": [*found.problems], "off": [*found.off]}
    return ActionOutcome("\n".join(lines) or NONE, data)


def _row(hook: Hook, last: JsonObject) -> JsonObject:
    setting = hook.setting
    return {
        "event": setting.event,
        "matcher": setting.matcher,
        "name": hook.name,
        "origin": hook.origin,
        "digest": hook.digest,
        "onFailure": hook.on_failure,
        "last": {name: last[name] for name in ("decision", "ms", "problem") if last.get(name)},
    }


def _line(row: JsonObject) -> str:
    for_what = f" {row['matcher']}" if row["matcher"] else ""
    last = row["last"]
    ended = f", {last.get('problem') or last.get('decision') or 'no objection'}" if last else ", not run yet"
    return f"- {row['event']}{for_what}: `{row['name']}` ({row['origin']}{ended})"


async def _test(
    events: EventHooks,
    found: FoundHooks,
    consents: Consents,
    arguments: TestHooks,
    context: ActionContext,
) -> ActionOutcome:
    lines: list[str] = []
    rows: list[JsonObject] = []
    offered = await asyncio.to_thread(_consented, found, consents)
    known = [*events.hooks, *(hook for hook in offered if hook not in events.hooks)]
    for call in _calls(context.state)[-arguments.most :]:
        names, given = names_of(call.name), as_input(call)
        hooks = [
            hook
            for hook in known
            if hook.matches("PreToolUse", *names) and events.runner.is_wanted(hook, names, given)
        ]
        if not hooks:
            continue
        with context.breakable():
            ran = await events.runner.ran(hooks, "PreToolUse", as_input(call), context.state)
        rows.append(_tested(call, ran))
        lines.append(
            f"- {rows[-1]['decision'] or 'no objection'}: {call.name} {brief(str(call.arguments), LONGEST)}"
        )
    return ActionOutcome("\n".join(lines) or NO_CALLS, {"calls": rows})


def _consented(found: FoundHooks, consents: Consents) -> Sequence[Hook]:
    return [each.hook for each in found.offered if consents.look(each.offer).is_given]


def _tested(call: ToolCall, ran: Sequence[RanHook]) -> JsonObject:
    answer = answer_of(ran)
    return {
        "callId": call.call_id,
        "tool": call.name,
        "decision": answer.decision,
        "reason": answer.reason,
        "changed": answer.arguments,
        "problems": [each.problem for each in ran if each.problem],
    }


def _calls(state: State) -> Sequence[ToolCall]:
    replies = (each for each in state.transcript if isinstance(each, AssistantMessage))
    return [call for reply in replies for call in reply.tool_calls]
