"""Which model a name means."""

import subprocess
import sys

import pytest

from agls.engine.ports import ModelError
from agls.models.endpoint import Endpoint
from agls.models.prices import Prices
from agls.models.resolver import Models
from agls.models.retry import RetryPolicy
from support.model_asking import hear
from support.model_server import Answer, Failure, ModelServer, Raw, Reply
from support.patience import PATIENCE

BIG = Endpoint(
    name="big", model="big-1", base_url="https://a.example/v1", context_window=9, prices=Prices(1.0, 2.0)
)
SMALL = Endpoint(name="small", model="small-1", base_url="http://localhost:1/v1")
OPEN = Endpoint(name="router", base_url="https://b.example/v1", context_window=5)


def refused(models: Models, name: str) -> ModelError:
    with pytest.raises(ModelError) as caught:
        models.resolve(name)
    assert caught.value.kind == "modelNotFound"
    return caught.value


@pytest.mark.port("Model resolver")
def test_model_is_found_by_name_alias_tier_and_default() -> None:
    """Aliases."""
    models = Models([BIG, SMALL], aliases={"fast": "small", "mine": "big"}, default="big")
    found = {
        name: models.resolve(name).info.name for name in ("", "default", "fast", "strong", "mine", "small")
    }
    assert found == {
        "": "big", "default": "big", "fast": "small", "strong": "big", "mine": "big", "small": "small"
    }  # fmt: skip
    assert models.names == ("fast", "mine", "big", "small")


def test_configured_facts_of_a_model_are_in_its_info() -> None:
    info = Models([BIG]).resolve("").info
    assert (info.provider, info.context_window, info.input_price, info.output_price) == (
        "a.example",
        9,
        1.0,
        2.0,
    )


def test_the_same_name_is_the_same_client() -> None:
    models = Models([BIG, SMALL], aliases={"x": "big"}, default="big")
    assert models.resolve("x") is models.resolve("big") is models.resolve("")


def test_the_default_may_be_an_alias_and_the_only_model_is_the_default() -> None:
    assert Models([BIG, SMALL], aliases={"default": "small"}).resolve("").info.name == "small"
    assert Models([SMALL]).resolve("strong").info.name == "small"


@pytest.mark.port("Model resolver")
def test_any_model_of_a_server_can_be_named_and_nothing_is_assumed_of_it() -> None:
    """A concrete name."""
    info = Models([BIG, OPEN]).resolve("router/vendor/model-7").info
    assert (info.name, info.context_window) == ("router/vendor/model-7", None)
    other = Models([BIG]).resolve("big/other").info
    assert (other.context_window, other.input_price) == (None, None)


def test_fast_is_the_default_where_it_is_the_only_tier() -> None:
    assert Models([BIG, SMALL], aliases={"fast": "small", "mine": "big"}).resolve("").info.name == "small"
    assert refused(Models([BIG, SMALL], aliases={"strong": "big"}), "").kind == "modelNotFound"
    assert (
        refused(Models([BIG, SMALL], aliases={"fast": "small", "strong": "big"}), "").kind == "modelNotFound"
    )


@pytest.mark.port("Model resolver")
def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    """An unknown name."""
    models = Models([BIG, SMALL], aliases={"fast": "small"})
    error = refused(models, "gigantic")
    assert "'gigantic'" in str(error)
    assert error.hint == "Known names: fast, big, small."
    assert refused(models, "nobody/model").hint == error.hint
    assert refused(Models([]), "x").hint == "Known names: none."


def test_a_server_without_a_model_says_how_to_name_one() -> None:
    assert "router/" in refused(Models([BIG, OPEN]), "router").hint


@pytest.mark.port("Model resolver")
def test_hint_without_any_model_names_ways_to_configure_one() -> None:
    """Nothing to resolve."""
    assert "OPENAI_API_KEY and OPENAI_MODEL" in refused(Models([]), "").hint


def test_the_default_may_be_an_alias() -> None:
    assert Models([BIG, SMALL], aliases={"fast": "small"}, default="fast").resolve("").info.name == "small"


def test_hint_without_a_default_names_the_models() -> None:
    assert (
        refused(Models([BIG, SMALL]), "").hint
        == "Choose one (--model, or model in the config file): big, small."
    )


def test_a_scripted_model_needs_no_address() -> None:
    scripted = Endpoint(name="demo", dialect="scripted", script="demo.toml")
    assert Models([scripted]).resolve("").info.provider == "scripted"


