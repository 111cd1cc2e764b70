"""What must be seen by whoever answers a permission question, as text, for clients that know only LSP."""

import json
from collections.abc import Iterable

from agls.doors.harmless import harmless
from agls.doors.shapes import patches
from agls.engine.vocabulary import JsonObject, Question

MOST_LINES = 60  # of the diffs in one message
MOST_CHARACTERS = 4_000  # of the same, and of a tool's input


def seen(question: Question) -> str:
    """Title, reason, the exact command and its folder or the changes, and what a lasting yes would allow."""
    rules = dict.fromkeys(option.rule for option in question.options if option.rule)
    lines = [
        question.title,
        question.reason,
        *_subject(question.subject),
        *(f"Allowed from then on, if it is for longer than once: {rule}" for rule in rules),
    ]
    return harmless("\n".join(line for line in lines if line))


def shortened(text: str) -> str:
    """The beginning of a text that is too long for a message, and how much there is more."""
    lines = text.rstrip("\n").split("\n")
    short = "\n".join(lines[:MOST_LINES])[:MOST_CHARACTERS]
    left = len(lines) - short.count("\n") - 1
    if left:
        return f"{short}\n[… {left} more lines: the command agls.transcript shows them]"
    return short if len(short) == len("\n".join(lines)) else f"{short}\n[… agls.transcript shows the rest]"


def _subject(subject: JsonObject) -> Iterable[str]:
    match subject.get("type"):
        case "command":
            yield str(subject.get("command", ""))
            yield f"in {subject.get('cwd', '')}"
            if rest := _without(subject, "type", "command", "cwd"):
                yield json.dumps(rest, ensure_ascii=False)
        case "edit":
            yield shortened(patches(subject))
        case _:
            if rest := _without(subject, "type"):
                yield shortened(json.dumps(rest, ensure_ascii=False, indent=1))


def _without(subject: JsonObject, *names: str) -> JsonObject:
    return {name: value for name, value in subject.items() if name not in names}
