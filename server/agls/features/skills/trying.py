"""The action that finds out how often the model chooses a skill: a question for each prompt, and no tool."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome
from agls.engine.facts import Overflowed, Replied
from agls.engine.ports import ModelClient, ModelError, ModelRequest, new_id
from agls.engine.vocabulary import JsonObject, Text, ToolCall, UserMessage
from agls.features.skills.found import FoundSkills
from agls.features.skills.loaded import TOOL
from agls.frozen import frozen
from agls.json_values import text_in
from agls.room.opened_folders import ROOM
from agls.room.session_ports import SessionRecord
from agls.short_text import brief, sentence
from agls.toolkit import Arguments, TypedAction

NO_SKILL = "There is no skill {!r} that the model may choose. There are: {}."
FOR_FILES = "The model is told of {} only when it works on {}: here no file is read, so it would not be told."
COUNTED = "{} was chosen for {} of {} prompts."
LONGEST = 100  # characters of a prompt in the list
MOST = 200  # prompts


class TestSkill(Arguments):
    """Test how often the model chooses a skill: each prompt is tried in a new session. No tool runs."""

    __test__ = False  # it is none of pytest's

    name: str = Field(min_length=1, description="the skill")
    prompts: tuple[str, ...] = Field(min_length=1, max_length=MOST, description="what users might write")


@frozen
class TriedPrompt:
    """A prompt and what the model did first: the skills that it chose, its other calls, or words only."""

    prompt: str
    skills: Sequence[str]
    calls: Sequence[str]

    @property
    def did(self) -> str:
        """What it did, for people."""
        if self.skills:
            return f"chose {', '.join(self.skills)}"
        return f"called {', '.join(self.calls)}" if self.calls else "answered in words"

    def row(self, name: str) -> JsonObject:
        """Return the same for programs."""
        said: JsonObject = {"skills": [*self.skills], "calls": [*self.calls]}
        return {"prompt": self.prompt, "chosen": name in self.skills, **said}


def test_action(found: FoundSkills, record: SessionRecord) -> Action:
    """Return the action."""
    return TypedAction(
        name="skills.test",
        title="Test how often a skill is chosen",
        arguments=TestSkill,
        work=partial(_try_all, found, record),
        group="Settings",
        screened=True,
    )


async def _try_all(
    found: FoundSkills, record: SessionRecord, arguments: TestSkill, context: ActionContext
) -> ActionOutcome:
    name = arguments.name.strip().removeprefix("/")
    if name not in found.names:
        raise ActionError(NO_SKILL.format(name, ", ".join(found.names) or "none"))
    if (skill := found.skill(name)) and skill.conduct.paths:
        raise ActionError(FOR_FILES.format(name, ", ".join(skill.conduct.paths)))
    tried: list[TriedPrompt] = []
    try:
        client, request = context.model(), await context.next_request()
        with context.breakable():
            for prompt in arguments.prompts:
                tried.append(await _try_one(client, request, record, prompt))
    except ModelError as problem:
        raise ActionError(f"{problem} {problem.hint}".strip()) from None
    chosen = sum(name in each.skills for each in tried)
    lines = [
        f"- {'✓' if name in each.skills else '✗'} {brief(each.prompt, LONGEST)}: {each.did}" for each in tried
    ]
    text = "\n".join([COUNTED.format(name, chosen, len(tried)), "", *lines])
    rows = [each.row(name) for each in tried]
    return ActionOutcome(text, {"skill": name, "chosen": chosen, "of": len(tried), "prompts": rows})


async def _try_one(
    client: ModelClient, request: ModelRequest, record: SessionRecord, prompt: str
) -> TriedPrompt:
    """Ask one prompt, as the first of a session. **Raises** `ModelError` and `ActionError`."""
    asked = UserMessage(new_id("item"), (Text(prompt),))
    calls: Sequence[ToolCall] = ()
    request = replace(request, messages=(*request.messages, asked))
    from agls.room.metered_request import metered  # noqa: PLC0415 - it is not needed before

    async with aclosing(metered(client, request, ROOM, record.spend)) as stream:
        async for part in stream:
            if isinstance(part, Overflowed):
                raise ActionError(sentence(part.message))
            if isinstance(part, Replied):
                calls = part.tool_calls
                break
    skills = [text_in(call.arguments.get("name")).removeprefix("/") for call in calls if call.name == TOOL]
    return TriedPrompt(prompt, skills, [call.name for call in calls if call.name != TOOL])
