"""What a call would do, as the decision judges it: its preview's targets, looked up in the workspace."""

from collections.abc import Iterator
from posixpath import join
from shlex import quote

from agls.engine.ports import Effect, PathInfo, Preview, Target, ToolSpec, Workspace, WorkspaceError
from agls.features.permissions.commands import UNKNOWN, known_only_when_run, read_whole, touched
from agls.features.permissions.rules import PATHS, ResolvedTarget


def resolve_targets(spec: ToolSpec, preview: Preview, workspace: Workspace) -> tuple[ResolvedTarget, ...]:
    """Everything the call would do. Looks at paths, so it belongs in a thread.

    A call that names nothing beyond reading, though its tool can do more, is judged by all its
    tool can do.
    """
    named = preview.targets
    if all(target.effect is Effect.READS for target in named):
        covered = {target.effect for target in named}
        named += tuple(Target(effect, "") for effect in sorted(spec.effects - covered))
    named = named or (Target(Effect.READS, ""),)  # no effect at all: rules by name still hold
    return tuple(one for target in named for one in _resolve(spec.name, target, preview, workspace))


def _resolve(tool: str, target: Target, preview: Preview, workspace: Workspace) -> Iterator[ResolvedTarget]:
    if target.effect in PATHS and target.value:
        place, problem = _placed(target.value, workspace)
        yield ResolvedTarget(tool, target.effect, target.value, place, problem)
        return
    if target.effect is not Effect.EXECUTES or not target.value:
        yield ResolvedTarget(tool, target.effect, target.value)
        return
    cwd = str(preview.subject.get("cwd") or ".")
    yield from resolve_command(tool, target.value, cwd, workspace)


def resolve_command(tool: str, command: str, cwd: str, workspace: Workspace) -> tuple[ResolvedTarget, ...]:
    """Everything that a command would do, as far as its text tells. Looks at paths."""
    guesses = tuple(_guesses(tool, command, cwd, workspace))
    leads_out = any(_leads_out(guess) for guess in guesses)
    whole = ResolvedTarget(tool, Effect.EXECUTES, _from_root(command, cwd, workspace), leads_out=leads_out)
    return (whole, *guesses)


def _leads_out(guess: ResolvedTarget) -> bool:
    return guess.value == UNKNOWN or (guess.place is not None and not guess.place.inside)


def _from_root(command: str, cwd: str, workspace: Workspace) -> str:
    """The command as one would give it in the root: what is allowed there is not allowed in every folder."""
    folder, _ = _placed(cwd, workspace)
    root, _ = _placed(".", workspace)
    if folder is None or root is None or folder.path == root.path:
        return command
    return f"cd {quote(folder.shown)} && {command}"


def _guesses(tool: str, command: str, cwd: str, workspace: Workspace) -> Iterator[ResolvedTarget]:
    for effect, path in touched(command):
        place = None
        if not known_only_when_run(path):
            place, _ = _placed(join(cwd, path), workspace)
        yield ResolvedTarget(tool, effect, path, place, guessed=True)
    for folder in read_whole(command):
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
