"""The gate every call passes: judge it, ask where needed, remember the answer, let exactly that run."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from agls.engine.background import tasks_of
from agls.engine.facts import Notice
from agls.engine.feature import CallTool, Invocation, RunView
from agls.engine.ports import Asker, Effect, Preview, Workspace
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Option, ToolOutcome
from agls.features.permissions.decision import (
    Allow,
    Ask,
    Deny,
    Policy,
    Verdict,
    as_reading,
    decide,
    is_edit,
)
from agls.features.permissions.grants import ALLOWED, GRANTED, ROOM, readable, session_grants
from agls.features.permissions.memory import PermissionMemory
from agls.features.permissions.partial_edit import select_hunks
from agls.features.permissions.questions import CHANGED, LOOKED, after_change, chosen, question, refusal
from agls.features.permissions.resolved_targets import resolve_targets
from agls.features.permissions.rules import PATHS, ResolvedTarget, parse_rule
from agls.features.permissions.settings import Settings
from agls.frozen import frozen
from agls.modes import Mode

READING = frozenset({Effect.READS})
FEW = 4  # places that are looked at without a thread
UNTOLD = "Not run: it would fail, but why can only be told when you may read that file. Read it first."
OTHERWISE = (
    "Not run: what it would do changed while the user was asked, so their answer was for something else. "
    "Look again, then repeat it if it is still right."
)


@frozen
class Judged:
    """A call with what it would do and what was decided about it.

    `readable` is whether the model may know what is in the files that the call would change.
    """

    invocation: Invocation
    preview: Preview
    targets: tuple[ResolvedTarget, ...]
    verdict: Verdict
    readable: bool

    @property
    def essence(self) -> tuple[tuple[ResolvedTarget, ...], JsonObject]:
        """What a yes to this is a yes to."""
        shown = self.preview
        return self.targets, shown.subject if shown.essence is None else shown.essence

    @property
    def has_effect(self) -> bool:
        """Whether the call would do more than read."""
        return any(target.effect is not Effect.READS for target in self.targets)


class PermissionGate:
    """One run's gate (`around_tool`). It keeps no state: what was granted is in the notes and in `Grants`."""

    def __init__(
        self, settings: Settings, asker: Asker, workspace: Workspace, memory: PermissionMemory
    ) -> None:
        self._mode: Mode = settings.mode
        self._said = Policy(
            mode=settings.mode,
            roots=(),
            deny=tuple(parse_rule(text) for text in settings.deny),
            ask=tuple(parse_rule(text) for text in settings.ask),
            allow=tuple(parse_rule(text, widens=True) for text in settings.allow),
        )
        self._asker, self._workspace = asker, workspace
        self._grants = memory.grants
        self._choices = memory.choices
        self._files = memory.files
        self._ignored = ""

    async def pass_call(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Let the call run as it is, as the user changed it, or not at all."""
        judged = await self._relying_on_files(await self._judge(invocation, view.state), view)
        if isinstance(judged.verdict, Ask) and judged.preview.problem:  # nobody is asked for nothing
            text = judged.preview.problem if judged.readable else UNTOLD
            return ToolOutcome(text, status="failed")
        if isinstance(judged.verdict, Ask):
            return await self._ask(judged, judged.verdict, view, inner)
        if isinstance(judged.verdict, Deny):
            return ToolOutcome(f"Not run: {judged.verdict.reason}", status="rejected")
        if judged.has_effect:  # on the record: who allowed it
            view.note(ROOM, ALLOWED, {"callId": invocation.call.call_id, "by": judged.verdict.by})
        return await self._run(judged, view, inner)

    @cached_property
    def _rules(self) -> Policy:
        """What holds in this workspace; its folders are looked at when the first call comes."""
        return replace(self._said, roots=_spelled(self._workspace))

    def mode_of(self, state: State) -> Mode:
        """The mode that holds now."""
        return self._choices.mode_of(state, self._mode)

    async def _judge(self, invocation: Invocation, state: State) -> Judged:
        spec = invocation.tool.spec
        preview = await invocation.tool.preview(invocation.call, invocation.context)
        invocation = replace(invocation, preview=preview)
        if spec.effects == READING and len(preview.targets) <= FEW:
            targets = resolve_targets(spec, preview, self._workspace)
        else:
            targets = await asyncio.to_thread(resolve_targets, spec, preview, self._workspace)
        granted = session_grants(state, self._grants)
        policy = replace(self._rules, mode=self.mode_of(state), granted=readable(granted))
        if not isinstance(decide(targets, policy), Allow):
            for_project = await asyncio.to_thread(self._grants.load)
            policy = replace(policy, granted=readable((*granted, *for_project)))
        reading = decide([as_reading(target) for target in targets if is_edit(target)], policy)
        return Judged(invocation, preview, targets, decide(targets, policy), isinstance(reading, Allow))

    async def _ask(self, judged: Judged, ask: Ask, view: RunView, inner: CallTool) -> ToolOutcome:
        call = judged.invocation.call
        asked = question(call.call_id, judged.preview, ask)
        answer = await self._asker.ask(asked)
        option = chosen(answer, asked)
        if option.decision == "reject":
            return refusal(answer)
        edited = answer.input is not None and answer.input != call.arguments
        invocation = _edited(judged.invocation, answer.input or {}) if edited else judged.invocation
        again = await self._judge(invocation, view.state)  # the world may have changed under the question
        if edited and isinstance(again.verdict, Deny):
            return ToolOutcome(f"Not run as the user changed it: {again.verdict.reason}", status="rejected")
        if not edited and again.essence != judged.essence:
            return ToolOutcome(OTHERWISE, status="failed")
        part = select_hunks(again.invocation, again.preview, answer)
        if part is None:
            return refusal(answer)
        await self._remember(option, view)
        return await self._run(replace(again, invocation=part), view, inner)

    async def _remember(self, option: Option, view: RunView) -> None:
        if option == LOOKED:
            await self._accept(view)
        if option.scope == "once" or not option.rule:
            return
        rules = option.rule.split("\n")
        view.note(ROOM, GRANTED, {"rules": rules, "scope": option.scope, "seal": self._grants.mark(rules)})
        if option.scope == "project":
            try:
                await asyncio.to_thread(self._grants.save, rules)
            except OSError as problem:
                text = f"It holds for this session only: {problem}"
                view.show(Notice("warning", "The permission could not be saved", text))

    async def _run(self, judged: Judged, view: RunView, inner: CallTool) -> ToolOutcome:
        for target in judged.targets:
            if target.place and not target.place.inside and target.effect in PATHS and not target.guessed:
                self._workspace.allow(target.place.path)
        if not any(target.effect is Effect.EXECUTES for target in judged.targets):
            return await inner(judged.invocation)
        await asyncio.to_thread(self._files.begin)
        try:
            return await inner(judged.invocation)
        finally:
            lasting = any(task.outcome is None for task in tasks_of(view.state).values())
            self._tell_changed(self._files.end(lasting=lasting), view)

    async def _relying_on_files(self, judged: Judged, view: RunView) -> Judged:
        """What would run unasked is asked about when the files that say so are not to be relied on."""
        if self._grants.ignored != self._ignored:
            self._ignored = self._grants.ignored
            view.show(Notice("warning", "Saved permissions are ignored", self._ignored))
        if not (isinstance(judged.verdict, Allow) and judged.has_effect):
            return judged
        self._tell_changed(await asyncio.to_thread(self._files.look), view)
        changed = self._files.changed
        return replace(judged, verdict=after_change(changed)) if changed else judged

    def _tell_changed(self, files: Sequence[str], view: RunView) -> None:
        if files:
            text = CHANGED.format(", ".join(files))
            view.show(Notice("warning", "Something changed agls's own files", text))

    async def _accept(self, view: RunView) -> None:
        try:
            await asyncio.to_thread(self._files.accept)
        except OSError as problem:
            view.show(Notice("warning", "The next process will ask again", str(problem)))


def _edited(invocation: Invocation, arguments: JsonObject) -> Invocation:
    return replace(invocation, call=replace(invocation.call, arguments=arguments), preview=None)


def _spelled(workspace: Workspace) -> tuple[str, ...]:
    """The roots as they were named and as they are with links resolved."""
    resolved = (workspace.place(root).path for root in workspace.roots)
    return tuple(dict.fromkeys((*workspace.roots, *resolved)))
