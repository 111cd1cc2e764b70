"""The messages about the memory, and what of it the model still sees in its context."""

import re
from collections.abc import Mapping, Sequence

from agls.engine.prefix_fold import PrefixFold
from agls.engine.vocabulary import Message, Text, ToolResult, UserMessage
from agls.frozen import frozen
from agls.regex import regex

ROOM, TOOL = "memory", "remember"
INTRODUCTION = (
    "The user keeps these notes for you, from earlier sessions. Follow them unless the user says otherwise "
    "now. What they say of the code may have changed since."
)
NEWS = "The user's notes for you changed. New:"
GONE = "These notes do not count any more:"
OLDER = "({} older notes are left out.)"
Known = Mapping[str, None]  # entries in the order in which the model read them
ALWAYS, HERE = "For everything:", "For this project:"


@frozen
class Remembered:
    """The texts of the entries of both files, the oldest first, as the model reads them."""

    user: Sequence[str] = ()
    project: Sequence[str] = ()

    @property
    def all(self) -> Sequence[str]:
        """All of them."""
        return (*self.user, *self.project)


def fitting(texts: Sequence[str], limit: int) -> Sequence[str]:
    """**Returns** the newest texts that have at most so many characters together."""
    kept: list[str] = []
    for text in reversed(texts):
        limit -= len(text)
        if limit < 0:
            break
        kept.append(text)
    return kept[::-1]


def first_message(now: Remembered, limit: int) -> str:
    """**Returns** the message for a model that knows nothing of the memory, "" where there is none."""
    parts = [*_section(ALWAYS, now.user, limit), *_section(HERE, now.project, limit)]
    return _marked([INTRODUCTION, *parts]) if parts else ""


def next_message(known: Known, now: Remembered, limit: int) -> str:
    """**Returns** the message with what changed for a model that knows these entries, "" for nothing."""
    shown = (*fitting(now.user, limit), *fitting(now.project, limit))
    new = [text for text in shown if text not in known]
    gone = [text for text in known if text not in now.all]
    parts = [*([NEWS, *map(line, new)] if new else []), *([GONE, *map(line, gone)] if gone else [])]
    return _marked(parts) if parts else ""


def line(text: str) -> str:
    """**Returns** an entry as an item of a list."""
    indented = text.replace("\n", "\n  ")
    return f"- {indented}"


def written(about: str, text: str, replaced: str = "") -> str:
    """**Returns** what the model reads when its proposal was written."""
    parts = [f"Written into the memory of {about}:", line(text)]
    return "\n".join([*parts, *([GONE, line(replaced)] if replaced else [])])


def _section(heading: str, texts: Sequence[str], limit: int) -> Sequence[str]:
    shown = fitting(texts, limit)
    older = [OLDER.format(len(texts) - len(shown))] if len(shown) < len(texts) else []
    return ["", heading, *older, *map(line, shown)] if texts else []


def _marked(parts: Sequence[str]) -> str:
    return "\n".join(["<memory>", *parts, "</memory>"])


# --- what the model knows ------------------------------------------------------------------------

_ENTRY = regex(r"^- (.*(?:\n  .*)*)", re.MULTILINE)


@frozen
class SeenMemory:
    """What a model sees of the memory: whether it got a message about it, and the entries that count."""

    is_shown: bool
    entries: Known


def _with_messages(seen: SeenMemory, messages: tuple[Message, ...]) -> SeenMemory:
    for message in messages:
        match message:
            case UserMessage(origin=origin, content=content) if origin == ROOM:
                text = "".join(part.text for part in content if isinstance(part, Text))
                seen = SeenMemory(is_shown=True, entries=_read(seen.entries, text))
            case ToolResult(name=name, text=text) if name == TOOL and not message.is_error:
                seen = SeenMemory(is_shown=seen.is_shown, entries=_read(seen.entries, text))
            case _:
                pass
    return seen


def _read(known: Known, text: str) -> Known:
    new, _, gone = text.partition(GONE)
    out = set(_entries(gone))
    return {entry: None for entry in (*known, *_entries(new)) if entry not in out}


def _entries(text: str) -> Sequence[str]:
    return [found[1].replace("\n  ", "\n") for found in _ENTRY.finditer(text)]


seen_memory = PrefixFold[SeenMemory](lambda: SeenMemory(is_shown=False, entries={}), _with_messages)
"""What the model of each session sees of the memory in its context."""
