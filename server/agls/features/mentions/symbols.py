"""Where a name is defined in the workspace: lines that look like definitions, in whatever language."""

import re
from collections.abc import Sequence

from agls.engine.line_search import LineSearch
from agls.engine.ports import Workspace, WorkspaceError
from agls.frozen import frozen
from agls.regex import regex

_NAME = regex(r"[^\W\d]\w{1,99}")
_MODIFIERS = (
    "export|default|public|private|protected|internal|static|abstract|async|pub|unsafe|final|override|inline|"
    "sealed|data|declare|local|virtual|open"
)
_KINDS = (
    "class|def|function|fn|func|fun|struct|enum|interface|trait|type|module|namespace|object|record|protocol|"
    "typedef|union|macro"
)
_DEFINITION = (
    rf"^\s*(?:(?:{_MODIFIERS})\s+)*(?:{_KINDS})\*?\s+(?:\([^)]*\)\s*)?(?:[\w.:]+[.:])?(?P<first>NAME)\b"
    r"|^(?:(?:export|pub|public|static|declare)\s+)*(?:const|let|var|val)\s+(?P<second>NAME)\b"
    r"|^(?P<third>NAME)\s*(?::[^=]+)?=(?!=)"
)
SECONDS = 2.0
LONGEST_LINE = 2_000  # characters: such a line is matched at once


@frozen
class Definition:
    """A line that defines a name: its file as people read it and as a URI, and its number from 1."""

    name: str
    shown: str
    uri: str
    line: int


def is_name(word: str) -> bool:
    """**Returns** whether a word can be a name of a program."""
    return bool(_NAME.fullmatch(word))


async def definitions(
    workspace: Workspace, name: str, most: int, *, begins: bool = False
) -> Sequence[Definition]:
    """**Returns** where this name is defined; with `begins` those that begin so, whatever their case."""
    expression = _DEFINITION.replace("NAME", re.escape(name) + (r"\w*" if begins else ""))
    wanted = LineSearch(
        expression,
        ignore_case=begins,
        needed=(name.lower(),) if name.isascii() else (),
        swift_width=LONGEST_LINE,
        limit=most,
        seconds=SECONDS,
    )
    try:
        found = await workspace.search(wanted)
    except WorkspaceError:  # there is no folder to search
        return ()
    pattern = re.compile(expression, re.IGNORECASE if begins else 0)
    return [
        Definition(
            next(filter(None, named.groups())), file.name, workspace.place(file.name).uri, line.number + 1
        )
        for file in found.files
        for line in file.lines
        if line.matches and (named := pattern.search(line.text))
    ]
