"""The programs of a command that may do more than read, for those who choose where it runs."""

import posixpath
from collections.abc import Mapping, Sequence
from shlex import join

from agls.engine.ports import Effect, Preview
from agls.features.permissions.rules import ResolvedTarget
from agls.features.permissions.syntax import programs
from agls.room.process_ports import ShellFacts
from agls.room.shell_tree import NotUnderstood


def acting_programs(
    preview: Preview, targets: Sequence[ResolvedTarget], shell_facts: ShellFacts
) -> tuple[str, ...]:
    """Return each of them as its words in one text. Look off the event loop.

    There is none when one is not certain: what it is, where it lies, what it is fed with, and with which
    variables it runs.
    """
    command = next((each for each in targets if each.effect is Effect.EXECUTES and each.value), None)
    written, variables = preview.subject.get("command"), preview.subject.get("environment")
    if command is None or not isinstance(written, str) or (isinstance(variables, Mapping) and variables):
        return ()
    try:
        found = programs(written)
    except NotUnderstood:
        return ()
    parts = command.parts or (command,)
    if len(parts) != len(found):
        return ()
    acting = [program for program, part in zip(found, parts, strict=True) if not part.reads_only]
    if any(program.piped or program.inputs or program.loops for program in acting):
        return ()
    cwd = str(preview.subject.get("cwd") or ".")
    words = [[word.text for word in program.words] for program in acting]
    certain = all(
        shell_facts.is_foreign(name, posixpath.join(cwd, program.folder))
        for program, (name, *_) in zip(acting, words, strict=True)
    )
    return tuple(join(each) for each in words) if certain else ()
