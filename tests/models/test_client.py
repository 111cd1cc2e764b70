"""A model over real sockets, with everything that can go wrong between here and there."""

import asyncio
import gzip
import json
import logging
import shutil
import ssl
import subprocess
from contextlib import aclosing
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest

from agls.engine.facts import Overflowed, TextDelta
from agls.engine.vocabulary import ToolCall, Usage
from agls.models import client
from agls.models.http import connections
from agls.models.http.connections import Connections
from agls.models.retry import RetryPolicy
from support.model_asking import Asking, hear, prompt
from support.model_replies import Request, scattered, sse
from support.model_server import NO_REPLY_LEFT, Failure, ModelServer, Raw, Reply
from support.patience import PATIENCE, TRIES, within

pytestmark = pytest.mark.promise("P10")

QUICK = RetryPolicy(tries=3, first=0.01)
KEY = "sk-canary-1234567890"
HTML = Raw([b"<!doctype html><title>Log in</title>"], headers={"Content-Type": "text/html"})


def chunk(text: str, finish: str | None = None) -> bytes:
    return sse({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]})


async def test_text_thinking_calls_and_usage_arrive() -> None:
    reply = Reply(
        "Hello, wörld 😀", thinking="hm", calls=[("read", {"path": "a"}), ("list", {})], usage=(7, 3)
    )
    async with ModelServer([reply]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url))
    assert heard.reply
    assert (
        (heard.text, heard.thinking) == ("Hello, wörld 😀", "hm") == (heard.reply.text, heard.reply.thinking)
    )
    calls = (ToolCall("call_1_0", "read", {"path": "a"}), ToolCall("call_1_1", "list", {}))
    assert (heard.reply.tool_calls, heard.reply.finish) == (calls, "tool_calls")
    assert (heard.reply.usage, heard.reply.item_id, heard.reply.model) == (Usage(7, 3), "item_reply", "")


async def test_a_server_that_does_not_stream_is_understood() -> None:
    whole = Reply("all at once", calls=[("f", {"x": 1})], thinking="hm").raw(Request("POST", "/", {}, b""), 1)
    async with ModelServer([whole]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url))
    assert heard.reply
    assert (heard.text, heard.thinking, heard.reply.tool_calls[0].name) == ("all at once", "hm", "f")


async def test_the_key_and_the_headers_go_to_the_configured_host() -> None:
    async with ModelServer([Reply("x")]) as server, Asking() as asking:
        await hear(asking.model(server.url, api_key=f" {KEY}\n", headers={"X-Title": "agls"}))
    request = server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["x-title"] == "agls"
    assert request.headers["user-agent"].startswith("agls/")
    assert request.body["model"] == "test-model"


async def test_without_a_key_no_authorization_is_sent() -> None:
    async with ModelServer([Reply("x")]) as server, Asking() as asking:
        await hear(asking.model(server.url))
    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize("key", ["sk-ünicode-12345", "sk-new\nline-12345"])
async def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    async with Asking() as asking:
        named = await hear(asking.model("http://127.0.0.1:9/v1", api_key=key, key_variable="MY_KEY"))
        plain = await hear(asking.model("http://127.0.0.1:9/v1", api_key=key))
    assert named.error and plain.error
    assert (named.error.kind, named.error.hint) == ("auth", "Check the environment variable MY_KEY.")
    assert key not in str(named.error) + plain.error.hint


async def test_one_connection_serves_the_turns_of_a_session() -> None:
    late = Raw([chunk("two", "stop"), b"data: [DONE]\n\n", b": bye\n\n"], delay=0.01)
    replies = [Reply("one"), late, Failure(400, "x"), Reply("three")]
    async with ModelServer(replies) as server, Asking() as asking:
        model = asking.model(server.url)
        for _ in range(4):
            await hear(model)
    assert server.connections == 1


