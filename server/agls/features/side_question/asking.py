"""A question to the model with all that it sees now; neither the question nor the answer stays there."""

from collections.abc import Sequence
from contextlib import aclosing, suppress
from dataclasses import replace

from pydantic import Field

from agls.engine.actions import ActionContext, ActionError, ActionOutcome
from agls.engine.context import placed
from agls.engine.facts import AsideDelta, Overflowed, Replied, TextDelta
from agls.engine.ports import JournalError, ModelClient, ModelError, ModelRequest, new_id
from agls.engine.state import State
from agls.engine.vocabulary import Content, JsonObject, Message, Text, ToolResult, UserMessage
from agls.features.side_question.pointed_at import with_texts
from agls.features.side_question.record import ANSWERED, ROOM
from agls.room.metered_request import metered
from agls.room.process_ports import HeldKeys
from agls.room.session_ports import SessionControl, SessionRecord
from agls.short_text import sentence
from agls.toolkit import Arguments

BESIDE = (
    "A question of the user beside the work. Answer it from what you know by now, briefly, and call no tool. "
    "Neither the question nor your answer stays in the conversation, and the work goes on as it was.\n\n"
)
RUNS = "[This call is still running.]"
SILENT = "The model gave no answer. Ask again, or in other words."
FULL = "The conversation is too long for another question: {} Make room with /compact when no run is active."


class AskAside(Arguments):
    """Ask a side question: the model answers from the conversation, which keeps nothing of it."""

    question: str = Field(min_length=1, max_length=20_000)


class ShownAnswer:
    """The answer as it comes: shown while it does, and kept once it is over."""

    def __init__(self, context: ActionContext, question: str) -> None:
        self._context, self._question = context, question
        self.item_id = new_id("item")
        self._text = ""

    def add(self, text: str) -> None:
        """Show more of it."""
        self._text += text
        self._context.show(AsideDelta(self.item_id, self._question, text))

    def complete(self, answer: str, status: str = "completed") -> None:
        """Keep it for clients that come later. **Raises** `JournalError`."""
        self._text = ""
        note: JsonObject = {"itemId": self.item_id, "question": self._question, "answer": answer}
        self._context.note(ANSWERED, {**note, "status": status})

    def leave(self) -> None:
        """Mark what was shown of an answer that came to no end."""
        if self._text:
            with suppress(JournalError):
                self.complete(self._text, "cancelled")


async def ask_aside(
    session: SessionRecord,
    control: SessionControl,
    secrets: HeldKeys,
    arguments: AskAside,
    context: ActionContext,
) -> ActionOutcome:
    """Ask, show the answer while it comes, and record what it cost. **Raises** `ActionError`."""
    shown = ShownAnswer(context, arguments.question)
    pieces = await with_texts(await control.meaning(arguments.question), context.workspace, secrets)
    try:
        client, request = context.model(), await context.next_request()
        asked = _asked(arguments.question, pieces)
        request = replace(request, messages=(*_messages(context.state), asked))
        with context.breakable():
            answer = await _answer(client, request, session, shown)
            if not answer:  # it wanted to call something: the cached beginning is given up for an answer
                answer = await _answer(client, replace(request, tools=()), session, shown)
        if not answer:
            raise ActionError(SILENT)
        shown.complete(answer)
    except ModelError as problem:
        raise ActionError(f"{problem} {problem.hint}".strip()) from None
    finally:
        shown.leave()
    return ActionOutcome(answer, {"question": arguments.question, "answer": answer, "shownIn": shown.item_id})


async def _answer(
    client: ModelClient, request: ModelRequest, session: SessionRecord, shown: ShownAnswer
) -> str:
    async with aclosing(metered(client, request, ROOM, session.spend)) as stream:
        async for part in stream:
            if isinstance(part, TextDelta):
                shown.add(part.text)
            if isinstance(part, Overflowed):
                raise ActionError(FULL.format(sentence(part.message)))
            if isinstance(part, Replied):
                return part.text.strip()
    return ""


def _messages(state: State) -> tuple[Message, ...]:
    """Return what the model sees, with a result for each call that is still running."""
    messages = state.context.messages
    for call_id, still_open in state.calls.items():
        messages = placed(messages, ToolResult(call_id, still_open.call.name, RUNS))
    return messages


def _asked(question: str, pieces: Sequence[Content]) -> UserMessage:
    return UserMessage(new_id("item"), (*pieces, Text(f"{BESIDE}{question}")), ROOM)
