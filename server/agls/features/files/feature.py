"""Wiring of the room `files`."""

from agls.engine.feature import Attempt, Feature, RunView
from agls.engine.vocabulary import Stop
from agls.room.folder_ports import PdfReader
from agls.room.notebook_ports import EditorNotebooks
from agls.room.process_ports import HeldKeys
from agls.room.session_ports import USUAL_OUTPUTS, OutputLimits

from .memory import NAME, FileMemory
from .settings import Settings
from .tools import TOOLS, FileServices


def build(
    settings: Settings,
    pdf: PdfReader,
    notebooks: EditorNotebooks,
    keys: HeldKeys,
    limits: OutputLimits = USUAL_OUTPUTS,
) -> Feature:
    """The file tools. What the model has seen is remembered, so that it cannot overwrite the unseen."""
    page = limits.within(settings.read_characters)
    if page != settings.read_characters:
        settings = settings.model_copy(update={"read_characters": page})
    memory = FileMemory(keys)
    services = FileServices(settings, memory, pdf, notebooks)

    async def around_run(attempt: Attempt, view: RunView) -> Stop:
        memory.see(view)
        return await attempt()

    return Feature(name=NAME, tools=tuple([make(services) for make in TOOLS]), around_run=around_run)
