"""The question whether the editor shall save before a command."""

from agls.engine.ports import Asker, Workspace
from agls.engine.vocabulary import Option, Question

SAVE = "save"
REASON = "A command sees files as they are on disk."


async def wants_saving(asker: Asker, workspace: Workspace, call_id: str) -> bool:
    """Ask, when something is unsaved and somebody is there. Without an answer nothing is saved."""
    unsaved = workspace.unsaved()
    if not (unsaved and asker.available):
        return False
    save = "Save, then run" if workspace.can_save else "I have saved them, run"
    options = (
        Option(SAVE, save, "allow"),
        Option("asItIs", "Run without saving", "reject"),
    )
    title = f"Save before the command: {', '.join(unsaved)}?"
    answer = await asker.ask(
        Question("permission", title, REASON, call_id, {"type": "tool", "name": SAVE, "input": {}}, options)
    )
    return answer.outcome == "selected" and answer.option_id == SAVE
