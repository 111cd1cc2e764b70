"""The tool `shell`."""

import asyncio
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from shlex import quote
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from agls.engine.background import Background, BackgroundTask, Show
from agls.engine.ports import (
    Command,
    Effect,
    PathOutside,
    Preview,
    Target,
    ToolContext,
    Workspace,
    WorkspaceError,
)
from agls.engine.vocabulary import JsonObject, Terminal, ToolOutcome
from agls.frozen import frozen
from agls.redaction import without
from agls.room.whole_outputs import WholeOutputs
from agls.terminal_codes import coloured_if_same, enclosed, without_colours
from agls.toolkit import Arguments

from .buffer_saver import SaveOutcome
from .outcome_text import text_of
from .prompts import SilenceWatch, repeats_for_ever
from .settings import Settings
from .state import END, GONE, REPORTING, SessionShell, ShellState

# What nobody can see, or sees wrongly: controls, formats such as bidi overrides, and line ends and
# spaces other than the usual ones.
DECEIVING = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
LONGEST_TITLE = 60  # characters
QUICK = 65_536  # characters that are looked through sooner than handed to a thread
BEGUN = "[It runs as {}. You get a message when it ends; shell_task shows its output so far.]"
MOVED = (
    "[It goes on in the background, as {}: {} You get a message when it ends; shell_task shows its output.]"
)
WITH = " (variables that a command before it changed: {})"
BY_USER, BY_TIME = "the user moved it there.", "it ran longer than {:g} s."
BY_QUESTION = (
    "it has been silent since what looks like a question, which nobody can answer. If it waits, stop it with "
    "shell_task and give the answer in the command, by an option such as --yes, a pipe or a file."
)


def without_deception(command: str) -> str:
    """Return the command, if a human reads exactly what runs. **Raises** `ValueError`."""
    hidden = [each for each in set(command) - set(" \t\n") if unicodedata.category(each) in DECEIVING]
    if hidden:
        at, character = min((command.index(each), each) for each in hidden)
        name = unicodedata.name(character, "a control character")
        raise ValueError(
            f"U+{ord(character):04X} ({name}) at character {at + 1} cannot be seen by the user. "
            f"Write it as an escape, for example with printf or $'…'"
        )
    return command


class RunCommand(Arguments):
    """Run a bash command and wait for it to end; you get its output, standard error included.

    Every command runs in a fresh shell with an empty standard input and no terminal: nobody answers what it
    asks. It begins in the folder and with the exported variables that the last one left. It is stopped when
    its time is over. One in the background goes on while you work: you get its id at once, look at it or stop
    it with shell_task, and get a message when it has ended. Use the file and search tools to read, change and
    find files.
    """

    command: Annotated[str, AfterValidator(without_deception)] = Field(min_length=1)
    description: str = Field(default="", description="what it does and why, in a few words, for the user")
    timeout_s: float | None = Field(default=None, gt=0, description="seconds it may run")
    cwd: str = Field(default="", description="folder for this one, from the root of the workspace (.)")
    background: bool = Field(
        default=False, description="run in the background: servers, watchers, long builds"
    )


@cache
def arguments_for(usual: float, most: float, beside: float) -> type[RunCommand]:
    """Return the arguments of the tool, which say how many seconds a command may run.

    It has `usual` seconds if it asks for none, `most` at most, and `beside` in the background.
    """
    limits = f"seconds: {usual:g} if not given, at most {most:g}, {beside:g} in the background"

    class LimitedCommand(RunCommand):
        __doc__ = RunCommand.__doc__
        descriptions: ClassVar[Mapping[str, str]] = {"timeout_s": limits}

    return LimitedCommand


def command_targets(arguments: RunCommand) -> tuple[Target, ...]:
    """Return the exact command."""
    return (Target(Effect.EXECUTES, arguments.command),)


