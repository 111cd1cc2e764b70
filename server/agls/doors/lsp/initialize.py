"""The first answer: `initialize`, before anything but the standard library is imported.

What the server can do is written in `capabilities.json`, which is generated from the registered
features (`python -m agls.doors.lsp.capabilities`); a test keeps the two together.
"""

import json
from typing import Any, NamedTuple

from agls import __version__
from agls.doors.agent.client import ClientCapabilities
from agls.doors.agent.stream.transport import Reader, Writer
from agls.doors.lsp.client import PROTOCOL_VERSIONS, read_client
from agls.doors.messages import NOT_INITIALIZED, Bad, JsonObject, kind_of
from agls.json_values import object_in

DOCUMENT = __file__.replace("initialize.py", "capabilities.json")
SCHEME = "agls"  # of the URIs of virtual documents


class Greeting(NamedTuple):
    """The `initialize` that was answered."""

    params: JsonObject
    client: ClientCapabilities


def greet(reader: Reader, writer: Writer) -> Greeting | int:
    """Wait for `initialize` and answer it; when the connection ends before, the exit code."""
    while (message := reader.inbox.get()) is not None:
        kind, method = kind_of(message), message.get("method")
        if kind == "notification" and method == "exit":
            return 1  # without a shutdown (LSP 3.17, Exit Notification)
        if kind != "request":
            continue
        try:
            if method != "initialize":
                raise Bad(NOT_INITIALIZED, "The server waits for initialize.")
            client = read_client(message.get("params"))
        except Bad as bad:
            bad.id = message["id"]
            writer.send(bad.reply())
            continue
        result = initialize_result(client, message["params"])
        writer.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return Greeting(message["params"], client)
    return 0 if reader.trusted else 1


def initialize_result(client: ClientCapabilities, params: Any) -> JsonObject:
    """The answer to `initialize`."""
    with open(DOCUMENT, encoding="utf-8") as shipped:  # noqa: PTH123 - pathlib takes a fifth of the first answer
        document = json.load(shipped)
    offered = object_in(params, "capabilities", "experimental", "agent")
    block: JsonObject = document["agent"]
    if offered and client.version is None:
        block = {"supportedVersions": list(PROTOCOL_VERSIONS), "mismatch": True}
    known: JsonObject = document["capabilities"]
    if client.virtual_documents:
        known["workspace"] |= {"textDocumentContent": {"schemes": [SCHEME]}}
    capabilities = {
        **known,
        "positionEncoding": client.encoding,
        "experimental": {"agent": block},
    }
    return {"capabilities": capabilities, "serverInfo": {"name": "agls", "version": __version__}}
