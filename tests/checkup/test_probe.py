"""The first connection: every fault is told in plain language, with the exact setting to change."""

import json
import shutil
import ssl
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agls.checkup.probe import probe
from agls.models.endpoint import Endpoint
from agls.models.http.connections import Connections
from agls.room.findings import Finding
from support.model_asking import Asking
from support.model_replies import Answer, Failure, Raw, Reply, Request, page
from support.model_server import ModelServer

KEY = "sk-canary-1234567890"
CALL = Reply(calls=[("report", {"word": "ready"})])
WINDOW = {"data": [{"id": "large", "context_length": 32768}]}
GOOD: Mapping[str, Raw] = {"/v1/models": page(WINDOW)}


async def findings(
    replies: Sequence[Answer] | Callable[[Request], Answer] = (CALL,),
    pages: Mapping[str, Raw] = GOOD,
    path: str = "",
    seconds: float = 20.0,
    **more: Any,
) -> dict[str, Finding]:
    async with ModelServer(replies, pages=pages) as server, Asking() as asking:
        base_url = server.url.removesuffix("/v1") + path if path else server.url
        endpoint = Endpoint(**{"name": "m", "model": "large", "base_url": base_url, "api_key": KEY, **more})
        found = await probe(endpoint, asking.connections, seconds)
    assert KEY not in str(found)
    assert [one for one in found if one.status != "pass" and not one.fix] == [], "what is wrong has a fix"
    return {one.topic: one for one in found}


async def test_healthy_setup_has_no_findings() -> None:
    found = await findings()
    assert {topic: one.status for topic, one in found.items()} == dict.fromkeys(
        ("endpoint", "key", "model", "streaming", "tools", "context"), "pass"
    )
    assert found["context"].text == "The context is 32,768 tokens."


async def test_unreachable_server_is_a_failure_that_says_what_to_do() -> None:
    async with ModelServer() as server:
        url = server.url
    async with Asking() as asking:
        (found,) = await probe(Endpoint(name="m", model="x", base_url=url), asking.connections)
    assert (found.topic, found.status) == ("endpoint", "fail")
    assert found.text == f"{url} cannot be reached."
    assert "Start it, or correct base_url" in found.fix


@pytest.mark.parametrize("path", ["/", "/v2", "/v1/chat/completions"])
async def test_a_wrong_path_and_the_one_that_is_right(path: str) -> None:
    def refuse(request: Request) -> Answer:
        return CALL if request.path == "/v1/chat/completions" else Failure(404, "Not Found")

    found = await findings(refuse, path=path)
    assert found["endpoint"].status == "fail"
    assert found["endpoint"].fix.startswith('Set base_url = "http://127.0.0.1:')
    assert found["endpoint"].fix.endswith('/v1": that address answers.')


async def test_wrong_path_without_a_right_one() -> None:
    found = await findings([Raw([b"<html>"], 404)], pages={"/v1/models": Raw([b"<html>"], 404)})
    assert found["endpoint"].status == "fail"
    assert "an address usually ends in /v1" in found["endpoint"].fix
    found = await findings(pages={"/v1/models": Raw([b"<html>login"])})
    assert found["endpoint"].status == "fail"
    assert "A login page is in between" in found["endpoint"].fix


async def test_wrong_key_is_a_finding_that_names_its_source() -> None:
    refused = Failure(401, f"Incorrect API key provided: {KEY}", "invalid_api_key")
    found = await findings([refused], pages={"/v1/models": refused.raw()}, key_variable="MY_KEY")
    assert (found["endpoint"].status, found["key"].status) == ("pass", "fail")
    assert found["key"].fix == "Check the key in the environment variable MY_KEY."
    found = await findings([refused], api_key="", key_variable="MY_KEY")
    assert found["key"].fix == "No key was sent. Set the environment variable MY_KEY."


async def test_empty_account_is_a_finding_about_credit() -> None:
    found = await findings([Failure(429, "You exceeded your current quota", "insufficient_quota")])
    assert found["key"].status == "fail"
    assert "add credit" in found["key"].fix


async def test_unknown_model_is_a_finding_with_the_known_names() -> None:
    missing = Failure(404, "The model `large` does not exist", "model_not_found")
    names = page({"data": [{"id": "largest"}, {"id": "small"}]})
    found = await findings([missing], pages={"/v1/models": names})
    assert [one.status for one in found.values()] == ["pass", "pass", "fail"]
    assert found["model"].fix == "Check the name 'large' of the model 'm'. The server has: largest, small."


