"""The tool `shell`."""

import unicodedata
from dataclasses import replace
from functools import cache, partial
from typing import Annotated

from pydantic import AfterValidator, Field

from agls.engine.background import Background, Show
from agls.engine.ports import (
    Command,
    Effect,
    Finished,
    PathOutside,
    Preview,
    Target,
    ToolContext,
    Workspace,
    WorkspaceError,
)
from agls.engine.vocabulary import Terminal, ToolOutcome
from agls.frozen import frozen
from agls.toolkit import Arguments

from .buffer_saver import SaveOutcome
from .prompts import remark_on
from .settings import Settings

# What nobody can see, or sees wrongly: controls, formats such as bidi overrides, and line ends and
# spaces other than the usual ones.
DECEIVING = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
LONGEST_TITLE = 60  # characters
BEGUN = "[It runs as {}. You are told when it ends; shell_task shows its output so far.]"


def without_deception(command: str) -> str:
    """Return the command, if a human reads exactly what runs. **Raises** `ValueError`."""
    for at, character in enumerate(command):
        if character not in " \t\n" and unicodedata.category(character) in DECEIVING:
            name = unicodedata.name(character, "a control character")
            raise ValueError(
                f"U+{ord(character):04X} ({name}) at character {at + 1} cannot be seen by the user. "
                f"Write it as an escape, for example with printf or $'…'"
            )
    return command


class RunCommand(Arguments):
    """Run a bash command and wait for it to end; you get its output, standard error included.

    Every command runs in a fresh shell with an empty standard input and no terminal: nobody answers what it
    asks. It is stopped when its time is over. One in the background goes on while you work: you get its id at
    once, look at it or stop it with shell_task, and are told when it has ended. Use the file and search tools
    to read, change and find files.
    """

    command: Annotated[str, AfterValidator(without_deception)] = Field(min_length=1)
    description: str = Field(default="", description="what it does and why, in a few words, for the user")
    timeout_s: float | None = Field(default=None, gt=0, description="seconds it may run")
    cwd: str = Field(default="", description="folder to run in; empty for the root of the workspace")
    background: bool = Field(default=False, description="go on beside: servers, watchers, long builds")


@cache
def arguments_for(usual: float, most: float, beside: float) -> type[RunCommand]:
    """Return the arguments of the tool, which say how many seconds a command may run.

    It has `usual` seconds if it asks for none, `most` at most, and `beside` in the background.
    """
    limits = f"seconds: {usual:g} if not given, at most {most:g}, {beside:g} in the background"

    class LimitedCommand(RunCommand):
        __doc__ = RunCommand.__doc__
        timeout_s: float | None = Field(default=None, gt=0, description=limits)

    return LimitedCommand


def command_targets(arguments: RunCommand) -> tuple[Target, ...]:
    """Return the exact command."""
    return (Target(Effect.EXECUTES, arguments.command),)


