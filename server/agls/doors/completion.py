"""Completion of a prompt that somebody types: its command, or what the rooms know of its words."""

from collections.abc import Sequence
from typing import Protocol

from agls.commands import (
    Slot,
    TypedCommand,
    command_in,
    member_schema,
    quoted,
    raw_member,
    slash,
    slot_at,
    values_of,
)
from agls.engine.actions import GROUPS, ActionSpec, ActionValue
from agls.engine.run_action import actions, values
from agls.engine.session import Session
from agls.fuzzy import best
from agls.regex import regex
from agls.room import Completion, Completions, Typing

MOST = 50
_NAME = regex(r"\s*(?:@(?:workspace|codebase|vscode|terminal)[ \t]+)?(/\S*)")  # as `commands.FIRST`


class Completer(Protocol):
    """Knows how the rooms would go on with a prompt."""

    async def complete(self, session: Session, typing: Typing) -> Completions:
        """**Returns** the best ways. **Raises** `ConfigError`."""
        ...


async def completions(completer: Completer, session: Session, text: str, cursor: int) -> Completions:
    """**Returns** at most `MOST` ways to go on at this offset, the best first. **Raises** `ConfigError`."""
    typing = Typing(text, max(0, min(cursor, len(text))))
    found = await _of_command(session, typing) or await completer.complete(session, typing)
    return Completions(found.items[:MOST], found.more or len(found.items) > MOST)


async def _of_command(session: Session, typing: Typing) -> Completions | None:
    """**Returns** how a command goes on, `None` where the cursor is in none, or in words of free text."""
    name = _NAME.match(typing.text)
    if name is None or typing.cursor <= name.start(1):
        return None
    specs = actions(session)
    if typing.cursor <= name.end():
        return _names(specs, typing, name.start(1), name.end())
    command = command_in(typing.text, specs)
    return await _words(session, command, typing) if command and not raw_member(command.spec) else None


def _names(specs: Sequence[ActionSpec], typing: Typing, start: int, end: int) -> Completions:
    typed = typing.text[start + 1 : typing.cursor]
    aliases = [(alias, spec) for spec in specs for alias in spec.aliases if typed]
    main = sorted(specs, key=_place)
    known = [*((spec.name, spec) for spec in main), *aliases]
    found, more = best(known, typed, lambda pair: pair[0], MOST)
    return Completions(
        [
            Completion(
                label=f"/{name}",
                kind="command",
                text=f"/{name}",
                start=start,
                end=end,
                detail=spec.title if name == spec.name else f"{spec.title} ({slash(spec)})",
            )
            for name, spec in found
        ],
        more,
    )


def _place(spec: ActionSpec) -> tuple[bool, int]:
    """**Returns** where a command stands with nothing typed: as in /help, those of a part of agls behind."""
    return "." in spec.name, GROUPS.index(spec.group) if spec.group in GROUPS else len(GROUPS)


async def _words(session: Session, command: TypedCommand, typing: Typing) -> Completions:
    slot = slot_at(command, typing.cursor - command.start)
    start, end = command.start + slot.start, command.start + slot.end
    known = await _values(session, command.spec, slot)
    chosen, more = best(known, slot.typed, lambda value: value.text, MOST)
    items = [
        Completion(
            label=value.text or '""',
            kind="value",
            text=quoted(value.text),
            start=start,
            end=end,
            detail=value.detail,
        )
        for value in chosen
    ]
    others, _ = best(slot.others, slot.typed, str, MOST)
    for name in others:
        about = str(member_schema(command.spec, name).get("description", ""))
        items.append(
            Completion(label=f"{name}=", kind="argument", text=f"{name}=", start=start, end=end, detail=about)
        )
    return Completions(items, more)


async def _values(session: Session, spec: ActionSpec, slot: Slot) -> Sequence[ActionValue]:
    if not slot.member:
        return ()
    by_schema = [ActionValue(value) for value in values_of(member_schema(spec, slot.member))]
    return by_schema or await values(session, spec.name, slot.member)
