"""Commands that apply a patch: some models were trained to call `apply_patch` as a program of the shell."""

import re
from collections.abc import Collection
from dataclasses import replace
from posixpath import join, normpath
from shlex import split
from typing import Any, cast

from agls.engine.vocabulary import ToolCall
from agls.features.families.argument_forms import SCRIPTS, SHELLS
from agls.features.families.tool_names import OUR_TOOLS
from agls.regex import regex

PROGRAM = "apply_patch"
BEGIN = "*** Begin Patch"
FOLDERS = ("cwd", "workdir", "working_directory")
_HEREDOC = regex(r"(?s)\s*apply_?patch\s+<<-?\s*(['\"]?)(\w+)\1[ \t]*\n(.*?)\n[ \t]*\2\s*")
_QUOTED = regex(r"\s*apply_?patch\s+(?:'([^']*)'|\"([^\"$`\\!]*)\")\s*")  # the shell changes nothing in these
_IN_FOLDER = regex(r"\s*cd\s+(?:--\s+)?('[^'\n]+'|\"[^\"$`\\!\n]+\"|[\w./@+-]+)\s*&&\s*(?=apply_?patch\b)")
_IN_SHELL = regex(r"\s*(?:/usr)?(?:/bin/)?(?:ba|z)?sh\s+-(?:l?c|cl)\s")
_NAMED = regex(
    r"^(\*\*\* ?(?:(?:Update|Modify|Add|Create|Delete|Remove) File|Move(?: File)? to): *)([^/~\s].*)$",
    re.MULTILINE | re.IGNORECASE,
)


def as_patch(call: ToolCall, offered: Collection[str], folder: str = "") -> ToolCall:
    """Return the call of the tool `apply_patch` for a command that does nothing else; any other as it is.

    Paths of the patch are as seen from where the command begins: `folder`, unless it names another.
    """
    if not is_command(call) or PROGRAM not in offered or call.malformed:
        return call
    named = [call.arguments[each] for each in FOLDERS if each in call.arguments]
    if not all(isinstance(each, str) for each in named):
        return call
    begins = next((each for each in named if each), folder)
    patch = _patch_of(call.arguments.get("command", call.arguments.get("cmd")), normpath(begins))
    return replace(call, name=PROGRAM, arguments={"patch": patch}) if patch else call


def is_command(call: ToolCall) -> bool:
    """Return whether a call runs a command."""
    name = call.name.lower()
    return name == "shell" or OUR_TOOLS.get(name) == "shell"


def _patch_of(command: object, folder: str) -> str:
    """Return the patch that a command applies, "" where it does anything else."""
    if isinstance(command, str):
        if _IN_SHELL.match(command) and len(words := _words(command)) == 3:
            return _patch_in(words[2], folder)
        return _patch_in(command, folder)
    match cast("Any", command):
        case [str(program), str(patch)] if program in {PROGRAM, "applypatch"}:
            return _from_root(patch, folder)
        case [str(shell), str(option), str(script)] if shell in SHELLS and option in SCRIPTS:
            return _patch_in(script, folder)
        case _:
            return ""


def _words(command: str) -> list[str]:
    try:
        return split(command)
    except ValueError:  # a quote is not closed
        return []


def _patch_in(script: str, folder: str) -> str:
    if led := _IN_FOLDER.match(script):
        return _patch_in(script[led.end() :], normpath(join(folder, led[1].strip("'\""))))
    if found := _HEREDOC.fullmatch(script):
        return _from_root(found[3], folder)
    found = _QUOTED.fullmatch(script)
    patch = (found[1] or found[2] or "") if found else ""
    return _from_root(patch, folder) if BEGIN in patch else ""


def _from_root(patch: str, folder: str) -> str:
    """Return a patch with its paths as seen from the root, "" where only its own form says what they are."""
    if folder == ".":
        return patch
    return (
        _NAMED.sub(lambda found: f"{found[1]}{normpath(join(folder, found[2]))}", patch)
        if BEGIN in patch
        else ""
    )
