"""Files that no list shows, because one of their names fits an expression.

This module is used in isolated programs: it imports nothing but the standard library.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple


class Hiding(NamedTuple):
    """Expressions for names in normal form C and folded case, the workspace's roots, and `closed` paths.

    A root is a folder with its links resolved, and as the client named it.
    """

    expressions: tuple[str, ...] = ()
    roots: tuple[tuple[str, str], ...] = ()
    closed: tuple[str, ...] = ()

    def hides_below(self, folder: str) -> bool:
        """Return whether something at or below this path may be hidden."""
        start = folder.rstrip("/") + "/"
        return bool(self.expressions) or any(f"{path}/".startswith(start) for path in self.closed)

    def hides(self, real: str) -> bool:
        """Return whether the file or folder at this path, with links resolved, is hidden."""
        if real in self.closed:
            return True
        matchers = [_matcher(expression) for expression in self.expressions]
        return bool(matchers) and any(matches(_folded(n)) for n in self._names(real) for matches in matchers)

    def _names(self, real: str) -> Iterator[str]:
        """Yield every name of a path: absolute, and relative to each root that contains it."""
        yield real
        for root, named in self.roots:
            below = real.removeprefix(root.rstrip("/") + "/")
            if below != real:
                yield from (below, f"{named.rstrip('/')}/{below}")


def beneath(root: str, parts: Sequence[str]) -> str:
    """Return the path of `parts` in the folder `root`."""
    return "/".join((root.rstrip("/"), *parts))


@lru_cache(maxsize=256)
def _matcher(expression: str) -> Callable[[str], object]:
    return re.compile(expression, re.DOTALL).fullmatch


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
