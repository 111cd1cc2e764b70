"""Hooks that are a question to an agent: it may read the folder before it judges, in a session of its own."""

import asyncio
from dataclasses import replace

from agls.engine.history import last_words
from agls.engine.ports import new_id
from agls.engine.spawning import ChildResult, ChildTask
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, StopReason, Text
from agls.features.hooks.answers import HookAnswer, HookFailed
from agls.features.hooks.hook import Hook
from agls.features.hooks.judging import TIER, question, rest_of, verdict
from agls.json_values import text_in
from agls.room.denied_tools import DENIED_TOOLS, denied_in
from agls.room.folder_ports import WORKTREE
from agls.room.hook_ports import HookPorts
from agls.room.limit_options import to_options
from agls.room.session_ports import JUDGES, READ_ONLY
from agls.short_text import cut

PATIENCE = 60.0  # seconds, unless the hook says another time
MOST_TURNS = 12
KEPT = ("caller", WORKTREE)  # options that it has of the session whose hook it is
ENDING = """

Read what you need to know, then answer with one JSON object and nothing else: {"ok": true} when the rule \
has nothing against it, {"ok": false, "reason": ...} otherwise."""


async def judge_who_reads(
    hook: Hook, given: str, ours: JsonObject, ports: HookPorts, state: State
) -> HookAnswer:
    """Let a child judge. **Returns** its no with the reason; its yes is no objection.

    It spends what the run has left, and ends with the hook. **Raises** `HookFailed`.
    """
    setting = hook.setting
    seconds = setting.timeout if "timeout" in setting.model_fields_set else PATIENCE
    task = ChildTask(
        text_in(ours.get("tool_use_id")) or new_id("item"),
        new_id("item"),
        (Text(question(setting.prompt, given) + ENDING),),
        f"Hook: {hook.name}",
        _options(setting.model or TIER, state),
    )
    try:
        async with ports.children.task_group() as begin, asyncio.timeout(seconds):
            return _verdict(await begin(task))
    except TimeoutError:
        raise HookFailed(f"its agent took longer than {seconds:g} s") from None


def _options(model: str, state: State) -> JsonObject:
    kept = {name: state.settings[name] for name in KEPT if name in state.settings}
    limits = to_options(
        replace(rest_of(state), max_turns=MOST_TURNS, max_seconds=None, max_delegated_tasks=0)
    )
    fixed = {JUDGES: True, READ_ONLY: True, "model": model, "parentRun": state.run_id}
    return {**kept, **limits, **fixed, DENIED_TOOLS: denied_in(state)}


def _verdict(returned: ChildResult) -> HookAnswer:
    stop = returned.stop
    if stop.reason is not StopReason.END_TURN:
        why = f"{stop.reason.replace('_', ' ')}: {stop.detail}".rstrip(": ")
        raise HookFailed(f"its agent came to no end: {cut(why, 300)}")
    return verdict(last_words(returned.state.transcript))