def test_importing_the_resolver_does_not_load_the_http_library() -> None:
    code = "import sys, agls.models.resolver; sys.exit('httpx' in sys.modules or 'pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=PATIENCE).returncode == 0


async def test_resolved_models_answer_and_close() -> None:
    async with ModelServer([Reply("hi"), Reply("there")]) as server:
        endpoint = Endpoint(name="a", model="m", base_url=server.url)
        models = Models([endpoint], policy=RetryPolicy(tries=1))
        assert (await hear(models.resolve(""))).text == "hi"
        assert (await hear(models.resolve("a/other"))).text == "there"
        await models.aclose()
    assert [request.body["model"] for request in server.posts] == ["m", "other"]
    assert server.connections == 1
    await Models([]).aclose()


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.9:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("https://host.example", False),
        ("nonsense", False),
    ],
)
def test_an_endpoint_knows_whether_it_is_on_this_machine(url: str, local: bool) -> None:
    assert Endpoint(name="x", base_url=url).is_local is local


def test_an_address_is_shown_without_secrets() -> None:
    endpoint = Endpoint(name="x", base_url="https://user:secret@host.example:8/v1?key=secret")
    assert endpoint.address == "https://host.example:8/v1"


# --- fallbacks -----------------------------------------------------------------------------------

BUSY = Failure(503, "all busy")


def chain(*urls: str, last: str = "") -> list[Endpoint]:
    """Endpoints a, b, … of which each falls back to the next, and the last one to `last`."""
    names = "abc"[: len(urls)]
    following = [*names[1:], last]
    return [
        Endpoint(name=name, model=f"{name}-1", base_url=url, fallback=then)
        for name, url, then in zip(names, urls, following, strict=True)
    ]


@pytest.mark.parametrize("failure", [BUSY, Failure(402, "spent"), Failure(429, "slow"), Raw(begin="reset")])
async def test_fallback_answers_for_a_failing_model_and_the_user_gets_a_notice(
    failure: Answer,
) -> None:
    async with ModelServer([failure]) as down, ModelServer([Reply("here")]) as up:
        models = Models(chain(down.url, up.url), default="a", policy=RetryPolicy(tries=1))
        heard = await hear(models.resolve(""))
        await models.aclose()
    assert heard.reply and (heard.text, heard.reply.model) == ("here", "b")
    (told,) = heard.waits
    assert (told.attempt, told.delay) == (1, 0.0)
    assert told.cause.endswith("b is asked in its place.")
    assert up.requests[0].body["model"] == "b-1"
    assert models.resolve("").info.name == "a"


async def test_a_fallback_may_have_one_and_waits_count_on() -> None:
    async with (
        ModelServer([BUSY, BUSY]) as one,
        ModelServer([BUSY, BUSY]) as two,
        ModelServer([Reply("at last")]) as three,
    ):
        patience = RetryPolicy(tries=2, first=0.01)
        models = Models(chain(one.url, two.url, three.url), default="a", policy=patience)
        heard = await hear(models.resolve(""))
        await models.aclose()
    assert heard.reply and (heard.text, heard.reply.model) == ("at last", "c")
    assert [len(server.posts) for server in (one, two, three)] == [2, 2, 1]


@pytest.mark.parametrize(
    "answer", [Failure(401, "wrong key"), Failure(400, "bad"), Reply("half", cut_after=2, then="close")]
)
async def test_no_fallback_hides_a_mistake_or_follows_half_an_answer(answer: Answer) -> None:
    async with ModelServer([answer]) as down, ModelServer([Reply("here")]) as up:
        models = Models(chain(down.url, up.url), default="a", policy=RetryPolicy(tries=1))
        heard = await hear(models.resolve(""))
        await models.aclose()
    assert heard.error and heard.reply is None
    assert up.requests == []


async def test_failure_of_the_fallback_is_reported_when_both_fail() -> None:
    async with ModelServer([BUSY]) as down, ModelServer([Failure(401, "wrong key")]) as up:
        models = Models(chain(down.url, up.url), default="a", policy=RetryPolicy(tries=1))
        heard = await hear(models.resolve(""))
        await models.aclose()
    assert heard.error and heard.error.kind == "auth"


def test_invalid_fallbacks_are_reported_before_any_request() -> None:
    url = "http://localhost:1/v1"
    error = refused(Models(chain(url, url, last="a"), default="a"), "")
    assert "a, b, a" in error.hint
    assert "'gone'" in str(refused(Models(chain(url, last="gone")), ""))
