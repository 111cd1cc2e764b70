"""The process environment: the one place that reads it."""

import os
from collections.abc import MutableMapping


def process_environment() -> MutableMapping[str, str]:
    """The variables of this process; what is taken out is gone for its children too."""
    return os.environ  # noqa: TID251 - everybody else asks here
