"""The gate every call passes: judge it, ask where needed, remember the answer, let exactly that run."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import cast

from agls.engine.facts import Notice
from agls.engine.feature import CallTool, Invocation, Permit, RunView
from agls.engine.ports import Asker, CallModel, Effect, ModelRequest, Preview, Reply, Workspace
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Option, ToolOutcome
from agls.features.permissions.command_programs import acting_programs
from agls.features.permissions.command_watch import CommandWatch, only_reads, with_text
from agls.features.permissions.decision import (
    NO_OTHER_WAY,
    Allow,
    Ask,
    Deny,
    Policy,
    Verdict,
    advised,
    as_reading,
    decide,
    is_edit,
)
from agls.features.permissions.grants import (
    GRANTED,
    ROOM,
    SANDBOXED,
    readable,
    session_grants,
)
from agls.features.permissions.network_rules import CommandNetwork
from agls.features.permissions.obeyed_files import AgentChanges
from agls.features.permissions.offer import possible
from agls.features.permissions.outside_paths import outside_remark
from agls.features.permissions.partial_edit import select_hunks
from agls.features.permissions.questions import (
    LOOKED,
    SANDBOX,
    chosen,
    denial,
    hook_refusal,
    question,
    refusal,
    suggestion,
)
from agls.features.permissions.resolved_targets import resolve_targets
from agls.features.permissions.rules import PATHS, ResolvedTarget, Rule, exact_rule, parse_rule
from agls.features.permissions.settings import Settings
from agls.features.permissions.visible import one_line
from agls.frozen import frozen
from agls.modes import Mode
from agls.room.allowed_calls import ALLOWED, note_of
from agls.room.denied_tools import denial_of
from agls.room.folder_ports import WORKTREE
from agls.room.opened_folders import opened_in, remarks_on
from agls.room.permission_memory import PermissionMemory
from agls.room.process_ports import ShellFacts
from agls.room.sandbox_ports import CommandSandbox
from agls.room.session_ports import NAMED_FILES, READ_ONLY, SUGGESTED_TOOLS

READING = frozenset({Effect.READS})
FEW = 4  # places that are looked at without a thread
HIDDEN_REASON = (
    "Not run: it would fail, but the reason quotes a file that you may not read yet. Read it first."
)
NEVER_ASKED = Deny(
    "it needs a question, and for this agent nobody is asked",
    "Go on without it, and say what is open.",
    "mode",
)
OTHERWISE = (
    "Not run: what it would do changed while the user was asked, so their answer was for something else. "
    "Look again, then repeat it if it is still right."
)


@frozen
class Judged:
    """A call with its targets and the verdict on it.

    `readable` is whether the model may know what is in the files that the call would change, `may_stay_in`
    whether the user may let it and its like run in the sandbox.
    """

    invocation: Invocation
    preview: Preview
    targets: tuple[ResolvedTarget, ...]
    verdict: Verdict
    readable: bool
    may_stay_in: bool = False

    @property
    def essence(self) -> tuple[tuple[ResolvedTarget, ...], JsonObject]:
        """**Returns** the part of the call that a yes of the user covers."""
        shown = self.preview
        return self.targets, shown.subject if shown.essence is None else shown.essence

    @property
    def marks(self) -> Sequence[str]:
        """**Returns** a sentence for each source that the call writes and that programs run."""
        places = [target.place for target in self.targets if target.effect is Effect.WRITES and target.place]
        marked = (f"{one_line(place.shown)}: {place.marked}" for place in places if place.marked)
        return list(dict.fromkeys(marked))

    @property
    def has_effect(self) -> bool:
        """**Returns** whether the call would do more than read."""
        return any(target.effect is not Effect.READS for target in self.targets)


class PermissionGate:
    """One run's gate (`around_tool`). What was granted is in the notes and in `Grants`."""

    def __init__(
        self,
        settings: Settings,
        asker: Asker,
        workspace: Workspace,
        memory: PermissionMemory,
        shell_facts: ShellFacts,
        sandbox: CommandSandbox,
    ) -> None:
        self._changes = AgentChanges(memory.facts, workspace)
        self._mode: Mode = settings.mode
        self._asks = settings.asks
        self._said = Policy(
            mode=settings.mode,
            roots=(),
            deny=tuple(parse_rule(text) for text in settings.deny),
            ask=tuple(parse_rule(text) for text in settings.ask),
            allow=tuple(parse_rule(text, widens=True) for text in settings.allow),
            read_only=settings.read_only,
        )
        self._asker, self._workspace = asker, workspace
        self._shell_facts = shell_facts
        self._sandbox = sandbox
        self._network = CommandNetwork(settings, sandbox)
        self._grants = memory.grants
        self._choices = memory.choices
        self._watch = CommandWatch(memory, workspace, asks=settings.after_command == "ask")
        self._ignored = ""

    async def pass_call(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Let the call run as it is, as the user changed it, or not at all."""
        if reason := denial_of(invocation.call.name, view.state):
            return denial("Not run", Deny(reason, NO_OTHER_WAY))
        judged = await self._relying_on_files(await self._judge(invocation, view.state), view)
        if isinstance(judged.verdict, Ask) and judged.preview.problem:  # nobody is asked for nothing
            text = judged.preview.problem if judged.readable else HIDDEN_REASON
            return ToolOutcome(text, status="failed")
        if isinstance(judged.verdict, Ask):
            return await self._ask(judged, judged.verdict, view, inner)
        if isinstance(judged.verdict, Deny):
            return denial("Not run", judged.verdict)
        return await self._allow(judged, view, inner)

    async def _allow(self, judged: Judged, view: RunView, inner: CallTool) -> ToolOutcome:
        """Let a call run that nobody was asked about."""
        invocation = judged.invocation
        if judged.has_effect and isinstance(judged.verdict, Allow):  # on the record: who allowed it
            view.note(ROOM, ALLOWED, note_of(invocation.call.call_id, judged.verdict.by))
            for text in judged.marks:
                view.show(Notice("info", "A file that programs run is changed", text))
        permit = Permit(
            invocation.is_consented,
            reads_only=all(map(only_reads, judged.targets)),
            confined=self._network.confines(judged.targets),
            programs=await self._programs(judged),
        )
        allowed = replace(judged.invocation, permit=permit)
        return await self._run(replace(judged, invocation=allowed), view, inner)

    async def offer(self, request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
        """Ask the model; where nobody can be asked, without the tools that would be refused each time."""
        if self._asker.available and self._asks:
            return await inner(request)
        granted = (*session_grants(view.state, self._grants), *await asyncio.to_thread(self._grants.load))
        policy = self._policy(view.state, readable(granted))
        return await inner(possible(request, policy))

    @cached_property
    def _rules(self) -> Policy:
        """**Returns** the policy in this workspace; its folders are looked at when the first call comes."""
        return replace(self._said, roots=_spelled(self._workspace))

    def mode_of(self, state: State) -> Mode:
        """**Returns** the mode that holds now."""
        return self._choices.mode_of(state, self._mode)

    async def verdict_on(self, targets: Sequence[ResolvedTarget], state: State, mode: Mode) -> Verdict:
        """Return what would be decided about these targets in this mode."""
        granted = (*session_grants(state, self._grants), *await asyncio.to_thread(self._grants.load))
        policy = await self._bounded(replace(self._rules, mode=mode, granted=readable(granted)), targets)
        verdict = decide(targets, policy)
        return await self._network.judge(targets, verdict)

    def _policy(self, state: State, granted: tuple[Rule, ...]) -> Policy:
        options = state.settings
        return replace(
            self._rules,
            mode=self.mode_of(state),
            granted=granted,
            read_only=self._rules.read_only or options.get(READ_ONLY) is True,
            is_apart=bool(options.get(WORKTREE)),
            named=frozenset(map(str, cast("Sequence[object]", options.get(NAMED_FILES, ())))),
            opened=tuple(each.path for each in opened_in(state, self._grants)),
        )

    async def _judge(self, invocation: Invocation, state: State) -> Judged:
        spec = invocation.tool.spec
        preview = await invocation.tool.preview(invocation.call, invocation.context)
        invocation = replace(invocation, preview=preview)
        if not preview.targets or (spec.effects == READING and len(preview.targets) <= FEW):
            targets = resolve_targets(spec, preview, self._workspace)
        else:
            looked_up = partial(resolve_targets, shell_facts=self._shell_facts)
            targets = await asyncio.to_thread(looked_up, spec, preview, self._workspace)
        granted = session_grants(state, self._grants)
        policy = await self._bounded(self._policy(state, readable(granted)), targets)
        if not isinstance(decide(targets, policy), Allow):
            for_project = await asyncio.to_thread(self._grants.load)
            policy = replace(policy, granted=(*readable((*granted, *for_project)), *_consented(invocation)))
        reading = decide([as_reading(target) for target in targets if is_edit(target)], policy)
        verdict = advised(decide(targets, policy), invocation.advice)
        judged = Judged(invocation, preview, targets, verdict, isinstance(reading, Allow))
        judged = await self._in_sandbox(judged, policy, is_allowed=SANDBOXED in granted)
        return replace(judged, verdict=await self._network.judge(targets, judged.verdict))

    async def _bounded(self, policy: Policy, targets: Sequence[ResolvedTarget]) -> Policy:
        """**Returns** the policy for these targets, which says whether a sandbox keeps the deny rules."""
        if not any(target.may_read for target in targets):
            return policy
        return replace(policy, bounded=not await self._sandbox.unavailable())

    async def _in_sandbox(self, judged: Judged, policy: Policy, *, is_allowed: bool) -> Judged:
        """**Returns** the same for a command that would only be asked about because nothing bounds it."""
        is_command = any(target.effect is Effect.EXECUTES for target in judged.targets)
        if not (is_command and isinstance(judged.verdict, Ask)) or await self._sandbox.unavailable():
            return judged
        verdict = advised(decide(judged.targets, replace(policy, sandboxed=True)), judged.invocation.advice)
        if not isinstance(verdict, Allow):
            return judged
        return replace(judged, verdict=verdict) if is_allowed else replace(judged, may_stay_in=True)

    async def _ask(self, judged: Judged, ask: Ask, view: RunView, inner: CallTool) -> ToolOutcome:
        call = judged.invocation.call
        is_command = judged.preview.subject.get("type") == "command"
        confined = self._network.confines(judged.targets)
        remark = await self._sandbox.remark(confined=confined) if is_command else ""
        suggested = suggestion(view.state.settings.get(SUGGESTED_TOOLS))
        opened = remarks_on(call.arguments, opened_in(view.state, self._grants))
        said = (*ask.reasons, *judged.marks, remark, suggested, *map(one_line, opened))
        more = (*ask.more, SANDBOX) if judged.may_stay_in else ask.more
        asked = question(
            call.call_id, judged.preview, replace(ask, reasons=tuple(filter(None, said)), more=more)
        )
        if judged.invocation.before_question:
            by_hook = await judged.invocation.before_question(asked)
            if by_hook and not by_hook.allows:
                return hook_refusal(by_hook)
            if by_hook and ask.rules:  # what no rule may answer is the user's alone
                return await self._allow(replace(judged, verdict=Allow(by_hook.by)), view, inner)
        if not self._asks:
            return denial("Not run", NEVER_ASKED)
        answer = await self._asker.ask(asked)
        option = chosen(answer, asked)
        if option.decision == "reject":
            outside = await outside_remark(judged.targets, self._workspace)
            return refusal(answer, outside, ask.reasons)
        edited = answer.input is not None and answer.input != call.arguments
        invocation = _edited(judged.invocation, answer.input or {}) if edited else judged.invocation
        again = await self._judge(invocation, view.state)  # the world may have changed under the question
        if edited and isinstance(again.verdict, Deny):
            return denial("Not run as the user changed it", again.verdict)
        if not edited and again.essence != judged.essence:
            return ToolOutcome(OTHERWISE, status="failed")
        part = select_hunks(again.invocation, again.preview, answer)
        if part is None:
            return refusal(answer)
        await self._remember(option, view)
        inside = option == SANDBOX
        part = replace(part, permit=await self._asked_permit(again, inside=inside))
        return await self._run(replace(again, invocation=part), view, inner)

    async def _programs(self, judged: Judged) -> tuple[str, ...]:
        if judged.preview.subject.get("type") != "command":
            return ()
        return await asyncio.to_thread(acting_programs, judged.preview, judged.targets, self._shell_facts)

    async def _asked_permit(self, judged: Judged, *, inside: bool) -> Permit:
        confined = self._network.confines(judged.targets)
        return Permit(not inside, confined=confined, programs=() if inside else await self._programs(judged))

    async def _remember(self, option: Option, view: RunView) -> None:
        if option == LOOKED:
            await self._watch.accept(view)
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
        is_command = any(target.effect is Effect.EXECUTES for target in judged.targets)
        if not is_command or all(map(only_reads, judged.targets)):
            return await inner(judged.invocation)
        await self._watch.begin()
        try:
            outcome = await inner(judged.invocation)
        finally:
            asked = judged.invocation.permit.asked
            left = await self._watch.end(judged.targets, view, was_asked=asked)
        return with_text(outcome, left)

    async def _outdated(self, judged: Judged) -> Ask | None:
        """**Returns** the question about a command of a rule, when the agent changed what it obeys."""
        command = next((each for each in judged.targets if each.effect is Effect.EXECUTES), None)
        by_rule = isinstance(judged.verdict, Allow) and "the rule " in judged.verdict.by
        if command is None or not by_rule or judged.invocation.is_consented:
            return None
        cwd = str(judged.preview.subject.get("cwd") or ".")
        reason = await self._changes.since_allowed(command, cwd)
        rule = exact_rule(command, self._rules.roots)
        return Ask((reason,), (rule,) if rule else ()) if reason else None

    async def _relying_on_files(self, judged: Judged, view: RunView) -> Judged:
        """Ask about a call that would run unasked when the files that allow it changed under a command."""
        if self._grants.ignored != self._ignored:
            self._ignored = self._grants.ignored
            view.show(Notice("warning", "Saved permissions are ignored", self._ignored))
        if not (isinstance(judged.verdict, Allow) and judged.has_effect):
            return judged
        if why := await self._outdated(judged):
            return replace(judged, verdict=why)
        asked = await self._watch.question(judged.targets, view)
        return replace(judged, verdict=asked) if asked else judged


def _consented(invocation: Invocation) -> tuple[Rule, ...]:
    """**Returns** the rule that allows a call which the user consented to, exactly as it is."""
    if invocation.consent is None or not invocation.is_consented:
        return ()
    command = invocation.call.arguments.get("command")
    kind = ("shell", command) if isinstance(command, str) else (invocation.call.name,)
    return (Rule(f"{invocation.consent.by}, which you consented to", *kind),)


def _edited(invocation: Invocation, arguments: JsonObject) -> Invocation:
    return replace(invocation, call=replace(invocation.call, arguments=arguments), preview=None)


def _spelled(workspace: Workspace) -> tuple[str, ...]:
    """**Returns** the roots as they were named and with links resolved."""
    resolved = (workspace.place(root).path for root in workspace.roots)
    return tuple(dict.fromkeys((*workspace.roots, *resolved)))
