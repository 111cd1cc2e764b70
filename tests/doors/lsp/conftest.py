"""A server of one's own for every test."""

import json
from ast import literal_eval
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from agls.doors.agent.limits import ConnectionLimits
from support.processes import changed_program
from support.wire import Wire, script, turns

LIMITED = """
import sys
from agls.doors.lsp import main
from agls.doors.agent.limits import ConnectionLimits
sys.exit(main(limits=ConnectionLimits({})))
"""
Serve = Callable[..., Wire]


@pytest.fixture
def serve(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Serve]:
    """Start a server whose model plays these prompts; when the test is over, what it said is checked.

    It lives in this process, unless the test is marked `process`.
    """
    own = request.node.get_closest_marker("process") is not None
    with ExitStack() as servers:

        def start(*prompts: Any, limits: str = "", **settings: Any) -> Wire:
            made = [prompt if isinstance(prompt, dict) else turns(prompt) for prompt in prompts]
            config = script(tmp_path, *made, **settings)
            if not own:
                pairs = (each.split("=") for each in limits.split(",") if each)
                inside = ConnectionLimits(**{name.strip(): literal_eval(value) for name, value in pairs})
                return servers.enter_context(Wire(tmp_path, config, inside=inside))
            command = changed_program(LIMITED.format(limits)) if limits else None
            return servers.enter_context(Wire(tmp_path, config, command))

        yield start


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """A greeted server for these prompts that all tests of a file share: each makes sessions of its own."""
    with ExitStack() as servers:
        made: dict[str, Wire] = {}

        def start(*prompts: Any) -> Wire:
            name = json.dumps(prompts)
            if name not in made:
                folder = tmp_path_factory.mktemp("lasting")
                played = [prompt if isinstance(prompt, dict) else turns(prompt) for prompt in prompts]
                inside = ConnectionLimits()
                made[name] = servers.enter_context(Wire(folder, script(folder, *played), inside=inside))
                made[name].initialize()
            made[name].key = uuid4().hex
            return made[name]

        yield start


@pytest.fixture
def bare(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Wire]:
    """A server without a configuration, in a process of its own if the test is marked `process`."""
    own = request.node.get_closest_marker("process") is not None
    with Wire(tmp_path, inside=None if own else ConnectionLimits()) as server:
        yield server
