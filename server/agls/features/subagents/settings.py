"""The `[subagents]` section of the configuration."""

from pydantic import NonNegativeInt, PositiveInt

from agls.room import Table


class Settings(Table):
    """Whether the model may `delegate` to helpers at all, and how far.

    `max_depth` is how many levels of helpers there may be below the session (0: none), `max_children` how
    many one run may begin, `parallel` how many of one call work at once, `answer_limit` how many characters
    of one answer are handed on.
    """

    delegate: bool = True
    max_depth: NonNegativeInt = 2
    max_children: PositiveInt = 20
    parallel: PositiveInt = 4
    answer_limit: PositiveInt = 16_000
