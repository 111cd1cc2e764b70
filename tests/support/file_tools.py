"""The file tools with what the product gives them, and no notebook open in an editor."""

from agls.assembly.editor_notebooks import AskedNotebooks
from agls.assembly.pdf_reader import ProcessPdfReader
from agls.engine.feature import Feature
from agls.features.files.feature import build
from agls.features.files.settings import Settings
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes

USUAL = Settings()
_NO_NOTEBOOKS = AskedNotebooks(NoEditor(), "ses_1")


def file_tools(settings: Settings = USUAL) -> Feature:
    """Return the feature of the room `files`."""
    return build(settings, ProcessPdfReader(Processes()), _NO_NOTEBOOKS, tuple)
