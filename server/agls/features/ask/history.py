"""What was asked in the session, what was answered, and by whom: kept as notes, so a resume has it."""

from typing import Literal

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.engine.state import Note, State
from agls.engine.vocabulary import JsonObject
from agls.toolkit import Arguments, TypedAction

ROOM = "ask"
ANSWERED = "answered"
Source = Literal["queued", "interactive", "timeout", "nobody"]
SAID: dict[str, str] = {
    "queued": "prepared",
    "interactive": "by a person",
    "timeout": "nobody answered in time",
    "nobody": "nobody answered",
}


class ShowQuestions(Arguments):
    """Show what the model asked in this session, the answers, and where each came from."""


def note_of(call_id: str, question: str, answer: str, source: Source, key: str) -> JsonObject:
    """Return the note of a question that ended; `key` is that of a prepared answer."""
    return {"callId": call_id, "question": question, "answer": answer, "source": source, "key": key}


def used_answers(state: State) -> frozenset[str]:
    """Return the keys of the prepared answers that were given in the session."""
    return frozenset(str(note.data.get("key", "")) for note in _notes(state)) - {""}


def _notes(state: State) -> list[Note]:
    return [note for note in state.notes.get(ROOM, ()) if note.kind == ANSWERED]


async def _show(arguments: ShowQuestions, context: ActionContext) -> ActionOutcome:
    shown = ("callId", "question", "answer", "source")
    rows = [{name: note.data[name] for name in shown} for note in _notes(context.state)]
    if not rows:
        return ActionOutcome("The model has asked nothing in this session.", {"questions": []})
    lines = map(_row, rows)
    return ActionOutcome("\n".join(lines), {"questions": rows})


def _row(row: JsonObject) -> str:
    question = " ".join(str(row["question"]).split())
    return f"- {question}\n  {row['answer'] or 'no answer'} ({SAID[row['source']]})"


def actions() -> tuple[Action, ...]:
    """Return the action of the room."""
    show = TypedAction(
        "ask.history", "Show what the model asked", ShowQuestions, _show, aliases=("ask",), group="Work"
    )
    return (show,)
