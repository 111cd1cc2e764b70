"""The models that actions ask, beside a run or between runs: as far as the budgets pay for it."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from agls.engine.facts import ModelDelta
from agls.engine.limits import NOTHING
from agls.engine.ports import ModelClient, ModelError, ModelInfo, ModelRequest, ModelResolver, Reply
from agls.engine.state import State
from agls.engine.vocabulary import Limits, TokenCount
from agls.frozen import frozen
from agls.room.budgets import Allowance, BudgetRegistry
from agls.room.day_budget import DayBudget, refuse

RUN, SESSION = "Raise it in [budget] or by its option", "Begin a new session, or raise [budget.session]"


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

    async def stream(self, client: ModelClient, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply]:
        """Yield the answer, as far as the budget pays for it. **Raises** `ModelError`."""
        day = DayBudget(self.session_id, self.allowance, self.budgets)
        scopes = self.budgets.parent_scopes(self.session_id)
        for scope in scopes:
            if stop := await scope.look():
                raise ModelError(stop.detail, kind="quota")
        if not scopes:
            refuse("a run", self.limits, NOTHING, RUN)
            refuse("this session", self.allowance.session, self.state().total, SESSION)
            await day.check()
        async with aclosing(day.stream(client, request)) as parts:
            async for part in parts:
                yield part


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
        async with aclosing(self.budget.stream(self.client, request)) as parts:
            async for part in parts:
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
