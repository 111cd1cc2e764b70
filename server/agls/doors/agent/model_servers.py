"""Where models come from, for clients: known providers, servers of this machine, and their lists of models.

Loaded when a client asks for it, since it needs the HTTP library.
"""

import asyncio
from dataclasses import replace

from agls.config import ConfigError, GuardedFiles, SettingsEditor, key_of_host
from agls.config.model_choice import ModelServer, server_of
from agls.config.model_choice import use_model as write_model
from agls.doors.agent.connection import Connection
from agls.doors.errors import bad
from agls.doors.from_wire import Malformed
from agls.models.catalog.listing import ModelList, list_models
from agls.models.catalog.providers import PROVIDERS
from agls.models.endpoint import Endpoint
from agls.models.http.connections import Connections
from agls.models.local.discovery import LocalServer, find_local_servers
from agls_protocol.providers import (
    ListedModel,
    LocalServerRow,
    ProviderListResult,
    ProviderModelsParams,
    ProviderModelsResult,
    ProviderRow,
    ProviderUseParams,
    ProviderUseResult,
)

VERSION = "/v1"  # how the addresses of most model servers end
NOT_THERE = {404, 405}
NO_LIST = "{} has no list of models."
MOST_END = f"Check the address: most end in {VERSION}."
NOT_WRITTEN = "The settings cannot be written: {}"


async def known_providers(connection: Connection) -> ProviderListResult:
    """Return the known providers, and the model servers that answer on this machine."""
    setup = connection.world.setup
    try:
        looked = setup.load(connection.folder).config.local_servers
    except ConfigError:  # the status says so
        looked = True
    found = await find_local_servers() if looked else []
    known = [server_of(each.name, "") for each in PROVIDERS]
    keys = [await _key(connection, server) for server in known]
    rows = [ProviderRow(s.name, s.host, bool(key)) for s, key in zip(known, keys, strict=True)]
    return ProviderListResult(rows, [_local(server) for server in found], looked)


async def models_of(connection: Connection, params: ProviderModelsParams) -> ProviderModelsResult:
    """Request the list of models from their server, with the key that is kept for its host."""
    server = server_of(params.provider, params.base_url)
    endpoint = Endpoint(
        name=server.host,
        base_url=server.base_url,
        dialect=server.dialect,
        api_key=await _key(connection, server),
        address_place="the address" if params.base_url else "",
    )
    connections = Connections()
    try:
        listing = await list_models(endpoint, connections)
        if params.base_url and _is_elsewhere(listing):
            whole = replace(endpoint, base_url=f"{endpoint.base_url}{VERSION}")
            behind = await list_models(whole, connections)
            endpoint, listing = (whole, behind) if behind.models else (endpoint, listing)
    finally:
        await connections.aclose()
    if params.base_url and _is_elsewhere(listing):
        return ProviderModelsResult([], NO_LIST.format(endpoint.address), MOST_END, "configInvalid")
    return _listed(listing, endpoint.base_url if params.base_url else None)


def _is_elsewhere(listing: ModelList) -> bool:
    """Return whether the server answered, and has no list of models at this address."""
    failure = listing.failure
    return not listing.models if failure is None else failure.status in NOT_THERE


async def choose_model(connection: Connection, params: ProviderUseParams) -> ProviderUseResult:
    """Write the model into the user's settings, as the default. What runs goes on with its own."""
    world = connection.world
    if not params.model:
        raise Malformed("params.model must not be empty")
    server = server_of(params.provider, params.base_url) if params.provider or params.base_url else None
    files = GuardedFiles(world.setup.state_folder, world.setup.config_file)
    editor = SettingsEditor(world.setup, connection.folder, files)
    loaded = world.setup.load(connection.folder)
    try:
        done = await asyncio.to_thread(write_model, editor, world.setup, loaded, server, params.model)
    except OSError as problem:
        raise bad("failed", NOT_WRITTEN.format(problem)) from problem
    world.renew(done.setup)
    chosen = str(done.origin.value) if done.origin else params.model
    return ProviderUseResult(chosen, done.file.as_uri())


async def _key(connection: Connection, server: ModelServer) -> str:
    """Return the key for the server: of its variable, or the one that is kept for its host."""
    return await key_of_host(connection.world.setup, server.key_variable, server.host)


def _local(server: LocalServer) -> LocalServerRow:
    return LocalServerRow(server.kind, server.base_url, [each.name for each in server.endpoints()])


def _listed(listing: ModelList, base_url: str | None) -> ProviderModelsResult:
    failure = listing.failure
    if failure:
        return ProviderModelsResult([], failure.message, failure.hint or None, failure.kind)
    figures = ((name, known.get("context_window")) for name, known in sorted(listing.models.items()))
    models = [ListedModel(name, int(size) if size else None) for name, size in figures]
    return ProviderModelsResult(models, base_url=base_url)
