"""Looks at everything a run needs, and says what to change: the same for the command line and for editors."""

from collections.abc import Awaitable, Callable

from agls.checkup.case import Case, Packages
from agls.checkup.report import Report
from agls.config import Setup
from agls.engine.actions import ActionOutcome
from agls.engine.ports import Workspace

__all__ = ["Case", "Report", "examine", "for_action"]


async def examine(case: Case) -> Report:
    """Make every check on the list. Never raises."""
    from agls.checkup.checks import examine as work  # noqa: PLC0415 - it loads the HTTP library

    return await work(case)


def for_action(
    setup: Setup, packages: Packages
) -> Callable[[Workspace, str, bool], Awaitable[ActionOutcome]]:
    """The examination as the room `doctor` asks for it."""

    async def look(workspace: Workspace, model: str, offline: bool) -> ActionOutcome:
        case = Case(workspace.root, setup, setup.environment, workspace, model, offline, packages)
        report = await examine(case)
        return ActionOutcome(report.markdown(), report.data())

    return look
