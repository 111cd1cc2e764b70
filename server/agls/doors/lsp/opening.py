"""The world as `initialize` asks for it: opened, or the reason why it is not."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from agls.config import ConfigError, ConfigInputs, KeyPlace, Reload, Setup, read
from agls.doors import from_wire
from agls.doors.agent.client_tools import ClientTools
from agls.doors.agent.language_models import ClientLanguageModels
from agls.doors.agent.world import NoWorld, WorldPort
from agls.doors.messages import JsonObject
from agls.doors.session_file import export
from agls.doors.typed_prompt import begin_typed
from agls.json_values import list_in, object_in
from agls.workspace.editor import Editor
from agls.world import open_world


class Opening(NamedTuple):
    """What `initialize` says about the world; folders are absolute paths, "" when the client named none."""

    folder: str
    trusted: bool | None  # `None` where the client does not say
    config_file: str
    state_dir: str
    settings: JsonObject
    options: JsonObject  # of the sessions that are made here and say nothing else


def read_opening(params: JsonObject) -> Opening:
    """The members of `initialize` that matter here; what cannot be used is left out."""
    options = object_in(params, "initializationOptions")
    folders = [object_in(folder).get("uri") for folder in list_in(params.get("workspaceFolders"))]
    # Helix names its folder only by the old rootPath where no file marks it as a root.
    candidates = [*folders, params.get("rootUri"), params.get("rootPath")]
    return Opening(
        folder=next((path for uri in candidates if (path := _path(uri))), ""),
        trusted=options.get("trusted") is True if "trusted" in options else None,
        config_file=_path(options.get("configFile")),
        state_dir=_path(options.get("stateDir")),
        settings=object_in(options, "settings"),
        options=object_in(options, "options"),
    )


class WorldParts(NamedTuple):
    """What the world is opened with: the client's documents and tools, its places for keys, and a log."""

    editor: Editor
    tools: ClientTools
    models: ClientLanguageModels
    places: Sequence[KeyPlace]
    log: Callable[[Setup], None]


@asynccontextmanager
async def opened(opening: Opening, arguments: JsonObject, parts: WorldParts) -> AsyncGenerator[WorldPort]:
    """Yield the world, or what stands in its place when the configuration is wrong."""
    folder = opening.folder or str(Path.home())
    inputs = ConfigInputs(
        arguments=arguments,
        editor=opening.settings,
        config_file=opening.config_file,
        state_dir=opening.state_dir,
        remembered=opening.trusted is None,
    )

    def trusts(root: Path) -> bool:
        return bool(opening.trusted) and str(root) == opening.folder

    try:
        setup = replace(read(inputs, folder, trusts), places=tuple(parts.places))
    except ConfigError as problem:
        yield NoWorld(problem)
        return
    parts.log(setup)
    editor, tools = parts.editor, parts.tools
    async with open_world(setup, editor=editor, headless=False, client=tools, models=parts.models) as world:
        world.export = export
        world.begin_typed = partial(begin_typed, world)
        world.reread = reload = Reload(inputs, folder, trusts, setup)
        world.reload = reload.whole
        yield world


def _path(value: object) -> str:
    if not isinstance(value, str):
        return ""
    if value.startswith("/"):
        return value
    try:
        return from_wire.path(value)
    except from_wire.Malformed:
        return ""
