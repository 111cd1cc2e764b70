"""Hostile and clumsy bytes on standard input: an answer or a clean end, never a hang."""

import json
import time

import pytest

from support.wire import Wire, frame

GOOD = {"jsonrpc": "2.0", "id": 77, "method": "agent/status", "params": {}}


def alive(wire: Wire) -> None:
    """The stream goes on: a request is answered."""
    response = wire.ask("agent/nothing")
    assert response["error"]["code"] in {-32601, -32002}


UNTRUSTED = {
    "length 10^13": b"Content-Length: 10000000000000\r\n\r\n{}",
    "length 10^30": b"Content-Length: 1" + b"0" * 30 + b"\r\n\r\n{}",
    "length of 5,000 digits": b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n{}",
    "negative length": b"Content-Length: -1\r\n\r\n{}",
    "signed length": b"Content-Length: +2\r\n\r\n{}",
    "hexadecimal length": b"Content-Length: 0x2\r\n\r\n{}",
    "empty length": b"Content-Length:\r\n\r\n{}",
    "no length": b"Content-Type: x\r\n\r\n{}",
    "LF only": b"Content-Length: 2\n\n{}",
    "lengths that differ": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a header of 9 KB": b"X: " + b"a" * 9_000 + b"\r\nContent-Length: 2\r\n\r\n{}",
    "an endless header line": b"X: " + b"a" * 20_000,
    "no header at all": b'{"jsonrpc":"2.0"}',
    "a header without a name": b": 2\r\n\r\n{}",
    "a folded header": b"Content-Length: 2\r\n  3\r\n\r\n{}",
    "NUL": b"Content-\0Length: 2\r\n\r\n{}",
    "length too short": frame(GOOD).replace(b": 6", b": 2", 1)[:30] + b'c":"2.0"}' + frame(GOOD),
}


@pytest.mark.parametrize("greeted", [False, True], ids=["before initialize", "after"])
@pytest.mark.parametrize("data", UNTRUSTED.values(), ids=UNTRUSTED.keys())
def test_a_frame_that_cannot_be_trusted_ends_the_process_within_a_second(
    bare: Wire, data: bytes, greeted: bool
) -> None:
    if greeted:
        bare.initialize()
        bare.call("agent/session/list")
    begun = time.monotonic()
    bare.write(data)
    error = bare.until(lambda m: m.get("id", 0) is None)["error"]
    assert error["code"] == -32700
    assert error["data"]["kind"] == "parseError"
    assert bare.exit_code() == 1
    assert time.monotonic() - begun < 1.5
    assert "Traceback" not in bare.errors()


ACCEPTED = {
    "lower case": b"content-length: %d\r\n\r\n%b",
    "no space": b"Content-Length:%d\r\n\r\n%b",
    "many spaces": b"Content-Length: \t %d \r\n\r\n%b",
    "Content-Type first": b"Content-Type: x/y; charset=utf-8\r\nContent-Length: %d\r\n\r\n%b",
    "unknown header": b"X-Trace: a:b\r\nContent-Length: %d\r\n\r\n%b",
}


def test_harmless_variations_of_the_header_are_accepted(bare: Wire) -> None:
    for number, (name, form) in enumerate(ACCEPTED.items()):
        body = json.dumps({**GOOD, "id": name}).encode()
        bare.write(form % (len(body), body))
        assert bare.answer_of(name)["error"]["code"] == -32002, number
    body = json.dumps({**GOOD, "id": "twice"}).encode()
    bare.write(b"Content-Length: %d\r\nContent-Length: %d\r\n\r\n%b" % (len(body), len(body), body))
    assert bare.answer_of("twice")["error"]["code"] == -32002


