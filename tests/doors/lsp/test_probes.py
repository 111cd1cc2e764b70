"""Every probe of the protocol's robustness, one row each, over the real process (SECURITY.md, P7 and P8).

`scripts/test --probes` prints the table. A probe gets an `Arena`: a fresh server where the process may
end, the shared one where the stream has to go on.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.leftovers import gone, peak, resident
from support.patience import PATIENCE, wait_until, within
from support.wire import Wire, frame, script, turns

pytestmark = pytest.mark.promise("P8")

GOOD = {"jsonrpc": "2.0", "id": 77, "method": "agent/status", "params": {}}
HANGING = {"turns": [{"text": "I begin", "hang": True}], "match": "hang"}
STUBBORN = "trap '' TERM HUP INT; echo $$ > pid; while true; do sleep 0.1; done"
Body = bytes


class Arena:
    """Servers for probes; `shared` is one that was greeted and stays."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._made = 0
        self._shared: Wire | None = None
        self.servers: list[Wire] = []

    def fresh(self, *, greeted: bool = False, **block: Any) -> Wire:
        """A server of one's own, with a model that says hello, hangs, or runs a command that does not end."""
        self._made += 1
        folder = self._folder / str(self._made)
        folder.mkdir()
        stubborn = {"text": "x", "calls": [{"name": "shell", "arguments": {"command": STUBBORN}}]}
        prompts = [
            {**turns(stubborn, "never"), "match": "command"},
            HANGING,
            {**turns("hello"), "pattern": "."},
        ]
        wire = self._stack.enter_context(Wire(folder, script(folder, *prompts)))
        wire.answers["agent/requestPermission"] = lambda asked: {"outcome": "selected", "optionId": "once"}
        self.servers.append(wire)
        if greeted:
            wire.initialize(**block)
            wire.call("agent/session/list")
        return wire

    @property
    def shared(self) -> Wire:
        """The server that is greeted once and must survive everything done to it."""
        if self._shared is None:
            self._shared = self.fresh(greeted=True)
        return self._shared


Probe = Callable[[Arena], None]
PROBES: dict[str, Probe] = {}


def probe(name: str) -> Callable[[Probe], Probe]:
    """This function is a row of the table."""

    def enter(check: Probe) -> Probe:
        assert name not in PROBES
        PROBES[name] = check
        return check

    return enter


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with ExitStack() as stack:
        made = Arena(tmp_path_factory.mktemp("probes"), stack)
        yield made
    for wire in made.servers:
        assert "Traceback" not in wire.errors()


# --- what probes look at -------------------------------------------------------------------------


def refused(wire: Wire, write: Callable[[], None]) -> dict[str, Any]:
    """The error without an id that the next bytes cause."""
    before = sum(message.get("id", 0) is None for message in wire.messages)
    write()
    wire.until(lambda m: sum(x.get("id", 0) is None for x in wire.messages) > before)
    return [message for message in wire.messages if message.get("id", 0) is None][-1]["error"]


def alive(wire: Wire) -> None:
    """The stream goes on, and nobody was shown a popup."""
    assert wire.ask("agent/nothing")["error"]["code"] in {-32601, -32002}
    assert not [m for m in wire.messages if m.get("method", "").startswith("window/show")]


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def close_input(wire: Wire) -> None:
    assert wire.process.stdin
    wire.process.stdin.close()


def started(wire: Wire, prompt: str) -> tuple[str, int]:
    """Begin a run that goes on for ever; gives the session and the request that waits for its end."""
    session = wire.session(clientKey=f"for {len(wire.asked)}")
    request = wire.post("agent/run", {"sessionId": session, "input": prompt, "wait": True})
    wire.until(lambda m: f'"{session}"' in (said := json.dumps(m)) and '"itemDelta"' in said)
    return session, request


# --- frames that cannot be trusted: an error, and the end within a second ------------------------