@pytest.mark.parametrize("ending", ["close", "reset"])
async def test_a_kept_connection_that_the_server_closed_costs_no_wait(
    ending: Literal["close", "reset"],
) -> None:
    replies = [Reply("one"), Raw(begin=ending), Reply("two"), Raw(then=ending), Reply("three")]
    async with ModelServer(replies) as server, Asking() as asking:
        model = asking.model(server.url, QUICK)
        assert (await hear(model)).text == "one"
        second = await hear(model)
        third = await hear(model)
    assert (second.text, second.waits) == ("two", [])
    assert (third.text, len(third.waits)) == ("three", 1)  # the head of that answer was there
    assert server.requests[1].body == server.requests[2].body
    assert server.connections == 3


@pytest.mark.row(3)
async def test_deltas_arrive_while_the_server_is_still_speaking() -> None:
    """The first words are there before the last byte is sent."""
    async with ModelServer([Reply(["one", "two"], delay=0.05)]) as server, Asking() as asking:
        parts = asking.model(server.url).stream(prompt())
        assert await anext(parts) == TextDelta("item_reply", "one")
        assert not server.requests[0].closed.is_set()
        await parts.aclose()


@pytest.mark.row(9)
async def test_temporary_failure_is_retried_and_each_wait_is_reported() -> None:
    """A dropped connection and a busy server; the third try is answered."""
    replies = [Raw(begin="reset"), Failure(429, "slow", headers={"retry-after-ms": "20"}), Reply("there")]
    async with ModelServer(replies) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, QUICK))
    assert heard.text == "there"
    assert [wait.attempt for wait in heard.waits] == [1, 2]
    assert heard.waits[1].delay >= 0.02
    assert "broke off" in heard.waits[0].cause and "slow" in heard.waits[1].cause
    assert server.requests[0].body == server.requests[2].body


async def test_event_that_is_no_json_is_shown_and_the_answer_asked_for_again() -> None:
    bad = Raw([chunk("half"), b'data: {"choices": [oops]}\n\n', chunk("more", "stop"), b"data: [DONE]\n\n"])
    async with ModelServer([bad, Reply("there")]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, QUICK))
    assert 'sent an event that is no JSON: {"choices": [oops]}' in heard.waits[0].cause


@pytest.mark.row(9)
async def test_a_server_that_says_nothing_is_asked_again() -> None:
    """Twice silent for too long, then an answer (more of them: a busy machine may miss the first)."""
    replies = [Raw(begin="hang"), Raw([], then="hang"), *[Reply("there")] * 20]
    async with ModelServer(replies) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, RetryPolicy(tries=20, first=0.01), idle_timeout=0.4))
    assert heard.text == "there"
    assert [wait.cause for wait in heard.waits[:2]] == ["test was silent for 0.4 seconds."] * 2


@pytest.mark.row(9)
@pytest.mark.parametrize("status", [408, 409, 500, 502, 503, 529])
async def test_server_trouble_is_tried_again(status: int) -> None:
    """Every status that may pass."""
    async with ModelServer([Failure(status), Reply("ok")]) as server, Asking() as asking:
        assert (await hear(asking.model(server.url, QUICK))).text == "ok"


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (Failure(401, "wrong key"), "auth"),
        (Failure(429, "spent", code="insufficient_quota"), "quota"),
        (Failure(400, "no such field"), "badRequest"),
        (Failure(429, "later", headers={"Retry-After": "315360000"}), "rateLimit"),
        (HTML, "network"),
        (Raw([b"oops"], 404, {"Content-Type": "text/plain"}), "badRequest"),
    ],
)
async def test_permanent_failure_is_reported_without_a_retry(failure: Any, kind: str) -> None:
    async with ModelServer([failure]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, QUICK))
    assert heard.error
    assert (heard.error.kind, len(server.posts), heard.waits) == (kind, 1, [])


async def test_an_unknown_model_is_answered_with_the_models_there_are() -> None:
    replies = [Failure(404, "The model `test-model` does not exist", code="model_not_found")]
    async with ModelServer(replies, models=["test-model-2", "other"]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url))
    assert heard.error
    assert heard.error.kind == "modelNotFound"
    assert "The server has: test-model-2, other." in heard.error.hint


