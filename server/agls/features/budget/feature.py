"""The wiring of the room."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from agls.engine.actions import FoundActions
from agls.engine.facts import GateFact
from agls.engine.feature import Attempt, CallTool, Feature, Invocation, RunView
from agls.engine.ledger import NoLedger
from agls.engine.ports import ModelResolver
from agls.engine.vocabulary import Stop, ToolOutcome
from agls.features.budget.account import Account
from agls.features.budget.actions import actions
from agls.features.budget.checks import ROOM, Checks
from agls.features.budget.last_turn import LastTurn
from agls.features.budget.scopes import of_run
from agls.features.budget.settings import Settings
from agls.room.budgets import NO_LIMITS, Allowance, BudgetRegistry
from agls.room.run_ports import RunInfo
from agls.room.session_ports import SessionControl


def build(
    settings: Settings,
    allowance: Allowance,
    registry: BudgetRegistry,
    run: RunInfo,
    models: ModelResolver,
    control: SessionControl,
) -> Feature:
    """Build the feature of one run, whose own limits are in its state.

    What it spends is entered into the ledger of the `registry`; or, while a run works in the session that
    this one helps, it spends from that run, whose limits hold as well.
    """
    parent_scopes, session_id = registry.parent_scopes(run.works_for), run.session_id
    ledger = NoLedger() if parent_scopes else registry.ledger
    own = replace(allowance, day=NO_LIMITS, caller=NO_LIMITS) if parent_scopes else allowance
    account = Account(ledger, session_id, allowance.who, registry.now)
    checks = Checks(own, account, models, parent_scopes, partial(registry.opened, session_id))
    last = LastTurn(run.answers, of_run())

    async def around_run(attempt: Attempt, view: RunView) -> Stop:
        return last.ended(await checks.around_run(attempt, view), view.state)

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        return await checks.before_turn(view) or last.begins(view)

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        return await last.around_tool(invocation, view, partial(checks.around_tool, view=view, inner=inner))

    return Feature(
        name=ROOM,
        actions=FoundActions(partial(actions, allowance, registry.ledger, registry.now, control)),
        around_run=around_run,
        before_turn=before_turn,
        around_model=last.around_model,
        around_tool=around_tool,
        on_fact=checks.watch.on_fact,
    )
