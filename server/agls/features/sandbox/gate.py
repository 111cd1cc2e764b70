"""Where a command runs: in the sandbox, outside of it, or nowhere. No argument of a call decides that."""

from dataclasses import replace

from agls.engine.facts import Notice
from agls.engine.feature import CallTool, Invocation, Permit, RunView
from agls.engine.ports import Asker, Effect, Preview
from agls.engine.vocabulary import Option, Question, ToolOutcome
from agls.features.sandbox.settings import Settings
from agls.room.sandbox_ports import CommandSandbox
from agls.titles import one_line

OUTSIDE = Option("outside", "Run outside the sandbox, once", "allow")
REJECT = Option("reject", "Reject", "reject")
CHANGES = frozenset({Effect.WRITES, Effect.EXECUTES})
UNAVAILABLE = (
    "It would run without a question in the sandbox, but there is none here: {}. Outside it can do all that "
    "you may do."
)
NO_SANDBOX = (
    "{}. A command that would run in it without a question is asked about, and refused where nobody can be "
    "asked. agls doctor says what helps."
)
NARROWER = "Landlock of the kernel makes it: {}. agls doctor says what it does not cover, and what helps."
NOT_RUN = "Not run: it may run without a question only in the sandbox, and there is none here: {}."
NOBODY = " Nobody is there to allow it outside."
REFUSED = " The user did not allow it outside either."
STOPPED = (
    "It ran in the sandbox, which kept it from something. {} Outside of the sandbox it can do all that "
    "you may do."
)
AFTER_CRASH = "Programs obey files with these names:\n{}"
LEFT_INSIDE = "[The user did not let it run outside of the sandbox.]"
ALONE = (
    "[Nobody is there to let it run outside of the sandbox. Go on without it, and say at the end what could "
    "not be done.]"
)
DENIED = "[A rule denies commands the network, so it may not run outside of the sandbox. Go on without it.]"
CHANGED = (
    "[It was not run outside of the sandbox: {} changed while the user was asked. Look at it, and try again.]"
)
AGAIN = "[It ran again outside of the sandbox, as the user allowed.]"


class SandboxGate:
    """Sends the commands of one run into the sandbox (`around_tool`)."""

    def __init__(self, settings: Settings, asker: Asker, sandbox: CommandSandbox) -> None:
        self._settings = settings
        self._asker, self._sandbox = asker, sandbox
        self._shown = False

    async def pass_call(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Let the call pass; a command perhaps in the sandbox, or not at all."""
        if not self._is_wanted(invocation):
            return await self._outside(invocation, inner)
        missing = await self._sandbox.missing()
        await self._show_state(missing, view)
        if not missing:
            return await self._inside(invocation, inner)
        permit = invocation.permit
        if permit.reads_only or (permit.asked and not permit.confined):
            return await inner(invocation)
        if permit.confined:
            return ToolOutcome(NOT_RUN.format(missing), status="rejected", refused_by="rule")
        answer = await self._ask(invocation, UNAVAILABLE.format(missing))
        if answer == "yes":
            return await self._outside(invocation, inner)
        if answer not in {"no", "nobody"}:
            return ToolOutcome(CHANGED.format(answer), status="failed")
        why = NOBODY if answer == "nobody" else REFUSED
        by = "nobody" if answer == "nobody" else "user"
        return ToolOutcome(NOT_RUN.format(missing) + why, status="rejected", refused_by=by)

    async def _show_state(self, missing: str, view: RunView) -> None:
        """Show once in a run what is not as it should be."""
        if self._shown:
            return
        self._shown = True
        if left := self._sandbox.after_crash():
            text = AFTER_CRASH.format("\n".join(left))
            view.show(Notice("warning", "A command left files when its agls died", text))
        if missing:
            view.show(Notice("warning", "There is no sandbox here", NO_SANDBOX.format(missing)))
        elif lacking := await self._sandbox.lacking():
            view.show(Notice("info", "The sandbox is a narrower one here", NARROWER.format(lacking)))

    def _is_wanted(self, invocation: Invocation) -> bool:
        if not _is_command(invocation):
            return False
        permit = invocation.permit
        if permit.confined:
            return True
        if permit.programs and all(map(self._runs_outside, permit.programs)):
            return False
        return self._settings.use == "always" or not permit.asked

    def _runs_outside(self, program: str) -> bool:
        """Return whether the user's own settings name this program with these words."""
        return any(
            program.startswith(f"{pattern[:-2]} ") or program == pattern[:-2]
            if pattern.endswith(" *")
            else program == pattern
            for pattern in self._settings.outside
        )

    async def _outside(self, invocation: Invocation, inner: CallTool) -> ToolOutcome:
        try:
            return await inner(invocation)
        finally:
            if invocation.tool.spec.effects & CHANGES:
                await self._sandbox.accept(self._settings.writable)

    async def _inside(self, invocation: Invocation, inner: CallTool) -> ToolOutcome:
        confined = self._sandbox.enter(self._settings.writable)
        context = replace(invocation.context, workspace=confined.workspace)
        outcome = await inner(replace(invocation, context=context))
        if not confined.stopped:
            return outcome
        if invocation.permit.confined:
            return replace(outcome, text=f"{outcome.text}\n{DENIED}")
        if not self._asker.available:
            return replace(outcome, text=f"{outcome.text}\n{ALONE}")
        said = " ".join(line.strip("[]") for line in confined.stopped)
        answer = await self._ask(invocation, STOPPED.format(said))
        if answer != "yes":
            why = LEFT_INSIDE if answer in {"no", "nobody"} else CHANGED.format(answer)
            return replace(outcome, text=f"{outcome.text}\n{why}")
        asked = replace(invocation, permit=Permit(asked=True))
        again = await self._outside(asked, inner)
        return replace(again, text=f"{AGAIN}\n{again.text}")

    async def _ask(self, invocation: Invocation, reason: str) -> str:
        """Ask whether the command may run outside. **Returns** yes, no, nobody, or what changed meanwhile."""
        preview = await _preview_of(invocation)
        before = await self._obeyed(invocation, preview)
        call_id, options = invocation.call.call_id, (OUTSIDE, REJECT)
        question = Question("permission", preview.title, reason, call_id, preview.subject, options)
        answer = await self._asker.ask(question)
        if answer.outcome == "unanswered":
            return "nobody"
        if answer.outcome != "selected" or answer.option_id != OUTSIDE.option_id:
            return "no"
        changed = before ^ await self._obeyed(invocation, preview)
        return f"`{one_line(min(name for name, _ in changed))}`" if changed else "yes"

    async def _obeyed(self, invocation: Invocation, preview: Preview) -> frozenset[tuple[str, str]]:
        command, folder = invocation.call.arguments.get("command"), preview.subject.get("cwd")
        found = await self._sandbox.obeyed(str(command or ""), str(folder or "."))
        return frozenset(found.items())


async def _preview_of(invocation: Invocation) -> Preview:
    return invocation.preview or await invocation.tool.preview(invocation.call, invocation.context)


def _is_command(invocation: Invocation) -> bool:
    if Effect.EXECUTES not in invocation.tool.spec.effects:
        return False
    return invocation.preview is None or invocation.preview.subject.get("type") == "command"
