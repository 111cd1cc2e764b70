"""The tool `shell`."""

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

from aglet.engine.ports import Command, Effect, Finished, Preview, Target, ToolContext, Workspace
from aglet.engine.vocabulary import Terminal, ToolOutcome
from aglet.frozen import frozen
from aglet.toolkit import Arguments

from .settings import Settings

# What nobody can see, or sees wrongly: controls, formats such as bidi overrides, and line ends and
# spaces other than the usual ones.
DECEIVING = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})


def without_deception(command: str) -> str:
    """The command, if what a human reads is what runs. Raises `ValueError`."""
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

    Every command runs in a fresh shell with an empty standard input. It is stopped when its time is
    over. Use the file and search tools to read, change and find files.
    """

    command: Annotated[str, AfterValidator(without_deception)] = Field(min_length=1)
    description: str = Field(default="", description="what it does and why, in a few words, for the user")
    timeout_s: float | None = Field(default=None, gt=0, description="seconds it may run")
    cwd: str = Field(default="", description="folder to run in; empty for the root of the workspace")


def command_targets(arguments: RunCommand) -> tuple[Target, ...]:
    """The exact command."""
    return (Target(Effect.EXECUTES, arguments.command),)


@frozen
class Shell:
    """Runs commands in the workspace; cancelling a call ends everything the command started."""

    settings: Settings
    save: bool

    async def describe(self, arguments: RunCommand, context: ToolContext) -> Preview:
        """The exact command and its folder."""
        cwd = context.workspace.place(arguments.cwd or ".").path
        first = arguments.command.strip().partition("\n")[0]
        title = f"Run {first if len(first) <= 60 else first[:60] + '…'}"
        return Preview(title, {"type": "command", "command": arguments.command, "cwd": cwd})

    async def run(self, arguments: RunCommand, context: ToolContext) -> ToolOutcome:
        """Run the command to its end, or to the end of its time."""
        workspace = context.workspace
        asked = arguments.timeout_s or self.settings.timeout_s
        command = Command(
            _argv(arguments.command, workspace),
            cwd=arguments.cwd,
            timeout=min(asked, self.settings.max_timeout_s),
            keep=self.settings.output_bytes,
            save=self.save,
        )
        finished = await workspace.run(command, context.show)
        return ToolOutcome(
            "\n".join(_told(finished, command)),
            status="completed" if finished.exit_code is not None else "failed",
            effects="unknown",
            terminal=Terminal(
                arguments.command,
                workspace.place(arguments.cwd or ".").path,
                finished.exit_code,
                finished.signal,
            ),
            truncated=max(0, finished.total - command.keep),
        )


def _argv(command: str, workspace: Workspace) -> tuple[str, ...]:
    if bash := workspace.which("bash"):
        return (bash, "--noprofile", "--norc", "-c", command)
    return (workspace.which("sh") or "sh", "-c", command)


def _told(finished: Finished, command: Command) -> list[str]:
    lines: list[str] = []
    if finished.unsaved:
        files = ", ".join(finished.unsaved)
        lines.append(
            f"[Not saved in the editor, so the command saw these files as they are on disk: {files}]"
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
    return [*lines, f"[{_ending(finished, command)}, {finished.seconds:.1f} s]"]


def _ending(finished: Finished, command: Command) -> str:
    if finished.timed_out:
        return f"stopped: it ran longer than {command.timeout:g} s; ask for more with timeout_s"
    if finished.exit_code is None:
        return f"ended by {finished.signal}"
    return f"exit code {finished.exit_code}"
