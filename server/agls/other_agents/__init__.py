"""What other coding agents keep for their user, read in their formats. Nothing is written."""

from agls.other_agents.findings import (
    CommandText,
    Finding,
    ForeignInstructions,
    LeftOut,
    MemoryEntryText,
    RuleFound,
)
from agls.other_agents.foreign_files import ForeignFiles
from agls.other_agents.products import PRODUCTS, Product

__all__ = [
    "PRODUCTS",
    "CommandText",
    "Finding",
    "ForeignFiles",
    "ForeignInstructions",
    "LeftOut",
    "MemoryEntryText",
    "Product",
    "RuleFound",
]
