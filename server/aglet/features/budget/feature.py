"""The wiring of the room."""

from collections.abc import Callable

from aglet.engine.feature import Feature
from aglet.engine.ledger import Ledger
from aglet.features.budget.account import Account
from aglet.features.budget.actions import actions
from aglet.features.budget.allowance import Allowance
from aglet.features.budget.checks import ROOM, Checks


def build(
    allowance: Allowance,
    ledger: Ledger,
    session_id: str,
    now: Callable[[], float],
    delegates: Callable[[str], bool],
) -> Feature:
    """The feature of one run, whose own limits are in its state.

    What it spends is entered into the `ledger`. `delegates` says of the name of a tool whether it hands work
    to others.
    """
    checks = Checks(allowance, Account(ledger, session_id, allowance.who, now), delegates)
    return Feature(
        name=ROOM,
        actions=actions(allowance, ledger, now),
        around_run=checks.around_run,
        before_turn=checks.before_turn,
        around_tool=checks.around_tool,
    )
