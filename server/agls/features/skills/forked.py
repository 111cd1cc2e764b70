"""Skills with `context: fork`: a helper does what the skill says, and its answer comes back."""

from agls.engine.facts import Notice
from agls.engine.feature import RunView
from agls.engine.ports import new_id
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Text, ToolCall, ToolOutcome, UserMessage
from agls.features.skills.loaded import text_marked, used_in
from agls.features.skills.skill_file import SkillFile
from agls.frozen import frozen
from agls.json_values import is_object, text_in
from agls.room.delegation import CHOSEN, DELEGATE
from agls.room.opened_folders import ROOM
from agls.room.process_ports import KnownAgents
from agls.room.run_ports import ToolNames
from agls.room.session_ports import KnownModels

# The skill that the run begins with, and what it is given. Only actions can set it: no client may send it.
FORKED = "forkedSkill"
BEGUN = "forked"  # the kind of the note
OTHER_NAMES = {"general-purpose": "general", "generalpurpose": "general", "explorer": "explore"}
DONE_BY = "The skill {} is done by a helper of its own{}, who answered this:\n\n{}"
IN_BACKGROUND = "The skill {} is done by a helper of its own in the background{}. {}"
NO_AGENT = " (it names the agent {!r}, which is not known here: a helper like yourself does it)"
UNKNOWN = "A skill names an agent that there is not"
INSTEAD = (
    "{} names {!r}: a usual helper does it. Correct its `agent`, or write that agent (/agent.list shows all)."
)
TYPED = "A helper does what the skill {} says, and its answer follows. Tell the user what matters of it."
LONGEST_LABEL = 60


@frozen
class SkillHelpers:
    """Hands skills to helpers, where there are any: `tools` are those of the run, `agents` who may help.

    `knows_model` is whether there is a model or tier of a name.
    """

    tools: ToolNames
    agents: KnownAgents
    knows_model: KnownModels

    def takes(self, skill: SkillFile, state: State) -> bool:
        """Return whether a helper does this skill, and not who does it already."""
        is_helper = state.depth > 0 and skill.name in used_in(state)
        return skill.conduct.forks and not is_helper and DELEGATE in self.tools()

    async def do(self, skill: SkillFile, text: str, view: RunView, call_id: str = "") -> ToolOutcome:
        """Let a helper do what the text of a skill says. **Returns** its answer."""
        agent, remark = self._agent(skill.conduct.agent)
        if remark:
            view.show(Notice("warning", UNKNOWN, INSTEAD.format(skill.shown, skill.conduct.agent)))
        task: JsonObject = {"prompt": text, "label": skill.name[:LONGEST_LABEL], "agent": agent}
        beside = skill.conduct.background
        call = ToolCall(call_id or new_id("call"), DELEGATE, {"tasks": [task], "background": beside})
        if chosen := self.chosen(skill):
            view.note(ROOM, CHOSEN, {"callId": call.call_id, "options": chosen})
        outcome = await view.pass_call(call)
        words = IN_BACKGROUND if beside else DONE_BY
        said = words.format(skill.name, remark, outcome.text)
        return ToolOutcome(said, outcome.status, outcome.effects, refused_by=outcome.refused_by)

    def chosen(self, skill: SkillFile) -> JsonObject:
        """Return the model and the effort that a skill of the user works with; others choose neither."""
        if skill.folder.origin not in {"user", "bundled"}:
            return {}
        model = skill.model if self.knows_model(skill.model) else ""
        return {name: value for name, value in (("model", model), ("effort", skill.effort)) if value}

    def _agent(self, wanted: str) -> tuple[str, str]:
        """Return the agent of this name, whatever product writes it, and what to say where there is none."""
        name = OTHER_NAMES.get(wanted.lower(), wanted).lower()
        known = {each.name.lower(): each.name for each in self.agents.agents}
        if not wanted or name in known:
            return known.get(name, ""), ""
        return "", "" if name == "general" else NO_AGENT.format(wanted)


def option_of(skill: SkillFile, words: str) -> JsonObject:
    """Return the option of the run that begins with this skill and these words."""
    return {FORKED: {"key": new_id("skill"), "name": skill.name, "words": words}}


def begun_with(view: RunView) -> tuple[str, str] | None:
    """Return the skill with which a run of the user begins, and its words, and note that; once for each."""
    held = view.state.settings.get(FORKED)
    if view.state.depth or view.state.run.turns or not is_object(held):
        return None
    key = text_in(held.get("key"))
    if any(note.kind == BEGUN and note.data.get("key") == key for note in view.state.notes.get(ROOM, ())):
        return None
    view.note(ROOM, BEGUN, {"key": key, "name": text_in(held.get("name"))})
    return text_in(held.get("name")), text_in(held.get("words"))


def handed_skill(state: State) -> str:
    """Return the name of the skill that this helper was made for, "" for none."""
    if not state.depth or state.run.turns or state.admitted is None:
        return ""
    texts = [part.text for part in state.admitted.content if isinstance(part, Text)]
    return next((name for text in texts if (name := text_marked(text))), "")


def said(text: str) -> UserMessage:
    """Return the answer of a helper as a message for the model."""
    return UserMessage(new_id("item"), (Text(text),), ROOM)
