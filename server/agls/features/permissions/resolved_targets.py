"""The targets of a call's preview, looked up in the workspace, as the decision judges them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from posixpath import basename, join, normpath
from shlex import quote

from agls.engine.ports import Effect, PathInfo, Preview, Target, ToolSpec, Workspace, WorkspaceError
from agls.features.permissions.commands import UNKNOWN, known_only_when_run, read_whole, touched
from agls.features.permissions.folder_readers import folders_given
from agls.features.permissions.parts import from_root, in_parts
from agls.features.permissions.rules import PATHS, ResolvedTarget
from agls.room.process_ports import ShellFacts
from agls.room.shell_words import folders_of, parts

UNCHANGED: Mapping[str, str | None] = {}


def resolve_targets(
    spec: ToolSpec, preview: Preview, workspace: Workspace, shell_facts: ShellFacts | None = None
) -> tuple[ResolvedTarget, ...]:
    """**Returns** everything that the call would do. It looks at paths: call it off the event loop.

    A call that names nothing beyond reading, though its tool can do more, is judged by all its
    tool can do. Without `shell_facts` no command is known to read only.
    """
    named = preview.targets
    if all(target.effect is Effect.READS for target in named):
        covered = {target.effect for target in named}
        named += tuple(Target(effect, "") for effect in sorted(spec.effects - covered))
    named = named or (Target(Effect.READS, ""),)  # no effect at all: rules by name still hold
    return tuple(
        one for target in named for one in _resolve(spec.name, target, preview, workspace, shell_facts)
    )


def _resolve(
    tool: str,
    target: Target,
    preview: Preview,
    workspace: Workspace,
    shell_facts: ShellFacts | None,
) -> Iterator[ResolvedTarget]:
    if target.effect in PATHS and target.value:
        place, problem = _placed(target.value, workspace)
        yield ResolvedTarget(tool, target.effect, target.value, place, problem)
        return
    if target.effect is not Effect.EXECUTES or not target.value:
        yield ResolvedTarget(tool, target.effect, target.value)
        return
    cwd, variables = str(preview.subject.get("cwd") or "."), preview.subject.get("environment", {})
    yield from resolve_command(tool, target.value, cwd, workspace, variables, shell_facts)


def resolve_command(
    tool: str,
    command: str,
    cwd: str,
    workspace: Workspace,
    variables: Mapping[str, str | None] = UNCHANGED,
    shell_facts: ShellFacts | None = None,
) -> tuple[ResolvedTarget, ...]:
    """**Returns** everything that a command would do, as far as its text shows. It looks at paths.

    With variables that are not the usual ones it is judged as if it set them itself: they may change
    what a program does, so what was allowed without them is not allowed with them.
    """
    guesses = tuple(_guesses(tool, command, cwd, workspace))
    leads_out = any(_leads_out(guess) for guess in guesses)
    written = " && ".join((*_settings_of(variables), from_root(command, cwd, workspace)))
    led = _led(command, guesses)
    whole = ResolvedTarget(tool, Effect.EXECUTES, written, leads_out=leads_out, leads_to=led)
    if variables or not shell_facts:
        return (whole, *guesses)
    judged = in_parts(whole, command, cwd, workspace, shell_facts)
    if judged.reads_only:  # then no word of it is written: `awk '{print $1}' | sort`
        if any(guess.holds_denied for guess in guesses):
            guesses = tuple(_guesses(tool, command, cwd, workspace, is_known=True))
        guesses = tuple(replace(guess, effect=Effect.READS) for guess in guesses)
    elif may_read := _may_read(command, cwd, workspace):
        judged = replace(judged, may_read=may_read)
    return (judged, *guesses)


def _may_read(command: str, cwd: str, workspace: Workspace) -> str:
    """Return the first folder with denied files that the command may read as a whole, "" for none."""
    return next((each for each in folders_given(command) if _holds_hidden(join(cwd, each), workspace)), "")


def _led(command: str, guesses: Sequence[ResolvedTarget]) -> str:
    """Return the words of a command with those that are links named as what they lead to, "" without any."""
    names = {
        guess.value: guess.place.path
        for guess in guesses
        if guess.place and basename(guess.place.path) != basename(normpath(guess.value))
    }
    if not names:
        return ""
    words = parts(command)
    folders = ("", *folders_of(words))

    def named(word: str) -> str:
        option, mark, value = word.rpartition("=")  # of `--pre=./link`, too
        for written, before in ((word, ""), (value, option + mark)):
            for path in (join(folder, written) for folder in folders):
                if path in names:
                    return before + names[path]
        return word

    return " ; ".join(" ".join(map(named, part)) for part in words)


def _settings_of(variables: Mapping[str, str | None]) -> Iterator[str]:
    for name, value in variables.items():
        yield f"unset {name}" if value is None else f"export {name}={quote(value)}"


def _leads_out(guess: ResolvedTarget) -> bool:
    return guess.value == UNKNOWN or (guess.place is not None and not guess.place.inside)


def _guesses(
    tool: str, command: str, cwd: str, workspace: Workspace, *, is_known: bool = False
) -> Iterator[ResolvedTarget]:
    for effect, path in touched(command):
        place = None
        if not known_only_when_run(path):
            place, _ = _placed(join(cwd, path), workspace)
        yield ResolvedTarget(tool, effect, path, place, guessed=True)
    for folder in read_whole(command, is_known=is_known):
        path = join(cwd, folder)
        if not known_only_when_run(folder) and _holds_hidden(path, workspace):
            place, _ = _placed(path, workspace)
            yield ResolvedTarget(tool, Effect.READS, folder, place, guessed=True, holds_denied=True)


def _holds_hidden(path: str, workspace: Workspace) -> bool:
    try:
        return workspace.holds_hidden(path)
    except WorkspaceError:
        return False  # there is no such place


def _placed(path: str, workspace: Workspace) -> tuple[PathInfo | None, str]:
    try:
        return workspace.place(path), ""
    except WorkspaceError as problem:
        return None, str(problem)
