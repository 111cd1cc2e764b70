"""Whether a command that came to no good end had asked somebody for input, or wanted a terminal.

Nobody can answer it: it has no terminal, and its standard input is empty.
"""

import asyncio
from collections.abc import Callable

from agls.engine.ports import Finished
from agls.regex import regex
from agls.room.shell_words import parts

SILENCE = 10.0  # seconds without output after a question
LOOKED_AT = 2_000  # characters at the end of the output
REMARK = (
    "[It seems to have asked for input. There is no terminal, and standard input is empty: give the answer "
    "in the command, by an option such as --yes, a pipe or a file.]"
)
TERMINAL = (
    "[It seems to need a terminal, and there is none: use an option by which it does without, such as "
    "--batch or --no-pager, or another program.]"
)
WATCH = (
    "Not run: watch repeats its command until somebody stops it, and nobody looks at the screen here. Run "
    "the command itself, once; to wait, use a loop that ends (until test -e FILE; do sleep 1; done), or "
    "watch -g."
)
_ENDS = {"-g", "--chgexit", "-q", "--equexit", "-h", "--help", "-v", "--version"}  # options of `watch`
_DEFAULT = r"(?:\([^()\n]{0,80}\)|\[[^\[\]\n]{0,80}\])"  # behind a question: what counts without an answer
_QUESTION = regex(  # the last line, without its end
    rf"[^\n]{{0,200}}[^\s?:](?:[?:](?:[ \t]*{_DEFAULT})?[:>]?|[ \t]{_DEFAULT}[:>])[ \t]*\Z"
)
_PHRASES = regex(
    r"(?i)\[y(?:es)?/n(?:o)?\]|\(y(?:es)?/n(?:o)?\b|could not read (?:username|password|passphrase)"
    r"|EOF when reading a line|terminal is required to read|no tty present|/dev/tty|bdb\.BdbQuit"
)
_YES_NO = r"[\[(]y(?:es)?/n(?:o)?(?:/[^\])\n]{1,40})?[\])]"
_WAITS = regex(  # the last line, without its end, of what surely waits for somebody
    rf"(?i)[^\n]{{0,200}}(?:{_YES_NO}|\b(?:password|passphrase|passcode|username|login)\b[^:\n]{{0,80}}:"
    rf"|[^\s?]\?(?:[ \t]*{_DEFAULT})?|:[ \t]*{_DEFAULT})[ \t]*[:>?]?[ \t]*\Z"
    r"|[^\n]{0,200}\b(?:press|hit)[ \t]+(?:any key|\[?(?:enter|return)\b)[^\n]{0,80}\Z"
    r"|(?:>>>|\(pdb\)|ipdb>|in \[\d+\]:|mysql>|sqlite>|ghci>|\w{1,40}=[#>]|irb\([^\n]{1,60}>)[ \t]*\Z"
    r"|--more--[^\n]{0,20}\Z|\(end\)[ \t]*\Z"
)
_WANTS_TERMINAL = regex(
    r"(?i)(?<!because stdin is )not a (?:tty|terminal)\b|not (?:to|from) a terminal\b|terminal is required"
    r"|inappropriate ioctl for device|\btty get\b|error opening terminal|needs? a (?:tty|terminal)\b"
    r"|requires an? (?:interactive )?(?:tty|terminal)\b"
)
_UNANSWERED = regex(rf"(?i)[^\n]{{0,200}}(?:[^\s?]\?|{_YES_NO})[ \t]*[:?]?[ \t]*\Z")  # though all is well


def repeats_for_ever(command: str) -> str:
    """Return why nobody should wait for this command, "" for every other one."""
    watching = [part for part in parts(command) if part[0] == "watch"]
    return "" if all(_ENDS.intersection(part) for part in watching) else WATCH


def waits(text: str) -> bool:
    """Return whether an output that does not go on waits for an answer."""
    return _WAITS.fullmatch(text[-LOOKED_AT:].rpartition("\n")[2]) is not None


def remark_on(finished: Finished) -> str:
    """Return the remark for the model, "" when the command did not ask, or had its answer."""
    end = finished.output[-LOOKED_AT:]
    last = end.rpartition("\n")[2]
    if finished.exit_code == 0:
        return REMARK if _UNANSWERED.fullmatch(last) else ""
    if _QUESTION.fullmatch(last) or _PHRASES.search(end):
        return REMARK
    return TERMINAL if _WANTS_TERMINAL.search(end) else ""


class SilenceWatch:
    """Looks at an output while it comes; calls `give_up` when nothing follows what waits for an answer."""

    def __init__(self, give_up: Callable[[], None]) -> None:
        self._give_up = give_up
        self._end = ""
        self._timer: asyncio.TimerHandle | None = None

    def take(self, text: str) -> None:
        """Take in more output."""
        self.end()
        self._end = (self._end + text)[-LOOKED_AT:]
        if waits(self._end):
            self._timer = asyncio.get_running_loop().call_later(SILENCE, self._give_up)

    def end(self) -> None:
        """Wait no longer."""
        if self._timer:
            self._timer.cancel()
