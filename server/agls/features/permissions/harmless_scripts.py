"""Scripts of `awk`, `sed` and `jq` in a command that only print: no word of them names a file."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from agls.features.permissions.scripts import AWKS, awk_prints, jq_reads, sed_prints
from agls.regex import regex
from agls.room.shell_tree import NotUnderstood, parsed, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLED = regex(r"(?:awk|jq|sed)\b.*'", 16)  # 16: DOTALL
# What a script puts out may become a name behind a pipe: so it has no text of its own to put out.
_TEXT_OF = {
    **dict.fromkeys(AWKS, regex(r'"[^"A-Za-z]*[A-Za-z]')),
    "jq": regex('"'),
    "sed": regex("[A-Za-z]{2}"),
}
_NO_NAME = regex(r"[{}()|$]")  # a script that could be the name of a file is left where it is
_PRINTS: Mapping[str, Callable[[str], bool]] = {
    **dict.fromkeys(AWKS, awk_prints),
    "jq": jq_reads,
    "sed": sed_prints,
}


def without_scripts(command: str) -> str:
    """Return the command with an empty word for each script that only prints, if it is understood."""
    if not _CALLED.search(command):
        return command
    try:
        root = parsed(command)
    except NotUnderstood:
        return command
    data = command.encode()
    for start, end in sorted(_scripts(root), reverse=True):
        data = b"".join((data[:start], b"''", data[end:]))
    return data.decode()


def _scripts(root: "Node") -> Iterator[tuple[int, int]]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        name = node.child_by_field_name("name") if node.type == "command" else None
        called = text_of(name) if name else ""
        if called not in _PRINTS:
            continue
        for word in node.children_by_field_name("argument"):
            text = text_of(word)[1:-1]
            if word.type == "raw_string" and _says_nothing(called, text):
                yield word.start_byte, word.end_byte


def _says_nothing(name: str, script: str) -> bool:
    """Return whether a script only prints parts of what it reads, and could not be the name of a file."""
    return bool(_NO_NAME.search(script)) and not _TEXT_OF[name].search(script) and _PRINTS[name](script)
