"""Where models come from: providers, model servers of this machine, and the choice of one of their models."""

from agls_protocol.record import record


@record
class ProviderRow:
    """A provider with a known address; `hasKey` is whether a key for its `host` is kept or given."""

    name: str
    host: str
    has_key: bool


@record
class LocalServerRow:
    """A model server on this machine, with the names of its models as they can be chosen."""

    kind: str
    base_url: str
    models: list[str]


@record
class ProviderListResult:
    """`looked` says whether model servers of this machine were looked for: the settings may forbid it."""

    providers: list[ProviderRow]
    local: list[LocalServerRow]
    looked: bool


@record
class ProviderModelsParams:
    """A provider by its name, or another server by its `baseUrl`."""

    provider: str = ""
    base_url: str = ""


@record
class ListedModel:
    """A model as its server names it."""

    name: str
    context_window: int | None = None


@record
class ProviderModelsResult:
    """The models of a server; or why they cannot be listed, with what helps (`hint`).

    `baseUrl` is the whole address of the list that was found: `agent/provider/use` is to be given that one.
    """

    models: list[ListedModel]
    problem: str | None = None
    hint: str | None = None
    kind: str | None = None
    base_url: str | None = None


@record
class ProviderUseParams:
    """The `model` of a provider or of the server at `baseUrl`; with neither, one that can be named."""

    model: str
    provider: str = ""
    base_url: str = ""


@record
class ProviderUseResult:
    """The name by which sessions choose the model, and the file in which it is the default now."""

    model: str
    config_file: str
