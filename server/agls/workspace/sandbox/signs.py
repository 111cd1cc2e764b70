"""Signs that the sandbox kept a command from something, read from what it printed.

The kernel refuses without saying why, so this is a guess. It decides nothing but what is said and offered.
"""

import re
from collections.abc import Iterator, Sequence

from agls.engine.ports import Finished
from agls.regex import regex

_WRITING = (
    "[The sandbox lets commands write in the workspace and in /tmp only, and not to .git or other files "
    "that programs obey. Commit with the tool git_commit.]"
)
NO_NETWORK = "[The sandbox has no network.]"
FEW_HOSTS = "[The sandbox reaches nothing but {}, and only through the proxy that its variables name.]"
_CALLS = "[The sandbox closes some calls to the system, and the sockets of other programs.]"
_SIGNS = {
    _WRITING: r"read-only file system|EROFS",
    NO_NETWORK: r"could not resolve host|temporary failure in name resolution|"
    r"network is unreachable|name or service not known|getaddrinfo|EAI_AGAIN|ENETUNREACH|ENOTFOUND",
    _CALLS: r"operation not permitted|address family not supported|cannot connect to the docker daemon",
}
CLOSED = "[Files that a rule denies to read cannot be opened in the sandbox.]"
_DENIED = regex(r"permission denied|EACCES", re.IGNORECASE)
_EXPRESSIONS = {text: regex(words, re.IGNORECASE) for text, words in _SIGNS.items()}


def signs_in(finished: Finished, *, closes: bool = False, hosts: Sequence[str] = ()) -> Iterator[str]:
    """Yield what the sandbox seems to have kept a command from; nothing for one that succeeded.

    `closes` is whether there are files that rules deny to read, `hosts` are those that it may reach.
    """
    if finished.exit_code == 0:
        return
    if closes and _DENIED.search(finished.output):
        yield CLOSED
    for text, expression in _EXPRESSIONS.items():
        if expression.search(finished.output):
            yield FEW_HOSTS.format(", ".join(hosts)) if hosts and text == NO_NETWORK else text
