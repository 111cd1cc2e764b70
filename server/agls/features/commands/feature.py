"""The wiring of the room."""

from collections.abc import Sequence

from agls.engine.actions import Action, FoundActions
from agls.engine.feature import Feature
from agls.features.commands.actions import LIST, LIST_ALIASES, FileCommand, list_action, usable
from agls.features.commands.offered import OfferedCommand, named_commands
from agls.features.commands.settings import Settings
from agls.features.commands.shipped_commands import shipped_commands
from agls.instruction_files.folder_texts import FolderTexts
from agls.prompt_files.found_commands import found_commands
from agls.prompt_files.shell_lines import ROOM, LineRunner
from agls.room.offers import Consents
from agls.room.session_ports import KnownModels, TakenNames


def build(
    settings: Settings,
    texts: FolderTexts,
    taken: TakenNames,
    knows_model: KnownModels,
    consents: Consents,
) -> Feature | None:
    """Build the feature: of a run it is the beginning, where a command wants programs run."""
    runner = LineRunner(consents)
    if not settings.enabled:  # a skill may have lines, too
        return Feature(name=ROOM, before_turn=runner.before_turn)

    def find() -> Sequence[OfferedCommand]:
        files = found_commands(texts, other_tools=settings.other_tools)
        return named_commands((*files, *shipped_commands()), {*taken(), LIST, *LIST_ALIASES})

    def actions() -> Sequence[Action]:
        commands = [FileCommand(each, knows_model, consents.mark) for each in usable(find())]
        return (list_action(find, knows_model), *commands)

    return Feature(name=ROOM, actions=FoundActions(actions), before_turn=runner.before_turn)