@frozen
class Shell:
    """Runs commands in the workspace; cancelling a call ends everything the command started."""

    settings: Settings
    background: Background
    session: SessionShell
    outputs: WholeOutputs
    saved: SaveOutcome = SaveOutcome({})

    @property
    def kept_bytes(self) -> int:
        """How much of an output is kept."""
        return max(self.settings.output_bytes, self.outputs.limits.kept)

    async def describe(self, arguments: RunCommand, context: ToolContext) -> Preview:
        """Return the exact command, its folder, and the variables that differ from the usual ones."""
        now = self.session.now
        cwd = context.workspace.place(arguments.cwd or now.folder or ".").path
        where = " in the background" if arguments.background else ""
        names = ", ".join(now.variables)
        changed = WITH.format(names if len(names) <= LONGEST_TITLE else f"{names[:LONGEST_TITLE]}…")
        title = f"Run{where} {title_of(arguments.command)}{changed if names else ''}"
        subject: JsonObject = {"type": "command", "command": arguments.command, "cwd": cwd}
        subject |= {"environment": dict(now.variables)} if now.variables else {}
        return Preview(title, subject, problem=_problem(arguments))

    async def run(self, arguments: RunCommand, context: ToolContext) -> ToolOutcome:
        """Run the command to its end, or to the end of its time; or begin it, when nobody waits for it."""
        if problem := _problem(arguments):
            return ToolOutcome(problem, status="failed")
        now = self.session.now
        cwd = context.workspace.place(arguments.cwd or now.folder or ".")
        if not cwd.inside:
            raise PathOutside(f"Commands run in the workspace; {cwd.shown} is outside.")
        execution = Execution(self, arguments, context, now)
        title, terminal = title_of(arguments.command), Terminal(arguments.command, cwd.path)
        if arguments.background:
            self.check_number()
            task = self.background.begin(
                title, context.call_id, terminal, partial(execution.beside, terminal)
            )
            return ToolOutcome(BEGUN.format(task.task_id), effects="unknown")
        done = await self.background.wait_for(
            title, context.call_id, terminal, partial(execution.in_front, terminal), context.show
        )
        return self._moved(done, execution) if isinstance(done, BackgroundTask) else done

    @property
    def has_room(self) -> bool:
        """Whether one more command may run in the background."""
        return len(self._commands()) < self.settings.max_tasks

    def _commands(self) -> Sequence[BackgroundTask]:
        tasks = self.background.tasks
        return [tasks[one] for one in self.background.running if not tasks[one].owner]

    def check_number(self) -> None:
        """Check that there is room for one more task. **Raises** `WorkspaceError`."""
        if not self.has_room:
            known = ", ".join(f"{task.task_id} ({task.title})" for task in self._commands())
            raise WorkspaceError(
                f"Nothing was begun: {self.settings.max_tasks} commands may run in the background at "
                f"once, and these do: {known or 'none'}. Stop one with shell_task, or wait for its end."
            )

    def _moved(self, task: BackgroundTask, execution: "Execution") -> ToolOutcome:
        """Return the answer to a call whose command goes on without it."""
        by_itself = BY_QUESTION if execution.is_asking else BY_USER
        why = BY_TIME.format(execution.limit) if execution.is_over_time else by_itself
        printed = enclosed(self.background.news(task.task_id).rstrip("\n"))
        output = [printed] if printed else []
        return ToolOutcome("\n".join([*output, MOVED.format(task.task_id, why)]), effects="unknown")


