"""All settings: the models and agents, and a table for each room of the order."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, TypeVar, cast

from pydantic import AfterValidator, BaseModel, SecretStr, create_model

from agls.config.agents import AgentDefinition, AgentName, known
from agls.config.model_settings import BaseUrl, ModelSettings
from agls.order import ROOMS
from agls.room import Room, Table

Section = TypeVar("Section", bound=BaseModel)
_TABLES: dict[str, Any] = {room.name: (room.settings, room.settings()) for room in ROOMS if room.has_table}


class _Keys(Table):
    model: str = ""
    base_url: BaseUrl | None = None
    api_key_env: str = ""
    api_key: SecretStr = SecretStr("")
    local_servers: bool = True
    models: Mapping[str, ModelSettings] = {}
    tiers: Mapping[str, str] = {}
    agents: Annotated[Mapping[AgentName, AgentDefinition], AfterValidator(known)] = {}


class Config(create_model("Tables", __base__=_Keys, **_TABLES)):
    """Everything that can be set. It is frozen: a change makes a new one, for the next run.

    `model` is the name of a configured model or tier, or a model's name at `base_url`. `api_key_env` and
    `api_key` belong to `base_url`. `local_servers` is whether model servers are looked for at their usual
    ports of this machine. `tiers` gives `fast`, `default`, `strong` or your own names a model.
    """

    def section(self, room: Room[Section]) -> Section:
        """**Returns** the settings of a room; those of one that has no table here are what it says itself."""
        return cast("Section", vars(self).get(room.name)) or _usual(room)


@cache
def _usual(room: Room[Section]) -> Section:
    return room.settings()
