"""A small MCP server (2025-11-25) without libraries, for measurements: twenty tools that answer at once.

    server.py FILE

FILE is made when it was asked which tools it has.
"""

import json
import sys
from pathlib import Path
from typing import Any

TOOLS: list[dict[str, Any]] = [
    {
        "name": f"tool_{number}",
        "description": f"Handles the things of the kind {number}, one after another.",
        "inputSchema": {
            "type": "object",
            "properties": {"which": {"type": "string", "description": "Which of the things it is about."}},
        },
    }
    for number in range(20)
]
GREETING: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "bench", "version": "1"},
}


def answer(method: str) -> dict[str, Any]:
    """Return what the answer to a request has."""
    match method:
        case "initialize":
            return {"result": GREETING}
        case "tools/list":
            Path(sys.argv[1]).touch()
            return {"result": {"tools": TOOLS}}
        case "tools/call":
            return {"result": {"content": [{"type": "text", "text": "done"}]}}
        case _:
            return {"error": {"code": -32601, "message": f"there is no {method}"}}


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked and "method" in asked:
            said = {"jsonrpc": "2.0", "id": asked["id"], **answer(asked["method"])}
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
