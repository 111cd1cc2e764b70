"""A bundled list of context windows and prices, for models whose user configured none.

`models.jsonl` is made by `scripts/model_facts.py`. It applies only at a provider's own address: the
price of a proxy, and the context that a server on this machine gives a model, are unknown.
"""

import json
import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from agls.models.catalog.providers import OPENAI, Provider, candidates
from agls.models.endpoint import Endpoint
from agls.models.prices import Prices

Json = dict[str, Any]
LIST = Path(__file__).with_name("models.jsonl")
ADDRESSES = 8  # whose models are remembered


def with_known_figures(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with the list's figures of its model. Figures that the user configured stay."""
    model = _found(endpoint.base_url, endpoint.model)
    if model is None:
        return endpoint
    window = endpoint.context_window or model.get("window")
    prices = _prices(model) if endpoint.prices == Prices() else endpoint.prices
    return replace(endpoint, context_window=window, prices=prices)


def _prices(model: Json) -> Prices:
    prices = Prices(*model["rates"])
    return replace(prices, above=model["above"], then=Prices(*model["then"])) if "above" in model else prices


def is_listed(endpoint: Endpoint) -> bool:
    """Return whether the list has this model at this address."""
    return _found(endpoint.base_url, endpoint.model) is not None


def providers_with(name: str) -> list[Provider]:
    """Return the providers whose model this surely is: by a prefix of the name, or by the list."""
    return [
        provider
        for provider, model in candidates(name, {})
        if provider is not OPENAI or model != name or _found(provider.base_url, model)
    ]


def is_provider(endpoint: Endpoint) -> bool:
    """Return whether this is the address of a provider in the list, rather than a user's own server."""
    return _models_at(endpoint.base_url) is not None


@lru_cache(ADDRESSES)
def _models_at(address: str) -> list[Json] | None:
    """Return the models at this address; `None` where no provider is. The rest of the list is not kept."""
    listed = _list()
    provider = next((each for each, _ in listed if re.match(each["at"], address)), None)
    if provider is None:
        return None
    models = {each["id"]: lines for each, lines in listed}
    searched = [provider["id"], *(each for each in provider["also"] if each in models)]
    return [json.loads(line) for each in searched for line in models[each]]


def _found(address: str, model: str) -> Json | None:
    name = model.lower().removeprefix("models/")
    models = _models_at(address)
    if models is None or not name:
        return None
    whole = next((model for model in models if name in model.get("names", ())), None)
    return whole or next((m for m in models if "match" in m and re.search(m["match"], name)), None)


def _list() -> list[tuple[Json, list[str]]]:
    """Return each provider with the lines of its models, which are read only where they are asked for."""
    _, *paragraphs = LIST.read_text("utf-8").removesuffix("\n").split("\n\n")
    lines = [paragraph.split("\n") for paragraph in paragraphs]
    return [(json.loads(first), models) for first, *models in lines]
