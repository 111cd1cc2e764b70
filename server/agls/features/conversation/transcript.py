"""What the user may do with all that was said: clear it, go back in it, fork it, name it, take it along."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.context import SUMMARY
from agls.engine.history import name_of
from agls.engine.state import State
from agls.engine.vocabulary import AssistantMessage, Message, Text, ToolResult, UserMessage
from agls.frozen import frozen
from agls.room.session_ports import SessionControl, SessionRecord
from agls.short_text import cut
from agls.titles import one_line, title_from
from agls.toolkit import Arguments, TypedAction

GROUP = "Conversation"
BACK = "To undo this: `/rewind undo={0}`, or in a terminal `agls rewind --undo {0}`."
OPEN = "open"  # in the data of an outcome: the session that a client shows from now on
TOO_MANY = "There are fewer prompts to rewind: {}."
FEWER = "This session has no more answers than that: {}."
NO_ANSWER = "There is no answer in this session yet."
NO_PROMPTS = "There is no prompt to rewind to."
SHOWN = 60  # characters of a prompt


class Clear(Arguments):
    """Start over in this session: the model no longer sees what was said. Files stay as they are."""


class Rewind(Arguments):
    """Go back to before the last prompts, or undo a rewind. Files stay as they are unless you add `files`."""

    prompts: int = Field(default=1, ge=1, description="how many prompts, counted from the end")
    files: bool = Field(default=False, description="also bring the files back to what they were then")
    undo: str = Field(default="", description="undo this rewind instead, with the files that went back")


class UndoLastPrompt(Arguments):
    """Undo the last prompt: files and conversation go back to before it, as with `agls undo`."""


class Fork(Arguments):
    """Copy this session into a new one, with the whole conversation. This one stays as it is."""

    title: str = Field(default="", description="the title of the new session")


class Rename(Arguments):
    """Give this session another title."""

    title: str = Field(min_length=1)


class Export(Arguments):
    """Write this session to a file in your folder, or show it as Markdown."""

    file: str = Field(default="", description="the new file; without one the text is shown")
    form: Literal["md", "html", "jsonl"] | None = Field(
        default=None, description="by the file's name if left out"
    )


class Copy(Arguments):
    """Show only the last answer, as the model wrote it, to copy or pipe it."""

    answer: int = Field(default=1, ge=1, description="which answer, counted from the end")


def transcript_actions(control: SessionControl, record: SessionRecord) -> tuple[Action, ...]:
    """Return the actions on what was said."""
    handlers = TranscriptActions(control, record)
    return (
        TypedAction(
            "clear", "Begin anew", Clear, handlers.clear, when="idle", aliases=("new", "reset"), group=GROUP
        ),
        TypedAction(
            "rewind",
            "Rewind",
            Rewind,
            handlers.rewind,
            when="idle",
            aliases=("checkpoint",),
            group=GROUP,
            choices={"prompts": last_prompts, "undo": last_rewinds},
        ),
        TypedAction("undo", "Undo the last prompt", UndoLastPrompt, handlers.undo, when="idle", group=GROUP),
        TypedAction("fork", "Fork the session", Fork, handlers.fork, aliases=("branch",), group=GROUP),
        TypedAction("rename", "Rename the session", Rename, handlers.rename, group=GROUP),
        TypedAction("export", "Export the session", Export, handlers.export, group=GROUP),
        TypedAction("copy", "Copy an answer", Copy, copy, group=GROUP),
    )


@frozen
class TranscriptActions:
    """Do the actions on what was said."""

    control: SessionControl
    record: SessionRecord

    async def clear(self, arguments: Clear, context: ActionContext) -> ActionOutcome:
        """Go back to the beginning. **Raises** `ActionError`."""
        if not context.state.context.messages:
            return ActionOutcome("The model sees nothing of what was said before.", {"messages": 0})
        gone = await self.control.rewind("")
        said = f"The model sees nothing more of what was said before. {BACK.format(gone.checkpoint_id)}"
        return ActionOutcome(said, {"checkpointId": gone.checkpoint_id, "messages": gone.messages})

    async def rewind(self, arguments: Rewind, context: ActionContext) -> ActionOutcome:
        """Go back to before some prompts, or undo that. **Raises** `ActionError`."""
        if arguments.undo:
            return await self._undo(arguments.undo)
        known = prompts_of(context.state)
        if arguments.prompts > len(known):
            raise ActionError(TOO_MANY.format(len(known)) if known else NO_PROMPTS)
        before, prompt = known[-arguments.prompts]
        gone = await self.control.rewind(before, files=arguments.files)
        said = [f"Rewound to before: {_brief(prompt)}", gone.files]
        text = "\n\n".join([*filter(None, said), BACK.format(gone.checkpoint_id)])
        data = {"checkpointId": gone.checkpoint_id, "messages": gone.messages, "toItemId": before}
        return ActionOutcome(text, data)

    async def undo(self, arguments: UndoLastPrompt, context: ActionContext) -> ActionOutcome:
        """Go back to before the last prompt, with the files. **Raises** `ActionError`."""
        return await self.rewind(Rewind(files=True), context)

    async def _undo(self, rewind: str) -> ActionOutcome:
        gone = await self.control.rewind("", undo=rewind)
        said = ["The rewind is undone.", gone.files, BACK.format(gone.checkpoint_id)]
        data = {"checkpointId": gone.checkpoint_id, "undoes": rewind}
        return ActionOutcome("\n\n".join(filter(None, said)), data)

    async def fork(self, arguments: Fork, context: ActionContext) -> ActionOutcome:
        """Make the fork. **Raises** `ActionError`."""
        made = await self.control.fork(one_line(arguments.title))
        said = f"The fork is the session {made}: agls resume {made}"
        return ActionOutcome(said, {"sessionId": made, OPEN: made})

    async def rename(self, arguments: Rename, context: ActionContext) -> ActionOutcome:
        """Give the title. **Raises** `ActionError`."""
        try:
            title = title_from(arguments.title)
        except ValueError:
            raise ActionError("The title is empty. Give one, as in: /rename Fix the parser") from None
        self.record.retitle(title)
        return ActionOutcome(f"The session is called '{title}' now.", {"title": title})

    async def export(self, arguments: Export, context: ActionContext) -> ActionOutcome:
        """Make the file, which must not be there yet, or show the text. **Raises** `ActionError`."""
        named = arguments.file.rpartition(".")[2]
        form = arguments.form or (named if arguments.file and named in {"html", "jsonl"} else "md")
        page = (await self.control.export(form)).decode("utf-8", "replace")
        if not arguments.file:
            return ActionOutcome(page, {"form": form})
        change = await context.workspace.write(
            arguments.file, page, expected=None, label="Export the session"
        )
        place = context.workspace.place(arguments.file)
        return ActionOutcome(f"The session was written to {place.shown}.", {"form": form, "uri": change.uri})


async def copy(arguments: Copy, context: ActionContext) -> ActionOutcome:
    """Show one of the answers. **Raises** `ActionError`."""
    undone = undone_of(context.state)
    answers = answers_of([each for each in context.state.transcript if name_of(each) not in undone])
    if arguments.answer > len(answers):
        raise ActionError(FEWER.format(len(answers)) if answers else NO_ANSWER)
    text = answers[-arguments.answer]
    return ActionOutcome(text, {"text": text})


async def last_rewinds(context: ActionContext) -> Sequence[ActionValue]:
    """Return the rewinds that can be undone, the last one first."""
    return [ActionValue(rewind) for rewind in reversed([*context.state.rewinds])]


async def last_prompts(context: ActionContext) -> Sequence[ActionValue]:
    """Return how many prompts can be rewound, and to which."""
    known = prompts_of(context.state)
    return [ActionValue(str(count), _brief(known[-count][1])) for count in range(1, len(known) + 1)]


def prompts_of(state: State) -> list[tuple[str, UserMessage]]:
    """Return the prompts that the model sees, each with the item before it ("": it is the first).

    What stood before a prompt in front of a summary is not seen any more.
    """
    found, before = list[tuple[str, UserMessage]](), ""
    messages = state.context.messages
    summary = next(
        (m for m in reversed(messages) if isinstance(m, UserMessage) and m.origin == SUMMARY), None
    )
    names = ["", *map(name_of, state.transcript)] if summary else []
    said = dict(pairwise(reversed(names)))  # the item before each
    for message in messages:
        if message is summary:
            said = {}
        if isinstance(message, UserMessage) and message.origin == "user":
            found.append((said.get(message.item_id, before), message))
        before = message.call_id if isinstance(message, ToolResult) else message.item_id
    return found


def undone_of(state: State) -> frozenset[str]:
    """Return the items that a rewind took away, and none brought back; not what a summary replaced."""
    taken = {name_of(each) for before in state.rewinds.values() for each in before}
    said = {name_of(each) for each in state.context.messages}
    for messages, length in state.summaries.values():
        said |= {name_of(each) for each in messages[: len(messages) - length + 1]}
    return frozenset(taken - said)


def answers_of(transcript: Sequence[Message]) -> list[str]:
    """Return the last text of the model behind each prompt, where there is one."""
    answers, last = list[str](), ""
    for message in transcript:
        if isinstance(message, UserMessage) and message.origin == "user":
            answers, last = [*answers, last], ""
        elif isinstance(message, AssistantMessage) and message.text.strip():
            last = message.text
    return [answer for answer in (*answers, last) if answer]


def _brief(prompt: UserMessage) -> str:
    words = " ".join(part.text for part in prompt.content if isinstance(part, Text))
    return cut(one_line(words), SHOWN)
