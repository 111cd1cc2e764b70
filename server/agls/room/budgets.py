"""What the budgets of one process share: the ledger, and the scopes of the runs that work now."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import field
from typing import NamedTuple, Protocol

from agls.engine.ledger import Ledger
from agls.engine.limits import Kind
from agls.engine.vocabulary import Limits, Stop
from agls.frozen import frozen

NO_LIMITS = Limits()


@frozen
class Allowance:
    """The limits of a session, of a day, and of a caller on a day. Nothing can be raised above `most`."""

    session: Limits = NO_LIMITS
    day: Limits = NO_LIMITS
    caller: Limits = NO_LIMITS
    most: Limits = NO_LIMITS
    who: str = ""

    @property
    def by_day(self) -> bool:
        """Whether anything depends on what others spend today."""
        return self.day != NO_LIMITS or self.caller != NO_LIMITS


class Refusal(NamedTuple):
    """The kind of budget of which nothing is left, and the text for the model."""

    kind: Kind
    text: str


class BudgetScope(Protocol):
    """The budget that a run and all its helpers spend from."""

    async def look(self) -> Stop | None:
        """**Returns** why no model may be asked any more, `None` while one may."""
        ...

    def refusal(self, tool: str, ahead: int) -> Refusal | None:
        """**Returns** why no tool of this name may be called any more, with `ahead` calls before this one."""
        ...

    def left(self) -> Limits:
        """**Returns** what is left under every limit that holds for the run."""
        ...


@frozen
class BudgetRegistry:
    """The ledger, the clock `now` (Unix seconds), and the scope of each run that works, by session."""

    ledger: Ledger
    now: Callable[[], float]
    _scopes: dict[str, BudgetScope] = field(default_factory=dict[str, BudgetScope])

    @contextmanager
    def opened(self, session_id: str, scope: BudgetScope) -> Generator[None, None, None]:
        """Let the helpers of this session spend from its run while the context is open."""
        self._scopes[session_id] = scope
        try:
            yield
        finally:
            if self._scopes.get(session_id) is scope:
                del self._scopes[session_id]

    def parent_scopes(self, session_id: str) -> tuple[BudgetScope, ...]:
        """**Returns** the scope of the run that works in this session, if there is one."""
        return (self._scopes[session_id],) if session_id in self._scopes else ()

    def left(self, session_id: str) -> Limits:
        """**Returns** what is left for the helpers of this session."""
        return next((scope.left() for scope in self.parent_scopes(session_id)), Limits())
