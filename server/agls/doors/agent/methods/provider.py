"""`agent/provider/…`: where models come from, and the choice of one in the user's settings.

Imported at the first use: it loads the HTTP library.
"""

from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.model_servers import choose_model, known_providers, models_of
from agls_protocol.providers import (
    ProviderListResult,
    ProviderModelsParams,
    ProviderModelsResult,
    ProviderUseParams,
    ProviderUseResult,
)
from agls_protocol.types import Empty


async def list_providers(connection: Connection, params: Empty, call: Call) -> ProviderListResult:
    """Return the known providers, and the model servers that answer on this machine."""
    call.interruptible = True
    return await known_providers(connection)


async def list_provider_models(
    connection: Connection, params: ProviderModelsParams, call: Call
) -> ProviderModelsResult:
    """Request the list of models from their server, with the key that is kept for its host."""
    call.interruptible = True
    return await models_of(connection, params)


async def use_model(connection: Connection, params: ProviderUseParams, call: Call) -> ProviderUseResult:
    """Write the model into the user's settings, as the default. What runs goes on with its own."""
    return await choose_model(connection, params)
