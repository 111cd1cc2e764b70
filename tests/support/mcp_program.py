"""A small MCP server (2025-11-25) without libraries, as a program: it can also misbehave in all ways.

    mcp_program.py FOLDER [FLAG ...]

Each start is a line of FOLDER/starts, each request one of FOLDER/requests, each cancel one of
FOLDER/cancels. FOLDER/tools.json, where it is,
has the tools, FOLDER/pages.json the answers to lists of tools by their cursors ("" for the first one),
FOLDER/resources.json the texts of resources by their addresses. The tool `lines` writes what it is given, in
which `$ID` is the number of the call and `$E4` a byte of Latin-1, and ends at `$END`. The tool `log` logs
what it is given, `close` closes a stream and lives on.
Flags: `deaf` (answers nothing), `dead` (ends at once), `frail` (ends at its first two starts), `old` (ends
at a question that it does not know), `many` (10,000 tools), `endless` (pages without an end), `junk`
(writes what is no message), `boastful` (names prompts and resources, which it does not have), `logs` (can
be told what is worth logging), `reserved` (never says whether it will tell of changes).
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER, FLAGS = Path(sys.argv[1]), set(sys.argv[2:])
NAMES = ("echo", "die", "silent", "big", "flood", "junk", "slow", "sequence", "deep", "log", "close")
TOOLS = [{"name": name, "description": f"{name}.", "inputSchema": {"type": "object"}} for name in NAMES]

GREETING: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "small", "version": "1"},
}


def note(file: str, line: object) -> None:
    with (FOLDER / file).open("a") as stream:
        stream.write(f"{line}\n")


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], **more}


def tools(params: dict[str, Any]) -> dict[str, Any]:
    pages = FOLDER / "pages.json"
    if pages.exists():
        return json.loads(pages.read_text())[str(params.get("cursor", ""))]
    return {"result": page_of_tools(params)}


def more_than_tools() -> dict[str, Any]:
    if "logs" in FLAGS:
        return {"logging": {}}
    if "boastful" in FLAGS:
        return {"resources": {}, "prompts": {}}
    return {"resources": {"subscribe": True}} if resources() else {}


def page_of_tools(params: dict[str, Any]) -> dict[str, Any]:
    if "many" in FLAGS:
        return {"tools": [{**TOOLS[0], "name": f"tool_{number}"} for number in range(10_000)]}
    if "endless" in FLAGS:
        number = int(params.get("cursor") or 0)
        return {"tools": [{**TOOLS[0], "name": f"tool_{number}"}], "nextCursor": str(number + 1)}
    file = FOLDER / "tools.json"
    return {"tools": json.loads(file.read_text()) if file.exists() else TOOLS}


def lines(written: str, number: int) -> None:
    for part in written.replace("$ID", str(number)).split("$END"):
        sys.stdout.buffer.write(part.encode().replace(b"$E4", b"\xe4"))
        sys.stdout.flush()
    if "$END" in written:
        os._exit(0)


def resources() -> dict[str, str]:
    file = FOLDER / "resources.json"
    return json.loads(file.read_text()) if file.exists() else {}


def asked_model(given: dict[str, Any]) -> dict[str, Any]:
    send({"id": "asked", "method": "sampling/createMessage", "params": given})
    answered = json.loads(sys.stdin.readline())
    return answered.get("result") or answered["error"]


def log(lines: list[dict[str, Any]]) -> dict[str, Any]:
    for line in lines:
        send({"method": "notifications/message", "params": line})
    return {"result": text("logged")}


def close(stream: str) -> None:
    os.close(("input", "output").index(stream))
    time.sleep(60)
    os._exit(0)


OTHERS: dict[str, Callable[..., Any]] = {"log": log, "close": close}


def answer(name: str, given: dict[str, Any], token: object) -> dict[str, Any] | None:
    match name:
        case "die":
            os._exit(3)
        case "silent":
            return None
        case "big":
            return text("x" * int(given["size"]))
        case "flood":
            for _ in range(40):
                sys.stdout.write("y" * 1_000_000)
            sys.stdout.flush()
            return None
        case "say":
            return text(given["words"])
        case "junk":
            sys.stdout.write("no message\n\x00\xff\n{\n[]\n" * 200)
            return text("after the junk")
        case "slow":
            for number in range(int(given["steps"])):
                progress = {"progressToken": token, "progress": number + 1, "message": "working"}
                send({"method": "notifications/progress", "params": progress})
                time.sleep(float(given["seconds"]))
            return text("at last")
        case _:
            return text(json.dumps(asked_model(given) if name == "ask_model" else given))


def main() -> None:
    note("starts", os.getpid())
    if "dead" in FLAGS:
        sys.exit("there is no configuration")
    if "frail" in FLAGS and len((FOLDER / "starts").read_text().splitlines()) < 3:
        sys.exit("the port is taken")
    while line := sys.stdin.readline():
        message = json.loads(line)
        method: str = message.get("method", "")
        params: dict[str, Any] = message.get("params") or {}
        note("requests", method)
        if method == "logging/setLevel":
            note("levels", params["level"])
        if method == "notifications/cancelled":
            note("cancels", params.get("requestId"))
        if method == "tools/call" and params["name"] == "lines":
            lines(params["arguments"]["written"], message["id"])
        elif "id" in message and "deaf" not in FLAGS and (said := reply(method, params)):
            if "junk" in FLAGS:
                sys.stdout.write("Server is starting …\n")
            send({"id": message["id"], **said})


def of_resources(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method == "resources/subscribe":
        return None if "reserved" in FLAGS else {}
    if method == "resources/read":
        return {"contents": [{"uri": params["uri"], "text": resources()[params["uri"]]}]}
    rows = [{"uri": uri, "name": "note", "description": words} for uri, words in resources().items()]
    return {"resources": rows}


def reply(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    match method:
        case "initialize":
            return {"result": {**GREETING, "capabilities": {"tools": {}, **more_than_tools()}}}
        case "resources/subscribe" | "resources/list" | "resources/read" if resources():
            found = of_resources(method, params)
            return None if found is None else {"result": found}
        case "tools/call" if params["name"] == "refuse":
            given = params["arguments"]
            return {"error": {"code": given.get("code", -32000), "message": given["words"]}}
        case "tools/list":
            return tools(params)
        case "tools/call" if params["name"] in OTHERS:
            return OTHERS[params["name"]](**params["arguments"])
        case "tools/call" if params["name"] == "result":
            return {"result": params["arguments"]["result"]}
        case "tools/call":
            token = params.get("_meta", {}).get("progressToken")
            result = answer(params["name"], params.get("arguments") or {}, token)
            return {"result": result} if result else None
        case _ if "old" in FLAGS:
            os._exit(1)
        case _:
            return {"error": {"code": -32601, "message": "Method not found"}}


if __name__ == "__main__":
    main()
