"""The entries of files for other products, each read in the form of its product."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from agls.engine.vocabulary import JsonObject
from agls.features.hooks import copilot, cursor, gemini
from agls.features.hooks.forms import HookForm
from agls.features.hooks.offered_hook import NO_EVENT, OfferedHook, offered_hook
from agls.features.hooks.settings import EVENTS, Event
from agls.frozen import frozen
from agls.json_values import object_in

Maker = Callable[[str, JsonObject, int, str], OfferedHook]


def of_cursor(event: str, entry: JsonObject, number: int, shown: str) -> OfferedHook:
    """Return the hook of an entry for Cursor, whose other events have the usual form.

    **Raises** `ValueError`.
    """
    if event in cursor.NEWER:
        raise ValueError(cursor.NOT_YET.format(event))
    if event not in cursor.EVENTS:
        named = {**entry, "matcher": cursor.in_our_names(entry.get("matcher"))}
        return offered_hook(event, named, number, shown)
    form = cursor.cursor_form(event, entry)
    ours = cursor.in_our_words(event, entry)
    made = _formed(form, cursor.EVENTS[event][0], ours, _Written(event, entry, number, shown))
    if entry.get("failClosed") is not True:
        return made
    setting = made.hook.setting.model_copy(update={"on_failure": "closed"})
    return OfferedHook(replace(made.hook, setting=setting), made.offer)


def of_gemini(event: str, entry: JsonObject, number: int, shown: str) -> OfferedHook:
    """Return the hook of an entry for Gemini. **Raises** `ValueError`."""
    if event not in gemini.EVENTS:
        raise ValueError(NO_EVENT.format(event[:60], ", ".join(gemini.EVENTS)))
    form, ours = gemini.gemini_form(event, entry), gemini.in_our_words(event, entry)
    made = _formed(form, gemini.EVENTS[event], ours, _Written(event, entry, number, shown))
    setting = made.hook.setting.model_copy(update={"name": ours.get("name", "")})
    return OfferedHook(replace(made.hook, setting=setting), made.offer)


def of_copilot(event: str, entry: JsonObject, number: int, shown: str) -> OfferedHook:
    """Return the hook of an entry for Copilot, where names that begin with a capital have the usual form.

    **Raises** `ValueError`.
    """
    if event not in copilot.EVENTS:
        return offered_hook(event, entry, number, shown)
    form, ours = copilot.copilot_form(event, entry), copilot.in_our_words(event, entry)
    made = _formed(form, copilot.EVENTS[event], ours, _Written(event, entry, number, shown))
    more = {name: str(value) for name, value in object_in(entry, "env").items()}
    return OfferedHook(replace(made.hook, environment=more), made.offer)


@frozen
class _Written:
    """An entry as it is written, with its place in a file."""

    event: str
    entry: JsonObject
    number: int
    shown: str


def _formed(form: HookForm, event: Event, ours: JsonObject, written: _Written) -> OfferedHook:
    """Return a hook in a form; the user consents to it as it is written. **Raises** `ValueError`."""
    made = offered_hook(event, ours, written.number, written.shown)
    definition: JsonObject = {"file": written.shown, "event": written.event, **written.entry}
    offer = replace(
        made.offer, name=f"{written.event} {written.number} of {written.shown}", definition=definition
    )
    return OfferedHook(replace(made.hook, form=form), offer)


OF_PLUGINS: Mapping[str, Maker] = {
    "cursor": of_cursor,
    "gemini": of_gemini,
    "claude": of_copilot,
    "plain": of_copilot,
}
KNOWN: Sequence[str] = tuple(dict.fromkeys((*EVENTS, *cursor.EVENTS, *gemini.EVENTS, *copilot.EVENTS)))
