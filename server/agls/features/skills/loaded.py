"""Which skills were used in a session, which of their texts the model still sees, and what is sent again."""

from collections.abc import Iterator, Sequence

from agls.engine.context import CLEARED
from agls.engine.ports import new_id
from agls.engine.prefix_fold import PrefixFold
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Message, Resource, Text, ToolResult, UserMessage
from agls.features.skills.skill_file import SkillFile
from agls.json_values import text_in
from agls.regex import regex
from agls.room.command_prompts import COMMAND_URI
from agls.room.opened_folders import LOADED, ROOM, seal_of
from agls.room.permission_memory import Grants

TOOL = "skill"
AGAIN = "These skills were loaded before, and their instructions still count."
EACH, TOGETHER = 18_000, 90_000  # characters that are sent again: about 5,000 and 25,000 tokens
SHARE = 0.7  # of the characters for every token that a model can see: a fifth of its window
REST = "\n[The rest is left out here: load the skill again.]"
_MARKED = regex(r'^<skill name="([^"]+)"')


def marked(name: str, where: str, text: str) -> str:
    """Return the text of a skill between tags that nothing in it can close."""
    content = text.replace("</skill", "<\\/skill")
    folder = where.replace('"', "'")
    return f'<skill name="{name}" folder="{folder}">\n{content}\n</skill>'


def note_of(skill: SkillFile, state: State, grants: Grants, *, by_model: bool) -> JsonObject:
    """Return the note that a skill was loaded. What the user typed has its suggestions in its options."""
    by = f"the skill {skill.name} ({skill.shown})"
    wishes = list(skill.wishes) if by_model else []
    home = skill.real.rpartition("/")[0]
    opened = {"folder": home, "seal": seal_of(grants, home)}
    conduct = skill.conduct
    more: JsonObject = {"denies": list(conduct.denies)} if conduct.denies else {}
    more |= {"hooks": dict(conduct.hooks)} if conduct.hooks else {}
    return {"name": skill.name, "by": by, "wishes": wishes, "runId": state.run_id, **opened, **more}


def typed_skill(state: State) -> str:
    """Return the name of the command that the prompt of the run came from, "" for none."""
    content = state.admitted.content if state.admitted else ()
    uris = (part.uri for part in content if isinstance(part, Resource) and part.uri.startswith(COMMAND_URI))
    return next((uri.removeprefix(COMMAND_URI) for uri in uris), "")


def used_in(state: State) -> Sequence[str]:
    """Return the names of the skills that were used in a session, the one used last first."""
    notes = (note for note in state.notes.get(ROOM, ()) if note.kind == LOADED)
    return list(dict.fromkeys(reversed([text_in(note.data.get("name")) for note in notes])))


def _with_names(known: dict[str, None], messages: tuple[Message, ...]) -> dict[str, None]:
    return {**known, **{name: None for message in messages for name, _ in _texts_in(message)}}


_seen = PrefixFold[dict[str, None]](dict, _with_names)


def lost_in(state: State) -> Sequence[str]:
    """Return the skills that were used and that the model does not see any more, the last first."""
    used = used_in(state)
    if not used or not (state.summaries or _has_cleared(state)):
        return ()  # what a rewind took out is not wanted
    seen = _seen.of(state.context.messages)
    return [name for name in used if name not in seen]


def _has_cleared(state: State) -> bool:
    results = (m for m in state.context.messages if isinstance(m, ToolResult) and m.name == TOOL)
    return any(result.text == CLEARED for result in results)


def sees(state: State, text: str) -> bool:
    """Return whether the model sees exactly this text of a skill; what its lines printed may follow."""
    return any(seen.startswith(text) for message in state.context.messages for _, seen in _texts_in(message))


def again(state: State, names: Sequence[str], window: int | None) -> UserMessage | None:
    """Return the message with the last text of each of these skills, `None` where there is none."""
    room = TOGETHER if window is None else min(TOGETHER, int(window * SHARE))
    texts: list[Text] = []
    for name in names:
        text = _last_text(state, name)
        if len(text) > EACH:
            text = text[: EACH - len(REST)] + REST
        if text and len(text) <= room:
            room -= len(text)
            texts.append(Text(text))
    return UserMessage(new_id("item"), (Text(AGAIN), *texts), ROOM) if texts else None


def _last_text(state: State, name: str) -> str:
    texts = (each for message in reversed(state.transcript) for each in _texts_in(message))
    return next((text for other, text in texts if other == name), "")


def _texts_in(message: Message) -> Iterator[tuple[str, str]]:
    """Yield the skills in a message, each with its text."""
    match message:
        case ToolResult(name=name, text=text) if name == TOOL:
            yield from _skill_in(text)
        case UserMessage(origin=origin, content=content) if origin == ROOM:
            for part in content:
                yield from _skill_in(part.text) if isinstance(part, Text) else ()
        case UserMessage(content=content):
            for part in content:
                if isinstance(part, Resource) and part.uri.startswith(COMMAND_URI):
                    yield from _skill_in("<skill " + part.text.partition("<skill ")[2])
        case _:
            pass


def text_marked(text: str) -> str:
    """Return the name of the skill whose text this is, "" for another text."""
    found = _MARKED.match(text)
    return found[1] if found else ""


def _skill_in(text: str) -> Iterator[tuple[str, str]]:
    if found := _MARKED.match(text):
        yield found[1], text
