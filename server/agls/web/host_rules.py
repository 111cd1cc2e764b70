"""The hosts that commands may reach, as the user wrote them."""

from collections.abc import Sequence

from agls.frozen import frozen
from agls.web_address import BELOW, DEFAULT_PORTS, WebAddress, is_under


@frozen
class HostRules:
    """Which hosts may be reached: `allowed`, and `private` ones, which need not be on the public network.

    A name without a port means the usual ports of the web; `*.NAME` are all hosts below it. What is `denied`
    is so with all ports and all hosts below it, and `*` is every host.
    """

    allowed: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()

    @property
    def names(self) -> Sequence[str]:
        """Everything that may be reached, for people."""
        return () if "*" in self.denied else (*self.allowed, *self.private)

    def allows(self, address: WebAddress) -> bool:
        """Return whether a command may reach it."""
        if any(_denies(rule, address.host) for rule in self.denied):
            return False
        return any(_names(rule, address) for rule in (*self.allowed, *self.private))

    def allows_private(self, address: WebAddress) -> bool:
        """Return whether it may be on a network that is not public."""
        return any(_names(rule, address) for rule in self.private)


def _names(rule: str, address: WebAddress) -> bool:
    host, has_port, port = rule.rpartition(":")
    if not (has_port and port.isdigit() and not host.endswith(":")):
        host, port = rule, ""
    if port and int(port) != address.port:
        return False
    if not port and address.port not in DEFAULT_PORTS.values():
        return False
    host = host.strip("[]")
    if host.startswith(BELOW):
        return address.host != host[2:] and is_under(address.host, host[2:])
    return address.host == host


def _denies(rule: str, host: str) -> bool:
    name = rule.removeprefix(BELOW).rpartition(":")[0] if ":" in rule and "[" not in rule else rule
    return rule == "*" or is_under(host, name.removeprefix(BELOW).strip("[]"))
