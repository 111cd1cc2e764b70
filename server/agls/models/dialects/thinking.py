"""Reasoning within the text: one leading block in tags."""

from agls.regex import regex

OPENING = regex(r"\s*<(think|thinking|reasoning)>")
OPENINGS = ("<think>", "<thinking>", "<reasoning>")


class LeadingThought:
    """Splits streamed text into a leading `<think>` block and the rest.

    Tags may be cut anywhere. A block without an end is thinking (the answer was cut off).
    """

    def __init__(self) -> None:
        self._held = ""  # what may still turn out to be (part of) a tag
        self._closing = ""
        self._step = self._before
        self.tag = ""  # of the block, without its brackets
        self.over = False  # from here on everything is text

    def feed(self, text: str) -> tuple[str, str]:
        """Take more text. Returns new thinking and new text."""
        if self.over:
            return "", text
        self._held += text
        return self._step()

    def close(self) -> tuple[str, str]:
        """End the text. Returns held-back thinking and text."""
        return (self._rest(), "") if self._closing else ("", self._rest())

    def _before(self) -> tuple[str, str]:
        if opening := OPENING.match(self._held):
            self.tag = opening[1]
            self._closing = f"</{self.tag}>"
            self._held = self._held[opening.end() :].lstrip("\n")
            self._step = self._inside
            return self._inside()
        begun = self._held.lstrip()
        return ("", "") if any(tag.startswith(begun) for tag in OPENINGS) else ("", self._rest())

    def _inside(self) -> tuple[str, str]:
        thought, closed, after = self._held.partition(self._closing)
        if closed:
            self._held, self._closing = after, ""
            self._step = self._after
            return thought, self._after()[1]
        begun = (n for n in range(len(self._closing) - 1, -1, -1) if self._held.endswith(self._closing[:n]))
        end = len(self._held) - next(begun)  # the longest beginning of the closing tag stays behind
        thought, self._held = self._held[:end], self._held[end:]
        return thought, ""

    def _after(self) -> tuple[str, str]:
        self._held = self._held.lstrip("\n")
        return "", self._rest() if self._held else ""

    def _rest(self) -> str:
        rest, self._held = self._held, ""
        self.over = True
        return rest
