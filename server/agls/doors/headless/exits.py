"""How a run's end becomes the exit code of the process."""

from enum import IntEnum

from agls.engine.vocabulary import JsonObject


class Exit(IntEnum):
    """The exit codes of `agls run` and `agls resume`."""

    DONE = 0
    FAILED = 1  # an error, or interrupted
    UNUSABLE = 2  # the command line or the configuration
    NEEDED_HUMAN = 3  # it ended well, but a question had no one to answer it
    LIMIT = 4
    REFUSED = 5  # by the model
    CANCELLED = 130  # as a shell reports SIGINT
    UNREAD = 141  # as a shell reports SIGPIPE: whoever read standard output is gone


CODES = {
    "endTurn": Exit.DONE,
    "error": Exit.FAILED,
    "interrupted": Exit.FAILED,
    "refusal": Exit.REFUSED,
    "cancelled": Exit.CANCELLED,
}  # every other reason is a limit


def exit_of(ended: JsonObject) -> Exit:
    """Return the exit code for the data of a `runEnded` event."""
    code = CODES.get(ended["stopReason"], Exit.LIMIT)
    return Exit.NEEDED_HUMAN if code is Exit.DONE and ended.get("unanswered") else code


class CannotBegin(Exception):
    """No run could begin. `kind` is the wire's name for why, `code` the exit code."""

    def __init__(self, message: str, kind: str, code: Exit = Exit.UNUSABLE) -> None:
        super().__init__(message)
        self.kind, self.code = kind, code
