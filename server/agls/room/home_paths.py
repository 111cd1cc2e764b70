"""Paths in the arguments of a tool: `~/x` is in the home folder, and a file called `~` is `./~`."""

import os
from typing import Annotated

from pydantic import AfterValidator


def from_home(path: str) -> str:
    """Return a path with the home folder in the place of a `~` at its beginning."""
    return os.path.expanduser(path) if path == "~" or path.startswith("~/") else path  # noqa: PTH111 - text


HomePath = Annotated[str, AfterValidator(from_home)]
"""The path of an argument. Targets, rules and questions see the place that it means."""
