"""Amazon's binary event streams: read whole, in random pieces, cut off, damaged."""

import json
import random
from typing import Any

import pytest
from botocore.eventstream import EventStreamBuffer

from agls.models.clouds import aws, google
from agls.models.errors import CallFailed
from agls.models.http import event_stream
from agls.models.http.event_stream import DAMAGED, FrameReader
from agls.models.http.sse import BodyTooLarge
from support.amazon import STREAM, chunk, exception, frame, framed
from support.model_asking import ONCE, Asking, hear
from support.model_faults import HELLO, check_hello
from support.model_replies import scattered
from support.model_server import ModelServer, Raw

BODY = b"".join(framed(HELLO.events("anthropic")).pieces)
OTHER = frame({":event-type": "initial-response", ":message-type": "event"}, b"{}")


def test_frames_of_these_tests_are_what_amazons_own_library_reads() -> None:
    buffer = EventStreamBuffer()
    buffer.add_data(BODY + OTHER + exception("throttlingException", "slow"))
    kinds = [event.headers.get(":event-type", event.headers.get(":exception-type")) for event in buffer]
    assert kinds == ["chunk"] * len(HELLO.events("anthropic")) + ["initial-response", "throttlingException"]


@pytest.mark.parametrize("seed", range(20))
async def test_answer_in_frames_is_read_wherever_its_bytes_are_cut(seed: int) -> None:
    async with (
        ModelServer([Raw(scattered(BODY + OTHER, seed), headers=STREAM)]) as server,
        Asking() as asking,
    ):
        check_hello(await hear(asking.model(server.url, ONCE, dialect="anthropic", service="bedrock")))


async def test_answer_in_frames_that_breaks_off_anywhere_is_no_answer() -> None:
    rng = random.Random(7)
    last = len(chunk(HELLO.events("anthropic")[-1].removeprefix(b"data: ").strip()))
    async with ModelServer() as server, Asking() as asking:
        for end in [0, 1, len(BODY) - last, *(rng.randrange(len(BODY) - 1) for _ in range(30))]:
            server.add(Raw([BODY[:end]], headers=STREAM))
            heard = await hear(asking.model(server.url, ONCE, dialect="anthropic", service="bedrock"))
            assert heard.reply is None
            assert heard.error and heard.error.kind == "network"


@pytest.mark.parametrize("at", [0, 9, 14, 60, -1])
async def test_damaged_frame_is_reported_and_ignored(at: int) -> None:
    damaged = bytearray(BODY)
    damaged[at] ^= 1
    async with ModelServer([Raw([bytes(damaged)], headers=STREAM)]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, ONCE, dialect="anthropic", service="bedrock"))
    assert heard.reply is None
    assert heard.error and heard.error.kind in {"providerInternal", "network"}


@pytest.mark.parametrize(
    ("last", "kind"),
    [
        (exception("throttlingException", "Too many tokens"), "rateLimit"),
        (exception("modelTimeoutException", "late"), "timeout"),
        (exception("serviceUnavailableException", "busy"), "overloaded"),
        (exception("internalServerException", "oops"), "providerInternal"),
        (exception("validationException", "wrong"), "badRequest"),
        (exception("accessDeniedException", "no"), "auth"),
        (exception("resourceNotFoundException", "gone"), "modelNotFound"),
        (
            frame({":message-type": "error", ":error-code": "InternalError", ":error-message": "oops"}, b""),
            "providerInternal",
        ),
    ],
)
async def test_exception_in_a_stream_is_sorted(last: bytes, kind: str) -> None:
    async with ModelServer([framed(HELLO.events("anthropic")[:2], last)]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, ONCE, dialect="anthropic", service="bedrock"))
    assert heard.text and heard.error and heard.error.kind == kind


async def test_overflow_of_bedrock_is_one() -> None:
    refused = Raw([json.dumps({"message": "Input is too long for requested model."}).encode()], 400)
    async with ModelServer([refused]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, ONCE, dialect="anthropic", service="bedrock"))
    assert heard.overflow


def test_frame_larger_than_any_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "LARGEST", 100)
    with pytest.raises(BodyTooLarge):
        FrameReader().feed(BODY)


@pytest.mark.parametrize(
    "payload", [b"not json", b"[1]", b'{"bytes": "***"}', b'{"bytes": 5}', b'{"bytes": "' + b"[" * 99 + b'"}']
)
def test_payload_that_makes_no_sense_is_no_event_of_a_model(payload: bytes) -> None:
    events = FrameReader().feed(frame({":event-type": "chunk", ":message-type": "event"}, payload))
    assert events in ([DAMAGED], [event_stream.ServerEvent("", "")])


def test_headers_of_every_type_are_skipped() -> None:
    known = b"\x01a\x00" + b"\x01b\x04\x00\x00\x00\x01" + b"\x01c\x06\x00\x02xy" + b"\x01d\x07\x00\x01z"
    assert event_stream._headers(known) == {"d": "z"}
    assert event_stream._headers(known + b"\x01e\x63rest") == {"d": "z"}


@pytest.mark.parametrize("module", [aws, google])
async def test_library_that_is_missing_is_named_with_the_way_to_install_it(
    module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    credential = aws.AwsSignature("r", "") if module is aws else google.GoogleToken()
    with pytest.raises(CallFailed) as failed:
        await credential.sign("POST", "https://h/x", {}, b"")
    assert failed.value.kind == "auth"
    assert "pip install 'agls[" in failed.value.hint
    assert credential.secrets == ()
