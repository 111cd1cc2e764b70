"""Files whose content is not kept: those that usually hold secrets, and what belongs to version control."""

from agls.secret_names import may_hold_secrets

SECRET = "it may hold secrets, so its content is not kept"
HISTORY = "it belongs to version control, which is never touched"
OUTSIDE = "it is outside the workspace"

_HISTORIES = frozenset({".git", ".hg", ".svn", ".jj"})


def withheld(path: str) -> str:
    """Return why the content of the file at this path is not kept, "" when it is."""
    if not _HISTORIES.isdisjoint(path.casefold().split("/")):
        return HISTORY
    return SECRET if may_hold_secrets(path) else ""
