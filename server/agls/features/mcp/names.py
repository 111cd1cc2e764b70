"""The names of servers' tools, as models see them and as permission rules spell them."""

import re
from collections.abc import Collection
from hashlib import sha256

PREFIX, BETWEEN = "mcp", "__"
LONGEST = 64
HASH = 6  # hexadecimal digits


def server_part(server: str) -> str:
    """**Returns** the name of a server as it stands in those of its tools: `__` ends it there."""
    return re.sub(r"_{2,}", "_", re.sub(r"[^A-Za-z0-9_-]", "_", server)).strip("_") or "server"


def tool_name(server: str, tool: str, taken: Collection[str] = ()) -> str:
    """**Returns** `mcp__SERVER__TOOL`, unlike those `taken`: in doubt with a part of a hash at its end."""
    name = BETWEEN.join((PREFIX, server_part(server), re.sub(r"[^A-Za-z0-9_-]", "_", tool)))
    if len(name) <= LONGEST and name not in taken:
        return name
    digest = sha256(f"{server}\0{tool}".encode()).hexdigest()[:HASH]
    return f"{name[: LONGEST - HASH - 1]}_{digest}"
