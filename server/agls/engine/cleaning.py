"""The edge of a session: what it records, shows and answers is without the user's keys.

Every door, the journal and each export begin here. What the model said and called stays as it is, because
that is carried out; so do the user's own words. What tools give is cleaned by a room, before the model reads
it; what those words point at (`@file#L1-9`, `@diff`) here.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar, cast

from agls.engine.actions import ActionOutcome
from agls.engine.facts import Asked, Injected, Noted, Notice, Rewound, RunDiff
from agls.engine.vocabulary import Content, FileChange, JsonObject, Question, Resource, Text

Clean = Callable[[str], str]
Told = TypeVar("Told")


def cleaned(told: Told, clean: Clean) -> Told:
    """Return a fact, what is only shown, an outcome or what goes with a prompt, with its texts cleaned."""
    match told:
        case RunDiff(diff):
            return replace(told, diff=clean(diff))
        case Notice(text=text) | Resource(text=text):
            return replace(told, text=clean(text))
        case Noted(data=data):
            return replace(told, data=_json(data, clean))
        case Asked(question=question):
            return replace(told, question=_question(question, clean))
        case Rewound(changes=changes) if changes:
            return replace(told, changes=tuple(_change(change, clean) for change in changes))
        case Injected(messages):
            said = (replace(m, content=_contents(m.content, clean)) for m in messages)
            return replace(told, messages=tuple(said))
        case ActionOutcome(text, data):
            prompt = told.prompt and replace(told.prompt, content=_contents(told.prompt.content, clean))
            return replace(told, text=clean(text), data=_json(data, clean), prompt=prompt)
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


def _contents(parts: Iterable[Content], clean: Clean) -> tuple[Content, ...]:
    return tuple(replace(p, text=clean(p.text)) if isinstance(p, Text | Resource) else p for p in parts)


def _json(value: Any, clean: Clean) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {name: _json(member, clean) for name, member in cast("JsonObject", value).items()}
    if isinstance(value, list | tuple):
        return [_json(each, clean) for each in cast("list[Any]", value)]
    return value
