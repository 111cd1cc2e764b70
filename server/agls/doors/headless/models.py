"""`agls models`: the configured models, those that answer, and the known facts of each, with their source."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from agls.config import ConfigError, ModelCatalog, Setup, look_for_keys, offered_models
from agls.config.choice import missing_model
from agls.doors.headless.streams import write, write_json, write_stderr
from agls.engine.ports import ModelError
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.models.catalog.listing import ModelList, list_models
from agls.models.catalog.model_info import Figure, Source, figures
from agls.models.endpoint import Endpoint
from agls.models.http.connections import Connections
from agls.models.local.discovery import LocalServer, find_local_servers
from agls.models.resolver import TIERS, Models
from agls.names import camel
from agls.views.escape import escape_controls

SOURCES: Mapping[Source, str] = {
    "settings": "your settings",
    "list": "agls's list",
    "server": "the server",
    "request": "asked for with every request",
}
PRICES = (
    ("input_price", "in"),
    ("cache_read_price", "cached in"),
    ("cache_write_price", "cache write"),
    ("output_price", "out"),
    ("reasoning_price", "reasoning"),
)
USUAL = "reasoning_price"  # where it is unknown, the price of other output holds
NOTHING = "{}, and no model server answers on this machine. See: agls doctor\n"
NOT_LOOKED = "{}. Model servers on this machine were not looked for (--offline). See: agls doctor\n"


@frozen
class Seen:
    """One model: its configuration, and its server's answer (`None` when it was not asked)."""

    endpoint: Endpoint
    names: tuple[str, ...]
    listing: ModelList | None
    figures: Mapping[str, Figure]
    found: bool = False

    @property
    def has(self) -> bool | None:
        """Whether its server has it; `None` when that is not known."""
        return self.listing.has(self.endpoint.model) if self.listing else None


def write_models(setup: Setup, folder: str, *, as_json: bool, offline: bool) -> None:
    """Write the models for work in `folder` to standard output. **Raises** `ConfigError`."""
    loaded = setup.load(folder)
    asyncio.run(look_for_keys(setup, loaded))
    offered = offered_models(setup, loaded, complete=False)
    seen = asyncio.run(_look(offered, offline=offline, local=loaded.config.local_servers))
    problem = _problem(setup, folder)
    if as_json:
        write_json({"models": [_wire(one) for one in seen], "problem": problem})
        return
    write("\n".join(escape_controls(_shown(one)) for one in seen))
    if not seen:
        missing, _ = missing_model(setup, loaded)
        write_stderr((NOT_LOOKED if offline else NOTHING).format(missing[0].upper() + missing[1:]))
    for warning in (*loaded.warnings, *offered.warnings, *([problem] if problem else [])):
        write_stderr(f"{escape_controls(warning)}\n")


async def _look(offered: ModelCatalog, *, offline: bool, local: bool) -> list[Seen]:
    """Ask every server once, all at the same time."""
    if offline:
        return [Seen(e, names, None, figures(e, {})) for e, names in _named(offered)]
    connections = Connections()
    try:
        async with asyncio.TaskGroup() as group:
            servers = group.create_task(find_local_servers() if local else _none())
            tasks = {
                _server(endpoint): group.create_task(list_models(endpoint, connections))
                for endpoint in {_server(e): e for e in offered.endpoints if e.base_url}.values()
            }
    finally:
        await connections.aclose()
    listings = {server: task.result() for server, task in tasks.items()}
    seen = [
        _configured(endpoint, names, listings.get(_server(endpoint))) for endpoint, names in _named(offered)
    ]
    addresses = {_address(one.endpoint) for one in seen}
    found = tuple(e for server in servers.result() for e in server.endpoints())
    named = _named(offered.or_found(found)) if not offered.endpoints else [(e, ()) for e in found]
    return [*seen, *(_found(e, names) for e, names in named if _address(e) not in addresses)]


async def _none() -> list[LocalServer]:
    """Look for no server of this machine."""
    return []


def _server(endpoint: Endpoint) -> tuple[str, str, str]:
    """Return the server and the account: the same server with another key may have other models."""
    return endpoint.dialect, endpoint.base_url, endpoint.api_key


def _address(endpoint: Endpoint) -> tuple[str, str]:
    return endpoint.base_url.replace("//localhost", "//127.0.0.1"), endpoint.model


