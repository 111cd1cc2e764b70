"""The servers that a run may use, and why others cannot be."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from agls.features.mcp.folder_servers import FolderServerFiles, OfferedServer
from agls.features.mcp.inputs import ServerInput
from agls.features.mcp.names import server_part
from agls.features.mcp.settings import ServerSetting
from agls.features.mcp.variables import UnsetVariable, Variables
from agls.frozen import frozen
from agls.room.mcp_ports import CLIENT, GivenServer, LoginSettings, ServerDefinition
from agls.room.offers import Offer

OWN = "your config file"
CLIENTS = "the client"
OFF = "it is switched off in its definition"
NO_VALUE = "-"  # of an input, to see whether anything else is wrong
SWITCHED_OFF = "you switched it off: /mcp.enable {0}, or in a shell agls mcp enable {0}"


def nothing_given(folder: str) -> Mapping[str, str]:
    """**Returns** what a user gave who gave nothing."""
    return {}


@frozen
class ConfiguredServer:
    """A server with its origin; `problem` says why it is not used ("": it is, or waits for a consent).

    One with an `offer` is used once the user consented to that. One that `is_off` is named to nobody.
    `inputs` are those that it needs, `asks` those that have no value yet: a `problem`, where there is no
    default either.
    """

    name: str
    origin: str
    setting: ServerSetting | None = None
    definition: ServerDefinition | None = None
    offer: Offer | None = None
    problem: str = ""
    is_off: bool = False
    inputs: Sequence[ServerInput] = ()
    asks: Sequence[ServerInput] = ()

    @property
    def missing_input(self) -> str:
        """The name of the first input that keeps it from being used; "" where none does."""
        lacking = self.asks if self.problem and not self.is_off else ()
        return next((each.name for each in lacking if not each.default), "")


@frozen
class FoundServers:
    """All servers: the user's own, those that a folder offers, those that the client brought."""

    own: Mapping[str, ServerSetting]
    files: FolderServerFiles = FolderServerFiles()
    given: Sequence[GivenServer] = ()


@frozen
class ServedFolder:
    """For which folder servers are meant, the values of variables, the roots that servers are told.

    `off` are the names of those that the user switched off. `given` **returns** what they gave for the inputs
    of a folder's files, by name.
    """

    folder: str
    variables: Variables
    roots: Sequence[str] = ()
    off: Collection[str] = ()
    given: Callable[[str], Mapping[str, str]] = nothing_given


def configured(all_of_them: FoundServers, place: ServedFolder) -> Sequence[ConfiguredServer]:
    """**Returns** each server for a place: first what the client brought, then the user's own."""
    files = all_of_them.files
    given = [
        ConfiguredServer(one.name, CLIENTS, problem=one.problem)
        if one.problem
        else _configured(one.name, ServerSetting.model_validate(one.settings), CLIENTS, place)
        for one in all_of_them.given
    ]
    own = [_configured(name, one, OWN, place) for name, one in all_of_them.own.items()]
    offered = [_offered(one, place) for one in files.offered]
    broken = [
        ConfiguredServer(each.name or each.file, each.place, problem=each.problem) for each in files.broken
    ]
    return [*_distinct([*given, *own, *offered]), *broken]


def _offered(one: OfferedServer, place: ServedFolder) -> ConfiguredServer:
    """**Returns** a server that a folder offers, with what the user gave for its inputs."""
    origin, variables = one.offer.origin, place.variables
    if not one.inputs:
        return _configured(one.name, one.setting, origin, place, one.offer, one.holder)
    given = place.given(one.inputs[0].folder)
    known = {each.variable: given[each.name] for each in one.inputs if each.name in given}
    asks = [each for each in one.inputs if not (each.variable in known or variables.has(each.variable))]
    filled = variables.and_given({**known, **{each.variable: each.default or NO_VALUE for each in asks}})
    made = replace(
        _configured(one.name, one.setting, origin, replace(place, variables=filled), one.offer),
        inputs=one.inputs,
    )
    if made.problem or not asks:
        return made
    missing = "; ".join(each.problem for each in asks if not each.default)
    return replace(made, asks=asks, problem=missing, definition=None if missing else made.definition)


def _configured(
    name: str,
    setting: ServerSetting,
    origin: str,
    place: ServedFolder,
    offer: Offer | None = None,
    holder: str = "",
) -> ConfiguredServer:
    if not setting.enabled:
        return ConfiguredServer(name, origin, problem=OFF, is_off=True)
    if name in place.off:
        return ConfiguredServer(name, origin, problem=SWITCHED_OFF.format(name), is_off=True)
    try:
        scope = CLIENT if origin == CLIENTS else place.folder if offer else ""
        scope = f"{scope} {origin}" if holder else scope
        definition = replace(
            definition_of(name, setting, place.folder, place.variables, scope=scope, roots=place.roots),
            holder=holder,
        )
    except UnsetVariable as problem:
        return ConfiguredServer(name, origin, problem=str(problem))
    return ConfiguredServer(name, origin, setting, definition, offer)


def _distinct(servers: Iterable[ConfiguredServer]) -> list[ConfiguredServer]:
    """**Returns** the servers: of several with one name, or with one program or address, the first counts."""
    made: list[ConfiguredServer] = []
    names: dict[str, str] = {}
    places: dict[object, str] = {}
    for one in servers:
        definition, key = one.definition, server_part(one.name)
        place = (definition.argv, definition.url, definition.environment) if definition else one.name
        other = names.get(key) or (places.get(place) if definition else "")
        if other:
            why = (
                f"the server of this name in {other} counts" if key in names else f"it is the same as {other}"
            )
            made.append(ConfiguredServer(one.name, one.origin, problem=why, is_off=True))
            continue
        names[key] = one.origin
        places[place] = f"{one.name} in {one.origin}"
        made.append(one)
    return made


def definition_of(
    name: str,
    setting: ServerSetting,
    folder: str,
    variables: Variables,
    *,
    scope: str = "",
    roots: Sequence[str] = (),
) -> ServerDefinition:
    """**Returns** a server as it is started for a folder. **Raises** `UnsetVariable`."""
    expand = variables.expand
    environment = {key: expand(value) for key, value in setting.env.items()}
    headers = {key: expand(value) for key, value in setting.headers.items()}
    return ServerDefinition(
        name=name,
        scope=scope,
        transport=setting.transport,
        argv=(expand(setting.command), *map(expand, setting.args)) if setting.command else (),
        url=expand(setting.url),
        headers=tuple(sorted(headers.items())),
        folder=str(PurePath(folder, expand(setting.cwd))),
        environment=tuple(sorted(environment.items())),
        startup=setting.startup_timeout,
        idle=setting.timeout,
        longest=setting.longest,
        login=LoginSettings(
            client_id=expand(setting.oauth.client_id),
            client_secret=expand(setting.oauth.client_secret),
            client_document=setting.oauth.client_document,
            scope=setting.oauth.scope,
            port=setting.oauth.port,
        ),
        roots=tuple(roots),
        samples=setting.sampling == "ask",
    )