@pytest.mark.parametrize("listing", [Raw([b"<html>"]), Raw(begin="reset"), Raw([b"[]"])])
async def test_unknown_model_is_reported_even_without_a_list(listing: Raw) -> None:
    replies = [Failure(404, "no such model")]
    async with ModelServer(replies, pages={"/v1/models": listing}) as server, Asking() as asking:
        heard = await hear(asking.model(server.url))
    assert heard.error and heard.error.kind == "modelNotFound"


@pytest.mark.parametrize(("said", "window"), [(None, 4096), (9000, 9000)])
async def test_the_size_that_an_overflow_names_counts_from_then_on(said: int | None, window: int) -> None:
    words = "request (8516 tokens) exceeds the available context size (4096 tokens), try increasing it"
    async with ModelServer([Failure(400, words)]) as server, Asking() as asking:
        model = asking.model(server.url, context_window=said)
        assert model.info.context_window == said
        assert (await hear(model)).overflow == Overflowed(words, 4096, 8516)
        assert model.info.context_window == window, "what the user said counts more"


async def test_an_overflow_is_an_answer_not_an_error() -> None:
    text = "This model's maximum context length is 100 tokens. However, you requested 120 tokens"
    in_stream = Raw([sse({"error": {"message": text, "code": 400}})])
    async with ModelServer([Failure(400, text), in_stream]) as server, Asking() as asking:
        for _ in range(2):
            heard = await hear(asking.model(server.url, QUICK))
            assert heard.overflow == Overflowed(text, 100, 120)


@pytest.mark.parametrize("words", [{"content": "so far"}, {"reasoning": "so far"}])
async def test_error_after_the_first_words_is_waited_for_once(words: Any) -> None:
    begun = sse({"choices": [{"index": 0, "delta": words}]})
    bad = Raw([begun, sse({"error": {"message": "overloaded", "code": 503}})])
    async with ModelServer([bad, bad, Reply("whole")]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, QUICK))
    assert heard.error and heard.error.kind == "overloaded"
    assert (heard.text + heard.thinking, len(heard.waits), len(server.posts)) == ("so far" * 2, 1, 2)


async def test_an_error_in_the_stream_before_the_first_words_is_waited_for() -> None:
    role = sse({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})
    bad = Raw([role, sse({"error": {"message": "overloaded", "code": 503}})])
    async with ModelServer([bad, Reply("whole")]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, QUICK))
    assert (heard.text, [wait.attempt for wait in heard.waits]) == ("whole", [1])


async def test_permanent_error_after_the_first_words_is_reported_at_once() -> None:
    bad = Raw([chunk("so far"), sse({"error": {"message": "no", "code": "insufficient_quota"}})])
    async with ModelServer([bad]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, QUICK))
    assert heard.error
    assert (heard.text, heard.error.kind, heard.error.status) == ("so far", "quota", None)
    assert len(server.requests) == 1


@pytest.mark.parametrize("then", ["reset", "close", "end"])
async def test_a_stream_that_breaks_off_is_never_whole(then: Any) -> None:
    for cut in range(4):
        reply = Reply("text", calls=[("f", {"x": 1})], cut_after=cut, then=then, fragment=100)
        async with ModelServer([reply]) as server, Asking() as asking:
            heard = await hear(asking.model(server.url))
        assert heard.error and heard.error.kind == "network"
        assert heard.reply is None


async def test_a_connection_that_breaks_after_the_finish_takes_nothing_back() -> None:
    async with ModelServer([Raw([chunk("all", "stop")], then="close")]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url))
    assert heard.reply and heard.reply.text == "all"


async def test_unknown_figures_of_a_model_are_requested_from_its_server_once() -> None:
    listed = {"id": "test-model", "pricing": {"prompt": "0.000001", "completion": "0.000002"}}
    pages = {
        "/props": Raw([b'{"default_generation_settings": {"n_ctx": 6144}}']),
        "/v1/models": Raw([json.dumps({"data": [listed]}).encode()]),
    }
    async with ModelServer([Reply("one"), Reply("two")], pages=pages) as server, Asking() as asking:
        model = asking.model(server.url)
        assert model.info.context_window is None
        await hear(model)
        assert (model.info.context_window, model.info.input_price, model.info.output_price) == (6144, 1, 2)
        asked = len(server.requests)
        await hear(model)
        assert len(server.requests) == asked + 1


