"""Files whose content is not kept: those that usually hold secrets, and what belongs to version control."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

SECRET = "it may hold secrets, so its content is not kept"
HISTORY = "it belongs to version control, which is never touched"
OUTSIDE = "it is outside the workspace"

_SECRET_FILES = (
    ".env*",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc*",
    ".pypirc",
    "pip.conf",
    ".git-credentials",
    ".pgpass",
    ".htpasswd",
    ".dockercfg",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "credentials",
    "credentials.json",
    "secrets.json",
    "secrets.toml",
    "secrets.y*ml",
    "*.tfstate",
)
_SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".kube"})
_HISTORIES = frozenset({".git", ".hg", ".svn", ".jj"})


def withheld(path: str) -> str:
    """Return why the content of the file at this path is not kept, "" when it is."""
    parts = path.casefold().split("/")
    if _HISTORIES & set(parts):
        return HISTORY
    return SECRET if _is_secret(parts) else ""


def _is_secret(parts: Sequence[str]) -> bool:
    if _SECRET_FOLDERS & set(parts):
        return True
    return any(fnmatchcase(parts[-1], pattern) for pattern in _SECRET_FILES)
