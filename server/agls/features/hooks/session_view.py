"""The session as hooks see it while none of its runs is there, or beside them."""

from collections.abc import Coroutine
from typing import Any, Literal

from agls.engine.facts import Transient
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Stop
from agls.frozen import frozen
from agls.room.hook_ports import HookPorts


@frozen
class SessionView:
    """Implements `Witness` for what happens outside of runs."""

    ports: HookPorts

    @property
    def state(self) -> State:
        """The session as it was when it was looked at."""
        return self.ports.run.state

    def note(self, feature: str, kind: str, data: JsonObject) -> None:
        """Record a fact of a room. **Raises** `JournalError`."""
        self.ports.note(feature, kind, data)

    def show(self, event: Transient) -> None:
        """Show something that may be lost."""
        self.ports.show(event)

    def stop(self, stop: Stop) -> None:
        """Stop nothing: there is no run to end. What a hook wanted is in its answer."""

    def spawn(self, work: Coroutine[Any, Any, None], scope: Literal["run", "session"]) -> None:
        """Start work that ends, at the latest, with the sessions of the process."""
        self.ports.spawn(work)
