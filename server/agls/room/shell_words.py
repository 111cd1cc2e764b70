"""The words of a shell command, read so that none is missed; nothing is executed or expanded."""

import re
from collections.abc import Sequence
from functools import lru_cache
from posixpath import join

from agls.regex import regex

LONGEST = 10_000  # characters; nothing is known about a longer command
_IFS = regex(r"\$\{?IFS\b[^}\s]*\}?")
_SEPARATOR = regex(r"[;&|\n()`]+")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHELLS = _names("sh bash dash zsh ksh fish eval source")
INTERPRETERS = _names("python pypy perl ruby node nodejs deno bun php lua tclsh awk gawk mawk")  # no versions
# What runs the rest of its own arguments: allowing it with any arguments allows everything.
LAUNCHERS = SHELLS | _names(
    ". env exec command builtin coproc time nice nohup setsid timeout stdbuf xargs parallel sudo su doas "
    "ssh watch strace ltrace script if then else elif for while until do case select function ! [[ "
    "busybox toybox chroot unshare nsenter bwrap pkexec runuser chrt ionice taskset numactl setarch prlimit "
    "systemd-run dbus-run-session xvfb-run fakeroot flock entr tmux screen rlwrap unbuffer expect run-parts"
)
FEEDERS = _names("xargs parallel")  # run what they read
FOLDERS = _names("cd chdir pushd")


@lru_cache(maxsize=64)
def parts(command: str) -> tuple[tuple[str, ...], ...]:
    """**Returns** the words of each part between separators; parts without words are left out."""
    text = bare(command).replace("<", " ").replace(">", " ")
    return tuple(words for part in _SEPARATOR.split(text) if (words := tuple(part.split())))


def bare(command: str) -> str:
    """**Returns** the text without line continuations, field separators by variable, and all quoting."""
    return re.sub(r"[\\'\"]", "", _IFS.sub(" ", command.replace("\\\n", "")))


def folders_of(words_of_parts: Sequence[Sequence[str]]) -> list[str]:
    """**Returns** the folders the command changes to, each as seen from where it begins."""
    here, found = "", list[str]()
    for part in words_of_parts:
        for at, word in enumerate(part):
            if word in FOLDERS:
                to = next((name for name in part[at + 1 :] if not name.startswith("-")), "~")
                here = join(here, to)
                found.append(here)
    return found


def parts_of(command: str) -> Sequence[tuple[str, Sequence[str]]]:
    """**Returns** the words of each part, with the folder that the command changed to before it."""
    found: list[tuple[str, Sequence[str]]] = []
    here = ""
    for part in parts(command[:LONGEST]):
        found.append((here, part))
        here = join(here, *folders_of([part]))
    return found
