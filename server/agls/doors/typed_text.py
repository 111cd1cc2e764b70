"""Text that a user gives: a command, or a prompt that the rooms screen, with the references in it."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

from agls.commands import (
    FIRST,
    CommandError,
    TypedCommand,
    command_in,
    quoted,
    raw_member,
    shorthand_in,
    slash,
    unescaped,
    unknown_command,
)
from agls.doors.from_wire import GivenFile
from agls.engine.actions import ActionPrompt, ActionSpec
from agls.engine.facts import Admitted
from agls.engine.run_action import actions, spec_of
from agls.engine.session import Session
from agls.engine.vocabulary import Content, JsonObject, Resource, ResourceLink, Text
from agls.regex import regex
from agls.room import GivenText, Piece
from agls.room.command_prompts import COMMAND_URI

WITHHELD = (
    "/{0} is made by {1}, but the folder is not trusted, so nothing of it is used. Look at the file, and "
    "then trust the folder: agls trust. For a prompt, begin with another word."
)
_NAMED = regex(r"/([A-Za-z][\w.:-]*)")
NO_PROMPT_OF_ACTION = ActionPrompt(())


class TextReader(Protocol):
    """Screens text that a user gives, and understands what they typed."""

    async def screen(self, session: Session, given: GivenText) -> Sequence[Piece]:
        """Return what goes with the text. **Raises** `ConfigError` and `PromptRefused`."""
        ...

    async def expand(self, session: Session, text: str) -> Sequence[Piece]:
        """Return the meaning of the text besides its words. **Raises** `ConfigError`."""
        ...

    def withheld_file(self, session: Session, name: str) -> str:
        """Return the file that makes this command, in a folder that nobody trusts; "" for none."""
        ...


def may_be_command(text: str) -> bool:
    """**Returns** whether a text begins as commands do, or as a shorthand for one."""
    return text.lstrip().startswith("#") or FIRST.match(text) is not None


def command_of(
    reader: TextReader, session: Session, content: Sequence[Content | GivenFile]
) -> TypedCommand | None:
    """**Returns** the command that the text is, `None` for a prompt.

    **Raises** `ConfigError`, and `CommandError` for a text that looks like a command and names none, or one
    of a folder that nobody trusts.
    """
    text = _text_of(content)
    if not may_be_command(text):
        return None
    specs = actions(session)
    if all(isinstance(part, Text) for part in content) and (short := shorthand_in(text, specs)):
        return short
    if command := command_in(text, specs):
        return command
    first = FIRST.match(text)
    named = _NAMED.fullmatch(first[1]) if first else None
    if named and (file := reader.withheld_file(session, named[1])):
        raise CommandError(WITHHELD.format(named[1], file))
    if problem := unknown_command(text, specs):
        raise CommandError(problem)
    return None


async def admitted_content(
    reader: TextReader,
    session: Session,
    content: tuple[Content, ...],
    key: str = "",
    command: ActionPrompt = NO_PROMPT_OF_ACTION,
    *,
    expand: bool,
) -> tuple[Content, ...]:
    """Return the content that a user gives as it is admitted: every prompt and message comes through here.

    The rooms screen its texts. With `expand` they were typed: then everything that they point at goes with
    them. So does what a `command` made. A request that is repeated under its `key` means what it meant the
    first time.

    **Raises** `ConfigError` and `PromptRefused`.
    """
    if expand:
        content = _unescaped(session, content)
    known = session.state.keys.get(key)
    if known and known[0].content[: len(content)] == content:
        return known[0].content
    given = [part for part in content if isinstance(part, Resource)]
    content = (*content, *command.content)
    there = {part.uri for part in content if isinstance(part, Resource | ResourceLink)}
    text = "\n".join(filter(None, (_text_of(content), command.typed)))
    found = [*await reader.screen(session, GivenText(text, given))]
    if expand:
        found += await reader.expand(session, text)
    return (*content, *(session.log.clean(piece) for piece in found if piece.uri not in there))


async def screen_action(reader: TextReader, session: Session, name: str, given: JsonObject) -> None:
    """Let the rooms screen what is typed for an action, where it reaches a model.

    **Raises** `Refused` (`noSuchAction`), `ConfigError` and `PromptRefused`.
    """
    spec = spec_of(session, name)
    if spec.screened and given:
        await reader.screen(session, GivenText(text_of_command(spec, given)))


def options_of_command(
    session: Session, options: JsonObject, command: ActionPrompt, key: str = ""
) -> JsonObject:
    """Return the options of a run: those that were named, over those of the command that made its prompt.

    A request that is repeated under its `key` has those of the first time.
    """
    known = run_of_command(session, key)
    return {**(known.options if known else command.options), **options}


def text_of_command(spec: ActionSpec, given: JsonObject) -> str:
    """Return the command that somebody could have typed for this input."""
    if raw_member(spec):
        return f"{slash(spec)} {''.join(map(str, given.values()))}".strip()
    return " ".join((slash(spec), *(f"{name}={_word(value)}" for name, value in given.items())))


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(quoted(str(each)) for each in cast("list[Any]", value))
    return quoted(value if isinstance(value, str) else json.dumps(value))


def run_of_command(session: Session, key: str) -> Admitted | None:
    """Return the prompt that a command made under this key, `None` where there is none."""
    known = session.state.keys.get(key)
    admitted = known[0] if known else None
    if not isinstance(admitted, Admitted):
        return None
    made = (isinstance(part, Resource) and part.uri.startswith(COMMAND_URI) for part in admitted.content)
    return admitted if any(made) else None


def _text_of(content: Sequence[Content | GivenFile]) -> str:
    return "\n".join(part.text for part in content if isinstance(part, Text))


def _unescaped(session: Session, content: tuple[Content, ...]) -> tuple[Content, ...]:
    """Return the content with one slash instead of two before the name of a command."""
    for place, part in enumerate(content):
        if isinstance(part, Text) and part.text.strip():
            if not part.text.lstrip().startswith("//"):
                break
            text = replace(part, text=unescaped(part.text, actions(session)))
            return (*content[:place], text, *content[place + 1 :])
    return content
