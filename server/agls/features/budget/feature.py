"""The wiring of the room."""

from dataclasses import replace
from functools import partial

from agls.engine.feature import Feature
from agls.engine.ledger import NoLedger
from agls.features.budget.account import Account
from agls.features.budget.actions import actions
from agls.features.budget.allowance import NO_LIMITS, Allowance
from agls.features.budget.books import Books
from agls.features.budget.checks import ROOM, Checks


def build(allowance: Allowance, books: Books, session_id: str, parent: str) -> Feature:
    """The feature of one run, whose own limits are in its state.

    What it spends is entered into the ledger of the `books`; or, while a run is on in the session for which
    it works (`parent`, "" for none), that run pays for it and is asked as well.
    """
    payers = books.payers(parent)
    ledger = NoLedger() if payers else books.ledger
    own = replace(allowance, day=NO_LIMITS, caller=NO_LIMITS) if payers else allowance
    account = Account(ledger, session_id, allowance.who, books.now)
    checks = Checks(own, account, books.delegates, payers, partial(books.opened, session_id))
    return Feature(
        name=ROOM,
        actions=actions(allowance, books.ledger, books.now),
        around_run=checks.around_run,
        before_turn=checks.before_turn,
        around_tool=checks.around_tool,
    )
