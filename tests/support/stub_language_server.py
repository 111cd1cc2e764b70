"""A language server whose answers a test chooses by the method: `python stub_language_server.py LOG`."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


def read() -> dict[str, Any] | None:
    length = 0
    while (line := sys.stdin.buffer.readline()) not in {b"\r\n", b""}:
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def die(message: dict[str, Any], log: Path) -> None:
    sys.stderr.write("out of luck\n")
    os._exit(3)


def die_once(message: dict[str, Any], log: Path) -> None:
    if log.read_text().count('"test/die-once"') == 1:
        os._exit(3)
    send({"id": message["id"], "result": "alive"})


def rave(message: dict[str, Any], log: Path) -> None:
    sys.stdout.buffer.write(b"Content-Length: many\r\n\r\n")
    sys.stdout.buffer.flush()


def ask_back(message: dict[str, Any], log: Path) -> None:
    items = [{"section": "checker.level"}, {"section": "other"}]
    send({"id": 1000, "method": "workspace/configuration", "params": {"items": items}})
    send({"id": 1001, "method": "window/unheard-of", "params": {}})
    answers = [read(), read()]
    send({"id": message["id"], "result": answers})


def publish(message: dict[str, Any], log: Path) -> None:
    document = message["params"]["textDocument"]
    if "silent" not in document["uri"]:
        rows = [{"message": f"version {document['version']}"}]
        told = {"uri": document["uri"], "version": document["version"], "diagnostics": rows}
        send({"method": "textDocument/publishDiagnostics", "params": told})


def refuse(message: dict[str, Any], log: Path) -> None:
    code = -32803 if "why" in (message.get("params") or {}) else -32601
    send({"id": message["id"], "error": {"code": code, "message": "not in this file"}})


def refuse_once(message: dict[str, Any], log: Path) -> None:
    """Say that the content was modified, and answer the next time."""
    first = log.read_text().count('"test/refuse-once"') == 1
    error = {"error": {"code": -32801, "message": "content modified"}}
    send({"id": message["id"], **(error if first else {"result": "now"})})


def greet(message: dict[str, Any], log: Path) -> None:
    if log.with_name("deaf").exists():
        return
    send({"id": message["id"], "result": {"capabilities": {"renameProvider": True}}})


def rename_in_more(message: dict[str, Any], log: Path) -> None:
    """Forget the other file at first, as a server does that still looks for the files."""
    params = message["params"]
    uri = params["textDocument"]["uri"]
    names = [uri, uri.replace("one.zz", "two.zz")][: log.read_text().count('"textDocument/rename"')]
    word = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 5}}
    edits = [{"range": word, "newText": params["newName"]}]
    send({"id": message["id"], "result": {"changes": dict.fromkeys(names, edits)}})


def say_pid(message: dict[str, Any], log: Path) -> None:
    send({"id": message["id"], "result": os.getpid()})


ANSWERS: dict[str, Callable[[dict[str, Any], Path], None]] = {
    "initialize": greet,
    "test/pid": say_pid,
    "textDocument/rename": rename_in_more,
    "test/die": die,
    "test/die-once": die_once,
    "test/rave": rave,
    "test/refuse": refuse,
    "test/refuse-once": refuse_once,
    "test/configuration": ask_back,
    "textDocument/didOpen": publish,
    "textDocument/didChange": publish,
}


def main() -> None:
    """Answer; every message is a line of the log."""
    log = Path(sys.argv[1])
    while message := read():
        with log.open("a") as lines:
            lines.write(f"{os.getpid()} {json.dumps(message)}\n")
        if answer := ANSWERS.get(str(message.get("method"))):
            answer(message, log)


if __name__ == "__main__":
    main()