UNTRUSTED = {
    "Content-Length 10^13": b"Content-Length: 10000000000000\r\n\r\n{}",
    "Content-Length 10^30": b"Content-Length: 1" + b"0" * 30 + b"\r\n\r\n{}",
    "Content-Length of 5,000 digits": b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n{}",
    "negative length": b"Content-Length: -1\r\n\r\n{}",
    "signed length": b"Content-Length: +2\r\n\r\n{}",
    "hexadecimal length": b"Content-Length: 0x2\r\n\r\n{}",
    "fractional length": b"Content-Length: 2.0\r\n\r\n{}",
    "length in other digits": "Content-Length: ٢\r\n\r\n{}".encode(),
    "empty length": b"Content-Length:\r\n\r\n{}",
    "no length": b"Content-Type: x\r\n\r\n{}",
    "no header at all": b'{"jsonrpc":"2.0"}',
    "LF only": b"Content-Length: 2\n\n{}",
    "LF after the first line": b"Content-Length: 2\n\r\n{}",
    "duplicate lengths that differ": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "header of 9 KB": b"X: " + b"a" * 9_000 + b"\r\nContent-Length: 2\r\n\r\n{}",
    "endless header line": b"X: " + b"a" * 20_000,
    "header without a name": b": 2\r\n\r\n{}",
    "folded header": b"Content-Length: 2\r\n  3\r\n\r\n{}",
    "NUL in a header": b"Content-\0Length: 2\r\n\r\n{}",
    "length too short by one": framed(b'{"jsonrpc":"2.0","method":"x"}').replace(b": 30", b": 29")
    + frame(GOOD),
    "length too short by half": framed(b'{"jsonrpc":"2.0","method":"x"}').replace(b": 30", b": 15")
    + frame(GOOD),
}


def gives_up(arena: Arena, data: bytes, limit: float, *, greeted: bool = False) -> None:
    """Within `limit` seconds, a fraction of it on a quiet machine; a fresh server begins in them."""
    for watch in within(limit):
        wire = arena.fresh(greeted=greeted)
        with watch:
            wire.write(data)
            assert wire.exit_code() == 1
    wire.closed()
    last = [m for m in wire.messages if m.get("id", 0) is None][-1]["error"]
    assert (last["code"], last["data"]["kind"]) == (-32700, "parseError")
    assert "the connection is given up" in wire.errors()


for _name, _data in UNTRUSTED.items():
    probe(_name)(lambda arena, data=_data: gives_up(arena, data, 5.0))
for _name in ("LF only", "length too short by one", "Content-Length 10^13"):
    probe(f"{_name}, in a session")(
        lambda arena, data=UNTRUSTED[_name]: gives_up(arena, data, 3.0, greeted=True)
    )


@probe("header line of 200 MB")
def _(arena: Arena) -> None:
    wire = arena.fresh(greeted=True)
    before = resident(wire)
    with pytest.raises(BrokenPipeError):
        for _ in range(200):
            wire.write(b"x" * 1_000_000)
            assert resident(wire) - before < 10
    assert wire.exit_code() == 1


# --- harmless variations: accepted ---------------------------------------------------------------

ACCEPTED = {
    "header in lower case": b"content-length: %d\r\n\r\n%b",
    "header in upper case": b"CONTENT-LENGTH: %d\r\n\r\n%b",
    "no space after the colon": b"Content-Length:%d\r\n\r\n%b",
    "white space around the length": b"Content-Length: \t %d \r\n\r\n%b",
    "leading zeros": b"Content-Length: 000%d\r\n\r\n%b",
    "Content-Type first": b"Content-Type: x/y; charset=utf-8\r\nContent-Length: %d\r\n\r\n%b",
    "Content-Type last": b"Content-Length: %d\r\nContent-Type: x/y; charset=utf-8\r\n\r\n%b",
    "unknown header": b"X-Trace: a:b\r\nContent-Length: %d\r\n\r\n%b",
}


def accepts(wire: Wire, name: str, form: bytes) -> None:
    body = json.dumps({**GOOD, "id": name}).encode()
    wire.write(form % (len(body), body))
    assert "result" in wire.answer_of(name)


