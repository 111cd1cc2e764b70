"""The `[guards]` section of the configuration."""

from pydantic import PositiveInt

from agls.room import Table


class Settings(Table):
    """How many replies in a row are too many: a nudge comes then, another after as many again, then the end.

    `failed_calls` counts replies with nothing but calls that failed, `identical_calls` those with the same
    calls and the same results.
    """

    failed_calls: PositiveInt = 3
    identical_calls: PositiveInt = 3
