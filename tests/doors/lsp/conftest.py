"""A server of one's own for every test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from support.advertised import check_advertised
from support.message_rules import check_messages
from support.wire import Wire, script, turns

Serve = Callable[..., Wire]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start a server whose model plays these prompts; when the test is over, what it said is checked."""
    started: list[Wire] = []
    with ExitStack() as servers:

        def start(*prompts: Any, **settings: Any) -> Wire:
            made = [prompt if isinstance(prompt, dict) else turns(prompt) for prompt in prompts]
            started.append(servers.enter_context(Wire(tmp_path, script(tmp_path, *made, **settings))))
            return started[-1]

        yield start
    for wire in started:
        check_messages(wire.messages, wire.asked)
        check_advertised(wire.messages, wire.asked)


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Wire]:
    """A server without a configuration."""
    with Wire(tmp_path) as server:
        yield server
    check_messages(server.messages, server.asked)
    check_advertised(server.messages, server.asked)
