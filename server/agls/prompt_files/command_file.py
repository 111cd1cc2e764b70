"""A command file as it was read: what it says of itself, and the text that becomes the prompt."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from posixpath import dirname, join, normpath
from typing import Any

from agls.engine.ports import WorkspaceError
from agls.front_matter import names, truth
from agls.frozen import frozen
from agls.instruction_files import FolderReader, plain
from agls.instruction_files.plain import plain_front, plain_value
from agls.prompt_files.command_places import CommandFolder
from agls.prompt_files.model_names import model_in
from agls.prompt_files.opencode_config import COMMANDS, texts_in
from agls.prompt_files.template import has_open_block, shell_lines
from agls.regex import regex

LARGEST = 40_000  # characters of a prompt
LONGEST_LINE = 300  # characters of a description or a hint
MOST = 1_500  # commands
CUT = "\n[The rest of this file is left out: it has {:,} characters, {:,} are here.]"
MOST_WISHES = 20  # tools that a file suggests
_TOOL = regex(r"[^\s,()]+(?:\([^()]*\))?")
_NAME = regex(r"[^\W_][\w.-]*(?::[\w.-]+)*")
BAD_NAME = "a command has the name of its file, and {!r} cannot be typed: use letters, digits, - and _"
NO_TEXT = {
    "": "it has no text behind its front matter",
    "gemini": 'it has no prompt: write prompt = "..."',
}
OPEN_BLOCK = "it has a block of commands (```!) that is never closed"


@frozen
class CommandFile:
    """A command of the user or of the project.

    `shown` is its path as people read it. `wishes` are the tools that it suggests to use unasked, which no
    file can grant. `lines` are commands of the shell that run before its prompt. `problem` says why it cannot
    be used, "" when it can. A model may only use one that is `for_model`.
    """

    name: str
    folder: CommandFolder
    shown: str
    text: str = ""
    description: str = ""
    hint: str = ""
    model: str = ""
    effort: str = ""
    arguments: Sequence[str] = ()
    wishes: Sequence[str] = ()
    lines: Sequence[str] = ()
    problem: str = ""
    for_model: bool = True


def find_files(folders: Sequence[CommandFolder], reader: FolderReader) -> Sequence[CommandFile]:
    """Return the commands in these folders, in their order."""
    found: list[CommandFile] = []
    seen: set[str] = set()  # a plugin may name a folder and files in it
    for folder in folders:
        if folder.place.configuration:
            found += _configured(folder, reader)
            continue
        is_file = folder.plugin and reader.is_file(folder.path)
        for path in [folder.path] if is_file else reader.below(folder.path, (folder.place.end,)):
            if folder.plugin is None or path not in seen:
                found.append(_read(path, folder, reader))
            seen.add(path)
    return found[:MOST]


def _read(path: str, folder: CommandFolder, reader: FolderReader) -> CommandFile:
    inside = path.removeprefix(f"{folder.path}/") if path != folder.path else path.rpartition("/")[2]
    relative = inside.removesuffix(folder.place.end)
    name = f"{folder.plugin.name}:{relative}" if folder.plugin else relative
    name = name.replace("/", ":")
    try:
        read = reader.text(path)
        if read is None:
            raise WorkspaceError("it is not a file")
        if not _NAME.fullmatch(name):
            raise WorkspaceError(BAD_NAME.format(relative))
    except WorkspaceError as problem:
        return CommandFile(plain(name), folder, reader.shown(path), problem=str(problem).rstrip("."))
    return _made(name, folder, read[0], read[2])


def _configured(folder: CommandFolder, reader: FolderReader) -> Iterator[CommandFile]:
    """Yield the commands in a configuration; what is wrong with its JSON is said where its servers are."""

    def named(name: str) -> str | None:
        try:
            read = reader.text(normpath(join(dirname(folder.path), name)))
        except WorkspaceError:
            return None
        return read[2] if read else None

    with suppress(WorkspaceError, ValueError):
        if reader.is_file(folder.path) and (read := reader.text(folder.path)):
            for name, text in texts_in(read[2], COMMANDS, named):
                yield _made(name, folder, f"{read[0]} ({COMMANDS}.{name})", text)


def _made(name: str, folder: CommandFolder, shown: str, text: str) -> CommandFile:
    values, body, problem = _parts(text, folder)
    if not _NAME.fullmatch(name):
        return CommandFile(plain(name), folder, shown, problem=BAD_NAME.format(name))
    named = one_line(values.get("name")) if folder.place.dialect == "github" else ""
    if not problem and has_open_block(body, folder.place.dialect):
        problem = OPEN_BLOCK
    return CommandFile(
        name=named if _NAME.fullmatch(named) else name,
        folder=folder,
        shown=shown,
        text=_cut(body.strip()),
        description=one_line(values.get("description")),
        hint=one_line(values.get("argument-hint")),
        model=model_in(values.get("model")),
        effort=one_line(values.get("effort")),
        arguments=names(values.get("arguments")),
        wishes=suggested_tools(values.get("allowed-tools")),
        lines=shell_lines(body, folder.place.dialect),
        for_model=truth(values.get("disable-model-invocation")) is not True,
        problem=problem or ("" if body.strip() else NO_TEXT.get(folder.place.dialect, NO_TEXT[""])),
    )


def _parts(text: str, folder: CommandFolder) -> tuple[Mapping[str, Any], str, str]:
    """Return what a file says of itself, its text, and what is wrong with it ("": nothing)."""
    if folder.place.dialect != "gemini":
        return plain_front(text)
    try:
        values = plain_value(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        return {}, "", f"it is not valid TOML: {problem}"
    prompt = values.get("prompt")
    return values, prompt if isinstance(prompt, str) else "", ""


def suggested_tools(value: object) -> Sequence[str]:
    """Return the tools of a list, or of a text with commas or blanks: `Bash(git add:*), Read`."""
    texts = [value] if isinstance(value, str) else names(value)
    found = (" ".join(tool.split())[:LONGEST_LINE] for text in texts for tool in _TOOL.findall(text))
    return list(dict.fromkeys(found))[:MOST_WISHES]


def one_line(value: object) -> str:
    """Return a value as one line of text."""
    if isinstance(value, str | int | float):
        return " ".join(str(value).split())[:LONGEST_LINE]
    items = names(value)  # in YAML an argument-hint of one word in brackets is a list
    return f"[{', '.join(items)}]"[:LONGEST_LINE] if items else ""


def _cut(text: str) -> str:
    return text if len(text) <= LARGEST else text[:LARGEST] + CUT.format(len(text), LARGEST)
