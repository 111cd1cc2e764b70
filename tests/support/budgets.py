"""The budget room of a run, with nothing above the run unless it is said."""

from typing import cast

from agls.engine.feature import Feature
from agls.engine.ledger import Ledger, NoLedger
from agls.features.budget.feature import build
from agls.features.budget.settings import Settings
from agls.models.endpoint import Endpoint
from agls.models.prices import Prices
from agls.models.resolver import Models
from agls.room.budgets import Allowance, BudgetRegistry
from agls.room.run_ports import RunInfo
from agls.room.session_ports import SessionControl

PRICED = Endpoint(name="priced", model="priced", dialect="scripted", prices=Prices(1.0, 1.0))
NOON = 20_778 * 86_400.0 + 43_200  # of a day, in Unix seconds


def budget_room(
    allowance: Allowance | None = None, ledger: Ledger | None = None, session_id: str = "ses_1"
) -> Feature:
    """The feature; it is always noon."""
    registry = BudgetRegistry(ledger or NoLedger(), lambda: NOON)
    return build(
        Settings(),
        allowance or Allowance(),
        registry,
        RunInfo(session_id=session_id),
        Models((PRICED,)),
        cast(SessionControl, None),  # only asked when limits of the next runs are set
    )
