"""The edge of a session: what it records, shows and answers is without the user's keys.

Every door, the journal and each export begin here. What the model said and called stays as it is, because
that is carried out; so does what the user said. What tools give is cleaned by a room, before the model reads
it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from agls.engine.actions import ActionOutcome
from agls.engine.facts import Asked, Injected, Noted, Notice, Rewound, RunDiff
from agls.engine.vocabulary import Content, FileChange, JsonObject, Question, Resource, Text

Clean = Callable[[str], str]
Told = TypeVar("Told")


def cleaned(told: Told, clean: Clean) -> Told:
    """Return a fact, something that is only shown, or an outcome, with every text of it cleaned."""
    match told:
        case RunDiff(diff):
            return replace(told, diff=clean(diff))
        case Notice(text=text):
            return replace(told, text=clean(text))
        case Noted(data=data):
            return replace(told, data=_json(data, clean))
        case Asked(question=question):
            return replace(told, question=_question(question, clean))
        case Rewound(changes=changes) if changes:
            return replace(told, changes=tuple(_change(change, clean) for change in changes))
        case Injected(messages):
            said = (replace(m, content=tuple(_content(part, clean) for part in m.content)) for m in messages)
            return replace(told, messages=tuple(said))
        case ActionOutcome(text, data):
            return replace(told, text=clean(text), data=_json(data, clean))
        case _:
            return told


def _question(question: Question, clean: Clean) -> Question:
    """What a command or a call would do is shown to its last character: only lines of files are cleaned."""
    changes = question.subject.get("changes")
    if not changes:
        return question
    return replace(question, subject={**question.subject, "changes": _json(changes, clean)})


def _change(change: FileChange, clean: Clean) -> FileChange:
    return replace(change, patch=clean(change.patch), cells=clean(change.cells))


def _content(part: Content, clean: Clean) -> Content:
    return replace(part, text=clean(part.text)) if isinstance(part, Text | Resource) else part


def _json(value: Any, clean: Clean) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {name: _json(member, clean) for name, member in cast("JsonObject", value).items()}
    if isinstance(value, list | tuple):
        return [_json(each, clean) for each in cast("list[Any]", value)]
    return value
