"""The tool `ask_user`."""

import re

from pydantic import Field, model_validator

from agls.engine.ports import Preview, ToolContext
from agls.engine.vocabulary import Answer, JsonObject, Question, ToolOutcome
from agls.frozen import frozen
from agls.room.ports import Forms
from agls.toolkit import Arguments

CHOICE = "choice"
TEXT = "answer"
_ADDRESS = re.compile(r"https?://[!-~]+")  # nothing in it that a reader could overlook


class AskUser(Arguments):
    """Ask the user one question and wait for the answer.

    Ask only what you cannot find out yourself and what changes what you do next.
    """

    question: str = Field(min_length=1)
    choices: tuple[str, ...] = Field(default=(), max_length=10, description="answers to choose from")
    free_text: bool = Field(default=True, description="whether the user may answer in their own words")
    url: str = Field(default="", max_length=2000, description="a web page the user has to open for it")

    @model_validator(mode="after")
    def _answerable(self) -> "AskUser":
        if not self.choices and not self.free_text:
            raise ValueError("the user could not answer: give choices, or allow free_text")
        if self.url and not _ADDRESS.fullmatch(self.url):
            raise ValueError("url must be a whole address that begins with https:// or http://")
        return self


@frozen
class UserQuestioner:
    """Puts questions to whoever sits at the other end."""

    asker: Forms

    async def describe(self, arguments: AskUser, context: ToolContext) -> Preview:
        """The question."""
        return Preview(f"Ask: {wording(arguments)}", {})

    async def ask(self, arguments: AskUser, context: ToolContext) -> ToolOutcome:
        """Ask, wait, and tell the model what came of it."""
        subject = {"type": "url", "url": arguments.url} if arguments.url else {}
        question = Question(
            "form", wording(arguments), call_id=context.call_id, subject=subject, schema=form(arguments)
        )
        return told(arguments, await self.asker.ask(question))


def wording(arguments: AskUser) -> str:
    """What the user reads; an address always whole, whoever shows it."""
    return f"{arguments.question}\n{arguments.url}".strip()


def form(arguments: AskUser) -> JsonObject:
    """The question as a flat JSON schema of strings, which every client can show as a form.

    Who has opened an address need not say more.
    """
    fields: JsonObject = {}
    if arguments.choices:
        fields[CHOICE] = {"type": "string", "title": "Choice", "enum": list(dict.fromkeys(arguments.choices))}
    if arguments.free_text:
        fields[TEXT] = {"type": "string", "title": "Your own words" if arguments.choices else "Answer"}
    required = list(fields) if len(fields) == 1 and not arguments.url else []
    return {"type": "object", "properties": fields, "required": required}


def told(arguments: AskUser, answer: Answer) -> ToolOutcome:
    """What the model reads of an answer."""
    match answer.outcome:
        case "accepted":
            return _accepted(arguments, answer.content)
        case "unanswered":
            text = "Nobody is there to answer. Decide yourself, and say what you assumed."
            return ToolOutcome(text, status="failed")
        case "cancelled":
            return ToolOutcome("The question was withdrawn before it was answered.", status="cancelled")
        case _:
            remark = f" They said: {answer.feedback}" if answer.feedback else ""
            text = f"The user does not want to answer.{remark} Do not ask again; decide yourself or stop."
            return ToolOutcome(text, status="rejected")


def _accepted(arguments: AskUser, content: JsonObject) -> ToolOutcome:
    choice, words = content.get(CHOICE, ""), content.get(TEXT, "")
    fits = (
        choice in ("", *arguments.choices) and isinstance(words, str) and (arguments.free_text or not words)
    )
    if fits and arguments.url and not (choice or words):
        return ToolOutcome("The user says that they opened it and did what it is for.")
    if not fits or not (choice or words):
        return ToolOutcome(f"The answer does not fit the question: {content!r}", status="failed")
    return ToolOutcome(f"The user answered: {', '.join(part for part in (choice, words) if part)}")
