"""Checks of the way to a model: the proxy, and whose certificates are trusted."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Iterator, Mapping
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from agls.checkup.case import Case
from agls.checkup.models import asks_others
from agls.models.http.connections import system_trust
from agls.room.findings import Finding

PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
CONNECTING = 5.0  # seconds
SCHEMES = {"http", "https"}
USUAL = {"http": 80, "https": 443}


async def proxy(case: Case) -> AsyncGenerator[Finding, None]:
    """Which proxy is set, and whether anybody answers there."""
    said = dict(_said(case.environment))
    if not said:
        yield Finding("proxy", "pass", "No proxy is set.")
        return
    for name, value in said.items():
        url = _parsed(value)
        if url is None:
            text = f"{name} is not the address of a usable proxy."
            yield Finding("proxy", "fail", text, f"Write {name}=http://HOST:PORT, or unset it.")
            continue
        at = f"{url.scheme}://{url.hostname}:{_port(url)}"
        if not case.offline and not await _answers(url):
            fix = f"Correct {name} or unset it, or add the model's host to NO_PROXY."
            needed = "fail" if asks_others(case) else "warn"
            yield Finding("proxy", needed, f"{name} is {at}, but nothing answers there.", fix)
            continue
        without = _value(case.environment, "NO_PROXY")
        besides = f" It is not used for {without} (NO_PROXY)" if without else " It is used for every host"
        yield Finding("proxy", "pass", f"{name} is {at}.{besides} but this machine.")


def _said(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in PROXIES:
        if value := _value(environment, name):
            yield name, value


def _value(environment: Mapping[str, str], name: str) -> str:
    """The variable; the small letters count more, as with every other program."""
    return environment.get(name.lower()) or environment.get(name, "")


def _parsed(value: str) -> SplitResult | None:
    try:
        url = urlsplit(value if "://" in value else f"http://{value}")
        return url if url.scheme in SCHEMES and url.hostname and _port(url) else None
    except ValueError:
        return None


def _port(url: SplitResult) -> int:
    return url.port or USUAL[url.scheme]


async def _answers(url: SplitResult) -> bool:
    try:
        async with asyncio.timeout(CONNECTING):
            _, writer = await asyncio.open_connection(url.hostname, _port(url))
    except OSError:  # a time-out is one, too
        return False
    writer.close()
    return True


async def certificates(case: Case) -> AsyncGenerator[Finding, None]:
    """Whether the files that are named are there and can be read."""
    for name, is_there in (("SSL_CERT_FILE", Path.is_file), ("SSL_CERT_DIR", Path.is_dir)):
        value = case.environment.get(name, "")
        if value and not is_there(Path(value)):
            text = f"{name} names {value}, which does not exist."
            yield Finding("certificates", "fail", text, f"Correct {name}, or unset it.")
            return
    try:
        trusted = await asyncio.to_thread(system_trust)
    except (OSError, ssl.SSLError):
        text = "The certificates could not be loaded."
        yield Finding("certificates", "fail", text, "Check SSL_CERT_FILE and SSL_CERT_DIR.")
        return
    named = case.environment.get("SSL_CERT_FILE") or case.environment.get("SSL_CERT_DIR")
    whose = f"those of {named} and of this system" if named else "the usual ones and those of this system"
    yield Finding("certificates", "pass", f"Trusted: {whose} ({len(trusted.get_ca_certs())} loaded).")
