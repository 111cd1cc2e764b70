"""Which instructions the model knows, and how it gets those that changed while the prompt stays the same."""

from collections.abc import Mapping
from dataclasses import field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

from agls.engine.facts import Injected, PhaseStarted
from agls.engine.ports import new_id
from agls.engine.state import Note, State
from agls.engine.vocabulary import JsonObject, Text, UserMessage
from agls.features.instructions.prompt import Sources, changes, render
from agls.frozen import frozen
from agls.instruction_files import FittedText, Survey, fitted
from agls.redaction import without_keys

MAIN = "main"
ROOM = "instructions"
KNOWN = "told"  # the kind of the notes in journals


@frozen(eq=False)
class Prepared:
    """The instructions of a run: the `system` prompt, a digest of it without files, and the files' texts."""

    system: str
    base: str
    texts: tuple[FittedText, ...]
    files: Mapping[str, str]


@lru_cache(maxsize=8)
def prepared(
    sources: Sources, survey: Survey, limit: int, file_limit: int, keys: frozenset[str] = frozenset()
) -> Prepared:
    """Return the instructions that these sources and files make, without these keys."""
    found = () if sources.override.strip() else fitted(survey.always, limit, file_limit)
    texts = tuple(replace(each, text=without_keys(keys, each.text)) for each in found)
    base = _digest(render(sources, (), survey.described))
    files = {text.source.path: _digest(text.text) for text in texts}
    return Prepared(render(sources, texts, survey.described), base, texts, files)


@frozen
class KnownInstructions:
    """What the model knows by the notes: digests of the prompt, of it without files, and of each file.

    `items` are the messages with what changed since.
    """

    system: str = ""
    base: str = ""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    items: tuple[str, ...] = ()


def known_from(notes: tuple[Note, ...]) -> KnownInstructions:
    """Return what the model knows, by the notes of this room."""
    known = KnownInstructions()
    for note in notes:
        if note.kind == KNOWN:
            data: Mapping[str, Any] = note.data
            items = (*known.items, str(data["itemId"])) if data["itemId"] else ()
            known = KnownInstructions(str(data["system"]), str(data["base"]), data["files"], items)
    return known


def next_fact(state: State, now: Prepared) -> tuple[PhaseStarted | Injected | None, JsonObject | None]:
    """Return the fact that brings the model what it does not know yet, and the data of the note about it.

    Files that changed come in a message: the prompt before it stays as it is, so that a provider's cache of
    it holds. The prompt is made anew when anything else changed, and when a summary removed such a message.
    """
    context = state.context
    known = known_from(state.notes.get(ROOM, ()))
    begins = context.phase != MAIN
    if not begins and known.system == _digest(context.system) and known.base == now.base:
        if known.files == now.files and _sees(state, known.items):
            return None, None
        if _sees(state, known.items):
            return _update(known, now)
    system = _digest(now.system)
    data: JsonObject = {"system": system, "base": now.base, "files": dict(now.files), "itemId": ""}
    noted = None if known == KnownInstructions(system, now.base, now.files) else data
    if not begins and context.system == now.system:
        return None, noted
    model, tools = ("", None) if begins else (context.model, context.tools)
    return PhaseStarted(MAIN, now.system, model, tools), noted


def _update(known: KnownInstructions, now: Prepared) -> tuple[Injected, JsonObject]:
    new = [text for text in now.texts if known.files.get(text.source.path) != now.files[text.source.path]]
    gone = [path for path in known.files if path not in now.files]
    item = UserMessage(new_id("item"), (Text(changes(new, gone)),), ROOM)
    data = {"system": known.system, "base": known.base, "files": dict(now.files), "itemId": item.item_id}
    return Injected((item,)), data


def _sees(state: State, items: tuple[str, ...]) -> bool:
    if not items:
        return True
    seen = {m.item_id for m in state.context.messages if isinstance(m, UserMessage) and m.origin == ROOM}
    return seen.issuperset(items)


@lru_cache(maxsize=16)  # every run asks for the same
def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
