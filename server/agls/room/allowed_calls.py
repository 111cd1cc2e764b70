"""The note of a call that was allowed without a question: the gate makes it, the record of runs reads it."""

from agls.engine.facts import Noted
from agls.engine.vocabulary import JsonObject

ALLOWED = "allowed"  # the kind of the note


def note_of(call_id: str, by: str) -> JsonObject:
    """Return the contents of the note: the call, and what let it run (a rule, a mode, a hook)."""
    return {"callId": call_id, "by": by}


def allowed_by(note: Noted) -> str:
    """Return what let the call `note.data["callId"]` run, "" when this is another note."""
    return str(note.data["by"]) if note.kind == ALLOWED and note.data.keys() >= {"callId", "by"} else ""
