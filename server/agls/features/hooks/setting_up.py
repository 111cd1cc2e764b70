"""The action that runs the hooks for `Setup`, which prepare a folder or a machine for work."""

import asyncio
from collections.abc import Sequence
from typing import Literal

from agls.engine.actions import ActionContext, ActionError, ActionOutcome
from agls.engine.vocabulary import JsonObject
from agls.features.hooks.events import RAN, EventHooks
from agls.features.hooks.folder_hooks import FoundHooks
from agls.features.hooks.hook import Hook
from agls.features.hooks.runner import RanHook
from agls.features.hooks.settings import Event
from agls.room.offers import Consents
from agls.short_text import cut
from agls.toolkit import Arguments

EVENT: Event = "Setup"
LONGEST = 2_000  # characters of what a hook wrote
NONE = "There is no hook for Setup with {}. Add one to your config file (docs/hooks.md)."
NOT_GIVEN = "- {}: not run, as you did not consent to it. The next prompt asks about it."
FAILED = "{} of {} failed.\n\n{}"


class SetUp(Arguments):
    """Run the hooks for Setup, which prepare a folder or a machine: for the first time, or again later."""

    trigger: Literal["init", "maintenance"] = "init"


async def set_up(
    events: EventHooks, found: FoundHooks, consents: Consents, arguments: SetUp, context: ActionContext
) -> ActionOutcome:
    """Run them side by side, and say how each ended. **Raises** `ActionError` when one failed."""
    given = {each.hook: each.offer for each in found.offered}
    known = [hook for hook in events.hooks if hook not in given]
    wanted = [hook for hook in (*known, *given) if hook.matches(EVENT, arguments.trigger)]
    if not wanted:
        raise ActionError(NONE.format(arguments.trigger))
    due: list[Hook] = []
    for hook in wanted:
        if hook not in given or (await asyncio.to_thread(consents.look, given[hook])).is_given:
            due.append(hook)
    with context.breakable():
        ran = await events.runner.ran(due, EVENT, {"trigger": arguments.trigger}, context.state)
    for each in ran:
        context.note(RAN, each.note(EVENT))
    lines = [*map(_line, ran), *(NOT_GIVEN.format(hook.name) for hook in wanted if hook not in due)]
    failed = sum(bool(_failure(each)) for each in ran)
    if failed:
        raise ActionError(FAILED.format(failed, len(ran), "\n".join(lines)))
    return ActionOutcome("\n".join(lines), {"hooks": _rows(ran), "notRun": len(wanted) - len(due)})


def _failure(ran: RanHook) -> str:
    return ran.problem or (ran.answer.reason if ran.answer.decision == "deny" else "")


def _line(ran: RanHook) -> str:
    problem = _failure(ran)
    said = problem or ran.answer.context or ran.answer.message
    words = f": {cut(said, LONGEST)}" if said else ""
    return f"- {ran.hook.name}: {'failed' if problem else 'done'} in {ran.milliseconds} ms{words}"


def _rows(ran: Sequence[RanHook]) -> Sequence[JsonObject]:
    return [{**each.note(EVENT), "text": each.answer.context} for each in ran]