for _name, _form in ACCEPTED.items():
    probe(_name)(lambda arena, name=_name, form=_form: accepts(arena.shared, name, form))


@probe("equal duplicate lengths")
def _(arena: Arena) -> None:
    body = json.dumps({**GOOD, "id": "twice"}).encode()
    arena.shared.write(b"Content-Length: %d\r\ncontent-length: %d\r\n\r\n%b" % (len(body), len(body), body))
    assert "result" in arena.shared.answer_of("twice")


# --- bodies that are no message: answered, and the stream goes on --------------------------------

NO_MESSAGE: dict[str, tuple[Body, int]] = {
    "empty body": (b"", -32700),
    "bad JSON": (b"{", -32700),
    "JSON and something behind it": (b"{} {}", -32700),
    "bad UTF-8": (b'{"a":"\xff"}', -32700),
    "overlong UTF-8": (b'{"a":"\xc0\xaf"}', -32700),
    "UTF-16": ('{"jsonrpc":"2.0"}'.encode("utf-16"), -32700),
    "byte order mark": (b'\xef\xbb\xbf{"jsonrpc":"2.0","method":"x"}', -32700),
    "NUL bytes": (b"\0" * 20, -32700),
    "NaN": (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN}}', -32700),
    "Infinity": (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":-Infinity}}', -32700),
    "float beyond all floats": (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1e999}}', -32700),
    "nesting 100,000 deep": (b"[" * 100_000 + b"]" * 100_000, -32700),
    "objects nested 100,000 deep": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, -32700),
    "number of 5,000 digits": (b'{"a":' + b"9" * 5_000 + b"}", -32700),
    "batch": (json.dumps([GOOD]).encode(), -32600),
    "empty batch": (b"[]", -32600),
    "scalar": (b"1", -32600),
    "string": (b'"x"', -32600),
    "null": (b"null", -32600),
    "empty object": (b"{}", -32600),
    "no jsonrpc": (b'{"method":"x","id":{}}', -32600),
    "wrong jsonrpc": (b'{"jsonrpc":"1.0","method":"x"}', -32600),
    "jsonrpc as a number": (b'{"jsonrpc":2.0,"method":"x"}', -32600),
    "fractional id": (b'{"jsonrpc":"2.0","id":1.5,"method":"x"}', -32600),
    "object id": (b'{"jsonrpc":"2.0","id":{},"method":"x"}', -32600),
    "array id": (b'{"jsonrpc":"2.0","id":[],"method":"x"}', -32600),
    "boolean id": (b'{"jsonrpc":"2.0","id":true,"method":"x"}', -32600),
    "null id": (b'{"jsonrpc":"2.0","id":null,"method":"x"}', -32600),
    "method that is no string": (b'{"jsonrpc":"2.0","method":1}', -32600),
    "response without a result": (b'{"jsonrpc":"2.0","id":{}}', -32600),
}


def refuses(wire: Wire, body: bytes, code: int) -> None:
    assert refused(wire, lambda: wire.write(framed(body)))["code"] == code
    alive(wire)


for _name, (_body, _code) in NO_MESSAGE.items():
    probe(_name)(lambda arena, body=_body, code=_code: refuses(arena.shared, body, code))


@probe("an id that can be used is kept in the refusal")
def _(arena: Arena) -> None:
    arena.shared.send({"jsonrpc": "1.0", "id": "mine", "method": "x"})
    assert arena.shared.answer_of("mine")["error"]["code"] == -32600


# --- pieces and sizes ----------------------------------------------------------------------------


@probe("frames cut at every byte")
def _(arena: Arena) -> None:
    for cut in range(1, len(frame({**GOOD, "id": "cut000", "method": "n"}))):
        data = frame({**GOOD, "id": f"cut{cut:03d}", "method": "n"})
        arena.shared.write(data[:cut])
        arena.shared.write(data[cut:])
    for sent in range(1, cut + 1):
        assert arena.shared.answer_of(f"cut{sent:03d}")["error"]["code"] == -32601