async def test_a_server_that_says_nothing_of_a_model_leaves_it_unknown() -> None:
    async with ModelServer([Reply("one"), Reply("two")]) as server, Asking() as asking:
        known, unknown = asking.model(server.url, context_window=99), asking.model(server.url)
        await hear(known)
        assert len(server.requests) == 1, "what the user said is not asked"
        await hear(unknown)
        assert (known.info.context_window, unknown.info.context_window) == (99, None)


async def test_a_server_that_never_closes_after_done_does_not_hold_the_reply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client, "LINGER", 0.02)
    async with (
        ModelServer([Raw([chunk("all", "stop"), b"data: [DONE]\n\n"], then="hang")]) as server,
        Asking() as asking,
    ):
        heard = await asyncio.wait_for(hear(asking.model(server.url)), PATIENCE)
        assert heard.reply and heard.reply.text == "all"
        assert await server.closed(0)


async def test_cancelling_in_the_middle_closes_the_connection_at_once() -> None:
    hanging = Reply("a lot", cut_after=2, then="hang")
    async with ModelServer([hanging] * TRIES) as server, Asking() as asking:
        for watch in within(0.2):
            async with aclosing(asking.model(server.url).stream(prompt())) as parts:
                await anext(parts)
                task = asyncio.ensure_future(anext(parts))
                await asyncio.sleep(0)  # it waits
                with watch:
                    task.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await task
                    assert await server.closed()


async def test_leaving_the_stream_closes_the_connection() -> None:
    async with ModelServer([Reply("a lot of text", fragment=1, delay=0.01)]) as server, Asking() as asking:
        async with aclosing(asking.model(server.url).stream(prompt())) as parts:
            await anext(parts)
        assert await server.closed()


@pytest.mark.parametrize("silent", [Raw(begin="hang"), Raw([chunk("so")], then="hang")])
async def test_a_silent_server_is_given_up_after_the_idle_time(silent: Raw) -> None:
    async with ModelServer([silent]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, idle_timeout=0.1))
        assert heard.error and heard.error.kind == "timeout"
        assert "0.1 seconds" in str(heard.error)
        assert await server.closed()


async def test_slow_server_that_keeps_sending_is_not_given_up() -> None:
    pieces = [b": still working\n\n"] * 6 + [chunk("done", "stop")]
    async with ModelServer([Raw(pieces, delay=0.05)] * TRIES) as server, Asking() as asking:
        heard = [await hear(asking.model(server.url, idle_timeout=0.2))]
        while heard[-1].error and len(heard) < TRIES:  # a machine that stood still for so long
            heard.append(await hear(asking.model(server.url, idle_timeout=0.2)))
        assert heard[-1].text == "done"


async def test_a_server_that_never_comes_to_an_end_is_given_up_after_the_whole_time() -> None:
    dripping = Raw([b": still working\n\n"] * 1000, delay=0.02)
    async with ModelServer([dripping, Raw(begin="hang")]) as server, Asking() as asking:
        for _ in range(2):
            heard = await hear(asking.model(server.url, QUICK, idle_timeout=60.0, timeout=0.3))
            assert heard.error and heard.error.kind == "timeout"
            assert "0.3 seconds" in str(heard.error) and "timeout" in heard.error.hint
            assert heard.waits == []
            assert await server.closed()


async def test_unreachable_server_is_reported_with_its_address() -> None:
    server = ModelServer().start()
    server.stop()
    async with Asking() as asking:
        heard = await hear(asking.model(server.url, QUICK))
    assert heard.error and heard.error.kind == "network"
    assert server.url in str(heard.error)
    assert "Is the server running?" in heard.error.hint
    assert heard.waits == []


