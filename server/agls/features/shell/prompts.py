"""Whether a command that came to no good end had asked somebody for input.

Nobody can answer it: it has no terminal, and its standard input is empty.
"""

from agls.engine.ports import Finished
from agls.regex import regex

LOOKED_AT = 2_000  # characters at the end of the output
REMARK = (
    "[It seems to have asked for input. There is no terminal, and standard input is empty: give the answer "
    "in the command, by an option such as --yes, a pipe or a file.]"
)
_QUESTION = regex(r"[^\n]{0,200}[^\s?:][?:][ \t]*\Z")  # the last line, without its end
_PHRASES = regex(
    r"(?i)\[y(?:es)?/n(?:o)?\]|\(y(?:es)?/n(?:o)?\b|could not read (?:username|password|passphrase)"
    r"|EOF when reading a line|terminal is required|no tty present"
    r"|(?<!because stdin is )not a (?:tty|terminal)\b|not to a terminal\b|/dev/tty"
)


def remark_on(finished: Finished) -> str:
    """Return the remark for the model, "" when the command succeeded or did not ask."""
    if finished.exit_code == 0:
        return ""
    end = finished.output[-LOOKED_AT:]
    last = end.rpartition("\n")[2]
    return REMARK if _QUESTION.fullmatch(last) or _PHRASES.search(end) else ""
