"""The report to the model about a command that has ended."""

from collections.abc import Sequence
from signal import Signals

from agls.engine.ports import Command, Finished
from agls.regex import regex
from agls.terminal_codes import enclosed

from .buffer_saver import SaveOutcome
from .prompts import LOOKED_AT, remark_on
from .state import LEFT

UNSAVED = "[Not saved in the editor, so the command saw these files as they are on disk: {}]"
SAVED = "[The editor changed these files when it saved them; read them before you edit: {}]"
CUT = "[To see all of it, send the output to a file and read that, or filter it.]"
PATCH = (
    "[apply_patch is no program here. Where it is a tool of yours, call that with the patch; else edit_file.]"
)
_PATCH = regex(r"\bapply_?patch: (?:command )?not found")
ON_SCREEN = (
    "stopped: it waits for keys on a whole screen, as an editor, a pager or a menu does, and there is no "
    "terminal. Say by its options what it shall do (git commit -m, GIT_EDITOR=true, --no-pager, --yes), or "
    "use the tools for files"
)
CHANGED = "[It changed files that are open in the editor; read them before you edit: {}]"


def text_of(finished: Finished, command: Command, saved: SaveOutcome, remarks: Sequence[str]) -> str:
    """Return its output between marks, what else there is to know, the `remarks`, and how it ended."""
    lines: list[str] = []
    if finished.unsaved:
        why = {path: f" ({reason})" for path, reason in saved.failed.items()}
        lines.append(UNSAVED.format(", ".join(path + why.get(path, "") for path in finished.unsaved)))
    if saved.changed:
        lines.append(SAVED.format(", ".join(saved.changed)))
    if output := enclosed(finished.output.rstrip("\n")):
        lines.append(output)
    if finished.total > command.keep:
        lines.append(CUT)
    if finished.changed:
        lines.append(CHANGED.format(", ".join(finished.changed)))
    if finished.left_over:
        lines.append(LEFT.format(finished.left_over))
    if finished.exit_code and _PATCH.search(finished.output[-LOOKED_AT:]):
        lines.append(PATCH)
    if not finished.on_screen and (remark := remark_on(finished)):
        lines.append(remark)
    lines += finished.remarks
    return "\n".join([*lines, *remarks, f"[{_ending(finished, command)}, {finished.seconds:.1f} s]"])


def _ending(finished: Finished, command: Command) -> str:
    if finished.timed_out:
        return f"stopped: it ran longer than {command.timeout:g} s; ask for more with timeout_s"
    if finished.on_screen:
        return ON_SCREEN
    if finished.exit_code is None:
        return f"ended by {finished.signal}"
    return f"exit code {finished.exit_code}{_as_of_signal(finished.exit_code)}"


def _as_of_signal(code: int) -> str:
    """Return which signal a shell means by a code above 128."""
    number = code - 128
    return f", as after {Signals(number).name}" if number in set(Signals) else ""
