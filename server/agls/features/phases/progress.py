"""The progress of a run through its phases, also across the runs that it continues; and their prompts."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agls.engine.state import Note, State
from agls.engine.vocabulary import AssistantMessage, Message, Resource, Text, UserMessage
from agls.features.phases.settings import INPUT, OUTPUT, PLACE

ROOM = "phases"
RUN = "run"
BEGUN = "begun"
ENDED = "ended"


@dataclass(slots=True)
class Progress:
    """`asked` is the item of what the run was asked.

    `begun` says of each phase the item of its prompt and the turns of the session before it, `ended` the item
    of its last words.
    """

    asked: str = ""
    begun: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    ended: dict[str, str] = field(default_factory=dict[str, str])


def progress_in(notes: Sequence[Note]) -> Progress:
    """Return the progress of the last run, or of the one that it continues."""
    progress, last = Progress(), ""
    for note in notes:
        data = note.data
        if note.kind == RUN:
            if not last or data["recovers"] != last:
                progress = Progress(data["asked"])
            last = data["runId"]
        elif note.kind == BEGUN:
            progress.begun[data["phase"]] = (data["itemId"], data["turns"])
        elif note.kind == ENDED:
            progress.ended[data["phase"]] = data["itemId"]
    return progress


def filled(text: str, progress: Progress, state: State) -> str:
    """Return the prompt of a phase, or its addition to the system prompt, with all places filled in."""
    said = {_item(message): message for message in state.transcript}

    def word(place: str) -> str:
        item = progress.asked if place == INPUT else progress.ended.get(OUTPUT.sub(r"\1", place), "")
        return _words(said[item]) if item and item in said else ""

    return PLACE.sub(lambda found: word(found[1]), text)


def last_said(state: State) -> str:
    """Return the item of the user's last message: as a run begins, its prompt."""
    said = (
        m.item_id for m in reversed(state.transcript) if isinstance(m, UserMessage) and m.origin == "user"
    )
    return next(said, "")


def last_words_of(phase: str, progress: Progress, state: State) -> str:
    """Return the item of the model's last message in a phase that has begun, "" for none."""
    begun, _ = progress.begun[phase]
    for message in reversed(state.transcript):
        if isinstance(message, AssistantMessage) and message.text.strip():
            return message.item_id
        if _item(message) == begun:
            break
    return ""


def is_in_transcript(item_id: str, state: State) -> bool:
    """Return whether the model got this message."""
    return any(_item(message) == item_id for message in reversed(state.transcript))


def _item(message: Message) -> str:
    return message.item_id if isinstance(message, UserMessage | AssistantMessage) else ""


def _words(message: Message) -> str:
    if isinstance(message, UserMessage):
        return "\n".join(part.text for part in message.content if isinstance(part, Text | Resource))
    return message.text
