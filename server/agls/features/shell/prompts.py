"""Whether a command that came to no good end had asked somebody for input, or wanted a terminal.

Nobody can answer it: it has no terminal, and its standard input is empty.
"""

from agls.engine.ports import Finished
from agls.regex import regex

LOOKED_AT = 2_000  # characters at the end of the output
REMARK = (
    "[It seems to have asked for input. There is no terminal, and standard input is empty: give the answer "
    "in the command, by an option such as --yes, a pipe or a file.]"
)
TERMINAL = (
    "[It seems to need a terminal, and there is none: use an option by which it does without, such as "
    "--batch or --no-pager, or another program.]"
)
_DEFAULT = r"(?:\([^()\n]{0,80}\)|\[[^\[\]\n]{0,80}\])"  # behind a question: what counts without an answer
_QUESTION = regex(  # the last line, without its end
    rf"[^\n]{{0,200}}[^\s?:](?:[?:](?:[ \t]*{_DEFAULT})?[:>]?|[ \t]{_DEFAULT}[:>])[ \t]*\Z"
)
_PHRASES = regex(
    r"(?i)\[y(?:es)?/n(?:o)?\]|\(y(?:es)?/n(?:o)?\b|could not read (?:username|password|passphrase)"
    r"|EOF when reading a line|terminal is required to read|no tty present|/dev/tty"
)
_WANTS_TERMINAL = regex(
    r"(?i)(?<!because stdin is )not a (?:tty|terminal)\b|not (?:to|from) a terminal\b|terminal is required"
    r"|inappropriate ioctl for device|\btty get\b|error opening terminal|needs? a (?:tty|terminal)\b"
    r"|requires an? (?:interactive )?(?:tty|terminal)\b"
)


def remark_on(finished: Finished) -> str:
    """Return the remark for the model, "" when the command succeeded or did not ask."""
    if finished.exit_code == 0:
        return ""
    end = finished.output[-LOOKED_AT:]
    last = end.rpartition("\n")[2]
    if _QUESTION.fullmatch(last) or _PHRASES.search(end):
        return REMARK
    return TERMINAL if _WANTS_TERMINAL.search(end) else ""
