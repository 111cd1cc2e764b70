"""The action that lets hooks see an event that did not happen: which run, what they say, what comes of it."""

import asyncio
import json
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from agls.engine.actions import ActionContext, ActionError, ActionOutcome
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.features.hooks.effects import effects
from agls.features.hooks.events import EventHooks, ran_in
from agls.features.hooks.folder_hooks import FoundHooks
from agls.features.hooks.hook import Hook
from agls.features.hooks.offered_hook import event_named
from agls.features.hooks.runner import RanHook, answer_of
from agls.features.hooks.samples import Sample, sample
from agls.frozen import frozen
from agls.room.offers import Consents
from agls.short_text import cut
from agls.toolkit import Arguments

NOT_GIVEN = "you did not consent to it"
LONGEST = 2_000  # characters of what a hook wrote, in the text for people


class TryHooks(Arguments):
    """Try hooks with an event that did not happen: which run, what they answer, and what would follow.

    The programs of the hooks really run; no tool does, and no prompt is stored.
    """

    event: str = Field(description="the event, such as PreToolUse, UserPromptSubmit or Stop")
    about: str = Field(default="", description="what matchers see: a tool, or how a session begins …")
    members: JsonObject = Field(
        default_factory=dict[str, object],
        description="members of what hooks get, in the place of made-up ones",
    )


@frozen
class Tried:
    """One hook and what became of it: it `ran`, or `why` it did not."""

    hook: Hook
    state: Literal["ran", "noConsent", "notMatching"]
    why: str = ""
    ran: RanHook | None = None


async def try_hooks(
    events: EventHooks, found: FoundHooks, consents: Consents, arguments: TryHooks, context: ActionContext
) -> ActionOutcome:
    """Run the hooks of an event that is made up. **Raises** `ActionError`."""
    try:
        tried = sample(event_named(arguments.event), arguments.about, arguments.members, context.state)
    except ValueError as problem:
        raise ActionError(str(problem)) from None
    own = [hook for hook in events.hooks if hook not in {each.hook for each in found.offered}]
    rows = [_looked_at(hook, tried, events, context.state, is_given=True) for hook in own]
    for each in found.offered:
        held = await asyncio.to_thread(consents.look, each.offer)
        rows.append(_looked_at(each.hook, tried, events, context.state, is_given=held.is_given))
    due = [row.hook for row in rows if row.state == "ran"]
    with context.breakable():
        ran = await events.runner.ran(due, tried.event, tried.data, context.state)
    by_hook = {each.hook: each for each in ran}
    rows = [Tried(row.hook, row.state, row.why, by_hook.get(row.hook)) for row in rows]
    answer = answer_of([each for each in ran if not each.hook.setting.background])
    would = effects(tried.event, answer, tried.data)
    given = await events.runner.given(tried.event, tried.data, context.state)
    data: JsonObject = {
        "event": tried.event,
        "subjects": [*tried.subjects],
        "given": given,
        "hooks": [*map(_row, rows)],
        "decision": answer.decision,
        "reason": answer.reason,
        "would": would,
    }
    return ActionOutcome(_text(tried, rows, given, would), data)


def _looked_at(hook: Hook, tried: Sample, events: EventHooks, state: State, *, is_given: bool) -> Tried:
    setting = hook.setting
    if not hook.is_for(tried.event):
        return Tried(hook, "notMatching", f"it is for {setting.event}")
    if not is_given:
        return Tried(hook, "noConsent", NOT_GIVEN)
    if not hook.matches(tried.event, *tried.subjects):
        none = ", ".join(tried.subjects)
        return Tried(hook, "notMatching", f"its matcher {setting.matcher!r} fits none of {none}")
    if not events.runner.is_wanted(hook, tried.subjects, tried.data):
        return Tried(hook, "notMatching", f"its condition {_condition(hook)!r} does not fit this call")
    if setting.once and hook.digest in ran_in(state):
        return Tried(hook, "notMatching", "it runs once in a session, and did")
    return Tried(hook, "ran")


def _condition(hook: Hook) -> str:
    return hook.form.pattern if hook.form else hook.setting.condition


def _row(tried: Tried) -> JsonObject:
    setting, ran = tried.hook.setting, tried.ran
    row: JsonObject = {
        "name": tried.hook.name,
        "origin": tried.hook.origin,
        "event": setting.event,
        "matcher": setting.matcher,
        "state": tried.state,
        "why": tried.why,
    }
    if ran is None:
        return row
    answer = ran.answer
    return row | {
        "given": json.loads(ran.given),
        "exitCode": ran.printed.exit_code,
        "output": ran.printed.output,
        "errors": ran.printed.errors,
        "ms": ran.milliseconds,
        "problem": ran.problem,
        "background": setting.background,
        "decision": answer.decision,
        "reason": answer.reason,
        "changed": answer.arguments,
        "context": answer.context,
        "message": answer.message,
        "stop": answer.stop,
    }


def _text(tried: Sample, rows: Sequence[Tried], given: JsonObject, would: Sequence[str]) -> str:
    about = f", {' or '.join(tried.subjects)}" if tried.subjects else ""
    shown = json.dumps(given, indent=2, ensure_ascii=False)
    lines = [f"{tried.event}{about}. A hook gets:", "", *(f"    {line}" for line in shown.splitlines()), ""]
    lines += [line for row in rows for line in _said(row)] or ["There are no hooks."]
    return "\n".join((*lines, "", *(f"agls would {each}." for each in would)))


def _said(tried: Tried) -> Sequence[str]:
    head = f"- {tried.hook.setting.event}: `{tried.hook.name}` ({tried.hook.origin})"
    ran = tried.ran
    if ran is None:
        return [f"{head}: not run: {tried.why}"]
    code = ran.printed.exit_code
    ended = f", exit code {code}" if code is not None else ""
    beside = ", in the background: nothing waits for it, and it decides nothing"
    lines = [f"{head}: ran {ran.milliseconds} ms{ended}{beside * tried.hook.setting.background}"]
    for what, text in (
        ("gets", ran.given if tried.hook.form else ""),
        ("standard output", ran.printed.output),
        ("standard error", ran.printed.errors),
        ("failed", ran.problem),
        (ran.answer.decision, ran.answer.reason or "no reason was given"),
        ("shows you", "" if ran.problem else ran.answer.message),
    ):
        if what and text.strip():
            lines += [f"    {what}: {cut(text.strip(), LONGEST)}".replace("\n", "\n    ")]
    return lines
