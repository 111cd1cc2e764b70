"""The proxy of sandboxed commands: who is reached, and who is not."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from agls.web.host_proxy import HostProxy, ProxyRefusal, read_head
from agls.web.host_rules import HostRules
from agls.web_address import AddressRefused, host_rule, web_address

pytestmark = pytest.mark.promise("P5")


@pytest.mark.parametrize(
    ("rule", "address", "allowed"),
    [
        ("pypi.org", "https://pypi.org/", True),
        ("pypi.org", "http://PyPI.org./", True),
        ("pypi.org", "https://pypi.org:8443/", False),
        ("pypi.org", "https://evil-pypi.org/", False),
        ("pypi.org", "https://a.pypi.org/", False),
        ("pypi.org", "https://pypi.org.evil.example/", False),
        ("*.pypi.org", "https://files.pypi.org/", True),
        ("*.pypi.org", "https://pypi.org/", False),
        ("*.pypi.org", "https://evilpypi.org/", False),
        ("localhost:8080", "http://localhost:8080/", True),
        ("localhost:8080", "http://localhost/", False),
        ("[::1]:8080", "http://[::1]:8080/", True),
        ("[::1]", "http://[::1]/", True),
    ],
)
def test_host_is_allowed_by_its_whole_name_and_port(rule: str, address: str, allowed: bool) -> None:
    rules = HostRules((host_rule(rule),))
    assert rules.allows(web_address(address)) is allowed
    assert not rules.allows_private(web_address(address))
    assert HostRules((), (host_rule(rule),)).allows_private(web_address(address)) is allowed


@pytest.mark.parametrize("denied", ["*", "example.com", "a.example.com", "*.example.com"])
def test_denied_host_is_not_reached_though_it_is_allowed(denied: str) -> None:
    rules = HostRules(("a.example.com",), denied=(denied,))
    assert not rules.allows(web_address("https://a.example.com/"))
    assert list(rules.names) == ([] if denied == "*" else ["a.example.com"])


@pytest.mark.parametrize("text", ["*", "*.com", "https://a.example", "a b", "a.example/x", "", "u@a.example"])
def test_text_that_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(AddressRefused):
        host_rule(text)


def test_plain_request_is_sent_to_the_checked_host_and_asks_for_nothing_behind_it() -> None:
    head = (
        b"GET http://a.example:8080/x?y=1#z HTTP/1.1\r\nHost: evil.example\r\nConnection: keep-alive\r\n"
        b"Proxy-Authorization: Basic x\r\nAccept: a\r\naccept: b\r\nContent-Length: 3"
    )
    asked = read_head(head)
    assert (asked.address.name, asked.length) == ("a.example:8080", 3)
    assert asked.head == (
        b"GET /x?y=1 HTTP/1.1\r\nHost: a.example:8080\r\nConnection: close\r\naccept: a, b\r\n"
        b"content-length: 3\r\n\r\n"
    )


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"GET /x HTTP/1.1",
        b"GET http://a.example/ HTTP/1.1\r\nHost: a\r\n folded: b",
        b"GET http://a.example/ HTTP/1.1\r\nContent-Length: 3\r\ncontent-length: 4",
        b"GET http://a.example/ HTTP/1.1\r\nContent-Length: -3",
        b"GET http://a.example/ HTTP/1.1\r\nHost : a",
        b"GET http://a.example/ HTTP/1.1\r\nX: a\nHost: b",
        b"GET http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked",
        b"GET http://a.example\x00.evil.example/ HTTP/1.1",
        b"GET http://u:p@a.example/ HTTP/1.1",
        b"GET http://0x7f.1/ HTTP/1.1",
        b"GET https://a.example/ HTTP/1.1",
        b"GET ftp://a.example/ HTTP/1.1",
        b"GET http://a.example/ HTTP/1.1 x",
        b"CONNECT a.example HTTP/1.1",
        b"CONNECT a.example:443/x HTTP/1.1",
        b"CONNECT a.example:22 HTTP/1.1",
        b"CONNECT u@a.example:443 HTTP/1.1",
        b"CONNECT a.example\x00.evil.example:443 HTTP/1.1",
        b"CONNECT 2130706433:443 HTTP/1.1",
        b"CONNECT http://a.example:443 HTTP/1.1",
    ],
)
def test_request_of_which_the_host_is_not_certain_is_refused(head: bytes) -> None:
    with pytest.raises(ProxyRefusal):
        read_head(head)


async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer with the first bytes that came."""
    writer.write(b"got " + await reader.read(999))
    await writer.drain()
    writer.close()


@asynccontextmanager
async def proxied(proxy: HostProxy) -> AsyncIterator[tuple[int, int]]:
    """Serve the proxy and a host; gives their ports."""
    async with (
        await asyncio.start_server(greet, "127.0.0.1", 0) as host,
        await asyncio.start_server(proxy.serve, "127.0.0.1", 0) as server,
    ):
        yield server.sockets[0].getsockname()[1], host.sockets[0].getsockname()[1]


async def ask(port: int, *pieces: bytes) -> bytes:
    """Return everything that comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for piece in pieces:
        writer.write(piece)
    found = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return found


async def test_allowed_private_host_is_reached_by_both_ways_and_others_by_none() -> None:
    async def look_up(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    proxy = HostProxy(HostRules(("open.example",), ("*.inner.example", "inner.example:1")), look_up)
    async with proxied(proxy) as (port, host):
        proxy._rules = HostRules((f"open.example:{host}",), (f"inner.example:{host}",))  # pyright: ignore
        there = f"inner.example:{host}".encode()
        plain = await ask(port, b"GET http://" + there + b"/a HTTP/1.1\r\n\r\n", b"GET http://b/ HTTP/1.1")
        assert plain.startswith(b"got GET /a HTTP/1.1\r\nHost: " + there)
        assert b"http://b/" not in plain, "one request for each connection"
        tunnel = await ask(port, b"CONNECT " + there + b" HTTP/1.1\r\n\r\n", b"hello")
        assert tunnel == b"HTTP/1.1 200 Connection established\r\n\r\ngot hello"
        assert list(proxy.refused) == []
        for name in (b"other.example:443", f"open.example:{host}".encode()):
            refused = await ask(port, b"CONNECT " + name + b" HTTP/1.1\r\n\r\n")
            assert refused.startswith(b"HTTP/1.1 403 Forbidden")
    assert list(proxy.refused) == [
        "other.example is not among the hosts of the sandbox (sandbox.hosts)",
        f"open.example:{host} is not on the public network (sandbox.private_hosts)",
    ]


async def test_name_that_leads_to_a_public_and_a_private_address_is_refused() -> None:
    async def look_up(host: str, port: int) -> list[str]:
        return ["93.184.216.34", "169.254.169.254"]

    proxy = HostProxy(HostRules(("a.example",)), look_up)
    async with proxied(proxy) as (port, _):
        answer = await ask(port, b"CONNECT a.example:443 HTTP/1.1\r\n\r\n")
    assert b"not on the public network" in answer


async def test_head_without_an_end_is_refused() -> None:
    proxy = HostProxy(HostRules())
    async with proxied(proxy) as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET http://a.example/ HTTP/1.1\r\nX: y\r\n")
        writer.write_eof()
        answer = await asyncio.wait_for(reader.read(), 10)
        writer.close()
    assert answer.startswith(b"HTTP/1.1 400")
