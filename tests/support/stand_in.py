"""A server on loopback in the place of a provider: TLS under the provider's own name, behind a proxy."""

import asyncio
import ssl
import threading
from collections.abc import Generator, MutableMapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import trustme

from support.model_server import Answer, ModelServer
from support.patience import PATIENCE
from support.proxy import Proxy


@contextmanager
def stand_in(
    host: str, replies: Sequence[Answer], environment: MutableMapping[str, str], folder: Path
) -> Generator[ModelServer]:
    """Answer for `host` to a program that is started with this environment."""
    authority: Any = trustme.CA()
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(host).configure_cert(tls)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    with ModelServer(replies, tls=tls) as server, _tunnels(server.port) as port:
        names = {
            "HTTPS_PROXY": f"http://127.0.0.1:{port}",
            "https_proxy": f"http://127.0.0.1:{port}",
            "NO_PROXY": "",
            "no_proxy": "",
            "SSL_CERT_FILE": str(folder / "ca.pem"),
        }
        environment.update(names)
        yield server


@contextmanager
def _tunnels(port: int) -> Generator[int]:
    """A proxy in a thread of its own; gives the port where it listens."""
    ready, over = threading.Event(), threading.Event()
    ports: list[int] = []

    async def serve() -> None:
        async with Proxy(port) as proxy:
            ports.append(proxy.port)
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield ports[0]
    finally:
        over.set()
        thread.join(PATIENCE)
