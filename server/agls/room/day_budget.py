"""What requests to models outside of runs spend on a day: looked at before, and recorded however they end."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

from agls.engine.facts import ModelDelta, Overflowed, Replied, Retrying
from agls.engine.ledger import Row, day_of, used_in
from agls.engine.limits import NOTHING, Totals, limited_kinds
from agls.engine.ports import AnswerCancelled, ModelClient, ModelError, ModelRequest, Reply
from agls.engine.vocabulary import Limits
from agls.frozen import frozen
from agls.room.budgets import Allowance, BudgetRegistry
from agls.room.metered_request import SPENDING

SPENT = "The budget of {} of {} is used up: {:g} of {:g}. {}."
UNREADABLE = (
    "Today's spending cannot be read: {}. Make it readable, or take [budget.day] out of the settings."
)
DAY = "Raise [budget.day], or wait: a new day begins at 00:00 UTC"
CALLER = "Raise [budget.callers], or wait: a new day begins at 00:00 UTC"


def refuse(whose: str, limits: Limits, used: Totals, advice: str) -> None:
    """Ask nothing where nothing is left under these limits. **Raises** `ModelError`."""
    for kind, most in limited_kinds(limits):
        if kind.field in SPENDING and kind.used(used) >= most:
            raise ModelError(SPENT.format(kind.label, whose, kind.used(used), most, advice), kind="quota")


@frozen
class DayBudget:
    """The budgets of the day, and the row of the ledger for what is asked under one `name`.

    The name is that of a session, whose run counts what is asked while it works, or of a process for what
    belongs to no session.
    """

    name: str
    allowance: Allowance
    budgets: BudgetRegistry

    async def check(self) -> None:
        """Ask nothing when what may be spent in a day is spent. **Raises** `ModelError`."""
        if not self.allowance.by_day:
            return
        try:
            rows = await self.budgets.ledger.rows(day_of(self.budgets.now()))
        except OSError as error:
            raise ModelError(UNREADABLE.format(error.strerror or error), kind="quota") from None
        mine = [row for row in rows if row.caller == self.allowance.who]
        refuse("the day", self.allowance.day, used_in(rows), DAY)
        refuse("the caller's day", self.allowance.caller, used_in(mine), CALLER)

    async def stream(self, client: ModelClient, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply]:
        """Yield the answer, and record what it used.

        An attempt that broke off and an answer that failed or was cancelled count as far as they came.
        **Raises** `ModelError`.
        """
        used = NOTHING
        try:
            async with aclosing(client.stream(request)) as parts:
                async for part in parts:
                    if isinstance(part, Replied | Retrying) and part.usage:
                        used = used.spent(part.usage, part.cost)
                    if isinstance(part, Replied | Overflowed):
                        await self._enter(request.reply_id, used)
                    yield part
        except (AnswerCancelled, ModelError) as end:
            if end.usage:
                used = used.spent(end.usage, end.cost)
            with suppress(ModelError):
                await self._enter(request.reply_id, used)
            raise

    async def _enter(self, reply_id: str, used: Totals) -> None:
        if used == NOTHING or self.budgets.parent_scopes(self.name):
            return
        day, who = day_of(self.budgets.now()), self.allowance.who
        try:
            await self.budgets.ledger.enter(Row(day, self.name, reply_id, who, used, ended=True))
        except OSError as error:
            problem = error.strerror or error
            raise ModelError(f"What it cost cannot be recorded: {problem}.", kind="quota") from None
