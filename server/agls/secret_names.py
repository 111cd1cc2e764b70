"""Names of files that usually hold secrets: one list for tools, for commands, and for copies of files.

Reading one is asked about, a search leaves it out, and no copy of it is kept. Examples without a secret in
them, public keys and certificates are no such files (docs/decisions/1450).
"""

from collections.abc import Sequence
from fnmatch import translate

from agls.regex import regex

_FILES = (
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc*",
    ".pypirc",
    "pip.conf",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".dockercfg",
    ".vault-token",
    ".s3cfg",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "credentials",
    "credentials.json",
    "client_secret*.json",
    "service-account*.json",
    "secrets.json",
    "secrets.toml",
    "secrets.y*ml",
    "kubeconfig",
    "*.tfstate",
)
_PUBLIC = ("*.pub", "*.example", "*.sample", "*.template", "*.dist", ".env.example*", ".env.sample*")
_CERTIFICATES = ("*cert*.pem", "*chain*.pem", "*public*.pem", "ca.pem", "ca-*.pem", "*public*.key")
FOLDERS = (".ssh", ".gnupg", ".aws", ".kube")
# Patterns for the names that a search leaves out, which tells upper case from lower.
LEFT_OUT = (".[eE][nN][vV]*", *_FILES, *(name.upper() for name in _FILES))


def _any_of(patterns: Sequence[str]) -> str:
    return "|".join(map(translate, patterns))


_SECRET = regex(_any_of((".env*", *_FILES)))
_OPEN = regex(_any_of((*_PUBLIC, *_CERTIFICATES)))


def may_hold_secrets(path: str, roots: Sequence[str] = ()) -> bool:
    """Return whether the file at this path usually holds secrets; of one below a root, as seen from there.

    A path with a slash at its end is a folder: all of what is in it, or none of it by this name alone.
    """
    for root in roots:
        path = path.removeprefix(root.rstrip("/") + "/")
    *_, name = parts = path.casefold().split("/")
    if _OPEN.fullmatch(name):
        return False
    return bool(_SECRET.fullmatch(name)) or not set(FOLDERS).isdisjoint(parts)