async def test_invalid_address_is_reported() -> None:
    async with Asking() as asking:
        for url in ("nonsense", "ftp://host/v1", "http://[bad/v1", "http://host:port/v1"):
            heard = await hear(asking.model(url))
            assert heard.error and heard.error.kind in {"badRequest", "network"}
            assert "base_url" in heard.error.hint


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed_and_the_key_goes_nowhere(status: int) -> None:
    async with ModelServer([Reply("caught you")]) as thief:
        away = Raw((), status, {"Location": thief.url + "/chat/completions"})
        async with ModelServer([away]) as server, Asking() as asking:
            heard = await hear(asking.model(server.url, QUICK, api_key=KEY))
    assert heard.error and thief.url in str(heard.error)
    assert thief.requests == []
    assert thief.connections == 0


async def test_a_compressed_answer_is_read() -> None:
    body = gzip.compress(chunk("squeezed", "stop"))
    async with (
        ModelServer([Raw(scattered(body, 3), headers={"Content-Encoding": "gzip"})]) as server,
        Asking() as asking,
    ):
        assert (await hear(asking.model(server.url))).text == "squeezed"
    assert server.requests[0].headers["accept-encoding"] == "identity"


async def test_undecodable_compressed_bytes_are_reported() -> None:
    async with (
        ModelServer([Raw([b"no gzip"], headers={"Content-Encoding": "gzip"})]) as server,
        Asking() as asking,
    ):
        heard = await hear(asking.model(server.url))
    assert heard.error and heard.error.kind == "providerInternal"


async def test_a_compressed_bomb_and_an_endless_stream_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = Raw([gzip.compress(b"data: " + b"x" * 11_000_000)], headers={"Content-Encoding": "gzip"})
    endless = Raw([chunk("x" * 1000)] * 100, then="hang")
    async with ModelServer([bomb, endless]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url))
        monkeypatch.setattr(client, "LARGEST_ANSWER", 50_000)
        more = await hear(asking.model(server.url))
        assert await server.closed()
    for each in (heard, more):
        assert each.error and "more than an answer can be" in str(each.error)


async def test_an_endless_error_is_read_only_at_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LARGEST_ERROR", 1000)
    async with ModelServer([Raw([b"x" * 900] * 3, 400, then="hang")]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url))
    assert heard.error and heard.error.kind == "badRequest"


@pytest.mark.parametrize("together", [1, 16])
async def test_burst_arrives_whole_with_one_delta_for_each_read(together: int) -> None:
    events = [*(chunk(f"{n} ") for n in range(5000)), chunk("", "stop")]
    joined = [b"".join(events[at : at + together]) for at in range(0, len(events), together)]
    body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (*joined, b""))

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server, Asking() as asking:
        port = server.sockets[0].getsockname()[1]
        heard = await hear(asking.model(f"http://127.0.0.1:{port}/v1"))
    assert heard.text == "".join(f"{n} " for n in range(5000))
    assert heard.deltas < 100


async def test_text_that_utf8_cannot_encode_is_sent_with_replacements() -> None:
    async with ModelServer([Reply("x")]) as server, Asking() as asking:
        assert (await hear(asking.model(server.url), prompt("lone \ud83d half"))).text == "x"
    assert server.requests[0].body["messages"][-1]["content"] == "lone \ufffd half"


async def test_the_key_is_nowhere_in_errors_and_logs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    replies = [Failure(401, f"Incorrect API key provided: {KEY}."), Raw(begin="reset"), Raw(begin="hang")]
    async with ModelServer(replies) as server, Asking() as asking:
        model = asking.model(server.url, api_key=KEY, idle_timeout=0.05)
        told = [await hear(model) for _ in replies]
    shown = "".join(f"{heard.error!r}{heard.error}{heard.error and heard.error.hint}" for heard in told)
    assert KEY not in shown + repr(model) + caplog.text
    assert all(heard.error and heard.error.__cause__ is None for heard in told)


async def test_the_environment_decides_about_proxies_but_not_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    async with ModelServer([Reply("direct")]) as server, Asking() as asking:
        assert (await hear(asking.model(server.url))).text == "direct"
        away = await hear(asking.model("http://host.invalid/v1"))
    assert away.error and away.error.kind == "network"


async def test_a_proxy_carries_what_is_not_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ModelServer([Reply("through"), Failure(502, "no route")]) as proxy, Asking() as asking:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        assert (await hear(asking.model("http://model.invalid/v1"))).text == "through"
    assert proxy.requests[0].path == "http://model.invalid/v1/chat/completions"