NO_MESSAGE = {
    "empty": (b"", -32700),
    "bad JSON": (b"{", -32700),
    "bad UTF-8": (b'{"a":"\xff"}', -32700),
    "UTF-16": ('{"jsonrpc":"2.0"}'.encode("utf-16"), -32700),
    "NaN": (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN}}', -32700),
    "Infinity": (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":-Infinity}}', -32700),
    "a float beyond all floats": (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1e999}}', -32700),
    "nesting 100,000 deep": (b"[" * 100_000 + b"]" * 100_000, -32700),
    "a number of 5,000 digits": (b'{"a":' + b"9" * 5_000 + b"}", -32700),
    "batch": (json.dumps([GOOD]).encode(), -32600),
    "empty batch": (b"[]", -32600),
    "scalar": (b"1", -32600),
    "string": (b'"x"', -32600),
    "null": (b"null", -32600),
    "object without anything": (b"{}", -32600),
    "no jsonrpc": (b'{"method":"x","id":{}}', -32600),
    "wrong jsonrpc": (b'{"jsonrpc":"1.0","method":"x"}', -32600),
    "fractional id": (b'{"jsonrpc":"2.0","id":1.5,"method":"x"}', -32600),
    "object id": (b'{"jsonrpc":"2.0","id":{},"method":"x"}', -32600),
    "array id": (b'{"jsonrpc":"2.0","id":[],"method":"x"}', -32600),
    "boolean id": (b'{"jsonrpc":"2.0","id":true,"method":"x"}', -32600),
    "null id": (b'{"jsonrpc":"2.0","id":null,"method":"x"}', -32600),
    "method of no string": (b'{"jsonrpc":"2.0","method":1}', -32600),
    "response without result": (b'{"jsonrpc":"2.0","id":{}}', -32600),
}


def test_what_is_no_message_is_answered_and_the_stream_goes_on(bare: Wire) -> None:
    bare.initialize()
    for count, (name, (body, code)) in enumerate(NO_MESSAGE.items(), 1):
        bare.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        bare.until(lambda m, n=count: sum(x.get("id", 0) is None for x in bare.messages) == n)
        refusal = [m for m in bare.messages if m.get("id", 0) is None][-1]
        assert refusal["error"]["code"] == code, name
    alive(bare)
    assert not [m for m in bare.messages if m.get("method")], "no popup, ever"


def test_an_id_is_kept_in_the_refusal_where_it_can_be_used(bare: Wire) -> None:
    bare.send({"jsonrpc": "1.0", "id": "mine", "method": "x"})
    assert bare.answer_of("mine")["error"]["code"] == -32600


def test_a_message_over_the_limit_is_drained_and_refused(bare: Wire) -> None:
    bare.initialize()
    bare.write(b"Content-Length: 40000000\r\n\r\n")
    for _ in range(40):
        bare.write(b" " * 1_000_000)
    error = bare.until(lambda m: m.get("id", 0) is None)["error"]
    assert (error["code"], error["data"]["kind"]) == (-32600, "limitExceeded")
    alive(bare)


def test_a_large_message_is_answered(bare: Wire) -> None:
    bare.initialize()
    response = bare.ask("agent/nothing", {"text": "x" * 5_000_000})
    assert response["error"]["code"] == -32601


def test_frames_may_arrive_in_any_pieces(bare: Wire) -> None:
    bare.initialize()
    bytewise = frame({**GOOD, "id": "slow", "method": "agent/nothing"})
    for index in range(len(bytewise)):
        bare.write(bytewise[index : index + 1])
    assert bare.answer_of("slow")["error"]["code"] == -32601
    bare.write(frame({**GOOD, "id": "a", "method": "n"}) + frame({**GOOD, "id": "b", "method": "n"}))
    assert bare.answer_of("a")
    assert bare.answer_of("b")


def test_half_a_frame_at_the_end_is_an_end(bare: Wire) -> None:
    bare.initialize()
    bare.write(frame(GOOD)[:40])
    assert bare.process.stdin
    bare.process.stdin.close()
    assert bare.exit_code() == 0


def test_lone_surrogates_do_not_break_the_stream(bare: Wire) -> None:
    bare.initialize()
    body = b'{"jsonrpc":"2.0","id":"s","method":"x\\ud800","params":{"a":["\\udfff"]}}'
    bare.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    assert bare.answer_of("s")["error"]["code"] == -32601
    alive(bare)


def test_a_client_that_writes_4000_requests_before_it_reads_gets_4000_answers(bare: Wire) -> None:
    bare.initialize()
    bare.reading.clear()
    for number in range(4_000):
        bare.send({"jsonrpc": "2.0", "id": f"r{number}", "method": "nothing", "params": {"p": "x" * 200}})
    bare.reading.set()
    bare.answer_of("r3999")
    answers = [m["id"] for m in bare.messages if str(m.get("id")).startswith("r")]
    assert sorted(answers) == sorted(f"r{number}" for number in range(4_000))
