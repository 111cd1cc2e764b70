"""Models of providers that the user names beside those of the configuration."""

from dataclasses import replace

from agls.config.endpoints import unlisted_model
from agls.config.load import Loaded
from agls.config.setup import Setup
from agls.models.catalog.providers import PROVIDERS
from agls.models.editor_host import PREFIX
from agls.models.endpoint import Endpoint
from agls.models.resolver import TIERS


def provider_model(setup: Setup, loaded: Loaded, name: str) -> Endpoint | None:
    """Return the model of a provider that the user names beside configured ones, `None` where none is meant.

    Its key is set, and the name says whose it is: a name that is only wrong sends nothing to anybody.
    """
    config = loaded.config
    is_known = {name, name.partition("/")[0]} & {*config.models, *config.tiers, *TIERS, ""}
    if is_known or not config.models or config.base_url or name.startswith(PREFIX):
        return None
    alone = replace(loaded, config=config.model_copy(update={"models": {}}))
    endpoint = unlisted_model(setup, alone, name)
    if endpoint is None or not endpoint.api_key:
        return None
    from agls.models.catalog.bundled import is_listed  # noqa: PLC0415 - only a name of no table is looked for

    prefixes = tuple(prefix for each in PROVIDERS for prefix in (f"{each.name}/", each.family) if prefix)
    return endpoint if name.startswith(prefixes) or is_listed(endpoint) else None
