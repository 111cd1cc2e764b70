"""Checks of the model: what is configured, what runs on this machine, and what the first question shows."""

from collections.abc import AsyncGenerator

from agls.checkup.case import Case
from agls.checkup.probe import context_finding, probe
from agls.config import ConfigError, ModelCatalog, Setup, look_for_keys, offered_models
from agls.config.choice import is_local_name, missing_model
from agls.config.endpoints import DIRECT
from agls.config.load import Loaded
from agls.config.named_models import provider_model
from agls.engine.ports import ModelError, has_prices
from agls.models.catalog.bundled import with_known_figures
from agls.models.endpoint import Endpoint
from agls.models.http.connections import Connections
from agls.models.local.discovery import LocalServer, find_local_servers
from agls.models.resolver import Models
from agls.models.scripted.script import Script
from agls.room.exposed import ProbePatience, SpendingLimits
from agls.room.findings import Finding

START = (
    "Start one: ollama serve (and ollama pull MODEL), LM Studio's server (lms server start), llama-server, "
    "vllm serve. Or configure a model: docs/models.md."
)
NONE = "{}, and none was found on this machine."
CHOOSE = "{}. To keep it, write {}."


async def local_servers(case: Case) -> AsyncGenerator[Finding, None]:
    """Check the model servers of this machine, at their usual ports."""
    if case.offline or not _looks(case):
        return
    found = await find_local_servers()
    if found:
        yield Finding("local", "pass", f"Found: {', '.join(map(_shown, found))}.")
        return
    text = "No Ollama, LM Studio, llama.cpp or vLLM with a model answers at its usual port on this machine."
    yield Finding("local", "pass", text) if _configured(case) else Finding("local", "warn", text, START)


def _looks(case: Case) -> bool:
    """**Returns** whether model servers of this machine are looked for; also where the settings are wrong."""
    loaded = _loaded(case)
    return loaded is None or loaded.config.local_servers


def asks_others(case: Case) -> bool:
    """**Returns** whether any configured model is on another machine."""
    return any(endpoint.base_url and not endpoint.is_local for endpoint in _configured(case))


def _configured(case: Case) -> tuple[Endpoint, ...]:
    """**Returns** all configured models, also incomplete ones; none where the settings are wrong."""
    try:
        loaded = _loaded(case)
        return _offered(case, loaded, complete=False).endpoints if loaded else ()
    except ConfigError:
        return ()


def _shown(server: LocalServer) -> str:
    return f"{server.kind} at {server.base_url} with {', '.join(server.models)}"


async def model(case: Case) -> AsyncGenerator[Finding, None]:
    """Check the model that a run would ask."""
    if not (isinstance(case.setup, Setup) and (loaded := _loaded(case))):
        return
    try:
        await look_for_keys(case.setup, loaded, _said(case, loaded))
        offered = _offered(case, loaded)
        lacks = not offered.endpoints or is_local_name(case.model or offered.default, offered)
        if lacks and not case.offline and loaded.config.local_servers:
            found = await find_local_servers()
            offered = offered.or_found(tuple(e for server in found for e in server.endpoints()))
        for warning in offered.warnings:
            yield Finding("key", "warn", warning, "Give the key for that host: agls key set HOST.")
        endpoint = _chosen(case, loaded, offered)
    except (ConfigError, ModelError) as problem:
        yield Finding("model", "fail", str(problem), getattr(problem, "hint", "") or _correct(problem))
        return
    async for finding in _looked_at(endpoint, case, loaded):
        yield finding
    if loaded.config.exposed(SpendingLimits).limits_cost and not has_prices(
        with_known_figures(endpoint).info
    ):
        text = f"The price of {endpoint.model} is not known, so max_cost_usd in [budget] cannot apply to it."
        fix = "Set input_price and output_price in its [models] table, or limit tokens (max_total_tokens)."
        yield Finding("prices", "warn", text, fix)


async def _looked_at(endpoint: Endpoint, case: Case, loaded: Loaded) -> AsyncGenerator[Finding, None]:
    if endpoint.dialect == "scripted":
        yield _script(endpoint)
    elif case.offline:
        yield Finding("model", "pass", f"Runs use {endpoint.model} at {endpoint.address}.")
        yield context_finding(with_known_figures(endpoint))
    else:
        connections = Connections()
        try:
            for finding in await probe(endpoint, connections, loaded.config.exposed(ProbePatience).seconds):
                yield finding
        finally:
            await connections.aclose()


def _loaded(case: Case) -> Loaded | None:
    """**Returns** the settings, `None` when they are wrong: the check of the config files reports that."""
    try:
        return case.setup.load(case.folder) if isinstance(case.setup, Setup) else None
    except ConfigError:
        return None


def _offered(case: Case, loaded: Loaded, *, complete: bool = True) -> ModelCatalog:
    assert isinstance(case.setup, Setup)
    return offered_models(case.setup, loaded, complete=complete)


def _chosen(case: Case, loaded: Loaded, offered: ModelCatalog) -> Endpoint:
    """**Returns** the named model, or the default. **Raises** `ModelError`."""
    assert isinstance(case.setup, Setup)
    if not offered.endpoints:
        problem, remedy = missing_model(case.setup, loaded)
        missing = NONE.format(problem[0].upper() + problem[1:])
        raise ModelError(missing, kind="modelNotFound", hint=CHOOSE.format(remedy, case.setup.config_file))
    models = Models(offered.endpoints, aliases=offered.aliases, default=offered.default)
    if named := provider_model(case.setup, loaded, _said(case, loaded)):
        models.add(named)
    return models.endpoint(case.model)


def _said(case: Case, loaded: Loaded) -> str:
    """**Returns** the name of the model that the user says for this once; "" where they say none."""
    return case.model or (loaded.config.model if loaded.rank("model") in DIRECT else "")


def _correct(problem: Exception) -> str:
    file = problem.file if isinstance(problem, ConfigError) else ""
    return f"Set it, or correct {file or 'the configuration'}; a key can also be stored: agls key set HOST."


def _script(endpoint: Endpoint) -> Finding:
    try:
        Script.load(endpoint.script)
    except ModelError as problem:
        return Finding("model", "fail", str(problem), "Correct the script, or choose another one.")
    return Finding("model", "pass", f"The scripted model plays {endpoint.script}.")
