"""The providers that a name of a model means, where no server of the configuration has it."""

from collections.abc import Mapping

from agls.config.schema import Config
from agls.models.catalog.providers import PROVIDERS, Provider, candidates


def meant_providers(
    config: Config, name: str, variables: Mapping[str, str], *, offered: bool
) -> list[Provider]:
    """Return the providers that may have the default model of this `name`, in the order of their list.

    Where models are `offered`, only those whose model it surely is, if no table has it: it may be misspelt.
    """
    if not offered:
        chosen = [provider for provider, _ in candidates(config.model, variables)] if config.model else []
        return [p for p in PROVIDERS if p in chosen or variables.get(p.model_variable)]
    if not (config.models and name) or {name, name.partition("/")[0]} & {*config.models, *config.tiers}:
        return []
    from agls.models.catalog.bundled import providers_with  # noqa: PLC0415 - only a name of no table is looked for

    return providers_with(name)
