"""What is said of an MCP server at an address where none is: which address, why, and what to look at."""

import socket
from collections.abc import Iterator

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from support.model_server import ModelServer

OF_PYTHON = ("Errno", "Connect call failed", "Traceback", "httpx", "gaierror", "_ssl", "exception")


@pytest.fixture
def closed() -> Iterator[int]:
    """A port at which nobody listens, as long as the test has it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def started(agls: Agls, url: str) -> str:
    agls.configure(f'{SCRIPTED}[mcp.servers.web]\nurl = "{url}"\nstartup_timeout = 20\n')
    done = agls.run("run", "/mcp.restart web")
    said = done.out + done.err
    assert not [word for word in OF_PYTHON if word in said], said
    return " ".join(said.split())


@pytest.mark.row(63)
def test_closed_port_is_named_with_what_to_look_at(agls: Agls, closed: int) -> None:
    said = started(agls, f"http://localhost:{closed}/mcp")
    assert f"nobody answers at http://localhost:{closed}: the connection was refused" in said
    assert "Is the server running" in said
    assert "web" in said


@pytest.mark.row(63)
def test_unknown_name_is_named_with_what_to_look_at(agls: Agls) -> None:
    said = started(agls, "https://no-such-server.invalid/mcp")
    assert "nobody answers at https://no-such-server.invalid: no machine has this name" in said


@pytest.mark.row(63)
def test_address_without_https_is_told_from_one_with_it(agls: Agls) -> None:
    with ModelServer() as server:
        said = started(agls, server.url.replace("http://", "https://"))
    assert "it does not answer as HTTPS does" in said
