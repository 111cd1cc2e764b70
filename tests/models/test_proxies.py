"""A model behind a proxy and a certificate of the organisation's own: real tunnels, real TLS, on loopback."""

import ssl
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import trustme

from support.model_asking import Asking, Heard, hear
from support.model_dialects import Said
from support.model_faults import KEY, QUICK, raw
from support.model_server import ModelServer, Raw, Reply
from support.proxy import Proxy

URL = "https://model.invalid/v1"
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
async def server(authority: trustme.CA) -> AsyncGenerator[ModelServer]:
    """A model that speaks TLS as model.invalid."""
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("model.invalid").configure_cert(tls)
    async with ModelServer([Reply("safe")] * 3, tls=tls) as server:
        yield server


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SSL_CERT_FILE names the organisation's certificate."""
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))


async def asked(url: str = URL) -> Heard:
    async with Asking(fresh=True) as asking:
        return await hear(asking.model(url, QUICK, api_key=KEY))


@pytest.mark.usefixtures("trusted")
async def test_https_goes_through_a_tunnel_that_does_not_see_the_key(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Proxy(server.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        heard = await asked()
    assert heard.text == "safe", heard.error
    (head,) = proxy.heads
    assert head.startswith("CONNECT model.invalid:443 HTTP/1.1")
    assert KEY not in head
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "proxy-authorization" not in server.requests[0].headers


@pytest.mark.usefixtures("trusted")
async def test_a_proxy_gets_the_login_of_its_address(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Proxy(server.port, login="me:secret") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:secret@127.0.0.1:{proxy.port}")
        assert (await asked()).text == "safe"
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:wrong@127.0.0.1:{proxy.port}")
        refused = await asked()
    assert refused.error and refused.error.kind == "network"
    assert "NAME:PASSWORD" in refused.error.hint
    assert "wrong" not in f"{refused.error}{refused.error.hint}"
    assert (len(proxy.heads), len(server.posts)) == (2, 1)  # a wrong login is not tried again


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("hosts", ["model.invalid", ".invalid", "other.invalid,model.invalid", "*"])
async def test_a_host_of_no_proxy_is_not_asked_through_it(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, hosts: str
) -> None:
    async with Proxy(server.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("NO_PROXY", hosts)
        heard = await asked()
    assert heard.error and "cannot be reached" in str(heard.error)
    assert (proxy.heads, server.connections) == ([], 0)


@pytest.mark.usefixtures("trusted")
async def test_a_host_that_no_proxy_does_not_name_is_asked_through_it(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Proxy(server.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("NO_PROXY", "other.invalid,del.invalid")
        assert (await asked()).text == "safe"


async def test_server_with_an_untrusted_certificate_gets_nothing(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Proxy(server.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        heard = await asked()
    assert heard.error and "SSL_CERT_FILE" in heard.error.hint
    assert (heard.waits, server.requests, len(proxy.heads)) == ([], [], 1)


@pytest.mark.usefixtures("trusted")
async def test_a_certificate_of_another_host_gets_nothing(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Proxy(server.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        heard = await asked("https://elsewhere.invalid/v1")
    assert heard.error and heard.error.kind == "network"
    assert server.requests == []


@pytest.mark.usefixtures("trusted")
async def test_a_tunnel_that_breaks_off_is_no_answer(
    authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("model.invalid").configure_cert(tls)
    hanging = raw("chat", Said("a long answer " * 5000), then="hang")
    async with ModelServer([hanging] * 2, tls=tls) as server, Proxy(server.port, cut=20_000) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        heard = await asked()
    assert heard.reply is None
    assert heard.error and heard.error.kind == "network"
    assert heard.text


@pytest.mark.usefixtures("trusted")
async def test_a_redirect_behind_a_proxy_takes_the_key_nowhere(
    authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("model.invalid").configure_cert(tls)
    away = Raw((), 307, {"Location": "https://thief.invalid/v1/chat/completions"})
    async with ModelServer([away], tls=tls) as server, Proxy(server.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        heard = await asked()
    assert heard.error and "thief.invalid" in str(heard.error)
    assert len(proxy.heads) == 1
