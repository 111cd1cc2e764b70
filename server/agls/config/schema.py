"""All settings: the models and agents, and a table for each room of the order."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BaseModel, SecretStr, create_model

from agls.config.agents import AgentDefinition, AgentName, known
from agls.config.model_settings import BaseUrl, ModelSettings
from agls.order import ROOMS, exposing
from agls.room import Room, Table

Section = TypeVar("Section", bound=BaseModel)
Port = TypeVar("Port")
_TABLES: dict[str, Any] = {
    room.name: (room.settings, room.settings.model_construct()) for room in ROOMS if room.has_table
}
_USUAL = {name: usual for name, (_, usual) in _TABLES.items()}


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

    @classmethod
    def of_json(cls, text: str, tables: Collection[str]) -> Self:
        """**Returns** the settings in a JSON object with these members. **Raises** `ValidationError`.

        Strict means no guessing ("5" is no number), while a list still makes a tuple.
        """
        given = _model_with(tuple(name for name in _TABLES if name in tables))
        read = given.model_validate_json(text, strict=True)
        return cls.model_construct(
            read.model_fields_set, **(_USUAL | vars(read))
        )  # given, they are not copied

    def section(self, room: Room[Section]) -> Section:
        """**Returns** the settings of a room; those of one that has no table here are what it says itself."""
        known: Any = vars(self).get(room.name)
        return known or _usual(room)

    def exposed(self, port: type[Port]) -> Port:
        """**Returns** the settings of the room that exposes this protocol (`room/exposed.py`)."""
        room: Room[Any] = exposing(port)
        known: Any = vars(self).get(room.name) or _usual(room)
        return known


@cache
def _model_with(tables: tuple[str, ...]) -> type[_Keys]:
    """**Returns** `Config` with these tables alone: what all may hold takes pydantic long to prepare for."""
    return create_model("Tables", __base__=_Keys, **{name: _TABLES[name] for name in tables})


@cache
def _usual(room: Room[Section]) -> Section:
    return room.settings.model_construct()
