"""Addresses of the web: one reading of a text, and which addresses of machines are public.

A text is read once. What it means here is what is shown, compared with rules, and connected to.
"""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import quote, urljoin

from agls.frozen import frozen
from agls.regex import regex

DEFAULT_PORTS = {"http": 80, "https": 443}
LOWEST_FREE_PORT = 1024  # below it live services that an HTTP request could be mistaken by
BELOW = "*."  # in front of a domain: all hosts below it
LONGEST = 8_000  # characters
_SHAPE = regex(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>.*)", re.DOTALL)
_SCHEME = regex(r"([A-Za-z][A-Za-z0-9+.-]*):(?!\d)")
_HARMFUL = regex(
    r"[\x00-\x20\x7f-\xa0\\\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufeff]"
)
_HOST_AND_PORT = regex(r"(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>\d{1,5}))?")
_LABEL = regex(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER = regex(r"\d+|0x[0-9a-f]*")
_KEPT = "/?=&%:;,+@!$'()*~[]-._"  # characters of a path and a query that stand for themselves
NOT_PUBLIC = frozenset({ip_address("168.63.129.16")})  # what a cloud's machines ask about themselves

PRIVATE = (
    '{0} is not on the public network. Only the user can open it to you: private_hosts = ["{0}"] under '
    "[web] in their config file."
)


class AddressRefused(ValueError):
    """The text is no address that may be asked for. The message says what to write instead."""


@frozen
class WebAddress:
    """An address that is shown, compared and connected to. `host` has small letters and no last dot."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def name(self) -> str:
        """The host, with the port when it is not the usual one: the name in rules and questions."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def text(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.name}{self.target}"


def web_address(text: str) -> WebAddress:
    """Return the meaning of a text. **Raises** `AddressRefused`."""
    if len(text) > LONGEST:
        raise AddressRefused(f"The address is longer than {LONGEST} characters.")
    if _HARMFUL.search(text):
        raise AddressRefused(
            "The address has blanks, backslashes or characters that cannot be seen. Write %20 for a blank."
        )
    found = _SHAPE.fullmatch(text)
    scheme = found["scheme"].lower() if found else ""
    if found is None or scheme not in DEFAULT_PORTS:
        said = _SCHEME.match(text)
        what = f"{said[1]}: addresses cannot be fetched" if said else "That is not a complete address"
        raise AddressRefused(f"{what}. Write one that begins with https:// or http://.")
    host, port = _host_and_port(found["authority"])
    return WebAddress(scheme, host, _port(port, scheme), _target(found["rest"]))


def moved(base: WebAddress, location: str) -> WebAddress:
    """Return the address that a redirect names. **Raises** `AddressRefused`."""
    try:
        return web_address(urljoin(base.text, location))
    except AddressRefused:
        raise
    except ValueError:  # brackets that do not match
        raise AddressRefused("The server names no address that can be fetched.") from None


def host_name(text: str) -> str:
    """Return a host with or without a port as `WebAddress.name` has it. **Raises** `AddressRefused`."""
    found = web_address(f"https://{text}/") if "/" not in text else None
    if found is None:
        raise AddressRefused(f"{text!r} is not a host such as example.com or 127.0.0.1:8080.")
    return found.name


def host_rule(text: str) -> str:
    """Return HOST, HOST:PORT or `*.DOMAIN` as rules about hosts have it. **Raises** `AddressRefused`."""
    below = BELOW if text.startswith(BELOW) else ""
    name = host_name(text.removeprefix(BELOW))
    if below and "." not in name.partition(":")[0]:
        raise AddressRefused(f"{text!r} would be every host below {name}. Write a domain: *.example.com.")
    return f"{below}{name}"


def is_under(host: str, domain: str) -> bool:
    """Return whether a host is this domain, or one below it."""
    return host == domain or host.endswith(f".{domain}")


def is_public(address: str) -> bool:
    """Return whether an IP address, and the one inside of it if it has one, is of the public network."""
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        if found.is_site_local or "%" in address:
            return False
        inner = _inner(found)
        if inner is not None:
            return is_public(str(inner))
    return found.is_global and not found.is_multicast and not found.is_reserved and found not in NOT_PUBLIC


def is_private_by_name(address: WebAddress) -> bool:
    """Return whether its name alone says that a host is not public: one word, or a private IP address."""
    try:
        return not is_public(address.host)
    except ValueError:
        return "." not in address.host


def _inner(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that this one leads to, `None` for none."""
    if address.ipv4_mapped:
        return address.ipv4_mapped
    if address.sixtofour:
        return address.sixtofour
    if address.teredo:
        return address.teredo[1]
    packed = address.packed
    if packed[:12] in {b"\x00" * 12, b"\x00\x64\xff\x9b" + b"\x00" * 8}:  # compatible, and RFC 6052
        return IPv4Address(packed[12:])
    return None


def _host_and_port(authority: str) -> tuple[str, str]:
    if "@" in authority:
        raise AddressRefused("The address holds a name or a password before an @. Write it without them.")
    found = _HOST_AND_PORT.fullmatch(authority)
    if not found or not found["host"]:
        raise AddressRefused("The address has no host, or a port that is none.")
    return _host(found["host"]), found["port"] or ""


def _host(text: str) -> str:
    if text.startswith("["):
        try:
            return str(IPv6Address("" if "%" in text else text[1:-1]))
        except ValueError:
            raise AddressRefused(f"{text} is no IPv6 address.") from None
    host = (text if text.isascii() else _ascii(text)).lower().removesuffix(".")
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise AddressRefused(f"{text[:100]!r} is not the name of a host.")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return str(IPv4Address(host))
        except ValueError:
            raise AddressRefused(
                f"{text[:100]!r} is a number and no host. Write a name, or four numbers as in 93.184.216.34."
            ) from None
    return host


def _ascii(host: str) -> str:
    import idna  # noqa: PLC0415 - few addresses need it

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise AddressRefused(f"{host[:100]!r} is not the name of a host.") from None


def _port(text: str, scheme: str) -> int:
    port = int(text) if text else DEFAULT_PORTS[scheme]
    usual = port in DEFAULT_PORTS.values()
    if not usual and not LOWEST_FREE_PORT <= port <= 65_535:
        raise AddressRefused(f"Port {port} is not allowed: use 80, 443, or one from {LOWEST_FREE_PORT} up.")
    return port


def _target(rest: str) -> str:
    """Return path and query as they are sent."""
    target = rest.partition("#")[0]
    return quote(target if target.startswith("/") else f"/{target}", safe=_KEPT)
