"""What an agent is besides the model: its words, its tools, its limits, and to whom it may delegate."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, create_model

from agls.features.budget.settings import Settings as Budget
from agls.order import ROOMS
from agls.room import Room, Table

OPTION = "agent"  # of a session or a run: which of these it is
_NAME = re.compile(r"[A-Za-z0-9_-]{1,50}")


def checked(name: str) -> str:
    """A name that can stand in the name of a tool. Raises `ValueError`."""
    if not _NAME.fullmatch(name):
        raise ValueError("an agent's name has up to 50 letters, digits, _ and -")
    return name


_OF_ROOMS: dict[str, Any] = {room.name: room.of_agent for room in ROOMS if room.of_agent}
AgentName = Annotated[str, AfterValidator(checked)]


class _Words(Table):
    description: Annotated[str, Field(min_length=1)]
    prompt: str = ""
    tier: str = ""
    tools: tuple[str, ...] | None = None
    agents: tuple[str, ...] = ()
    limits: Budget = Budget()


class AgentDefinition(create_model("OfRooms", __base__=_Words, **_OF_ROOMS)):
    """One agent: `[agents.NAME]` in the config file, or a file `agents/NAME.toml` beside it.

    `description` tells the model that may delegate to it what it is for. `prompt` stands in place of the
    built-in system prompt. `tier` is the model it works with where nobody says another. `tools` are the only
    tools it has, all where nothing is said. `agents` are those it may delegate to,
    `phases` the steps that each of its runs takes, in order. What `critic` says counts before `[critic]`.
    """

    def over(self, room: Room[Any], usual: BaseModel) -> Any:
        """**Returns** the settings of a room for its runs: `usual` where it says nothing of the room."""
        said = getattr(self, room.name, None) if room.of_agent else None
        if not isinstance(said, BaseModel):
            return usual if said is None else said
        if not said.model_fields_set:
            return usual
        return usual.model_copy(update={name: getattr(said, name) for name in said.model_fields_set})


Agents = Mapping[AgentName, AgentDefinition]


def known(agents: Agents) -> Agents:
    """These agents. Raises `ValueError` when one may delegate to another that there is not."""
    for name, agent in agents.items():
        if strangers := [other for other in agent.agents if other not in agents]:
            there = ", ".join(agents)
            raise ValueError(
                f"{name} may delegate to {strangers[0]!r}, which there is not; there are {there}"
            )
    return agents


def agent_of(agents: Agents, options: Mapping[str, object]) -> AgentDefinition:
    """The agent of a run with these options. Raises `ValueError` when there is none of that name."""
    name = options.get(OPTION)
    if name is None:
        return _users_own(tuple(agents))
    if name in agents:
        return agents[str(name)]
    there = f"there are {', '.join(agents)}" if agents else "none is configured ([agents.NAME])"
    raise ValueError(f"there is no agent {name!r}; {there}")


def tier_of(agents: Agents, options: Mapping[str, object]) -> str:
    """The tier or model that a run with these options asks for, as its configuration stands now."""
    agent = agents.get(str(options.get(OPTION, "")))
    return str(options.get("model", "")) or (agent.tier if agent else "") or "default"


@lru_cache(maxsize=8)
def _users_own(agents: tuple[str, ...]) -> AgentDefinition:
    return AgentDefinition(description="the user's own agent", agents=agents)