@probe("one byte at a time")
def _(arena: Arena) -> None:
    data = frame({**GOOD, "id": "bytewise", "method": "n"})
    for index in range(len(data)):
        arena.shared.write(data[index : index + 1])
    assert arena.shared.answer_of("bytewise")["error"]["code"] == -32601


@probe("two frames in one write")
def _(arena: Arena) -> None:
    arena.shared.write(frame({**GOOD, "id": "a", "method": "n"}) + frame({**GOOD, "id": "b", "method": "n"}))
    assert arena.shared.answer_of("a")
    assert arena.shared.answer_of("b")


@probe("the end in the middle of a frame, at any byte")
def _(arena: Arena) -> None:
    data = frame(GOOD)
    for cut in (1, 14, 16, 19, 21, 22, 23, len(data) - 1):
        wire = arena.fresh()
        wire.write(data[:cut])
        close_input(wire)
        assert wire.exit_code() == 0, cut


@probe("message of 5 MB")
def _(arena: Arena) -> None:
    assert arena.shared.ask("agent/nothing", {"text": "x" * 5_000_000})["error"]["code"] == -32601


@probe("message of 100 MB")
def _(arena: Arena) -> None:
    wire = arena.fresh(greeted=True)
    before = resident(wire)

    def write() -> None:
        wire.write(b"Content-Length: 100000000\r\n\r\n")
        for _ in range(100):
            wire.write(b" " * 1_000_000)

    error = refused(wire, write)
    assert (error["code"], error["data"]["kind"]) == (-32600, "limitExceeded")
    assert resident(wire) - before < 60
    alive(wire)


