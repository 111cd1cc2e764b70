"""The code in a model's answer, as it comes: without a fence around it, and without blank lines behind it."""

FENCE = "```"


class CodeStream:
    """Takes in an answer piece by piece, and lets go of what is surely code.

    What was let go of is never taken back: all pieces together are the code.
    """

    def __init__(self) -> None:
        self._held = ""  # not looked at yet
        self._gap = ""  # blanks and line ends, which count once code follows
        self._begun = False
        self._fenced = False
        self._over = False
        self._fresh = True  # at the beginning of a line

    def add(self, text: str) -> str:
        """**Returns** the code that is known now."""
        self._held += text.replace("\r", "")  # the editor knows how the lines of its document end
        return self._release() if self._begun or self._begin() else ""

    def rest(self) -> str:
        """**Returns** what is left when the answer is over."""
        if not self._begun:
            self._begun, self._held = True, self._held.lstrip("\n")
        return self._release(is_all=True)

    def _begin(self) -> bool:
        """Look at the first line; **returns** whether it is known what it is."""
        start = self._held.lstrip("\n")
        opening = start.lstrip(" \t")
        if not opening:
            return False
        if opening[: len(FENCE)] != FENCE[: len(opening)]:
            self._begun, self._held = True, start
            return True
        _, end, code = start.partition("\n")
        if end:
            self._begun = self._fenced = True
            self._held = code
        return bool(end)

    def _release(self, *, is_all: bool = False) -> str:
        code = ""
        while self._held and not self._over:
            line, end, rest = self._held.partition("\n")
            is_whole = bool(end) or is_all
            if self._fenced and self._fresh and FENCE.startswith(line.strip()) and not is_whole:
                break
            if self._fenced and self._fresh and line.strip() == FENCE:
                self._over = True
                break
            if said := line.rstrip():
                code += self._gap + said
                self._gap = ""
            self._gap += line[len(said) :]
            self._gap += end
            self._held, self._fresh = rest, bool(end)
        return code
