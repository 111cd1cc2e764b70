"""The texts the models last saw, by the hash that the notes keep: what a later edit is compared with."""

from collections import OrderedDict
from collections.abc import Iterator

from .lines import flatten

MOST = 16_000_000  # characters that are kept; of older texts only the hash is known


class Texts:
    """Texts by URI and hash, the latest ones. A hash has one text, so all sessions may share them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._size = 0

    def keep(self, uri: str, digest: str, text: str) -> None:
        """Know this text, and forget the oldest ones when there are too many."""
        self.drop(uri, digest)
        self._kept[uri, digest] = text
        self._size += len(text)
        while self._size > MOST:
            _, oldest = self._kept.popitem(last=False)
            self._size -= len(oldest)

    def find(self, uri: str, digest: str) -> str | None:
        """The text with this hash, `None` when it is not known (any more)."""
        return self._kept.get((uri, digest))

    def holding(self, part: str) -> Iterator[tuple[str, str]]:
        """Yield the URI and the hash of each text that has this part, the latest first."""
        yield from (key for key, text in reversed(self._kept.items()) if part in flatten(text))

    def drop(self, uri: str, digest: str) -> None:
        """Forget this text."""
        self._size -= len(self._kept.pop((uri, digest), ""))
