"""A server's list of models: what it shows of the server, and every way in which there is none."""

from typing import Any

import pytest

from agls.models.catalog.listing import ModelList, list_models
from agls.models.endpoint import DialectName, Endpoint
from support.model_asking import Asking
from support.model_replies import Raw, page
from support.model_server import ModelServer

KEY = "sk-canary-1234567890"


async def listed(pages: dict[str, Raw], dialect: DialectName = "chat", seconds: float = 20.0) -> ModelList:
    async with ModelServer(pages=pages) as server, Asking() as asking:
        endpoint = Endpoint(name="m", model="large", base_url=server.url, api_key=KEY, dialect=dialect)
        return await list_models(endpoint, asking.connections, seconds)


async def test_the_models_and_what_the_server_says_of_them() -> None:
    answer = {"data": [{"id": "large", "context_length": 9}, {"id": "small"}, {"id": 5}, "odd"]}
    listing = await listed({"/v1/models": page(answer)})
    assert listing.models == {"large": {"context_window": 9}, "small": {}}
    assert (listing.has("large"), listing.has("other"), listing.failure) == (True, False, None)
    assert listing.figures_of("other") == {}


async def test_names_as_other_dialects_write_them() -> None:
    gemini = {"models": [{"name": "models/large", "inputTokenLimit": 7}], "nextPageToken": "x"}
    listing = await listed({"/v1/models?pageSize=1000": page(gemini)}, "gemini")
    assert listing.figures_of("large") == listing.figures_of("models/large") == {"context_window": 7}
    assert (listing.has("models/large"), listing.has("other")) == (True, None), "there are more pages"
    listing = await listed({"/api/tags": page({"models": [{"name": "qwen:latest"}]})}, "ollama")
    assert listing.has("qwen")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (page({"error": {"message": "Incorrect API key"}}, status=401), "auth"),
        (page({"detail": "Not Found"}, status=404), "modelNotFound"),
        (Raw([b"<html>log in</html>"]), "network"),
        (Raw([b"not json"]), "providerInternal"),
        (Raw(status=302, headers={"Location": "https://elsewhere.example/?q=1"}), "network"),
        (Raw(begin="reset"), "network"),
        (page({"error": {"code": "context_length_exceeded"}}, status=400), "providerInternal"),
    ],
)
async def test_why_there_is_no_list(answer: Raw, kind: str) -> None:
    listing = await listed({"/v1/models": answer})
    assert listing.failure
    assert (listing.failure.kind, listing.models, listing.has("large")) == (kind, {}, None)
    assert listing.failure.hint
    assert KEY not in str(listing)


@pytest.mark.parametrize("answer", [Raw(begin="hang"), Raw([b"{"], then="hang")])
async def test_a_server_that_does_not_answer_is_not_waited_for(answer: Raw) -> None:
    listing = await listed({"/v1/models": answer}, seconds=0.2)
    assert listing.failure
    assert listing.failure.message.endswith("did not answer within 0.2 seconds.")


async def test_unreachable_server_is_a_failure_that_says_what_to_do() -> None:
    async with ModelServer() as server:
        url = server.url
    async with Asking() as asking:
        listing = await list_models(Endpoint(name="m", base_url=url), asking.connections)
    assert listing.failure
    assert listing.failure.kind == "network"
    assert "Start it" in listing.failure.hint


def test_empty_list_has_no_information_about_a_model() -> None:
    nothing: Any = ModelList()
    assert nothing.has("any") is None
