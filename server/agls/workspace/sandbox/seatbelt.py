"""The sandbox of macOS as its profile says it (sandbox-exec(1)). **Not proved, and used by nothing yet.**

It is made of the same description as the others: the views of files (`mounts`) and the protected names. Its
rules are read in order and the last one that fits decides, so what lies below comes behind what lies above.
Other than mounts, it can close a name that is not there yet, in any folder.

`python -m agls.workspace.sandbox.seatbelt FOLDER` prints the profile for a folder, so that somebody with a
Mac can try it: `sandbox-exec -f PROFILE /bin/zsh`.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from os.path import realpath

from agls.workspace.protected import PROTECTED
from agls.workspace.sandbox.mounts import Bounds, View, views
from agls.workspace.sandbox.names import ProtectedNames

BASE = """(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow pseudo-tty)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow file-read* file-test-existence)
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (regex #"^/dev/(tty|fd/)"))
(deny network*)"""
_RULES: dict[View, Sequence[str]] = {
    "writable": ("allow file-read*", "allow file-write*"),
    "readable": ("allow file-read*", "deny file-write*"),
    "hidden": ("deny file-read*", "deny file-write*"),
    "closed": ("deny file-read*", "deny file-write*"),
}


def profile(seen: Sequence[tuple[str, View]], names: Sequence[str] = PROTECTED) -> str:
    """Return the profile for these views of the files; what has one of these names nobody may change."""
    lines = [BASE]
    for path, view in seen:
        lines += [f"({rule} (subpath {_quoted(path)}))" for rule in _RULES[view]]
    lines += [f"(deny file-write* (regex #{_quoted_pattern(name)}))" for name in names]
    return "\n".join(lines) + "\n"


def name_pattern(name: str) -> str:
    """Return the expression for paths with this name, whatever the case, and for what is in it."""
    return f"/{''.join(_letters(name))}(/.*)?$"


def _letters(name: str) -> Iterator[str]:
    for letter in name:
        if letter == "*":
            yield "[^/]*"
        elif letter.isalpha() and letter.isascii():
            yield f"[{letter.lower()}{letter.upper()}]"
        else:
            yield letter if letter in "/-_~" else re.escape(letter)


def _quoted_pattern(name: str) -> str:
    return f'"{name_pattern(name)}"'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def main() -> None:
    """Print the profile for the folder that is named."""
    root = realpath(sys.argv[1])
    bounds = Bounds((root,), environment={"HOME": os.path.expanduser("~")})  # noqa: PTH111 - no Path is needed
    sys.stdout.write(profile(views(bounds, ProtectedNames().below(bounds.roots))))


if __name__ == "__main__":
    main()