async def test_a_server_that_does_not_stream() -> None:
    whole = CALL.raw(Request("POST", "/", {}, b""), 1)
    found = await findings([whole])
    assert (found["streaming"].status, found["tools"].status) == ("warn", "pass")
    assert "in one piece" in found["streaming"].text
    found = await findings([Failure(400, "stream=true is not supported")])
    assert found["streaming"].status == "fail"


async def test_an_answer_that_breaks_off() -> None:
    found = await findings([Reply("word " * 10, cut_after=3, then="close")])
    assert (found["endpoint"].status, found["streaming"].status) == ("pass", "fail")


OLLAMA = {"/api/ps": page({"models": [{"name": "large:latest", "context_length": 4096}]})}
LLAMACPP = {"/props": page({"default_generation_settings": {"n_ctx": 4096}})}
LMSTUDIO = {"/api/v0/models": page({"data": [{"id": "large", "loaded_context_length": 4096}]})}
VLLM = {"/v1/models": page({"data": [{"id": "large", "owned_by": "vllm", "max_model_len": 4096}]})}
SERVERS = [
    (OLLAMA, "OLLAMA_CONTEXT_LENGTH=16384", "ollama show large", "400 large does not support tools"),
    (LLAMACPP, "--ctx-size 16384", "--jinja", "500 tools param requires --jinja flag"),
    (LMSTUDIO, "--context-length 16384", "trained for tool use", "400 this model cannot use tools"),
    (VLLM, "--max-model-len 16384", "--enable-auto-tool-choice", '400 "auto" tool choice requires a flag'),
]
IDS = ["ollama", "llama.cpp", "LM Studio", "vLLM"]


@pytest.mark.parametrize(("own", "setting", "_tools", "_said"), SERVERS, ids=IDS)
async def test_a_small_context_and_the_setting_that_makes_it_larger(
    own: Mapping[str, Raw], setting: str, _tools: str, _said: str
) -> None:
    names = page({"data": [{"id": "large"}]})
    found = await findings(pages={"/v1/models": names, **own})
    assert (found["model"].status, found["context"].status) == ("pass", "fail")
    assert "4,096 tokens" in found["context"].text
    assert setting in found["context"].fix
    if own is OLLAMA:
        assert "cut off silently" in found["context"].text
        assert "[models.m]\nbase_url = " in found["context"].fix
        assert 'dialect = "ollama"\ncontext_window = 16384' in found["context"].fix


@pytest.mark.parametrize(("own", "_context", "setting", "said"), SERVERS, ids=IDS)
async def test_tools_that_the_server_refuses_and_the_setting_that_allows_them(
    own: Mapping[str, Raw], _context: str, setting: str, said: str
) -> None:
    def refuse(request: Request) -> Answer:
        status, _, words = said.partition(" ")
        return Failure(int(status), words) if "tools" in request.body else Reply("ready")

    found = await findings(refuse, pages={**GOOD, **own})
    assert (found["model"].status, found["tools"].status) == ("pass", "fail")
    assert setting in found["tools"].fix


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Reply('<tool_call>{"name": "report"}</tool_call>'), "fail"),
        (Reply("I am ready."), "warn"),
        (Reply(calls=[("report", {"text": 1})]), "warn"),
        (Reply(calls=[("other", {"word": "ready"})]), "warn"),
    ],
)
async def test_a_model_that_does_not_call_the_tool_as_it_should(reply: Reply, status: str) -> None:
    assert (await findings([reply]))["tools"].status == status


async def test_context_of_the_server_overrides_the_configured_one() -> None:
    found = await findings(pages={**GOOD, **OLLAMA}, context_window=128_000)
    assert found["context"].status == "fail"
    assert "gives 4,096 tokens, not the 128,000" in found["context"].text
    assert found["context"].fix.endswith("Or set context_window = 4096.")


@pytest.mark.parametrize(("window", "status"), [(8_191, "fail"), (8_192, "warn"), (16_384, "pass")])
async def test_how_much_context_is_enough(window: int, status: str) -> None:
    bare = {"/v1/models": page({"data": [{"id": "large"}]})}
    assert (await findings(pages=bare, context_window=window))["context"].status == status


