"""A session without a folder for outputs, and without keys."""

from agls.room.session_ports import USUAL_OUTPUTS
from agls.room.whole_outputs import WholeOutputs


class Nowhere:
    """Implements `OutputFolder`: nothing is kept."""

    async def keep(self, name: str, text: str, most: int) -> str:
        """Keep nothing."""
        return ""

    async def extend(self, name: str, data: bytes, size: int) -> str:
        """Keep nothing."""
        return ""


def no_keys() -> tuple[str, ...]:
    """Return no keys."""
    return ()


NOTHING_KEPT = WholeOutputs(Nowhere(), USUAL_OUTPUTS)
