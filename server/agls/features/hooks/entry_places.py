"""Where the entries of a file of hooks stand in its text, to say the line of one that cannot be used."""

import json
import re
from collections.abc import Iterator, Mapping

from agls.frozen import frozen
from agls.json_values import is_list, is_object
from agls.regex import regex

Path = tuple[str | int, ...]
Span = tuple[int, int]
_TOKEN = regex(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|[][{}:,]', re.DOTALL)
_OPENS, _CLOSES = "{[", "}]"


@frozen
class _Open:
    """An object or a list that is being read."""

    path: Path
    begin: int
    is_list: bool


def entry_paths(hooks: object) -> Iterator[Path]:
    """Yield the path of each handler, in the order of `hook_entries`."""
    for event, groups in hooks.items() if is_object(hooks) else ():
        for at, group in enumerate(groups if is_list(groups) else ()):
            inner = group.get("hooks") if is_object(group) else None
            if is_list(inner):
                yield from (
                    ("hooks", event, at, "hooks", each)
                    for each, handler in enumerate(inner)
                    if is_object(handler)
                )
            elif is_object(group):
                yield ("hooks", event, at)


def spans_in(text: str) -> Mapping[Path, Span]:
    """**Returns** by its path from where to where each object and list of a text in JSON stands."""
    found: dict[Path, Span] = {}
    stack: list[_Open] = []
    places: list[str | int] = []  # of each open one: the member, or the number, that is being read
    words = ""
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign[0] == '"':
            words = sign
        elif sign == ":" and places:
            places[-1] = _text(words)
        elif sign == "," and stack and stack[-1].is_list:
            places[-1] = int(places[-1]) + 1
        elif sign in _OPENS:
            path = (*stack[-1].path, places[-1]) if stack else ()
            stack.append(_Open(path, token.start(), sign == "["))
            places.append(0)
        elif sign in _CLOSES and stack:
            closed = stack.pop()
            places.pop()
            found[closed.path] = (closed.begin, token.end())
    return found


def _text(written: str) -> str:
    try:
        return str(json.loads(written))
    except ValueError:
        return written.strip('"')
