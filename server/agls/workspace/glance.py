"""A search within a moment, in a thread of the server, because starting the program takes longer."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agls.workspace.handles import folder_beneath
from agls.workspace.searcher import Bounds, Found, Search, TimeOver

MOMENT = 0.02  # seconds
_LARGEST = 200_000  # characters of a text


class Answer(NamedTuple):
    """The answer to a question of `searcher.py`: the matches, and what it says at its end."""

    found: Sequence[Found]
    searched: int = 0
    more: bool = False
    stopped: bool = False
    problem: int = 0


def glance(question: Mapping[str, Any], width: int) -> Answer | None:
    """Search without the program, lines of up to `width` characters only.

    Returns `None` when a moment, or that width, is not enough, and when the search cannot begin.
    """
    found: list[Found] = []
    bounds = Bounds(time.monotonic() + MOMENT, _LARGEST, width)
    search = Search({**question, "ripgrep": ""}, found.append, bounds)
    try:
        with folder_beneath(question["real"], ()) as root:
            search.look(root)
    except (TimeOver, OSError):
        return None
    return Answer(found, search.searched, search.more)