@probe("30 MB of small members")
def _(arena: Arena) -> None:
    wire = arena.fresh(greeted=True)
    before = peak(wire)
    for member in (b"[]", b'{"a":0}', b'"ab"', b"300", b"[[[[[[]]]]]]"):
        crowd = b",".join([member] * (30_000_000 // (len(member) + 1)))
        body = b'{"jsonrpc":"2.0","id":1,"method":"x","params":[%b]}' % crowd
        error = refused(wire, partial(wire.write, framed(body)))
        assert (error["code"], error["data"]["which"]) == (-32600, "members")
        assert peak(wire) - before < 120, member
    alive(wire)


@probe("30 MB of program in one text")
def _(arena: Arena) -> None:
    text = 'f(a[0], {"b": [1, 2]});\n\t' * 1_000_000
    assert arena.shared.ask("agent/nothing", {"text": text})["error"]["code"] == -32601


@probe("40,000 changes in one message")
def _(arena: Arena) -> None:
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    changes = [{"range": place, "rangeLength": 1, "text": "x"}] * 40_000
    assert arena.shared.ask("agent/nothing", {"contentChanges": changes})["error"]["code"] == -32601


@probe("nesting deeper than anybody follows")
def _(arena: Arena) -> None:
    for depth, code in ((100, -32601), (200, -32600), (600, -32600), (900, -32600)):
        for inner in (b"1", rb'"\ud83d"'):
            body = b'{"jsonrpc":"2.0","id":"deep","method":"x","params":%b%b%b}'
            arena.shared.forget()
            arena.shared.write(framed(body % (b"[" * depth, inner, b"]" * depth)))
            error = arena.shared.answer_of("deep")["error"]
            assert error["code"] == code
            assert code == -32601 or error["data"]["which"] == "depth"


@probe("lone surrogates")
def _(arena: Arena) -> None:
    body = b'{"jsonrpc":"2.0","id":"s","method":"x\\ud800","params":{"a":["\\udfff"]}}'
    arena.shared.write(framed(body))
    assert arena.shared.answer_of("s")["error"]["code"] == -32601
    before = len(arena.shared.messages)
    arena.shared.write(framed(b'{"jsonrpc":"2.0","id":"a\\udc00","method":"agent/status"}'))
    arena.shared.write(framed(b'{"jsonrpc":"2.0","id":"a\xef\xbf\xbd","method":"agent/status"}'))
    assert "result" in arena.shared.answer_of("a\N{REPLACEMENT CHARACTER}")
    told = [message for message in arena.shared.messages[before:] if "method" not in message]
    refused = [message["error"]["code"] for message in told if message["id"] is None]
    assert (refused, len(told)) == ([-32600], 2), "never under the id of another request"


# --- requests ------------------------------------------------------------------------------------


@probe("params left out")
def _(arena: Arena) -> None:
    arena.shared.send({"jsonrpc": "2.0", "id": "bare", "method": "agent/status"})
    assert "result" in arena.shared.answer_of("bare")


@probe("params that make no sense")
def _(arena: Arena) -> None:
    for number, params in enumerate(([1], "x", 1, {"sessionId": 1}, {"sessionId": None})):
        arena.shared.send({"jsonrpc": "2.0", "id": f"p{number}", "method": "agent/cancel", "params": params})
        assert arena.shared.answer_of(f"p{number}")["error"]["code"] == -32602, params


@probe("400,000 things of the wrong kind")
def _(arena: Arena) -> None:
    """One of them is told; to look at all of them took minutes."""
    wire, many = arena.shared, 400_000
    uri = "file:///many.txt"
    opened = {"uri": uri, "languageId": "text", "version": 1, "text": ""}
    wire.notify("textDocument/didOpen", {"textDocument": opened})
    for changes in ("x" * many, [1] * many):
        document = {"uri": uri, "version": 2}
        wire.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
    wire.notify("notebookDocument/didOpen", {"notebookDocument": {}, "cellTextDocuments": "x" * many})
    asked = {"sessionId": wire.session(), "types": [1] * many}
    refused = wire.ask("agent/events", asked)["error"]
    assert (refused["code"], len(refused["message"]) < 200) == (-32602, True)
    alive(wire)


@probe("nested objects with a jsonrpc key")
def _(arena: Arena) -> None:
    nested = {"_meta": {"jsonrpc": "2.0", "id": 1, "method": "x"}, "a": [{"jsonrpc": 1, "result": 2}]}
    assert "result" in arena.shared.ask("agent/status", nested)
    content = [{"type": "text", "text": "hello", **nested}]
    asked = {"sessionId": arena.shared.session(**nested), "input": content, "wait": True}
    assert arena.shared.call("agent/run", asked)["stopReason"] == "endTurn"


@probe("members named like keywords")
def _(arena: Arena) -> None:
    assert "result" in arena.shared.ask("agent/status", {"from": 1, "class": 2, "a-b": 3, "type_name": "x"})


@probe("unknown method")
def _(arena: Arena) -> None:
    for method in ("agent/nothing", "textDocument/hover", "", "$/x", "x" * 100_000):
        assert arena.shared.ask(method)["error"]["code"] == -32601


@probe("notification with an id")
def _(arena: Arena) -> None:
    for method in ("agent/ack", "initialized", "textDocument/didOpen", "$/cancelRequest"):
        error = arena.shared.ask(method)["error"]
        assert (error["code"], error["data"]["hint"]) == (-32601, "Send it as a notification, without an id.")


@probe("unknown notification")
def _(arena: Arena) -> None:
    arena.shared.notify("agent/nothing", {"a": 1})
    arena.shared.send({"jsonrpc": "2.0", "method": "agent/run", "params": {}})
    arena.shared.send({"jsonrpc": "2.0", "method": "agent/ack", "params": {"sessionId": [], "seq": {}}})
    alive(arena.shared)


@probe("duplicate id in flight")
def _(arena: Arena) -> None:
    wire = arena.fresh(greeted=True)
    session, request = started(wire, "hang")
    wire.send({"jsonrpc": "2.0", "id": request, "method": "agent/run", "params": {"sessionId": session}})
    assert wire.answer_of(request)["error"]["code"] == -32600
    assert wire.call("agent/cancel", {"sessionId": session})["state"] == "cancelling"


@probe("cancel of an unknown and of a finished request")
def _(arena: Arena) -> None:
    done = arena.shared.post("agent/status")
    arena.shared.answer_of(done)
    for number in (done, 999_999, "nothing", None, {}, [], 1.5):
        arena.shared.notify("$/cancelRequest", {"id": number})
    arena.shared.notify("window/workDoneProgress/cancel", {"token": {}})
    alive(arena.shared)


@probe("reply to an unknown id")
def _(arena: Arena) -> None:
    for number in ("agls-999", 1, ""):
        arena.shared.send({"jsonrpc": "2.0", "id": number, "result": None})
        arena.shared.send({"jsonrpc": "2.0", "id": number, "error": "not even an object"})
    alive(arena.shared)


@probe("burst of 10,000 notifications")
def _(arena: Arena) -> None:
    arena.shared.write(frame({"jsonrpc": "2.0", "method": "$/nothing", "params": {}}) * 10_000)
    alive(arena.shared)


@probe("flood of $/setTrace")
def _(arena: Arena) -> None:
    for value in ("off", "messages", "verbose", "nonsense", None):
        arena.shared.write(
            frame({"jsonrpc": "2.0", "method": "$/setTrace", "params": {"value": value}}) * 1_000
        )
    alive(arena.shared)


@probe("document changes of a closed file, out of order, on surrogates")
def _(arena: Arena) -> None:
    uri = (arena.shared.workspace / "a.txt").as_uri()
    place = {"start": {"line": 0, "character": 2}, "end": {"line": 9, "character": 99}}
    split = {"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 2}}
    document = {"uri": uri, "languageId": "x", "version": 5, "text": "a😋b\n"}
    for version, given in ((1, place), (9, split), (3, {"start": {}, "end": 1}), (10, place)):
        changed = {"textDocument": {"uri": uri, "version": version}}
        arena.shared.notify(
            "textDocument/didChange", {**changed, "contentChanges": [{"range": given, "text": "é"}]}
        )
        arena.shared.notify("textDocument/didOpen", {"textDocument": document})
    arena.shared.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    arena.shared.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    arena.shared.notify("textDocument/didChange", {"nonsense": True})
    alive(arena.shared)


# --- lifecycle -----------------------------------------------------------------------------------


@probe("initialize with params that cannot be meant")
def _(arena: Arena) -> None:
    wire = arena.fresh()
    for number, params in enumerate(([], 1, {"capabilities": 1}, {"processId": "x"}, {"processId": True})):
        wire.send({"jsonrpc": "2.0", "id": f"i{number}", "method": "initialize", "params": params})
        assert wire.answer_of(f"i{number}")["error"]["code"] == -32602
    wire.send({"jsonrpc": "2.0", "id": "none", "method": "initialize"})
    assert wire.answer_of("none")["error"]["code"] == -32602
    wire.initialize()


@probe("request before initialize")
def _(arena: Arena) -> None:
    wire = arena.fresh()
    error = wire.ask("agent/run")["error"]
    assert (error["code"], error["data"]["kind"]) == (-32002, "notInitialized")
    wire.initialize()


@probe("second initialize")
def _(arena: Arena) -> None:
    assert arena.shared.ask("initialize", {"capabilities": {}})["error"]["code"] == -32600


@probe("request after shutdown; exit code 0")
def _(arena: Arena) -> None:
    wire = arena.fresh(greeted=True)
    assert wire.call("shutdown") is None
    assert wire.ask("agent/status")["error"]["code"] == -32600
    wire.notify("exit")
    assert wire.exit_code() == 0


@probe("exit without shutdown: exit code 1")
def _(arena: Arena) -> None:
    for greeted in (False, True):
        wire = arena.fresh(greeted=greeted)
        wire.notify("exit")
        assert wire.exit_code() == 1


@probe("end of input: exit code 0")
def _(arena: Arena) -> None:
    for greeted in (False, True):
        wire = arena.fresh(greeted=greeted)
        close_input(wire)
        assert wire.exit_code() == 0


@probe("end of input while a command runs: nothing is left")
def _(arena: Arena) -> None:
    wire = arena.fresh(greeted=True)
    wire.post("agent/run", {"sessionId": wire.session(), "input": "command", "wait": True})
    wire.event("itemUpdated", patch={"status": "running"})
    pid_file = wire.workspace / "pid"
    wait_until(lambda: pid_file.exists() and pid_file.read_text().strip())
    close_input(wire)
    assert wire.exit_code() == 0
    wait_until(lambda: gone(int(pid_file.read_text())))


@probe("client killed, its pipe kept open")
def _(arena: Arena) -> None:
    for watch in within(2.0):
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as client:
            wire = arena.fresh(greeted=True, processId=client.pid)
            with watch:
                client.send_signal(signal.SIGKILL)
                wire.exit_code()


@probe("client closes its reading end")
def _(arena: Arena) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
    command = [sys.executable, "-m", "agls", "serve", "--stdio"]
    for watch in within(2.0):
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
            assert server.stdin
            assert server.stdout
            server.stdin.write(frame(hello))
            server.stdin.flush()
            assert server.stdout.readline().startswith(b"Content-Length")
            with watch:
                server.stdout.close()
                server.wait(PATIENCE)


# --- pressure ------------------------------------------------------------------------------------


@probe("4,000 requests before anything is read")
def _(arena: Arena) -> None:
    wire = arena.fresh(greeted=True)
    wire.reading.clear()
    for number in range(4_000):
        wire.send({"jsonrpc": "2.0", "id": f"r{number}", "method": "nothing", "params": {"p": "x" * 200}})
    wire.reading.set()
    wire.answer_of("r3999")
    answers = [m["id"] for m in wire.messages if str(m.get("id")).startswith("r")]
    assert sorted(answers) == sorted(f"r{number}" for number in range(4_000))


@probe("4,000 requests of a method before anything is read")
def _(arena: Arena) -> None:
    wire = arena.fresh(greeted=True)
    wire.reading.clear()
    numbers = [wire.post("agent/session/list") for _ in range(4_000)]
    wire.reading.set()
    wire.until(lambda m: len([x for x in wire.messages if x.get("id") in wire.asked]) > 4_000)
    answers = [m for m in wire.messages if m.get("id") in set(numbers)]
    assert len(answers) == 4_000
    assert all("result" in answer for answer in answers)


@probe("client stops reading: a cancel gets in")
def _(arena: Arena) -> None:
    wire = arena.fresh(greeted=True)
    session, request = started(wire, "hang")
    wire.reading.clear()
    for _ in range(2_000):
        wire.post("agent/resume", {"sessionId": session, "replay": "tail"})
    cancel = wire.post("agent/cancel", {"sessionId": session})
    wire.reading.set()
    assert wire.answer_of(cancel)["result"]["state"] == "cancelling"
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"


@probe("200 runs begun and cancelled")
def _(arena: Arena) -> None:
    wire = arena.fresh(greeted=True)
    session, _ = started(wire, "hang")
    runs = [wire.post("agent/run", {"sessionId": session, "input": "hang", "wait": True}) for _ in range(200)]
    for request in runs:
        wire.notify("$/cancelRequest", {"id": request})
    for request in runs:
        assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"


@probe("workspace folder removed during a run")
def _(arena: Arena) -> None:
    wire = arena.fresh(greeted=True)
    session, request = started(wire, "hang")
    wire.workspace.rename(wire.workspace.with_name("moved"))
    wire.call("agent/cancel", {"sessionId": session})
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    again = wire.ask("agent/run", {"sessionId": session, "input": "hello", "wait": True})
    assert ("result" in again) != ("error" in again)
    alive(wire)


@pytest.mark.item(23, 25)
@pytest.mark.parametrize("name", PROBES)
def test_probe(arena: Arena, name: str) -> None:
    PROBES[name](arena)
