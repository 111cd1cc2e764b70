"""The client's choice for background tasks when the session is cancelled: whether they go on."""

from typing import Literal

from agls.engine.background import Background
from agls.engine.vocabulary import Stop


def keep_or_stop(
    tasks: Background, choice: Literal["keep", "stop"], stop: Stop
) -> tuple[list[str] | None, list[str] | None]:
    """Stop the tasks when that was chosen. **Returns** the ids of those kept and of those stopped."""
    if choice == "stop":
        return None, list(tasks.stop(stop.detail)) or None
    return list(tasks.running) or None, None
