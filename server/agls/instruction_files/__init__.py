"""The files that say how to work in a folder: which there are, which count, and when the model sees them."""

from agls.instruction_files.fitting import FittedText, fitted
from agls.instruction_files.markdown import without_code
from agls.instruction_files.names import MAIN
from agls.instruction_files.plain import plain
from agls.instruction_files.source import (
    Folders,
    Glance,
    InstructionFiles,
    OwnInstructions,
    Surveys,
    TextLook,
)
from agls.instruction_files.survey import FolderReader, ReadText
from agls.instruction_files.texts import InstructionText, Omitted, Survey

__all__ = [
    "MAIN",
    "FittedText",
    "FolderReader",
    "Folders",
    "Glance",
    "InstructionFiles",
    "InstructionText",
    "Omitted",
    "OwnInstructions",
    "ReadText",
    "Survey",
    "Surveys",
    "TextLook",
    "fitted",
    "plain",
    "without_code",
]
