"""Agents and commands inside the configuration of OpenCode, each as the text of a file of its own."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_object, object_in, with_comments
from agls.regex import regex

NAMES = ("opencode.json", "opencode.jsonc")
AGENTS, COMMANDS = "agent", "command"  # the members that have them
TEXTS: Mapping[str, str] = {AGENTS: "prompt", COMMANDS: "template"}
MOST = 200  # of a file
NO_FILE = "(the file {} that stood here cannot be read)"
_FILE = regex(r"\{file:([^}\n]+)\}")


def texts_in(text: str, member: str, read: Callable[[str], str | None]) -> Iterator[tuple[str, str]]:
    """Yield the name of each agent or command, and its text with front matter.

    `read` returns the text of a file that one names (`{file:./prompt.md}`), `None` where it cannot be had.
    What only sets up a part of OpenCode, and says nothing of itself, is left out.

    **Raises** `ValueError` for what is no JSON.
    """
    for name, entry in list(_entries(text, member).items())[:MOST]:
        body = entry.get(TEXTS[member])
        if isinstance(body, str) and not entry.get("disable"):
            filled = _FILE.sub(lambda found: read(found[1].strip()) or NO_FILE.format(found[1]), body)
            said = (f"{key}: {json.dumps(value)}" for key, value in entry.items() if key != TEXTS[member])
            yield name, "\n".join(("---", *said, "---", filled))


@lru_cache(maxsize=32)  # every run asks
def _entries(text: str, member: str) -> Mapping[str, JsonObject]:
    found = object_in(with_comments(text), member)
    return {name: entry for name, entry in found.items() if is_object(entry)}
