"""The words of entries: what may be one, and how the model and the user read it."""

import re
from collections.abc import Callable, Iterable

from agls.features.memory.entries import MemoryEntry
from agls.instruction_files import plain
from agls.redaction import without
from agls.regex import regex
from agls.room.memory_ports import LONGEST_ENTRY

SHORTEST_KEY = 12  # characters: a shorter key is a word like "ollama", which stands in many texts
_BLANKS = regex(r"\s+")
_LIST_MARK = regex(r"^(?:[-*+#]+|\d{1,9}[.)])\s+")
_LIKE_A_KEY = regex(
    r"\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[a-z]-[\w-]{10,}|\bA[KS]IA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bhf_\w{20,}|\bnpm_\w{20,}"
    r"|\beyJ[\w-]{10,}\.[\w-]{10,}|PRIVATE KEY-----|://[^\s/:@]+:[^\s/@]+@"
    r"|\b(?:password|passwd|secret|token|api[ _-]?key)\b\s*[:=]\s*[\"'`]?(?=\S*[\d\W])\S{8,}",
    re.IGNORECASE,
)
KEY = "This looks like it holds a key or a password, which every model would read: leave it out."


class MemoryProblem(ValueError):
    """The memory cannot be changed so; the message says what to do."""


def checked(text: str, keys: Iterable[str]) -> str:
    """**Returns** a text as an entry: in one line, nothing hidden in it. **Raises** `MemoryProblem`."""
    entry = _LIST_MARK.sub("", _BLANKS.sub(" ", plain(text)).strip())
    if not entry:
        raise MemoryProblem("There is nothing to remember: write the text of an entry.")
    if len(entry) > LONGEST_ENTRY:
        problem = f"An entry has at most {LONGEST_ENTRY} characters, and this one has {len(entry):,}."
        raise MemoryProblem(f"{problem} Say it in one sentence, or write it into AGENTS.md.")
    if "<!--" in entry or "-->" in entry:
        raise MemoryProblem("An entry has no comments in it: leave out <!-- and -->.")
    if looks_like_key(entry, keys):
        raise MemoryProblem(KEY)
    return entry


def looks_like_key(text: str, keys: Iterable[str]) -> bool:
    """**Returns** whether a text holds one of these keys, or what looks like one."""
    return bool(_LIKE_A_KEY.search(text)) or without(long_enough(keys), text) != text


def for_model(keys: Iterable[str]) -> Callable[[MemoryEntry], str]:
    """**Returns** how entries read for the model: without the user's keys, and nothing hidden in them."""
    secrets = long_enough(keys)

    def read(entry: MemoryEntry) -> str:
        return without(secrets, plain(entry.text)).replace("</memory", "<\\/memory")

    return read


def long_enough(keys: Iterable[str]) -> tuple[str, ...]:
    """**Returns** the keys that are no words."""
    return tuple(key for key in keys if len(key) >= SHORTEST_KEY)
