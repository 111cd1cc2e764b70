"""The models that actions ask, beside a run or between runs: as far as the budgets pay for it."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from agls.engine.facts import ModelDelta, Replied
from agls.engine.ledger import Row, day_of, used_in
from agls.engine.limits import NOTHING, Totals, limited_kinds
from agls.engine.ports import ModelClient, ModelError, ModelInfo, ModelRequest, ModelResolver, Reply
from agls.engine.state import State
from agls.engine.vocabulary import Limits, TokenCount
from agls.frozen import frozen
from agls.room.budgets import Allowance, BudgetRegistry
from agls.room.metered_request import SPENDING

SPENT = "The budget of {} of {} is used up: {:g} of {:g}. {}."
UNREADABLE = (
    "Today's spending cannot be read: {}. Make it readable, or take [budget.day] out of the settings."
)
RUN, SESSION = "Raise it in [budget] or by its option", "Begin a new session, or raise [budget.session]"
DAY = "Raise [budget.day], or wait: a new day begins at 00:00 UTC"
CALLER = "Raise [budget.callers], or wait: a new day begins at 00:00 UTC"


@frozen
class ActionBudget:
    """What pays for the requests of actions of one session: its run while one is on, else all but a run.

    `limits` are those that a run would have: of one that may spend nothing no action spends either.
    """

    session_id: str
    state: Callable[[], State]
    limits: Limits
    allowance: Allowance
    budgets: BudgetRegistry

    async def check(self) -> None:
        """Ask nothing where nothing is left. **Raises** `ModelError`."""
        scopes = self.budgets.parent_scopes(self.session_id)
        for scope in scopes:
            if stop := await scope.look():
                raise ModelError(stop.detail, kind="quota")
        if not scopes:
            self._refuse("a run", self.limits, NOTHING, RUN)
            self._refuse("this session", self.allowance.session, self.state().total, SESSION)
            await self._check_day()

    async def enter(self, reply: Replied) -> None:
        """Count an answer in the sums of the day, where no run does that. **Raises** `ModelError`."""
        if self.budgets.parent_scopes(self.session_id):
            return
        day, used = day_of(self.budgets.now()), NOTHING.spent(reply.usage, reply.cost)
        row = Row(day, self.session_id, reply.item_id, self.allowance.who, used, ended=True)
        try:
            await self.budgets.ledger.enter(row)
        except OSError as error:
            raise ModelError(f"What it cost cannot be recorded: {error}.", kind="quota") from None

    async def _check_day(self) -> None:
        if not self.allowance.by_day:
            return
        try:
            rows = await self.budgets.ledger.rows(day_of(self.budgets.now()))
        except OSError as error:
            raise ModelError(UNREADABLE.format(error.strerror or error), kind="quota") from None
        mine = [row for row in rows if row.caller == self.allowance.who]
        self._refuse("the day", self.allowance.day, used_in(rows), DAY)
        self._refuse("the caller's day", self.allowance.caller, used_in(mine), CALLER)

    def _refuse(self, whose: str, limits: Limits, used: Totals, advice: str) -> None:
        for kind, most in limited_kinds(limits):
            if kind.field in SPENDING and kind.used(used) >= most:
                raise ModelError(SPENT.format(kind.label, whose, kind.used(used), most, advice), kind="quota")


@frozen
class ActionModel:
    """Implements `ModelClient` for requests of actions."""

    client: ModelClient
    budget: ActionBudget

    @property
    def info(self) -> ModelInfo:
        """The model's name, provider, sizes and prices."""
        return self.client.info

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply]:
        """Yield the answer, as far as the budget pays for it. **Raises** `ModelError`."""
        await self.budget.check()
        async with aclosing(self.client.stream(request)) as parts:
            async for part in parts:
                if isinstance(part, Replied):
                    await self.budget.enter(part)
                yield part

    async def count(self, request: ModelRequest) -> TokenCount:
        """Return the tokens of a request."""
        return await self.client.count(request)

    async def tokens_of(self, texts: Sequence[str]) -> int | None:
        """Return the tokens of texts, `None` where no tokenizer is here."""
        return await self.client.tokens_of(texts)


@frozen
class ActionModels:
    """Implements `ModelResolver` for requests of actions."""

    models: ModelResolver
    budget: ActionBudget

    def resolve(self, name: str) -> ModelClient:
        """Return the model of a name. **Raises** `ModelError`."""
        return ActionModel(self.models.resolve(name), self.budget)
