"""Fifty servers of twenty tools: what they cost a run that uses none of them."""

import json

from doors.headless.conftest import Agls
from doors.headless.test_find_tools import SERVED, names
from doors.headless.test_mcp import Small
from support.model_server import ModelServer, Reply

SERVERS, TOOLS = 50, 20
MOST_TOKENS = 3_000  # of the first request, beyond what it has without them
PER_TOKEN = 4  # characters, roughly


def test_fifty_known_servers_start_no_process_and_take_little_of_the_first_request(agls: Agls) -> None:
    small = Small(agls)
    for number in range(SERVERS):
        rows = [
            {
                "name": f"handle_thing_{tool}",
                "description": f"Handles the things of the kind {tool}, one after another.",
                "inputSchema": {
                    "type": "object",
                    "properties": {"which": {"type": "string", "description": "Which of the things." * 3}},
                },
            }
            for tool in range(TOOLS)
        ]
        (small.folder(f"server-{number}") / "tools.json").write_text(json.dumps(rows))
        small.add(f"server-{number}", startup_timeout=120)
    with ModelServer([Reply("without"), Reply("known"), Reply("with")]) as server:
        plain = SERVED.format(url=server.url, window=128_000, more="")
        agls.configure(plain)
        assert agls.run("run", "hello").code == 0
        agls.configure(plain + small.servers)
        assert agls.run("run", "hello").code == 0
        assert agls.run("run", "hello").code == 0
        without, _, known = server.posts
    assert starts(small) == [1] * SERVERS, "each was asked once what it offers, and not started again"
    assert not [name for name in names(known.body) if name.startswith("mcp__")]
    more = len(json.dumps(known.body)) - len(json.dumps(without.body))
    assert more / PER_TOKEN <= MOST_TOKENS


def starts(small: Small) -> list[int]:
    """How often each server was started."""
    return [len(small.noted(f"server-{number}")) for number in range(SERVERS)]
