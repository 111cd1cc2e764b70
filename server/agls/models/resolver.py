"""Resolves names of models: configured ones, the user's aliases, the tiers, and the default.

Nothing here imports the HTTP library; the first model that needs it does.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from agls.engine.ports import ModelClient, ModelError
from agls.models.editor_host import NO_EDITOR, PREFIX, EditorModelHost, editor_endpoint
from agls.models.endpoint import Endpoint
from agls.models.prices import Prices
from agls.models.unique_call_ids import WithUniqueCallIds

if TYPE_CHECKING:
    from agls.models.http.connections import Connections
    from agls.models.retry import RetryPolicy

TIERS = ("default", "fast", "strong")
NO_MODEL = "Start a model server on this machine, or set OPENAI_API_KEY and OPENAI_MODEL."


class Models:
    """Implements `ModelResolver` over configured endpoints.

    `aliases` give names (and tiers) to endpoints or to `endpoint/model`. A tier without an alias is
    the default; the default is `default`, or the only endpoint there is, or `fast` where it is the only tier.
    `unlisted` returns the endpoint of a name that nobody configured, `None` where no server takes any name.
    """

    unlisted: Callable[[str], Endpoint | None] | None = None
    editor: EditorModelHost = NO_EDITOR

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        *,
        aliases: Mapping[str, str] | None = None,
        default: str = "",
        policy: "RetryPolicy | None" = None,
    ) -> None:
        self._endpoints = {endpoint.name: endpoint for endpoint in endpoints}
        self._aliases = dict(aliases or {})
        self._default = self._aliases.get(default or "default", default)
        if not self._default and len(endpoints) == 1:
            self._default = endpoints[0].name
        if not self._default and [tier for tier in TIERS if tier in self._aliases] == ["fast"]:
            self._default = self._aliases["fast"]
        self._policy = policy
        self._clients: dict[str, tuple[Endpoint, ModelClient]] = {}
        self._pool: Connections | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All names that resolve, aliases first."""
        return tuple(dict.fromkeys((*self._aliases, *self._endpoints)))

    def add(self, endpoint: Endpoint) -> None:
        """Take a model besides, which the user named; from now on it resolves."""
        self._endpoints[endpoint.name] = endpoint

    def resolve(self, name: str) -> ModelClient:
        """Return the client of this name; "" is the default. Raises `ModelError` (`modelNotFound`)."""
        endpoint = self.endpoint(name)
        known = self._clients.get(endpoint.name)
        if known is None or known[0] != endpoint:  # what `unlisted` returns may change
            known = self._clients[endpoint.name] = endpoint, self._with_fallback(endpoint)
        return known[1]

    def window(self, name: str) -> int | None:
        """Return the context window of this model in tokens, `None` when unknown. No client is made for it.

        Raises `ModelError` (`modelNotFound`).
        """
        endpoint = self.endpoint(name)
        if known := self._clients.get(endpoint.name):
            return known[1].info.context_window
        if endpoint.context_window:
            return endpoint.context_window
        from agls.models.catalog.bundled import with_known_figures  # noqa: PLC0415 - only where nothing is said

        return with_known_figures(endpoint).context_window

    def model_name(self, name: str) -> str:
        """Return what its server calls this model. Raises `ModelError` (`modelNotFound`)."""
        return self.endpoint(name).model

    def endpoint(self, name: str) -> Endpoint:
        """Return the endpoint of this name; "" is the default. Raises `ModelError` (`modelNotFound`)."""
        unknown = {"", *TIERS} - self._endpoints.keys()
        known = self._aliases.get(name) or (self._default if name in unknown else name)
        if not known:
            raise self._nothing_chosen()
        provider, _, model = known.partition("/")
        if known.startswith(PREFIX):
            return editor_endpoint(self.editor, known)
        if known in self._endpoints:
            endpoint = self._endpoints[known]
        elif model and provider in self._endpoints:
            endpoint = _other_model(self._endpoints[provider], model)
        elif self.unlisted and (named := self.unlisted(known)):
            endpoint = named
        else:
            hint = f"Known names: {', '.join(self.names) or 'none'}.{_way_to(known)}"
            raise ModelError(f"There is no model called {known!r}.", kind="modelNotFound", hint=hint)
        if not endpoint.model and endpoint.dialect != "scripted":
            hint = f"Write {known}/ and the name of a model."
            raise ModelError(f"{known!r} has many models.", kind="modelNotFound", hint=hint)
        return endpoint

    async def aclose(self) -> None:
        """Close every connection."""
        if self._pool:
            await self._pool.aclose()

    def _nothing_chosen(self) -> ModelError:
        if not self._endpoints:
            return ModelError("No model is configured.", kind="modelNotFound", hint=NO_MODEL)
        hint = f"Choose one (--model, or model in the config file): {', '.join(self.names)}."
        return ModelError("No default model is chosen.", kind="modelNotFound", hint=hint)

    def _with_fallback(self, endpoint: Endpoint) -> ModelClient:
        if not endpoint.fallback:
            return self._client(endpoint)
        self._check_fallbacks(endpoint)
        from agls.models.fallback import ModelWithFallback  # noqa: PLC0415 - most never need it

        return ModelWithFallback(self._client(endpoint), partial(self.resolve, endpoint.fallback))

    def _check_fallbacks(self, endpoint: Endpoint) -> None:
        """Raise `ModelError` when the chain of fallbacks has a cycle."""
        chain = [endpoint.name]
        while endpoint.fallback:
            endpoint = self.endpoint(endpoint.fallback)
            chain.append(endpoint.name)
            if endpoint.name in chain[:-1]:
                hint = f"Give one of them another fallback, or none: {', '.join(chain)}."
                raise ModelError("The fallbacks form a circle.", kind="modelNotFound", hint=hint)

    def _client(self, endpoint: Endpoint) -> ModelClient:
        if endpoint.dialect == "scripted":
            from agls.models.scripted.model import ScriptedModel  # noqa: PLC0415 - most never need it

            return WithUniqueCallIds(ScriptedModel(endpoint))
        if endpoint.dialect == "editor":
            from agls.models.editor_model import EditorModel  # noqa: PLC0415 - the same

            return WithUniqueCallIds(EditorModel(endpoint, self.editor))
        from agls.models.catalog.bundled import with_known_figures  # noqa: PLC0415 - a scripted model has none

        endpoint = with_known_figures(endpoint)
        from agls.models.client import (  # noqa: PLC0415 - httpx loads slowly
            RETRIES_WITH_FALLBACK,
            USUAL_RETRIES,
            HttpModel,
        )
        from agls.models.http.connections import Connections  # noqa: PLC0415 - the same

        pool = self._pool = self._pool or Connections()
        usual = RETRIES_WITH_FALLBACK if endpoint.fallback else USUAL_RETRIES
        return WithUniqueCallIds(HttpModel(endpoint, pool, self._policy or usual))


def _other_model(endpoint: Endpoint, model: str) -> Endpoint:
    """Return the endpoint of another model on the same server, with unknown figures."""
    name = f"{endpoint.name}/{model}"  # with the fallback of the endpoint, if it has one
    other = replace(endpoint, name=name, model=model, table="", prices=Prices())
    return replace(other, context_window=None, output_limit=None)


def _way_to(name: str) -> str:
    """Return how to ask this model where it is a provider's by its name, else nothing."""
    from agls.models.catalog.bundled import providers_with  # noqa: PLC0415 - only a name of no model is looked for

    way = " To ask {0} for it: agls key set {0}, or set {1}."
    return "".join(way.format(each.name, each.key_variables[0]) for each in providers_with(name))