async def test_a_host_in_no_proxy_is_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ModelServer([Reply("through")]) as proxy, Asking() as asking:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("NO_PROXY", "model.invalid")
        heard = await hear(asking.model("http://model.invalid/v1"))
    assert heard.error and "cannot be reached" in str(heard.error)
    assert proxy.requests == []


@pytest.fixture
def own_certificate(tmp_path: Path) -> Path:
    """A certificate that nobody trusts, for 127.0.0.1, with its key."""
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl here to make a certificate")
    made = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=own -addext subjectAltName=IP:127.0.0.1"
    into = ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")]
    subprocess.run(["openssl", *made.split(), *into], check=True, capture_output=True, timeout=30)
    return tmp_path / "cert.pem"


async def test_own_certificate_is_trusted_when_the_user_configured_it(
    own_certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(own_certificate, own_certificate.with_name("key.pem"))
    async with ModelServer([Reply("safe")], tls=tls) as server:
        async with Asking(fresh=True) as asking:
            refused = await hear(asking.model(server.url, QUICK))
        assert refused.error and "SSL_CERT_FILE" in refused.error.hint
        assert (refused.waits, server.requests) == ([], [])
        monkeypatch.setenv("SSL_CERT_FILE", str(own_certificate))
        async with Asking(fresh=True) as asking:
            assert (await hear(asking.model(server.url))).text == "safe"


def test_certificates_are_checked_against_the_trust_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[ssl.SSLContext] = []

    def load(trusted: ssl.SSLContext) -> None:
        loaded.append(trusted)

    monkeypatch.setattr(ssl.SSLContext, "load_default_certs", load)
    trusted = connections.system_trust()
    assert loaded == [trusted]
    assert trusted.cert_store_stats()["x509_ca"] > 0
    assert (trusted.verify_mode, trusted.check_hostname) == (ssl.CERT_REQUIRED, True)


async def test_server_without_encryption_is_asked_without_reading_certificates(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """A model on this machine: certificates would take as long as the rest of the first request."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "nothing.pem"))
    async with ModelServer([Reply("plain")]) as server, Asking(fresh=True) as asking:
        assert (await hear(asking.model(server.url))).text == "plain"


async def test_certificates_that_cannot_be_loaded_are_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    broken = tmp_path / "ca.pem"
    broken.write_text("no certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(broken))
    async with Asking(fresh=True) as asking:
        heard = await hear(asking.model("https://127.0.0.1:9/v1"))
    assert heard.error and "SSL_CERT_FILE" in heard.error.hint
    assert str(broken) not in str(heard.error)


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED]"), "network", "SSL_CERT_FILE"),
        (httpx.ConnectTimeout(""), "network", "base_url"),
        (httpx.ProxyError("407 no"), "network", "NAME:PASSWORD"),
        (httpx.ProxyError("502 no"), "network", "NO_PROXY"),
    ],
)
def test_network_error_gets_a_hint_that_says_what_to_do(error: Exception, kind: str, words: str) -> None:
    endpoint = connections.Endpoint(name="m", base_url="https://host.example/v1")
    with pytest.raises(connections.CallFailed) as caught, connections.failures_raised(endpoint):
        raise error
    assert caught.value.kind == kind
    assert words in caught.value.hint


async def test_a_pool_that_was_never_used_closes_and_a_closed_one_opens_again() -> None:
    pool = Connections()
    await pool.aclose()
    async with ModelServer([Reply("a"), Reply("b")]) as server, Asking() as asking:
        model = asking.model(server.url)
        assert (await hear(model)).text == "a"
        await asking.connections.aclose()
        assert (await hear(model)).text == "b"
        assert model.info.name == "test"


async def test_the_scripted_server_says_when_it_has_no_reply_left() -> None:
    async with ModelServer() as server, Asking() as asking:
        heard = await hear(asking.model(server.url))
    assert heard.error and NO_REPLY_LEFT in str(heard.error)
    assert json.loads(server.requests[0].content)["stream"] is True
