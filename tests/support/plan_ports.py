"""What the room of the plan needs where no test changes the mode and nothing is kept in files."""

from agls.engine.session import Session
from agls.engine.state import State
from agls.room.run_ports import HookPoints
from agls.room.session_ports import USUAL_OUTPUTS, Approval
from agls.room.whole_outputs import WholeOutputs


class AlwaysAsk:
    """A session whose mode is `ask`."""

    def of(self, state: State) -> str:
        """Return the mode."""
        return "ask"

    async def change(self, mode: str, *, by_user: bool) -> None:
        """Refuse: the mode stays."""
        raise AssertionError(mode)


class NoFolder:
    """Keeps nothing."""

    async def keep(self, name: str, text: str, most: int) -> str:
        """Return that it is nowhere."""
        return ""

    async def extend(self, name: str, data: bytes, size: int) -> str:
        """Keep nothing."""
        return ""


def plan_ports(session: Session) -> tuple[Approval, WholeOutputs, HookPoints]:
    """Return the last three arguments of the room's builder."""
    return Approval(session.questions, AlwaysAsk()), WholeOutputs(NoFolder(), USUAL_OUTPUTS), HookPoints()
