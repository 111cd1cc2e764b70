"""The names of tools in the settings: one that only looks like a tool's would do nothing, so it is refused.

A session may have tools besides those of the rooms: a client's, a program's, those of servers. So a name
that is unlike every known one is admitted, and `unknown_tools` reports it.
"""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from agls.config.tables import KeyPath, leaves
from agls.frozen import frozen
from agls.json_values import is_list, is_object
from agls.order import TOOLS

KINDS = frozenset({"shell", "edit", "read", "network"})  # of rules, which are no tools
LIKENESS = 0.75  # from 0 to 1: below are words that have letters in common
RULES = frozenset({("permissions", "allow"), ("permissions", "ask"), ("permissions", "deny")})
FROM_ELSEWHERE = "__"  # in the name of a tool that a server or an agent brings


@frozen
class UnknownTool:
    """A name at `path` that no room's tool has; `near` is the known one that it resembles, "" for none."""

    path: KeyPath
    name: str
    near: str

    @property
    def problem(self) -> str:
        """What to tell the user."""
        if self.near:
            what = "tool, and no kind of call," if self.near in KINDS else "tool"
            return f"there is no {what} {self.name!r}; did you mean {self.near!r}?"
        return (
            f"{'.'.join(self.path)}: agls has no tool {self.name!r}; this counts only where a client or a "
            "program brings a tool of that name"
        )


def unknown_tools(values: Mapping[str, Any]) -> Iterator[UnknownTool]:
    """**Returns** the names of tools in these settings that no room's tool has."""
    for path, value in leaves(values):
        if path in RULES:
            names = (text.partition("(")[0] for text in _texts(value))
            yield from _unknown(path, names, TOOLS | KINDS | {"*"})
        elif path[:1] == ("agents",) and len(path) == 3:
            yield from _of_agent(path, value)


def _of_agent(path: KeyPath, value: object) -> Iterator[UnknownTool]:
    if path[-1] == "tools":
        yield from _unknown(path, _texts(value), TOOLS)
    elif path[-1] == "phases" and is_list(value):
        for phase in filter(is_object, value):
            yield from _unknown(path, _texts(phase.get("tools")), TOOLS)


def _texts(value: object) -> Iterator[str]:
    return (each for each in value if isinstance(each, str)) if is_list(value) else iter(())


def _unknown(path: KeyPath, names: Iterator[str], known: frozenset[str]) -> Iterator[UnknownTool]:
    for name in names:
        if name not in known and FROM_ELSEWHERE not in name:
            near = difflib.get_close_matches(name.casefold(), sorted(known), n=1, cutoff=LIKENESS)
            yield UnknownTool(path, name, near[0] if near else "")
