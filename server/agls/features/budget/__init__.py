"""What a run may spend, checked before it is spent."""

from agls.engine.ports import ModelResolver
from agls.features.budget.settings import Settings
from agls.room import Room, RunOption, build_of
from agls.room.budgets import Allowance, BudgetRegistry
from agls.room.exposed import SpendingLimits
from agls.room.limit_options import OPTIONS
from agls.room.run_ports import RunInfo
from agls.room.session_ports import SessionControl

LIMITS = (RunOption("caller", is_text=True), *map(RunOption, OPTIONS))
ROOM = Room(
    "budget",
    Settings,
    build_of(__name__),
    heading="Limits",
    needs=(Allowance, BudgetRegistry, RunInfo, ModelResolver, SessionControl),
    options=LIMITS,
    exposes=(SpendingLimits,),
    lowered=True,
    has_actions=True,
)
