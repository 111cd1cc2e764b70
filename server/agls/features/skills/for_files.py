"""Skills for some files: the model is told of them when it works on such a file."""

from collections.abc import Sequence

from agls.engine.ports import new_id
from agls.engine.state import State
from agls.engine.vocabulary import Text, UserMessage
from agls.features.skills.catalogue import CatalogueEntry, catalogue_of
from agls.features.skills.found import FoundSkills
from agls.features.skills.loaded import used_in
from agls.room.opened_folders import ROOM

FOR_FILES = "These skills are for files that you work on now. Load one with the tool `skill` where it helps:"


def told_for(found: FoundSkills, state: State, paths: Sequence[str], limit: int) -> UserMessage | None:
    """Return the message about the skills for these files that the model does not know of yet."""
    fitting = [each for each in found.for_files if found.are_for(each, paths)]
    fitting += [
        each
        for each in found.nested_for_model
        if found.nested.near(each, paths) and (not each.conduct.paths or found.are_for(each, paths))
    ]
    known = {*used_in(state), *_told_in(state)} if fitting else set[str]()
    new = [each for each in fitting if each.name not in known]
    if not new:
        return None
    entries = [CatalogueEntry(each.name, each.catalogued, each.folder.origin) for each in new]
    text = f"{FOR_FILES}\n{catalogue_of(entries, limit).text}"
    return UserMessage(new_id("item"), (Text(text),), ROOM)


def _told_in(state: State) -> set[str]:
    """Return the names in those messages that the model still sees."""
    said = [m for m in state.context.messages if isinstance(m, UserMessage) and m.origin == ROOM]
    texts = [part.text for m in said for part in m.content if isinstance(part, Text)]
    lines = [line for text in texts if text.startswith(FOR_FILES) for line in text.splitlines()[1:]]
    return {line.removeprefix("- ").split(" ")[0].removesuffix(":") for line in lines}
