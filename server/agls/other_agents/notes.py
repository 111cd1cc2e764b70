"""What other agents wrote down to remember: list items and paragraphs of Markdown. Pure."""

import re
from collections.abc import Iterator

from agls.other_agents.findings import MemoryEntryText
from agls.regex import regex

_ITEM = regex(r"^(?:[-*+]|\d{1,9}[.)])[ \t]+")
_COMMENT = regex(r"<!--.*?-->", re.DOTALL)


def entries_of(text: str, source: str, *, project: bool) -> Iterator[MemoryEntryText]:
    """Yield each entry of a text, as one line; headings are none."""
    entry: list[str] = []
    for line in [*_COMMENT.sub("", text).split("\n"), ""]:
        begins = bool(_ITEM.match(line)) or line.startswith("#") or not line.strip()
        if begins and entry:
            yield MemoryEntryText(source, " ".join(" ".join(entry).split()), project)
            entry = []
        if line.strip() and not line.startswith("#"):
            entry.append(_ITEM.sub("", line))
