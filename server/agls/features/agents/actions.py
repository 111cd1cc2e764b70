"""What the user may do with the files of agents."""

from collections.abc import Sequence
from functools import partial

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome
from agls.engine.vocabulary import JsonObject
from agls.features.agents.edited_file import changed_text, new_text
from agls.features.agents.handoffs import HandOff, Handoffs
from agls.prompt_files.agent_file import NAME, read_agent
from agls.prompt_files.agent_store import AgentStore
from agls.prompt_files.found_agents import FoundAgent
from agls.prompt_files.shown_place import shown_in
from agls.room.run_ports import Handoff
from agls.room.session_ports import SessionControl
from agls.short_text import sentence
from agls.toolkit import Arguments, TypedAction

BUILT_IN = "{} is part of agls. /agent.create makes one of your own with this name, which then counts."
NONE = "There is no file of an agent {!r}. There are: {}."
WRONG = "Nothing was written: {}."
MADE = "`{}` was written. The model can hand work to it from the next prompt on; `--agent {}` works as it."
UPDATED = "`{}` was changed. It counts from the next prompt on."
OTHER = "{} is the file of another agent program, in its own format: change it there."
REMOVED = "`{}` was deleted."


class ListAgents(Arguments):
    """Show the agents defined in files, which one counts where two share a name, and any problems."""


class AgentWords(Arguments):
    """What the file of an agent says."""

    name: str = Field(min_length=1, description="its name")
    description: str = Field(default="", description="when it is to be used")
    prompt: str = Field(default="", description="what it does and how")
    tools: str = Field(default="", description="the only tools it has, such as `read_file, grep`")
    model: str = Field(default="", description="a tier or a model")


class CreateAgent(AgentWords):
    """Write the file of a new agent: for yourself, or in the project for everybody who works on it."""

    project: bool = Field(default=False, description="whether it is the project's")


class UpdateAgent(AgentWords):
    """Change the file of an agent. What you leave out stays as it is."""


class DeleteAgent(Arguments):
    """Delete the file of an agent."""

    name: str = Field(min_length=1, description="its name")


def actions_of(store: AgentStore, suggested: Sequence[Handoff], control: SessionControl) -> Sequence[Action]:
    """Return the actions."""
    handoffs = Handoffs(suggested, control)
    return (
        TypedAction(
            "agent.handoff",
            "Hand over to another agent",
            HandOff,
            handoffs.hand_off,
            aliases=("handoff",),
            group="Settings",
            prompts=True,
            choices={"to": handoffs.labels},
        ),
        TypedAction(
            "agent.list", "Show the files of agents", ListAgents, partial(_list, store), group="Settings"
        ),
        TypedAction(
            "agent.create", "Write a new agent", CreateAgent, partial(_create, store), group="Settings"
        ),
        TypedAction(
            "agent.update", "Change an agent", UpdateAgent, partial(_update, store), group="Settings"
        ),
        TypedAction(
            "agent.delete", "Delete an agent", DeleteAgent, partial(_delete, store), group="Settings"
        ),
    )


async def _list(store: AgentStore, arguments: ListAgents, context: ActionContext) -> ActionOutcome:
    found = store.found()
    return ActionOutcome("\n".join(map(_line, found)), {"agents": [_row(each) for each in found]})


async def _create(store: AgentStore, arguments: CreateAgent, context: ActionContext) -> ActionOutcome:
    if not NAME.fullmatch(arguments.name):
        raise ActionError(WRONG.format("a name has up to 50 letters, digits, - and _"))
    text = new_text(_said(arguments))
    _check(text, arguments.name)
    path = store.write(arguments.name, text, project=arguments.project)
    return ActionOutcome(MADE.format(path, arguments.name), {"file": path})


async def _update(store: AgentStore, arguments: UpdateAgent, context: ActionContext) -> ActionOutcome:
    agent = _own(store, arguments.name)
    text = changed_text(agent.text, _said(arguments))
    _check(text, arguments.name)
    return ActionOutcome(UPDATED.format(store.replace(agent.path, text)), {"file": agent.path})


async def _delete(store: AgentStore, arguments: DeleteAgent, context: ActionContext) -> ActionOutcome:
    path = store.remove(_own(store, arguments.name).path)
    return ActionOutcome(REMOVED.format(path), {"file": path})


def _said(arguments: AgentWords) -> dict[str, str]:
    keys = ("name", "description", "tools", "model", "prompt")
    return {key: str(getattr(arguments, key)) for key in keys if getattr(arguments, key)}


def _check(text: str, name: str) -> None:
    """**Raises** `ActionError` for a file that could not be used."""
    agent = read_agent(text, name)
    if agent.problem or agent.remarks:
        raise ActionError(WRONG.format(agent.problem or "; ".join(agent.remarks)))


def _own(store: AgentStore, name: str) -> FoundAgent:
    """Return the file of an agent that counts, or that would. **Raises** `ActionError`."""
    found = store.found()
    named = [each for each in found if each.file.name == name]
    own = next((each for each in named if each.folder.origin != "built in"), None)
    if own is None and named:
        raise ActionError(BUILT_IN.format(name))
    if own and (own.folder.configuration or own.path.endswith(".toml")):
        raise ActionError(OTHER.format(own.path))
    if own is None:
        raise ActionError(NONE.format(name, ", ".join(each.file.name for each in found)))
    return own


def _line(agent: FoundAgent) -> str:
    file = agent.file
    where = "part of agls" if agent.folder.origin == "built in" else shown_in(agent.path, agent.folder.plugin)
    parts = [f"{where}."]
    if file.problem:
        parts.append(f"**Cannot be used:** {file.problem}.")
    elif agent.hidden_by:
        parts.append(f"**Not used:** {agent.hidden_by} has the same name and comes first.")
    else:
        parts += [f"{remark[0].upper()}{remark[1:]}." for remark in file.remarks]
    about = [sentence(file.description)] if file.description else []
    return f"- `{file.name}`: {' '.join([*about, *parts])}"


def _row(agent: FoundAgent) -> JsonObject:
    file = agent.file
    return {
        "name": file.name,
        "description": file.description,
        "file": agent.path,
        "origin": agent.folder.origin,
        "color": file.color,
        "active": agent.counts,
        "hiddenBy": agent.hidden_by,
        "problem": file.problem,
        "remarks": list(file.remarks),
    }
