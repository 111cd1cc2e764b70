"""The hooks of skills: they join when their skill is used, each with the user's consent, and stay."""

import asyncio
import shlex
from collections.abc import Sequence
from dataclasses import replace

from agls.engine.facts import Entry, GateFact, Injected, Notice, Replied
from agls.engine.feature import CallTool, Invocation, RunView
from agls.engine.state import Note, State
from agls.engine.vocabulary import Stop, ToolOutcome
from agls.features.hooks.agent_hooks import ENDS
from agls.features.hooks.events import EventHooks
from agls.features.hooks.folder_hooks import MOST
from agls.features.hooks.offered_hook import OfferedHook, hook_entries, offered_hook
from agls.features.hooks.run_hooks import RunHooks
from agls.features.hooks.settings import Settings
from agls.features.hooks.tool_hooks import ToolHooks
from agls.frozen import frozen
from agls.json_values import object_in, text_in
from agls.regex import regex
from agls.room.offers import Consents
from agls.room.opened_folders import LOADED, ROOM

NOT_USED = "Hooks of a skill do not run"
NO_CONSENT = "You did not consent to: {}"
VARIABLES = ("CLAUDE_SKILL_DIR", "SKILL_DIR")
_VARIABLE = regex(r"\$(?:\{(CLAUDE_SKILL_DIR|SKILL_DIR)\}|(CLAUDE_SKILL_DIR|SKILL_DIR)\b)")


class SkillHooks:
    """Adds the hooks of the skills that a session used to those of its run.

    In a helper that works on a skill, the end of the run is the end of a helper to them.
    """

    def __init__(self, hooks: EventHooks, consents: Consents, settings: Settings, *, is_helper: bool) -> None:
        self._hooks, self._consents = hooks, consents
        self._settings, self._is_helper = settings, is_helper
        self._seen, self._lock = 0, asyncio.Lock()
        self._known = set[str]()

    async def look(self, view: RunView) -> None:
        """Add the hooks of skills used since the last call, unless the request is only a preview."""
        state = view.state
        if not state.running or self._settings.only_managed or len(state.notes.get(ROOM, ())) == self._seen:
            return
        async with self._lock:  # calls go side by side, and nobody is asked twice
            notes = view.state.notes.get(ROOM, ())
            new, self._seen = notes[self._seen :], len(notes)
            found, problems = hooks_in(new, is_helper=self._is_helper)
            left_out = [await self._left_out(each) for each in found]
        texts = [*problems, *(NO_CONSENT.format(name) for name in left_out if name)]
        for text in texts:
            view.show(Notice("warning", NOT_USED, text))

    async def _left_out(self, offered: OfferedHook) -> str:
        """Add a hook, or return its name if it may not run; "" if it was added."""
        if offered.hook.digest in self._known:
            return ""
        self._known.add(offered.hook.digest)
        if not await self._consents.settle(offered.offer):
            return offered.offer.name
        self._hooks.join(offered)
        return ""


def hooks_in(notes: Sequence[Note], *, is_helper: bool) -> tuple[Sequence[OfferedHook], Sequence[str]]:
    """**Returns** the hooks of the skills in these notes, and what is wrong with others."""
    found: list[OfferedHook] = []
    problems: list[str] = []
    for note in notes:
        hooks = object_in(note.data, "hooks") if note.kind == LOADED else {}
        shown, folder = text_in(note.data.get("by")), text_in(note.data.get("folder"))
        for number, (said, entry) in enumerate(hook_entries(hooks), 1):
            event = ENDS.get(said, said) if is_helper else said
            try:
                found.append(_of_folder(offered_hook(event, entry, number, shown), folder))
            except ValueError as problem:
                problems.append(f"{shown}: hook {number} ({event}): {problem}")
    return found[:MOST], problems


def _of_folder(offered: OfferedHook, folder: str) -> OfferedHook:
    """**Returns** the hook of a skill in this folder: its program knows it, and its files there count."""
    commands = tuple(_VARIABLE.sub(lambda _: shlex.quote(folder), line) for line in offered.offer.commands)
    environment = dict.fromkeys(VARIABLES, folder)
    return OfferedHook(
        replace(offered.hook, environment=environment), replace(offered.offer, commands=commands)
    )


@frozen
class LateHooks:
    """The slots of the room: nothing of it takes part in a run until there is a hook."""

    events: EventHooks
    of_run: RunHooks
    of_skills: SkillHooks
    are_offered: bool

    async def before_turn(self, view: RunView) -> Sequence[Stop | GateFact]:
        """Let the hooks see the beginning, and the last turn's calls."""
        await self.of_skills.look(view)
        return await self.of_run.before_turn(view) if self.events.hooks or self.are_offered else ()

    async def around_tool(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Let the hooks see a call."""
        await self.of_skills.look(view)
        if not self.events.hooks:
            return await inner(invocation)
        return await ToolHooks(self.events).pass_call(invocation, view, inner)

    async def before_stop(self, reply: Replied, view: RunView) -> Sequence[Injected]:
        """Let the hooks see the end."""
        await self.of_skills.look(view)
        return await self.of_run.before_stop(reply, view) if self.events.hooks else ()

    def on_fact(self, entry: Entry, state: State) -> None:
        """Let the hooks see questions and summaries."""
        if self.events.hooks:
            self.of_run.on_fact(entry, state)
