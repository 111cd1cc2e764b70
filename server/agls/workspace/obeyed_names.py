"""Which names in a folder other programs run or obey: one answer for the sandbox and for what commands leave.

The names are those of `protected`, which the tools ask, too. Folders of installed packages are full of them
and nobody obeys them there; in such a folder only git's names count, and the places where its programs lie.
"""

from functools import lru_cache
from typing import Literal

from agls.workspace.protected import danger

PACKAGES = frozenset(
    "node_modules site-packages dist-packages .venv venv .tox .nox vendor __pycache__".split()  # noqa: SIM905 - names
)
BARE = frozenset({"HEAD", "objects", "refs"})  # git takes a folder with these for a repository
_OF_PACKAGES = frozenset({"bin", ".bin", "scripts", "pyvenv.cfg"})
_GIT = frozenset({".git", "git~1"})


@lru_cache(maxsize=100_000)
def kind_of(parent: str, name: str) -> Literal["git", "obeyed", ""]:
    """Return whether a name in the folder `parent` is git's own, one that programs obey, or neither."""
    folded = name.casefold().rstrip(". ")
    if folded in _GIT:
        return "git"
    if parent in PACKAGES and folded not in _OF_PACKAGES:
        return ""
    return "obeyed" if danger((parent, name)) else ""
