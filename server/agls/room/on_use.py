"""Functions of a room that are imported when they are first called, so that a process begins without them.

A room's package is what the order imports: it says what the room is, with its settings and no more. The work
stands in other modules of the package (docs/decisions/701).
"""

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Any


class OnUse:
    """Stands for a function, and imports its module at the first call."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def load(self) -> None:
        """Import the module, if it was not imported yet."""
        self.function  # noqa: B018 - that it is looked for is all

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function itself."""
        return getattr(import_module(self._module), self._name)

    def __call__(self, *given: Any) -> Any:
        """Call it."""
        return self.function(*given)


def build_of(package: str) -> OnUse:
    """**Returns** the `build` of the module `feature` in a room's package."""
    return OnUse(f"{package}.feature", "build")
