"""MCP servers that others published, as `scripts/mcp-servers` installs them."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

PLACE = Path(sys.prefix) / "mcp-servers"
SHOP = "shop"


def published(name: str) -> Sequence[str]:
    """Return the words that start a server: `shop` of our own, or one that others wrote.

    `shop` is made with the official TypeScript SDK and speaks the revision 2026-07-28 only. Skips the test
    where the server is not installed.
    """
    program = PLACE / (f"{SHOP}.mjs" if name == SHOP else f"node_modules/.bin/mcp-server-{name}")
    node = shutil.which("node")
    if node is None or not (PLACE / "complete").exists():
        pytest.skip("the published servers are not installed: scripts/mcp-servers")
    return (node, str(program.resolve()))
