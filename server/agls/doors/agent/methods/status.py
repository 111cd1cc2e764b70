"""`agent/status`: how the server is, and what keeps it from working."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from agls import __version__
from agls.config import ConfigError
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.engine.ports import ModelError, ModelInfo
from agls.models.endpoint import Endpoint
from agls.order import WORDS
from agls_protocol import PROTOCOL_VERSION
from agls_protocol.types import CallWords, Empty, Load, ModelRow, ProviderAuth, SessionState, StatusResult


async def status(connection: Connection, params: Empty, call: Call) -> StatusResult:
    """Version, the models and the keys of their providers, what keeps a run from beginning, and the load."""
    call.interruptible = True
    known = {**connection.attached, **connection.followed}
    sessions = [SessionState(name, attached.publisher.status) for name, attached in known.items()]
    states = [attached.session.outline for attached in connection.attached.values()]
    load = Load(sum(s.running for s in states), sum(len(s.queue) for s in states), connection.peer.backlog)
    result = StatusResult(__version__, PROTOCOL_VERSION, [], [], load, sessions, calls=_words())
    try:
        result.config_file = connection.world.setup.config_file.as_uri()
    except ConfigError as problem:
        result.config_file = Path(problem.file).as_uri() if problem.file else None
    try:
        chosen = (await connection.world.model(connection.folder)).info.name
        result.models = [_row(info, chosen) for info in connection.world.models(connection.folder)]
    except (ConfigError, ModelError) as problem:
        result.problem = str(problem)
        file = problem.file if isinstance(problem, ConfigError) else ""
        result.problem_file = Path(file).as_uri() if file else None
        with suppress(ConfigError):
            result.models = [_row(info, "") for info in connection.world.models(connection.folder)]
    with suppress(ConfigError):  # that is the problem, then
        result.auth = _auth(connection.world.offered(connection.folder).endpoints)
    return result


def _words() -> list[CallWords]:
    """Return the words for calls of the tools of all rooms."""
    return [CallWords(name, w.done, w.doing, w.kind, w.about or None) for name, w in WORDS.items()]


def _row(info: ModelInfo, chosen: str) -> ModelRow:
    return ModelRow(info.name, info.provider, info.context_window, info.name == chosen or None)


def _auth(endpoints: Iterable[Endpoint]) -> list[ProviderAuth]:
    """List the key of each provider: present where one of its models has it."""
    known: dict[str, ProviderAuth] = {}
    for endpoint in endpoints:
        provider, variable = endpoint.info.provider, endpoint.key_variable or None
        state = "present" if endpoint.api_key else "missing" if variable and not endpoint.is_local else "none"
        if provider not in known or state == "present":
            known[provider] = ProviderAuth(provider, state, variable, endpoint.key_place or None)
    return list(known.values())
