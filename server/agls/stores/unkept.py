"""What only the writer of a journal on a disk keeps beside its entries: others keep nothing."""

from collections.abc import Mapping

from agls.engine.ports import Part
from agls.engine.rests import Rests


class NothingKept:
    """The members of the ports `Journal` and `Tail` for one that keeps nothing beside its entries."""

    def rests(self) -> Rests:
        """Return none: they are found again."""
        return Rests()

    def keep_rests(self, rests: Rests) -> None:
        """Keep nothing."""

    def parts(self, version: int) -> Mapping[Part, bytes]:
        """Return none: they are made again."""
        return {}

    def keep_parts(self, version: int, parts: Mapping[Part, bytes]) -> None:
        """Keep nothing."""
