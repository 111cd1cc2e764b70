"""Questions of a run, put to the human at the terminal."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from shutil import get_terminal_size
from weakref import WeakSet

from agls.doors.headless.forms import Unfit, fields_of
from agls.doors.headless.keyboard import Keyboard
from agls.doors.headless.rows import wrapped
from agls.doors.headless.screen import TerminalScreen
from agls.engine.facts import Answered, Asked, Entry
from agls.engine.log import Event
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import Answer, JsonObject, Option, Question
from agls.json_values import is_list, is_object
from agls.views.permission_text import SAVING, UNSAVED, counted

COMMENT = "Words behind a key are a comment for the agent, as in: y keep it small, or: n which tests?"
REASON = "To reject with a reason, type it behind the n, as in: n use the other parser"
PROMPT = "Your answer ({}): "
WORDS: Mapping[str, str] = {"yes": "y", "no": "n"}
NO = "n"
KEYS: Mapping[str, str] = {"once": "y", "run": "r", "session": "s", "project": "p"}  # by scope of a yes


class TerminalResponder:
    """Asks one question after the other, in the order in which the session and its children open them.

    It has the terminal for itself while it is `alone`.
    """

    invokes = False

    def __init__(
        self,
        screen: TerminalScreen,
        keyboard: Keyboard,
        alone: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
    ) -> None:
        self._screen, self._keyboard = screen, keyboard
        self._alone = alone
        self._asked: asyncio.Queue[tuple[Session, str, Question]] = asyncio.Queue()
        self._open: set[str] = set()
        self._asking = ""  # the question that is put now
        self._attended: WeakSet[Session] = WeakSet()

    def attach(self, session: Session) -> None:
        """Take a seat in front of it, once."""
        if session in self._attended:
            return
        self._attended.add(session)
        session.log.subscribe(partial(self._watch, session))
        session.questions.attend(True)

    def _watch(self, session: Session, event: Event, state: State) -> None:
        """Take note of questions that open, and of those that were withdrawn."""
        match event:
            case Entry(fact=Asked(request_id, question)):
                self._open.add(request_id)
                self._asked.put_nowait((session, request_id, question))
            case Entry(fact=Answered(request_id)):
                self._open.discard(request_id)
                if request_id == self._asking:
                    self._screen.answered(typed=False)
            case _:
                pass

    async def serve(self, session: Session) -> None:
        """Ask and answer until cancelled."""
        while True:
            asking, request_id, question = await self._asked.get()
            async with self._alone():
                if request_id in self._open:
                    self._asking = request_id
                    answer = await self._put(question)
                    asking.questions.answer(request_id, answer)

    async def settle(self) -> None:
        """Do nothing: the open questions were withdrawn."""

    async def _put(self, question: Question) -> Answer:
        if question.kind == "form":
            return await self._form(question)
        self._keyboard.forget()
        self._screen.ask(f"\n{wrapped_lines(question.title)}")
        self._screen.ask("".join(f"{line}\n" for line in subject_lines(question.subject)))
        if question.reason:
            self._screen.ask(wrapped_lines(question.reason))
        choices = keyed(question.options)
        if NO in choices:
            self._screen.ask(wrapped_lines(COMMENT if question.kind == "plan" else REASON))
        keys = ", ".join(choices)
        self._screen.ask(menu(choices))
        while True:
            self._screen.ask(PROMPT.format(keys))
            line = await self._line()
            if line is None:
                return Answer("dismissed", by="terminal")
            key, _, feedback = line.strip().partition(" ")
            if key == "?":
                self._screen.ask(menu(choices))
                continue
            if option := chosen(key, choices):
                return Answer("selected", option.option_id, feedback.strip(), by="terminal")
            wrong = f"{line.strip()[:40]!r} is not a possible answer. " if key else ""
            self._screen.ask(wrapped_lines(f"{wrong}Type one of: {keys}."))

    async def _line(self) -> str | None:
        line = await self._keyboard.line()
        self._screen.answered(typed=line is not None)
        return line

    async def _form(self, question: Question) -> Answer:
        self._keyboard.forget()
        self._screen.ask(f"\n{wrapped_lines(question.title)}")
        content: JsonObject = {}
        for field in fields_of(question.schema, needed=question.subject.get("type") != "url"):
            self._screen.ask(wrapped_lines(field.choices.rstrip("\n")) if field.choices else "")
            while True:
                self._screen.ask(field.prompt)
                with self._keyboard.unseen() if field.is_secret else nullcontext():
                    line = await self._line()
                if line is None:
                    return Answer("cancelled", by="terminal")
                if field.is_secret:
                    self._screen.ask("\n")  # the end of the line was not seen either
                try:
                    content |= field.read(line.strip())
                    break
                except Unfit as problem:
                    self._screen.ask(wrapped_lines(str(problem)))
        return Answer("accepted", content=content, by="terminal")


def keyed(options: tuple[Option, ...]) -> dict[str, Option]:
    """Return the options by the key that chooses them: y once, r run, s session, p project, n no.

    A second yes of the same scope has the next free letter of its name.
    """
    choices: dict[str, Option] = {}
    for option in options:
        key = KEYS[option.scope] if option.decision == "allow" else NO
        if key in choices and key != NO:
            taken = {*choices, *KEYS.values(), NO}
            key = next((letter for letter in option.option_id.lower() if letter not in taken), key)
        choices.setdefault(key, option)
    return choices


def chosen(key: str, choices: Mapping[str, Option]) -> Option | None:
    """Return the option of a key, of its word, or of its number in the menu."""
    if key.isdecimal() and 1 <= int(key) <= len(choices):
        return [*choices.values()][int(key) - 1]
    return choices.get(WORDS.get(key.lower(), key.lower()))


def menu(choices: Mapping[str, Option]) -> str:
    """Return the choices with the rule that each would make: on one line, or on several where it is long."""
    parts = [f"[{key}] {o.label}{f' ({o.rule})' if o.rule else ''}" for key, o in choices.items()]
    line = "  ".join(parts)
    return f"{line}\n" if len(line) < get_terminal_size().columns else wrapped_lines("\n".join(parts))


def wrapped_lines(text: str) -> str:
    """Return lines that the terminal need not cut inside of words."""
    return wrapped(text, max(20, get_terminal_size().columns)) + "\n"


def subject_lines(subject: JsonObject) -> list[str]:
    """Return the subject of a question, whole: the command, the diff, or the tool's input."""
    match subject:
        case {"type": "command", "command": command}:
            shown = [
                f"  $ {_indented(counted(str(command)))}",
                f"  in {_one_line(subject.get('cwd') or '.')}",
            ]
            return [*shown, *_members(subject, "type", "command", "cwd")]
        case {"type": "edit", "changes": changes}:
            patches = [counted(str(change.get("patch", ""))) for change in changes]
            return [line for patch in patches for line in patch.splitlines()]
        case {"type": "plan", "plan": plan}:
            return [f"  {line}" for line in counted(str(plan)).splitlines()]
        case {"type": "save", "files": files}:
            return [UNSAVED, *(f"  {_one_line(name)}" for name in files), *SAVING]
        case _:
            return [*_members(subject, "type")]


def _members(subject: JsonObject, *known: str) -> Iterator[str]:
    """Yield what else there is in a subject."""
    for name, value in subject.items():
        if name not in known:
            yield from _member(f"  {name}:", value)


def _one_line(text: object) -> str:
    return counted(str(text)).replace("\n", "\\n")


def _member(name: str, value: object) -> Iterator[str]:
    """Yield the lines of a value behind its name, each further one indented below it."""
    below = " " * (len(name) - len(name.lstrip()) + 2)
    if is_object(value) and value:
        yield name
        for key, inner in value.items():
            yield from _member(f"{below}{_indented(key)}:", inner)
    elif is_list(value) and value:
        yield name
        for inner in value:
            yield from _member(f"{below}-", inner)
    else:
        text = value if value and isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"{name} {_indented(counted(text), below)}"


def _indented(text: object, by: str = "    ") -> str:
    """Return the text with every further line indented: none of them can pass for one of ours."""
    return str(text).replace("\n", f"\n{by}")
