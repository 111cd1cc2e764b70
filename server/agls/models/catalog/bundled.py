"""A bundled list of context windows and prices, for models whose user configured none.

`models.json` is made by `scripts/model_facts.py`. It applies only at a provider's own address: the
price of a proxy, and the context that a server on this machine gives a model, are unknown.
"""

import json
import re
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from agls.models.endpoint import Endpoint
from agls.models.prices import Prices

Json = dict[str, Any]


def with_known_figures(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with the list's figures of its model. Figures that the user configured stay."""
    model = _found(endpoint)
    if model is None:
        return endpoint
    window = endpoint.context_window or model.get("window")
    prices = _prices(model) if endpoint.prices == Prices() else endpoint.prices
    return replace(endpoint, context_window=window, prices=prices)


def _prices(model: Json) -> Prices:
    prices = Prices(*model["rates"])
    return replace(prices, above=model["above"], then=Prices(*model["then"])) if "above" in model else prices


def is_provider(endpoint: Endpoint) -> bool:
    """Return whether this is the address of a provider in the list, rather than a user's own server."""
    return _provider(endpoint) is not None


def _provider(endpoint: Endpoint) -> Json | None:
    return next((p for p in _list() if re.match(p["at"], endpoint.base_url)), None)


def _found(endpoint: Endpoint) -> Json | None:
    name = endpoint.model.lower().removeprefix("models/")
    provider = _provider(endpoint)
    if provider is None or not name:
        return None
    others = {other["id"]: other for other in _list()}
    searched = [provider, *(others[each] for each in provider["also"] if each in others)]
    models = [model for each in searched for model in each["models"]]
    whole = next((model for model in models if name in model.get("names", ())), None)
    return whole or next((m for m in models if "match" in m and re.search(m["match"], name)), None)


@cache
def _list() -> list[Json]:
    text = files("agls.models.catalog").joinpath("models.json").read_text(encoding="utf-8")
    return json.loads(text)["providers"]
