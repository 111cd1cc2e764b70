"""The tool `ask_user`."""

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any, cast

from pydantic import Field, model_validator

from agls.engine.ports import Preview, ToolContext
from agls.engine.vocabulary import Answer, JsonObject, Question, ToolOutcome
from agls.features.ask.history import Source
from agls.frozen import frozen
from agls.regex import regex
from agls.room.prepared_answers import PreparedAnswer, plain, prepared_answer
from agls.room.session_ports import Forms
from agls.toolkit import Arguments

CHOICE = "choice"
TEXT = "answer"
_NUMBERED = regex(r" *(\d{1,2})[.)] +(.*\S) *")
_OFFER = regex(
    r" \((?:[^()]|\([^()]*\))+ / (?:[^()]|\([^()]*\))+\)$"
)  # the choices behind a question of a list
_ADDRESS = regex(r"https?://[!-~]+")  # nothing in it that a reader could overlook


class AskUser(Arguments):
    """Ask the user one question and wait for the answer.

    Ask only what you cannot find out yourself and what changes what you do next.
    """

    question: str = Field(min_length=1)
    choices: tuple[str, ...] = Field(default=(), max_length=10, description="answers to choose from")
    several: bool = Field(default=False, description="whether the user may choose several of them")
    free_text: bool = Field(default=True, description="whether the user may answer in their own words")
    default: str = Field(default="", description="what you go on with when nobody answers in time")
    timeout_s: float | None = Field(default=None, gt=0, description="seconds to wait; else without limit")
    url: str = Field(default="", max_length=2000, description="a web page the user has to open for it")

    @model_validator(mode="after")
    def _answerable(self) -> "AskUser":
        if not self.choices and not self.free_text:
            raise ValueError("the user could not answer: give choices, or allow free_text")
        if self.several and not self.choices:
            raise ValueError("several needs choices to choose from")
        if self.url and not _ADDRESS.fullmatch(self.url):
            raise ValueError("url must be a whole address that begins with https:// or http://")
        return self


Ended = Callable[[str, str, Source, str], None]
"""Takes a question, its answer ("" for none), the source of that, and the key of a prepared one."""


def nothing_used() -> frozenset[str]:
    """Return that no prepared answer was given."""
    return frozenset()


def ignore_end(question: str, answer: str, source: Source, key: str) -> None:
    """Do nothing with the end of a question."""


@frozen
class UserQuestioner:
    """Asks the user, unless an answer was prepared.

    It waits for `seconds` (0: without limit). `used` returns the keys of the prepared answers that were
    given; `ended` is called with the end of each question.
    """

    asker: Forms
    answers: Sequence[PreparedAnswer] = ()
    seconds: float = 0
    used: Callable[[], frozenset[str]] = nothing_used
    ended: Ended = ignore_end

    async def describe(self, arguments: AskUser, context: ToolContext) -> Preview:
        """The question."""
        return Preview(f"Ask: {wording(arguments)}", {})

    async def ask(self, arguments: AskUser, context: ToolContext) -> ToolOutcome:
        """Ask, wait, and return the outcome for the model."""
        if told := self._each_prepared(arguments):
            return ToolOutcome(told)
        if found := prepared_answer(self.answers, arguments.question, self.used()):
            if (outcome := _prepared(arguments, found.answer)).status == "completed":
                self.ended(arguments.question, found.answer, "queued", found.key)
            return outcome
        subject = {"type": "url", "url": arguments.url} if arguments.url else {}
        question = Question(
            "form", wording(arguments), call_id=context.call_id, subject=subject, schema=form(arguments)
        )
        seconds = min((each for each in (self.seconds, arguments.timeout_s) if each), default=None)
        try:
            async with asyncio.timeout(seconds):
                answer = await self.asker.ask(question)
        except TimeoutError:
            self.ended(arguments.question, arguments.default, "timeout", "")
            return _too_late(arguments, seconds or 0)
        if answer.outcome != "cancelled":
            source: Source = "nobody" if answer.outcome == "unanswered" else "interactive"
            self.ended(arguments.question, _words(answer.content), source, "")
        return outcome_of(arguments, answer)

    def _each_prepared(self, arguments: AskUser) -> str:
        """Return the prepared answers to the questions of a numbered list, "" unless each of them has one."""
        parts = [] if arguments.choices else numbered_questions(arguments.question)
        used = self.used()
        found: list[tuple[str, PreparedAnswer]] = []
        for part in parts:
            bare = _OFFER.sub("", part)
            answers = [prepared_answer(self.answers, each, used) for each in dict.fromkeys((part, bare))]
            answer = min(filter(None, answers), key=lambda each: not each.question, default=None)
            if answer is None:
                return ""
            used |= {answer.key}
            found.append((bare, answer))
        for part, answer in found:
            self.ended(part, answer.answer, "queued", answer.key)
        lines = (f"{number}. {answer.answer}" for number, (_, answer) in enumerate(found, 1))
        return "\n".join(("The user answered:", *lines)) if found else ""


