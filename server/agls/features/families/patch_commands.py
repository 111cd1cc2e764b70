"""Commands that apply a patch: some models were trained to call `apply_patch` as a program of the shell."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, cast

from agls.engine.vocabulary import ToolCall
from agls.features.families.argument_forms import SCRIPTS, SHELLS
from agls.features.families.tool_names import OUR_TOOLS
from agls.regex import regex

PROGRAM = "apply_patch"
HERE = ("", ".")
FOLDERS = ("cwd", "workdir", "working_directory")
_HEREDOC = regex(r"(?s)\s*apply_?patch\s+<<-?\s*(['\"]?)(\w+)\1[ \t]*\n(.*?)\n[ \t]*\2\s*")
_QUOTED = regex(r"\s*apply_?patch\s+'([^']*)'\s*")  # in other quotes the shell would change the text


def as_patch(call: ToolCall, offered: Collection[str]) -> ToolCall:
    """Return the call of the tool `apply_patch` for a command that does nothing else; any other as it is."""
    name = call.name.lower()
    is_shell = name == "shell" or OUR_TOOLS.get(name) == "shell"
    if not is_shell or PROGRAM not in offered or call.malformed:
        return call
    if any(call.arguments.get(each, "") not in HERE for each in FOLDERS):
        return call  # the paths of the patch begin in another folder
    patch = _patch_of(call.arguments.get("command", call.arguments.get("cmd")))
    return replace(call, name=PROGRAM, arguments={"patch": patch}) if patch else call


def _patch_of(command: object) -> str:
    """Return the patch that a command applies, "" where it does anything else."""
    if isinstance(command, str):
        return _patch_in(command)
    match cast("Any", command):
        case [str(program), str(patch)] if program in {PROGRAM, "applypatch"}:
            return patch
        case [str(shell), str(option), str(script)] if shell in SHELLS and option in SCRIPTS:
            return _patch_in(script)
        case _:
            return ""


def _patch_in(script: str) -> str:
    if found := _HEREDOC.fullmatch(script):
        return found[3]
    found = _QUOTED.fullmatch(script)
    return found[1] if found and "*** Begin Patch" in found[1] else ""
