"""The action `permission.explain`: whether something would run unasked, and why."""

import asyncio
import re
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome
from agls.engine.ports import Effect, Workspace, WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.features.permissions.command_watch import only_reads
from agls.features.permissions.decision import Allow, Ask, Deny, Verdict
from agls.features.permissions.gate import PermissionGate
from agls.features.permissions.resolved_targets import resolve_command
from agls.features.permissions.rules import ResolvedTarget
from agls.features.permissions.visible import one_line
from agls.modes import complaint, is_mode
from agls.regex import regex
from agls.room.permission_memory import Forbids
from agls.room.process_ports import ShellFacts
from agls.room.sandbox_ports import CommandSandbox
from agls.toolkit import Arguments, TypedAction

READS = "it only reads in the workspace"
IN_SANDBOX = "It runs in the sandbox, unless [sandbox] outside names its programs."
SWITCHED_OFF = "It runs outside of any sandbox, which is switched off, and can do all that you may do."
WITHOUT = "It runs without a sandbox: there is none here ({})."
NONE_HERE = (
    "But it would run in the sandbox, and there is none here ({}): it is asked about all the same, and "
    "refused where nobody can be asked. agls doctor says what helps."
)
EFFECTS = {"shell": Effect.EXECUTES, "edit": Effect.WRITES, "read": Effect.READS}
_RULE = regex(r"(shell|edit|read)\(([^)].*)\)", re.DOTALL)  # no command: no shell takes it
TOOLS = {"shell": ("shell",), "edit": ("edit_file", "write_file"), "read": ("read_file",)}


class Explain(Arguments):
    """Show whether a command, an edit or reading a file would need your permission here, and why."""

    target: str = Field(
        min_length=1, description="the command, or the path of the file; or both as in a rule: read(src/a.py)"
    )
    kind: Literal["shell", "edit", "read"] = Field("shell", description="a command, an edit or reading")
    mode: str = Field("", description="as if this mode were on; the present one when empty")


def explain_action(
    gate: PermissionGate,
    forbids: Forbids,
    workspace: Workspace,
    shell_facts: ShellFacts,
    sandbox: CommandSandbox,
) -> Action:
    """Return the action, which asks the policies and the gate, and runs nothing."""

    async def explain(given: Explain, context: ActionContext) -> ActionOutcome:
        arguments = _meant(given)
        mode = arguments.mode or gate.mode_of(context.state)
        if not is_mode(mode):
            raise ActionError(f"{complaint(mode)}.")
        try:
            targets = await asyncio.to_thread(_targets, arguments, workspace, shell_facts)
        except WorkspaceError as problem:
            raise ActionError(str(problem)) from None
        if denial := await asyncio.to_thread(_denial, arguments.kind, forbids):
            text, data = _in_words(denial)
            return ActionOutcome(text, {"mode": mode, **data, "parts": []})
        verdict = await gate.verdict_on(targets, context.state, mode)
        text, data = _in_words(verdict)
        if arguments.kind == "shell" and isinstance(verdict, Allow):
            text += f"\n{await _where(targets, sandbox)}"
        parts = targets[0].parts
        for part in parts:
            alone = await gate.verdict_on((part,), context.state, mode)
            text += f"\n  {one_line(part.value)}: {_of_part(part, alone)}"
        said = [{"command": part.value, "readsOnly": part.reads_only, "doubt": part.doubt} for part in parts]
        return ActionOutcome(text, {"mode": mode, **data, "parts": said})

    return TypedAction("permission.explain", "Explain a permission", Explain, explain, group="Settings")


def _meant(given: Explain) -> Explain:
    """Return the arguments; a target that is written like a rule, `read(src/a.py)`, says its kind itself."""
    rule = _RULE.fullmatch(given.target) if given.kind == "shell" else None
    return given.model_copy(update={"kind": rule[1], "target": rule[2]}) if rule else given


async def _where(targets: Sequence[ResolvedTarget], sandbox: CommandSandbox) -> str:
    """Return where a command runs that nobody is asked about."""
    why = await sandbox.unavailable()
    if not why:
        return IN_SANDBOX
    if why == await sandbox.missing():
        return WITHOUT.format(why) if all(map(only_reads, targets)) else NONE_HERE.format(why)
    return SWITCHED_OFF


def _denial(kind: str, forbids: Forbids) -> Deny | None:
    """Return why no tool for this may run by the policies, `None` when one may."""
    reasons = [forbids(tool, frozenset({EFFECTS[kind]})) for tool in TOOLS[kind]]
    return Deny(f"{reasons[0]}. /policy shows all that holds.") if all(reasons) else None


def _targets(arguments: Explain, workspace: Workspace, shell_facts: ShellFacts) -> tuple[ResolvedTarget, ...]:
    """Return everything that it would do. **Raises** `WorkspaceError`."""
    kind, target = arguments.kind, arguments.target
    if kind == "shell":
        return resolve_command("shell", target, ".", workspace, shell_facts=shell_facts)
    return (ResolvedTarget(kind, EFFECTS[kind], target, workspace.place(target)),)


def _of_part(part: ResolvedTarget, alone: Verdict) -> str:
    """Return why a program of a compound command runs unasked, or why it does not."""
    if part.doubt and isinstance(alone, Allow) and not part.fed:
        return alone.by
    return part.doubt or READS


def _in_words(verdict: Verdict) -> tuple[str, JsonObject]:
    match verdict:
        case Allow(by):
            return f"It runs without a question: {by}.", {"verdict": "allow", "by": by}
        case Deny(reason=reason):
            return f"It is refused: {reason}", {"verdict": "deny", "reason": reason}
        case Ask(reasons, rules):
            text = f"It is asked about. {' '.join(reasons)}"
            saved = (
                f"\nAn answer for the session or the project would save: {', '.join(rules)}" if rules else ""
            )
            return text + saved, {"verdict": "ask", "reasons": list(reasons), "rules": list(rules)}