class Execution:
    """One command on its way: in front of its call, or in the background."""

    def __init__(self, shell: Shell, arguments: RunCommand, context: ToolContext, now: ShellState) -> None:
        settings, asked = shell.settings, arguments.timeout_s
        usual = settings.task_timeout_s if arguments.background else settings.timeout_s
        most = settings.task_timeout_s if arguments.background else settings.max_timeout_s
        self.limit, self.is_over_time = min(asked or usual, most), False
        self.is_asking = False  # it was silent after a question
        self._silence = SilenceWatch(self._give_up)
        self._seconds = self.limit  # with those that it got on top
        self._shell, self._now = shell, now
        self._arguments, self._context = arguments, context

    async def in_front(self, terminal: Terminal, show: Show) -> ToolOutcome:
        """Run the command of a call that waits for it. **Returns** failures as its outcome, as `beside` does.

        What it leaves behind is for the next command, unless it was moved to the background.
        """
        return await self._outcome(terminal, show, reports=True)

    async def beside(self, terminal: Terminal, show: Show) -> ToolOutcome:
        """Run the command of a task."""
        return await self._outcome(terminal, show, reports=False)

    @property
    def _is_waited_for(self) -> bool:
        return self._context.call_id in self._shell.background.waited_for

    async def _outcome(self, terminal: Terminal, show: Show, *, reports: bool) -> ToolOutcome:
        shell, workspace = self._shell, self._context.workspace
        command = self._command(reports=reports)

        def take(text: str) -> None:
            self._silence.take(without_colours(text))
            show(self._shown(text))

        try:
            finished = await workspace.run(command, take)
        except WorkspaceError as problem:
            return ToolOutcome(await self._explained(problem), "failed", terminal=terminal)
        finally:
            self._silence.end()
        remarks: Sequence[str] = ()
        if self._is_waited_for:
            remarks = shell.session.take(finished, workspace, with_folder=not self._arguments.cwd)
        report = partial(text_of, finished, replace(command, timeout=self._seconds), shell.saved, remarks)
        outcome = ToolOutcome(
            report() if len(finished.output) <= QUICK else await asyncio.to_thread(report),
            status="completed" if finished.exit_code is not None else "failed",
            effects="unknown",
            terminal=replace(
                terminal,
                exit_code=finished.exit_code,
                signal=finished.signal,
                unsaved=finished.unsaved,
                coloured=finished.coloured,
            ),
            truncated=max(0, finished.total - command.keep),
        )
        return outcome if self._is_waited_for else await self._of_task(outcome)

    def _command(self, *, reports: bool) -> Command:
        variables = self._now.variables
        return Command(
            _argv(self._arguments.command, self._context.workspace, reports=reports),
            cwd=self._arguments.cwd or self._now.folder,
            timeout=self._seconds,
            keep=self._shell.kept_bytes,
            env=self._folder_before()
            | {name: value for name, value in variables.items() if value is not None},
            unset=frozenset(name for name, value in variables.items() if value is None),
            reports=reports,
            more_time=self._more_time,
            no_screen=reports,
        )

    def _folder_before(self) -> dict[str, str]:
        before = self._now.before
        return {} if before is None else {"OLDPWD": self._context.workspace.place(before or ".").path}

    def _give_up(self) -> None:
        """Let the call go on without a command that seems to wait for an answer."""
        if self._is_waited_for and self._shell.has_room:
            self.is_asking = True
            self._shell.background.move(self._context.call_id)

    def _more_time(self) -> float:
        """Return the seconds that the command gets on top, once its time is over.

        They are those of a task for one that was moved to the background, or is moved there now. One that
        was begun there has the time that it asked for.
        """
        shell = self._shell
        if self._arguments.background:
            return 0.0
        if shell.settings.at_time_limit == "background" and self._is_waited_for and shell.has_room:
            self.is_over_time = True
            shell.background.move(self._context.call_id)
        more = 0.0 if self._is_waited_for else max(0.0, shell.settings.task_timeout_s - self._seconds)
        self._seconds += more
        return more

    async def _explained(self, problem: WorkspaceError) -> str:
        """Return why nothing could be run. A folder that is gone is left for the root."""
        folder, workspace = self._now.folder, self._context.workspace
        if not folder or self._arguments.cwd:
            return str(problem)
        try:
            await workspace.list(folder)
        except WorkspaceError:
            self._shell.session.forget_folder()
            return GONE.format(folder)
        return str(problem)

    async def _of_task(self, outcome: ToolOutcome) -> ToolOutcome:
        """Return the outcome of a task: in part, without keys, and the whole of it kept as a file."""
        shell, name = self._shell, sha256(self._context.call_id.encode("utf-8", "replace")).hexdigest()
        clean = replace(outcome, text=await asyncio.to_thread(self._clean, outcome.text))
        limit = shell.outputs.limits.within(shell.settings.output_bytes)
        return await shell.outputs.in_part(clean, f"task-{name[:12]}.txt", limit)

    def _clean(self, text: str) -> str:
        return without(self._shell.session.secrets, text)

    def _shown(self, text: str) -> str:
        """Return what it prints without secrets: in its colours, where none of them is within one."""
        return coloured_if_same(text, self._clean(without_colours(text)))


def _problem(arguments: RunCommand) -> str:
    return "" if arguments.background else repeats_for_ever(arguments.command)


def title_of(command: str) -> str:
    """Return the beginning of the first line of a command."""
    first = command.strip().partition("\n")[0]
    return first if len(first) <= LONGEST_TITLE else first[:LONGEST_TITLE] + "…"


def _argv(command: str, workspace: Workspace, *, reports: bool) -> tuple[str, ...]:
    bash = workspace.which("bash")
    shell = (bash, "--noprofile", "--norc", "-c") if bash else (workspace.which("sh") or "sh", "-c")
    variables = workspace.which("env")
    if reports and variables:
        return (*shell, REPORTING.format(quote(variables), END), shell[0], command)
    return (*shell, command)
