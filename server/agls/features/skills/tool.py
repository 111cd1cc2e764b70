"""The tool `skill`: the model loads a skill, or a command of the user, when a task needs it."""

from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from pydantic import Field

from agls.engine.facts import Notice
from agls.engine.feature import RunView
from agls.engine.ports import Tool, ToolContext, WorkspaceError, new_id
from agls.engine.vocabulary import Text, ToolOutcome, UserMessage
from agls.features.skills.catalogue import SkillCatalogue
from agls.features.skills.forked import SkillHelpers
from agls.features.skills.found import FoundSkills, command_text, given_in, holder_of
from agls.features.skills.loaded import TOOL, note_of, sees, used_in
from agls.frozen import frozen
from agls.prompt_files.shell_lines import LineRunner
from agls.prompt_files.template import Given
from agls.room.opened_folders import LOADED, ROOM
from agls.room.permission_memory import Grants
from agls.toolkit import Arguments, SpecifiedTool, TypedTool

ALREADY = "The skill {} is loaded already: its instructions stand above, and nothing of them changed."
UNKNOWN = "There is no skill {!r} that you may load. {}"
SEE_LIST = "See the list of this tool."
FIRST = "These skills are part of your task: do what they say where it applies."
PRELOAD = "There are no such skills to begin with: {}. /skills lists those that there are."
NO_RUN = "Skills are loaded only in a run."


class LoadSkill(Arguments):
    """Load a skill: instructions for one kind of task, written by the user or for this project.

    When a task is what one of them is for, load it before you begin, and do what it says. The user's words
    count more, and a skill allows nothing. There are:
    """

    name: str = Field(min_length=1, max_length=200)
    arguments: str = Field(default="", description="what it is given, where it takes anything")


Work = Callable[[LoadSkill, ToolContext], Awaitable[ToolOutcome]]


async def refuse(arguments: LoadSkill, context: ToolContext) -> ToolOutcome:
    """Stand for the work where no run is on."""
    return ToolOutcome(NO_RUN, status="failed")


def tool(work: Work = refuse) -> TypedTool[LoadSkill]:
    """Return the tool with this work."""
    return TypedTool(name=TOOL, arguments=LoadSkill, work=work, effects=frozenset())


@frozen(eq=False)
class SkillOffer:
    """The tool as the model sees it, and the list in it. Nothing of a run is in them."""

    catalogue: SkillCatalogue
    tool: Tool


_offers: deque[tuple[object, object, int, SkillOffer]] = deque(maxlen=8)


def offer_of(found: FoundSkills, limit: int) -> SkillOffer:
    """Return what is offered of these skills: the same as in the last runs where no file changed since."""
    files, commands = found.files(), found.command_files()
    for known in _offers:
        if known[0] is files and known[1] is commands and known[2] == limit:
            return known[3]
    catalogue = found.catalogue(limit)
    made = SkillOffer(catalogue, offered_tool(catalogue, seldom=found.is_only_bundled))
    _offers.append((files, commands, limit, made))
    return made


def offered_tool(catalogue: SkillCatalogue, *, seldom: bool) -> Tool:
    """Return the tool with the list of what it can load; one that is `seldom` needed waits to be found."""
    basic = tool()
    schema: dict[str, Any] = basic.spec.schema
    if catalogue.names and not catalogue.left_out:
        name: Mapping[str, Any] = {**schema["properties"]["name"], "enum": list(catalogue.names)}
        schema = {**schema, "properties": {**schema["properties"], "name": name}}
    description = f"{basic.spec.description}\n{catalogue.text}".strip()
    load = "search" if seldom else "always"
    return SpecifiedTool(basic, replace(basic.spec, description=description, schema=schema, load=load))


@frozen
class Loader:
    """Loads skills in one run of a session."""

    found: FoundSkills
    grants: Grants
    view: RunView
    session_id: str
    helpers: SkillHelpers
    runner: LineRunner

    async def load(self, arguments: LoadSkill, context: ToolContext) -> ToolOutcome:
        """Return the text of a skill or a command, and note which skill was loaded."""
        name, state = arguments.name.strip().removeprefix("/"), self.view.state
        given = given_in(arguments.arguments, context.workspace.root, self.session_id)
        if skill := self.found.skill(name):
            made = self.found.made(skill, given)
            is_there = sees(state, made.text)
            printed = await self.runner.outputs(made, holder_of(skill), self.view)
            text = "\n\n".join([made.text, *printed])
            if self.helpers.takes(skill, state):
                return await self.helpers.do(skill, text, self.view, context.call_id)
            if is_there:
                return ToolOutcome("\n\n".join([ALREADY.format(name), *printed]))
            self.view.note(ROOM, LOADED, note_of(skill, state, self.grants, by_model=True))
            return ToolOutcome(text)
        if command := self.found.command(name):
            return ToolOutcome(command_text(command, given))
        near = get_close_matches(name, self.found.names, n=1)
        raise WorkspaceError(UNKNOWN.format(name, f"Did you mean {near[0]!r}?" if near else SEE_LIST))


async def preloaded(
    found: FoundSkills, names: Sequence[str], view: RunView, grants: Grants, runner: LineRunner
) -> Sequence[UserMessage]:
    """Return the message with these skills, as far as they were not used before, and note each."""
    used = used_in(view.state)
    new = [skill for name in names if name not in used and (skill := found.skill(name))]
    texts: list[Text] = []
    for skill in new:
        try:
            made = found.made(skill, Given())
        except WorkspaceError:  # it is gone, or cannot be read: the list says so
            continue
        texts.append(Text(await runner.whole(made, holder_of(skill), view)))
        view.note(ROOM, LOADED, note_of(skill, view.state, grants, by_model=False))
    if missing := [name for name in names if name not in used and not found.skill(name)]:
        view.show(Notice("warning", "Skills are missing", PRELOAD.format(", ".join(missing))))
    return (UserMessage(new_id("item"), (Text(FIRST), *texts), ROOM),) if texts else ()