def _configured(endpoint: Endpoint, names: tuple[str, ...], listing: ModelList | None) -> Seen:
    listed = (listing or ModelList()).figures_of(endpoint.model)
    return Seen(endpoint, names, listing, figures(endpoint, listed))


def _found(endpoint: Endpoint, names: tuple[str, ...]) -> Seen:
    said_by: Source = "request" if endpoint.dialect == "ollama" else "server"
    here = ModelList({endpoint.model: {}})
    return Seen(endpoint, names, here, figures(endpoint, {}, said_by), found=True)


def _named(offered: ModelCatalog) -> list[tuple[Endpoint, tuple[str, ...]]]:
    """Return every model with its tiers and aliases, also those that only an alias names."""
    models = Models(offered.endpoints, aliases=offered.aliases, default=offered.default)
    meant = {endpoint.name: (endpoint, list[str]()) for endpoint in offered.endpoints}
    for name in dict.fromkeys((*TIERS, *offered.aliases)):
        with suppress(ModelError):  # it leads nowhere; a run that names it gets the error
            endpoint = models.endpoint(name)
            meant.setdefault(endpoint.name, (endpoint, []))[1].append(name)
    return [(endpoint, tuple(names)) for endpoint, names in meant.values()]


def _problem(setup: Setup, folder: str) -> str:
    """Return why a run could not begin with this configuration; "" when it could."""
    try:
        offered_models(setup, setup.load(folder))
    except ConfigError as problem:
        return str(problem)
    return ""


# --- for programs ----------------------------------------------------------------------------------


def _wire(seen: Seen) -> JsonObject:
    endpoint, failure = seen.endpoint, seen.listing.failure if seen.listing else None
    return {
        "name": endpoint.name,
        "model": endpoint.model,
        "provider": endpoint.info.provider,
        "dialect": endpoint.dialect,
        "baseUrl": endpoint.address,
        "names": list(seen.names),
        "found": seen.found,
        "reached": None if seen.listing is None else failure is None,
        "listed": seen.has,
        "problem": f"{failure.message} {failure.hint}".strip() if failure else "",
        "figures": {
            camel(name): {"value": figure.value, "source": figure.source}
            for name, figure in seen.figures.items()
        },
    }


# --- for people ------------------------------------------------------------------------------------


def _shown(seen: Seen) -> str:
    names = f"  ({', '.join(seen.names)})" if seen.names else ""
    return "".join(f"{line}\n" for line in (f"{seen.endpoint.name}{names}", *_lines(seen)))


def _lines(seen: Seen) -> Iterator[str]:
    endpoint = seen.endpoint
    if endpoint.dialect == "scripted":
        yield f"  script    {endpoint.script}"
        return
    yield f"  server    {endpoint.address or 'no address'} ({endpoint.dialect}): {_state(seen)}"
    yield f"  model     {endpoint.model}{' (the server does not list it)' if seen.has is False else ''}"
    for name, title in (("context_window", "context"), ("output_limit", "output")):
        figure = seen.figures[name]
        size = "unknown" if figure.value is None else f"{figure.value:,.0f} tokens{_source(figure)}"
        yield f"  {title:<9} {size}"
    yield f"  prices    {_prices(seen.figures)}"


def _state(seen: Seen) -> str:
    match seen.listing:
        case None:
            return "not asked (--offline)"
        case ModelList(failure=None) if seen.found:
            return "found on this machine"
        case ModelList(failure=None):
            return f"answers, {len(seen.listing.models)} models"
        case ModelList(failure=failure):
            assert failure is not None
            return f"{failure.message} {failure.hint}"


def _prices(known: Mapping[str, Figure]) -> str:
    """Return dollars per million tokens; an unknown price is called unknown, never nothing."""
    parts: Sequence[str] = [
        f"{title} {'unknown' if known[name].value is None else f'${known[name].value:g}'}"
        for name, title in PRICES
        if known[name].value is not None or name != USUAL
    ]
    sources = {_source(known[name]) for name, _ in PRICES if known[name].value is not None}
    if not sources:
        return "unknown"
    return f"{', '.join(parts)} per million tokens{''.join(sorted(sources))}"


def _source(figure: Figure) -> str:
    return f" [{SOURCES[figure.source]}]" if figure.source in SOURCES else ""
