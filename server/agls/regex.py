"""Regular expressions that are compiled when they are first used.

The server has some two hundred, of which a session begins with a few: compiling all was a tenth of the time
until then (docs/decisions/805). What is wrong with one is found by `tests/test_regex.py`, which compiles all.
"""

import re
from typing import Any, AnyStr, cast


class Regex:
    """Stands for a compiled expression: what is asked of it is looked up there, once, and then its own."""

    def __init__(self, expression: str | bytes, flags: int) -> None:
        self.pattern = expression
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        member = getattr(re.compile(self.pattern, self._flags), name)  # which remembers what it compiled
        self.__dict__[name] = member
        return member


def regex(expression: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """**Returns** the expression as `re.compile` does, but compiles it at its first use."""
    return cast("re.Pattern[AnyStr]", Regex(expression, flags))
