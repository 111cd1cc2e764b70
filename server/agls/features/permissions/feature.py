"""The wiring of the room."""

from collections.abc import Sequence

from agls.engine.actions import FoundActions
from agls.engine.facts import GateFact, Notice
from agls.engine.feature import Feature, RunView
from agls.engine.ports import Asker, Workspace
from agls.engine.vocabulary import Stop
from agls.features.permissions.actions import actions_of
from agls.features.permissions.explanation import explain_action
from agls.features.permissions.gate import PermissionGate
from agls.features.permissions.grants import ROOM
from agls.features.permissions.settings import Settings
from agls.modes import complaint, is_mode
from agls.room.permission_memory import PermissionMemory
from agls.room.process_ports import ShellFacts
from agls.room.sandbox_ports import CommandSandbox

STILL = (
    "These files decide what runs unasked, and they changed while a command of the agent ran: {}. "
    "Look at them, then say that you did: agls permissions accept"
)
NOT_RESTORED = (
    "The mode {} was chosen before this session was opened here, so {} holds. Choose it again if it is right."
)


def build(
    settings: Settings,
    asker: Asker,
    workspace: Workspace,
    memory: PermissionMemory,
    shell_facts: ShellFacts,
    sandbox: CommandSandbox,
) -> Feature:
    """Build the feature. **Raises** `ValueError` for a rule that cannot be read."""
    gate = PermissionGate(settings, asker, workspace, memory, shell_facts, sandbox)

    async def tell_the_mode(view: RunView) -> Sequence[Stop | GateFact]:
        """Show at the start of a run why the mode in its record is not the one that holds."""
        mode, state = view.state.settings.get("mode", "ask"), view.state
        if state.run.turns:
            return ()
        if not is_mode(mode):
            view.show(Notice("warning", "Permissions are asked for each call", f"{complaint(mode)}."))
        if wider := memory.choices.not_restored(state, settings.mode):
            text = NOT_RESTORED.format(wider, memory.choices.mode_of(state, settings.mode))
            view.show(Notice("warning", "A permission mode was not restored", text))
        if files := memory.files.changed:
            view.show(Notice("warning", "Nothing is approved automatically", STILL.format(", ".join(files))))
        return ()

    return Feature(
        name=ROOM,
        actions=FoundActions(
            lambda: (
                *actions_of(settings, memory.grants),
                explain_action(gate, memory.forbids, workspace, shell_facts, sandbox),
            )
        ),
        before_turn=tell_the_mode,
        around_model=gate.offer,
        around_tool=gate.pass_call,
    )
