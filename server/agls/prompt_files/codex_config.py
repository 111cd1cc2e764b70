"""Roles in the configuration of Codex (`[agents.NAME]`), each as the text of a file of its own."""

import json
import tomllib
from collections.abc import Callable, Iterator

from agls.json_values import is_object, object_in, text_in

PROMPT, FILE = "developer_instructions", "config_file"
MOST = 200  # of a file


def roles_in(text: str, read: Callable[[str], str | None]) -> Iterator[tuple[str, str]]:
    """Yield the name of each role, and its text with front matter.

    `read` returns the text of the file that a role names for the rest of it, `None` where it cannot be had. A
    file that is no TOML has no roles: who reads its servers and hooks says what is wrong with it.
    """
    for name, role in [*object_in(_values(text), "agents").items()][:MOST]:
        if not is_object(role):
            continue  # a limit for all of them
        more = _values(read(text_in(role.get(FILE))) or "") if role.get(FILE) else {}
        said = {**more, **role}
        description = text_in(said.get("description"))
        rows = [f"{key}: {json.dumps(each)}" for key, each in said.items() if key not in {FILE, PROMPT}]
        yield name, "\n".join(("---", *rows, "---", text_in(said.get(PROMPT)) or description))


def _values(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