@frozen
class Shell:
    """Runs commands in the workspace; cancelling a call ends everything the command started."""

    settings: Settings
    background: Background
    kept_bytes: int  # of the output of a command that is waited for
    saved: SaveOutcome = SaveOutcome({})

    async def describe(self, arguments: RunCommand, context: ToolContext) -> Preview:
        """Return the exact command and its folder."""
        cwd = context.workspace.place(arguments.cwd or ".").path
        where = " in the background" if arguments.background else ""
        title = f"Run{where} {title_of(arguments.command)}"
        return Preview(title, {"type": "command", "command": arguments.command, "cwd": cwd})

    async def run(self, arguments: RunCommand, context: ToolContext) -> ToolOutcome:
        """Run the command to its end, or to the end of its time; or begin it, when nobody waits for it."""
        settings, beside = self.settings, arguments.background
        usual = settings.task_timeout_s if beside else settings.timeout_s
        most = settings.task_timeout_s if beside else settings.max_timeout_s
        command = Command(
            _argv(arguments.command, context.workspace),
            cwd=arguments.cwd,
            timeout=min(arguments.timeout_s or usual, most),
            keep=settings.output_bytes if beside else self.kept_bytes,
        )
        cwd = context.workspace.place(arguments.cwd or ".")
        terminal = Terminal(arguments.command, cwd.path)
        if not beside:
            return await _outcome(context.workspace, command, terminal, self.saved, context.show)
        if not cwd.inside:
            raise PathOutside(f"Commands run in the workspace; {cwd.shown} is outside.")
        self._check_number()
        work = partial(_work, context.workspace, command, terminal, self.saved)
        task = self.background.begin(title_of(arguments.command), context.call_id, terminal, work)
        return ToolOutcome(BEGUN.format(task.task_id), effects="unknown")

    def _check_number(self) -> None:
        """Check that there is room for one more task. **Raises** `WorkspaceError`."""
        running = self.background.running
        if len(running) >= self.settings.max_tasks:
            tasks = self.background.tasks
            known = ", ".join(f"{one} ({tasks[one].title})" for one in running)
            raise WorkspaceError(
                f"Nothing was begun: {self.settings.max_tasks} commands may run in the background at "
                f"once, and these do: {known or 'none'}. Stop one with shell_task, or wait for its end."
            )


async def _work(
    workspace: Workspace, command: Command, terminal: Terminal, saved: SaveOutcome, show: Show
) -> ToolOutcome:
    """Do the work of a task. **Returns** failures as its outcome."""
    try:
        return await _outcome(workspace, command, terminal, saved, show)
    except WorkspaceError as problem:
        return ToolOutcome(str(problem), "failed", terminal=terminal)


async def _outcome(
    workspace: Workspace, command: Command, terminal: Terminal, saved: SaveOutcome, show: Show
) -> ToolOutcome:
    finished = await workspace.run(command, show)
    return ToolOutcome(
        "\n".join(_told(finished, command, saved)),
        status="completed" if finished.exit_code is not None else "failed",
        effects="unknown",
        terminal=replace(
            terminal, exit_code=finished.exit_code, signal=finished.signal, unsaved=finished.unsaved
        ),
        truncated=max(0, finished.total - command.keep),
    )


def title_of(command: str) -> str:
    """Return the beginning of the first line of a command."""
    first = command.strip().partition("\n")[0]
    return first if len(first) <= LONGEST_TITLE else first[:LONGEST_TITLE] + "…"


def _argv(command: str, workspace: Workspace) -> tuple[str, ...]:
    if bash := workspace.which("bash"):
        return (bash, "--noprofile", "--norc", "-c", command)
    return (workspace.which("sh") or "sh", "-c", command)


def _told(finished: Finished, command: Command, saved: SaveOutcome) -> list[str]:
    lines: list[str] = []
    if finished.unsaved:
        why = {path: f" ({reason})" for path, reason in saved.failed.items()}
        files = ", ".join(path + why.get(path, "") for path in finished.unsaved)
        lines.append(
            f"[Not saved in the editor, so the command saw these files as they are on disk: {files}]"
        )
    if saved.changed:
        files = ", ".join(saved.changed)
        lines.append(
            f"[The editor changed these files when it saved them; read them before you edit: {files}]"
        )
    if output := finished.output.rstrip("\n"):
        lines.append(output)
    if finished.total > command.keep:
        lines.append("[To see all of it, send the output to a file and read that, or filter it.]")
    if finished.changed:
        files = ", ".join(finished.changed)
        lines.append(f"[It changed files that are open in the editor; read them before you edit: {files}]")
    if finished.left_over:
        lines.append(f"[What it left running was ended with it; number of processes: {finished.left_over}]")
    if remark := remark_on(finished):
        lines.append(remark)
    return [*lines, f"[{_ending(finished, command)}, {finished.seconds:.1f} s]"]


def _ending(finished: Finished, command: Command) -> str:
    if finished.timed_out:
        return f"stopped: it ran longer than {command.timeout:g} s; ask for more with timeout_s"
    if finished.exit_code is None:
        return f"ended by {finished.signal}"
    return f"exit code {finished.exit_code}"
