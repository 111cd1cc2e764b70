"""The `[families]` section of the configuration."""

from typing import Literal

from agls.features.families.table import FAMILIES, NEUTRAL, Family, family_of
from agls.room import Table


class Settings(Table):
    """Which tools for changing files a model is offered, and the advice on them.

    `use` is `auto` (by the model's name), or the family whose ways are taken for every model: `patch` (only
    apply_patch and write_file), `replace` (edit_file first), `simple` (no patches), `neutral` (everything).
    """

    use: Literal["auto", "patch", "replace", "simple", "neutral"] = "auto"

    def family(self, model: str, *, is_small: bool) -> Family:
        """**Returns** the family for a model; one with a small context has its own few tools."""
        if is_small:
            return NEUTRAL
        if self.use == "auto":
            return family_of(model)
        return next(family for family in FAMILIES if family.name == self.use)

    def advice(self, model: str, *, is_small: bool) -> str:
        """**Returns** what the system prompt says to the model of its tools."""
        return self.family(model, is_small=is_small).prompt
