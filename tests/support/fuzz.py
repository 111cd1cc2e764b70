"""Recorded sessions of a client, and what chance makes of them: bytes flipped, values swapped, frames cut."""

import json
from copy import deepcopy
from random import Random
from typing import Any, cast

from support.wire import Message, Wire

Recorded = list[Message]
ODD: list[Any] = [
    None, True, -1, 0, 2**63, 10**40, 1.5, "", "x" * 5_000, "\0", "é😋", "../../..", "file:///", "file:///%00",
    [], {}, [[]], {"jsonrpc": "2.0"}, {"uri": {}}, [None] * 50,
]  # fmt: skip


def recorded(wire: Wire, session: str) -> Recorded:
    """What a client sends: every method it has, on a session that exists, and documents that change."""
    uri = (wire.workspace / "a.txt").as_uri()
    document = {"uri": uri, "languageId": "text", "version": 1, "text": "one\ntwo 😋\n"}
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 5}}
    change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"range": place, "text": "é"}]}
    asked = {"sessionId": session}
    content = [{"type": "text", "text": "go"}, {"type": "resource", "uri": uri, "text": "x"}]
    requests: list[tuple[str, Message]] = [
        ("agent/status", {}),
        ("agent/session/list", {"limit": 2, "search": "x"}),
        ("agent/session/new", {"cwd": wire.workspace.as_uri(), "clientKey": "k", "options": {"maxTurns": 3}}),
        ("agent/run", {**asked, "input": content, "clientKey": "r", "admission": "queue", "wait": True}),
        ("agent/run", {**asked, "input": "go", "admission": "interrupt", "workDoneToken": 1}),
        ("agent/steer", {**asked, "input": "more", "ifEnded": "return", "expectedRunId": "run_1"}),
        ("agent/resume", {**asked, "replay": "since", "after": {"epoch": "e", "seq": 3}}),
        ("agent/resume", {**asked, "replay": "tail", "tail": 3}),
        ("agent/respond", {"requestId": "q", "response": {"outcome": "selected", "optionId": "once"}}),
        ("agent/cancel", {**asked, "queued": "drop"}),
        ("workspace/executeCommand", {"command": "agls.run", "arguments": [{**asked, "input": "go"}]}),
        ("agent/session/close", {"sessionId": "ses_other"}),
        ("initialize", {"processId": None, "capabilities": {"experimental": {"agent": {"events": {}}}}}),
    ]
    notes: list[tuple[str, Message]] = [
        ("textDocument/didOpen", {"textDocument": document}),
        ("textDocument/didChange", change),
        ("textDocument/didSave", {"textDocument": {"uri": uri}}),
        ("textDocument/didClose", {"textDocument": {"uri": uri}}),
        ("agent/ack", {**asked, "seq": 3}),
        ("agent/focus", {"uri": uri, "selection": place, "visible": [place]}),
        (
            "notebookDocument/didOpen",
            {"notebookDocument": {"uri": uri, "cells": []}, "cellTextDocuments": []},
        ),
        ("$/cancelRequest", {"id": "f1"}),
        ("$/setTrace", {"value": "verbose"}),
        ("workspace/didChangeConfiguration", {"settings": {"a": 1}}),
        ("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]}),
        ("window/workDoneProgress/cancel", {"token": 1}),
    ]
    messages: Recorded = [{"jsonrpc": "2.0", "id": 0, "method": m, "params": p} for m, p in requests]
    messages += [{"jsonrpc": "2.0", "method": m, "params": p} for m, p in notes]
    return [*messages, {"jsonrpc": "2.0", "id": "agls-1", "result": {"applied": True}}]


def mutated(random: Random, messages: Recorded, number: int) -> bytes:
    """One message as a frame that is whole, damaged inside: in its values or in its bytes."""
    message = json.loads(json.dumps(random.choice(messages)))
    if "id" in message and "method" in message:
        message["id"] = f"f{number}"
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        swap(random, message)
    data = json.dumps(message).encode()
    if random.random() < 0.5:
        data = scratched(random, data)
    return b"Content-Length: %d\r\n\r\n%b" % (len(data), data)


def swap(random: Random, message: Message) -> None:
    """Put something odd in the place of one value, or leave a member out."""
    at: Any = message
    keys: list[Any] = list(message)
    while keys:
        key = random.choice(keys)
        if isinstance(at[key], dict | list) and random.random() < 0.8:
            at = cast(Any, at[key])
            keys = list(cast(Message, at) if isinstance(at, dict) else range(len(at)))
        elif random.random() < 0.2:
            del at[key]
            return
        else:
            at[key] = deepcopy(random.choice(ODD))
            return


def scratched(random: Random, data: bytes) -> bytes:
    """A few bytes changed, put in, left out, or doubled."""
    made = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8))):
        at = random.randrange(len(made) + 1)
        length = random.choice((1, 1, 2, 20))
        match random.randrange(4):
            case 0:
                made[at : at + 1] = bytes([random.randrange(256)])
            case 1:
                made[at:at] = random.randbytes(length)
            case 2:
                del made[at : at + length]
            case _:
                made[at:at] = made[at : at + length]
    return bytes(made)
