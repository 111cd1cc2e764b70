"""What a run may spend, checked before it is spent."""

from agls.engine.ports import ModelResolver
from agls.features.budget.feature import build
from agls.features.budget.settings import Settings
from agls.room import Room, RunOption
from agls.room.budgets import Allowance, BudgetRegistry
from agls.room.limit_options import OPTIONS
from agls.room.ports import RunInfo

LIMITS = (RunOption("caller", is_text=True), *map(RunOption, OPTIONS))
ROOM = Room(
    "budget",
    Settings,
    build,
    needs=(Allowance, BudgetRegistry, RunInfo, ModelResolver),
    options=LIMITS,
    lowered=True,
)