async def test_unknown_context_and_one_that_is_full_at_once() -> None:
    bare = {"/v1/models": page({"data": [{"id": "large"}]})}
    unknown = (await findings(pages=bare, table="m"))["context"]
    assert (unknown.status, unknown.fix) == ("warn", "Write context_window = 16384 into [models.m].")
    full = Failure(
        400, "This model's maximum context length is 256 tokens. However, you requested 300 tokens"
    )
    assert (await findings([full]))["context"].text.startswith("The context is 256 tokens")


async def test_an_empty_answer_is_a_context_that_is_too_small() -> None:
    found = await findings([Raw([])], pages={**GOOD, **LMSTUDIO})
    assert (found["endpoint"].status, found["context"].status) == ("pass", "fail")
    assert "--context-length 16384" in found["context"].fix


@pytest.mark.parametrize("status", [429, 503, 500])
async def test_a_server_that_is_busy_now_is_a_warning(status: int) -> None:
    assert (await findings([Failure(status, "come back later")]))["endpoint"].status == "warn"


async def test_a_model_that_takes_too_long() -> None:
    found = await findings([Raw(begin="hang")], seconds=0.3)
    assert (found["endpoint"].status, found["model"].status) == ("pass", "fail")
    assert "[doctor] seconds" in found["model"].fix


async def test_redirect_is_reported_and_not_followed() -> None:
    there = Raw(status=308, headers={"Location": "https://elsewhere.example/v1"})
    found = await findings([there], pages={"/v1/models": there})
    assert found["endpoint"].status == "fail"
    assert "change base_url" in found["endpoint"].fix


# --- proxies and certificates ----------------------------------------------------------------------


async def through_a_proxy(proxy: str, monkeypatch: pytest.MonkeyPatch) -> Sequence[Finding]:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    for name in ("http_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    endpoint = Endpoint(name="m", model="large", base_url="http://model.invalid/v1", api_key=KEY)
    connections = Connections()
    try:
        return await probe(endpoint, connections, 20.0)
    finally:
        await connections.aclose()


async def test_a_proxy_that_lets_everything_through(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"http://model.invalid/v1/models": page(WINDOW)}
    async with ModelServer([CALL], pages=pages) as proxy:
        found = await through_a_proxy(proxy.url.removesuffix("/v1"), monkeypatch)
    assert {one.status for one in found} == {"pass"}


@pytest.mark.parametrize(
    ("answer", "fix"),
    [
        (Raw([b"<html>Log in to the network"]), "A login page is in between"),
        (Failure(407, "who are you?").raw(), "HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT"),
    ],
)
async def test_a_proxy_in_the_way(monkeypatch: pytest.MonkeyPatch, answer: Raw, fix: str) -> None:
    async with ModelServer(pages={"http://model.invalid/v1/models": answer}) as proxy:
        (found,) = await through_a_proxy(proxy.url.removesuffix("/v1"), monkeypatch)
    assert (found.topic, found.status) == ("endpoint", "fail")
    assert fix in found.fix


async def test_a_proxy_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ModelServer() as proxy:
        gone = proxy.url
    (found,) = await through_a_proxy(gone.removesuffix("/v1"), monkeypatch)
    assert found.status == "fail"
    assert "the proxy" in found.fix


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificate")
async def test_untrusted_certificate(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subject = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    made = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject)
    subprocess.run(
        ["openssl", *made, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True
    )
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate, key)
    async with ModelServer([CALL], pages=GOOD, tls=tls) as server, Asking() as asking:
        endpoint = Endpoint(name="m", model="large", base_url=server.url)
        (found,) = await probe(endpoint, asking.connections)
    assert (found.topic, found.status) == ("endpoint", "fail")
    assert "SSL_CERT_FILE" in found.fix


# --- other dialects --------------------------------------------------------------------------------


async def test_ollamas_own_dialect_asks_for_the_context_it_needs() -> None:
    call = {"function": {"name": "report", "arguments": {"word": "ready"}}}
    line = {"message": {"content": "", "tool_calls": [call]}, "done": True, "done_reason": "stop"}
    whole = Raw([json.dumps(line).encode() + b"\n"], headers={"Content-Type": "application/x-ndjson"})
    tags = page({"models": [{"name": "large:latest"}]})
    running = page({"models": [{"name": "large:latest", "context_length": 16384}]})
    pages = {"/api/tags": tags, "/api/ps": running}
    found = await findings([whole], pages=pages, dialect="ollama", context_window=16384)
    assert {one.status for one in found.values()} == {"pass"}
