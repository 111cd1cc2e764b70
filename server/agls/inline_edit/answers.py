"""The code in a model's answer, as it comes: without a fence around it, and without blank lines behind it."""

import re

from agls.regex import regex

FENCE = "```"
CLOSING = regex(r"^[^\S\n]*```[^\S\n]*$", re.MULTILINE)


class CodeStream:
    """Takes in an answer piece by piece, and lets go of what is surely code.

    What was let go of is never taken back: all pieces together are the code.
    """

    def __init__(self) -> None:
        self._answer = ""
        self._given = 0  # characters of code

    def add(self, text: str) -> str:
        """**Returns** the code that is known now."""
        self._answer += text.replace("\r", "")  # the editor knows how the lines of its document end
        return self._release(is_all=False)

    def rest(self) -> str:
        """**Returns** what is left when the answer is over."""
        return self._release(is_all=True)

    def _release(self, *, is_all: bool) -> str:
        start, given = self._answer.lstrip("\n"), self._given
        _, end, code = start.partition("\n")
        if not FENCE.startswith(start.lstrip(" \t")[: len(FENCE)]) or (is_all and not end):
            code = start  # no fence is around it
        else:
            ended, line_end, last = code.rpartition("\n")
            if not is_all and FENCE.startswith(last.strip()):
                code = ended + line_end  # the last line may become the closing fence
            if closing := CLOSING.search(code, code.rfind("\n", 0, given) + 1):
                code = code[: closing.start()]
        code = code.rstrip()  # blank lines count once code follows
        self._given = max(given, len(code))
        return code[given:]
