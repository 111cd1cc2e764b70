"""A server of one's own for every test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from support.wire import Wire, script, turns

Serve = Callable[..., Wire]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start a server whose model plays these prompts; when the test is over, what it said is checked."""
    with ExitStack() as servers:

        def start(*prompts: Any, **settings: Any) -> Wire:
            made = [prompt if isinstance(prompt, dict) else turns(prompt) for prompt in prompts]
            return servers.enter_context(Wire(tmp_path, script(tmp_path, *made, **settings)))

        yield start


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Wire]:
    """A server without a configuration."""
    with Wire(tmp_path) as server:
        yield server