def numbered_questions(text: str) -> list[str]:
    """Return the questions of a list, a line for each with its number; none if the text is something else."""
    found = [_NUMBERED.fullmatch(line) for line in text.strip().splitlines()]
    parts = [part for number, part in enumerate(found, 1) if part and int(part[1]) == number]
    return [part[2] for part in parts] if len(parts) == len(found) > 1 else []


def _prepared(arguments: AskUser, answer: str) -> ToolOutcome:
    """Return the outcome of a prepared answer: one of the choices, or words where they are allowed."""
    spelled = {plain(choice): choice for choice in arguments.choices} | {
        each: each for each in arguments.choices
    }
    parts = re.split(r"[,\n]", answer) if arguments.several and plain(answer) not in spelled else (answer,)
    chosen = tuple(spelled.get(part.strip(), spelled.get(plain(part), part.strip())) for part in parts)
    is_choice = set(chosen) <= set(arguments.choices)
    if not is_choice and not arguments.free_text:
        known = ", ".join(arguments.choices)
        text = f"The prepared answer {answer!r} is none of the choices ({known}). Decide yourself."
        return ToolOutcome(text, status="failed")
    choice = list(chosen) if arguments.several else chosen[0]
    return outcome_of(
        arguments, Answer("accepted", content={CHOICE: choice} if is_choice else {TEXT: answer})
    )


def _too_late(arguments: AskUser, seconds: float) -> ToolOutcome:
    late = f"Nobody answered within {seconds:g} seconds."
    if arguments.default:
        return ToolOutcome(f"{late} Go on with: {arguments.default}")
    return ToolOutcome(f"{late} Decide yourself, and say what you assumed.", status="failed")


def _words(content: JsonObject) -> str:
    return ", ".join(str(part) for part in (*_chosen(content), content.get(TEXT)) if part)


def _chosen(content: JsonObject) -> list[Any]:
    """**Returns** what was chosen: a client sends a list where several may be, and may send one alone."""
    choice = content.get(CHOICE, "")
    return cast("list[Any]", choice) if isinstance(choice, list) else [choice] if choice else []


def wording(arguments: AskUser) -> str:
    """Return what the user reads. An address stands in it whole, so that every client shows it."""
    return f"{arguments.question}\n{arguments.url}".strip()


def form(arguments: AskUser) -> JsonObject:
    """Return the question as a flat JSON schema of strings and choices, a form for every client.

    With an address nothing is required: having opened it is an answer.
    """
    fields: JsonObject = {}
    if arguments.choices:
        choices: JsonObject = {"type": "string", "enum": list(dict.fromkeys(arguments.choices))}
        many: JsonObject = {"type": "array", "title": "Choices", "items": choices, "uniqueItems": True}
        fields[CHOICE] = many if arguments.several else {**choices, "title": "Choice"}
    if arguments.free_text:
        fields[TEXT] = {"type": "string", "title": "Your own words" if arguments.choices else "Answer"}
    required = list(fields) if len(fields) == 1 and not arguments.url else []
    return {"type": "object", "properties": fields, "required": required}


def outcome_of(arguments: AskUser, answer: Answer) -> ToolOutcome:
    """Return an answer as the model reads it."""
    match answer.outcome:
        case "accepted":
            return _accepted(arguments, answer.content)
        case "unanswered":
            why = answer.feedback or "Nobody was there to answer."
            return ToolOutcome(f"{why} Decide yourself, and say what you assumed.", status="failed")
        case "cancelled":
            return ToolOutcome("The question was withdrawn before it was answered.", status="cancelled")
        case _:
            remark = f" They said: {answer.feedback}" if answer.feedback else ""
            text = f"The user does not want to answer.{remark} Do not ask again; decide yourself or stop."
            return ToolOutcome(text, status="rejected", refused_by="user")


def _accepted(arguments: AskUser, content: JsonObject) -> ToolOutcome:
    chosen, words = _chosen(content), content.get(TEXT, "")
    known = all(choice in arguments.choices for choice in chosen)
    one_or_many = arguments.several or isinstance(content.get(CHOICE, ""), str)
    fits = known and one_or_many and isinstance(words, str) and (arguments.free_text or not words)
    if fits and arguments.url and not (chosen or words):
        return ToolOutcome("The user says that they opened it and did what it is for.")
    if fits and arguments.several and content.get(CHOICE) == [] and not words:
        return ToolOutcome("The user chose none of them.")
    if not fits or not (chosen or words):
        return ToolOutcome(f"The answer does not fit the question: {content!r}", status="failed")
    return ToolOutcome(f"The user answered: {_words(content)}")
