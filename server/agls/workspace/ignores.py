"""Ignore files: `.gitignore` and `.ignore` in every folder, and `.git/info/exclude` of the root."""

import os
from collections.abc import Sequence
from contextlib import suppress

from pathspec import GitIgnoreSpec

from agls.frozen import frozen
from agls.workspace.handles import check_regular, open_beneath, opened

_NAMES = ((".git", "info", "exclude"), (".gitignore",), (".ignore",))  # the later, the stronger
_LONGEST = 1_000_000  # bytes of an ignore file


@frozen
class Rules:
    """The rules that hold in one folder: pairs of a folder's depth and its patterns, weakest first."""

    specs: tuple[tuple[int, GitIgnoreSpec], ...] = ()

    def within(self, folder: int, parts: Sequence[str]) -> "Rules":
        """These rules and those of the ignore files in the open `folder`, which is at `parts`."""
        texts = [_text(folder, name) for name in _NAMES if len(name) == 1 or not parts]
        specs = (GitIgnoreSpec.from_lines(text.splitlines()) for text in texts if text)
        return Rules((*self.specs, *((len(parts), spec) for spec in specs)))

    def ignore(self, parts: Sequence[str], *, folder: bool) -> bool:
        """Whether this file or folder is ignored: the last rule that mentions it decides."""
        for depth, spec in reversed(self.specs):
            path = "/".join(parts[depth:]) + ("/" if folder else "")
            verdict = spec.check_file(path).include
            if verdict is not None:
                return verdict
        return False


def _text(folder: int, name: Sequence[str]) -> str:
    with suppress(OSError), opened(open_beneath(folder, name, os.O_RDONLY)) as handle:
        check_regular(handle)
        return os.read(handle, _LONGEST).decode("utf-8", "replace")
    return ""
