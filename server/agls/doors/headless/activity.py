"""The work of an agent, for people: one line for each call, and the diff of an edit."""

from collections.abc import Callable, Iterator
from itertools import groupby, zip_longest

from agls.diff import CUT, read_patch
from agls.doors.headless.screen import StyledLine
from agls.engine.vocabulary import JsonObject
from agls.short_text import brief, cut_around
from agls.terminal_codes import without_colours

LONGEST_REASON = 200  # characters of why a call failed
LAST_LINES, LONGEST_LINE = 10, 200  # lines of a failed command's output, and characters of one
LONGEST_DIFF = 80  # lines of one call's changes
WIDEST = 400  # characters of such a line
INDENT = "    "
STYLES = {"+": "added", "-": "removed", "@": "faint"}


class Activity:
    """Turns items that are completed into lines. A diff that was just shown in a question is not repeated."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._since: dict[str, float] = {}
        self._judged: set[str] = set()

    def begin(self, item_id: str) -> None:
        """Note that a call begins."""
        self._since[item_id] = self._now()

    def ask(self, item_id: str) -> None:
        """Note that a question shows what this call would do; the time until its answer is the user's."""
        self._judged.add(item_id)

    def answered(self, item_id: str) -> None:
        """Note that the call goes on."""
        self._since[item_id] = self._now()

    def lines(self, item: JsonObject) -> Iterator[StyledLine]:
        """Return what a completed call did: what and how it ended, then its changes."""
        title, status = " ".join(item["title"].split()), item["status"]
        if status in {"failed", "rejected"}:
            faults = _faults(item)
            yield StyledLine("trouble", f"{status}: {title}", "" if faults else _why(item))
            yield from faults
            return
        passed = self._now() - self._since.pop(item["itemId"], self._now())
        said = ", ".join(_ended(item, passed))
        yield StyledLine("call", f"→ {title}", f"[{said}]" if said else "")
        if (terminal := item.get("terminal")) and terminal.get("exitCode") != 0:
            yield from _last_lines(item.get("output", ""), terminal.get("coloured", ""))
        if item["itemId"] not in self._judged:
            yield from _diff(item)


def _faults(item: JsonObject) -> list[StyledLine]:
    """Return the list of what is wrong with a call as it stands, one line each; nothing for other texts."""
    head, _, listed = item.get("output", "").partition("\n")
    lines = listed.splitlines()
    if not head.endswith(":") or not lines or any(not line.startswith("- ") for line in lines):
        return []
    shown = [head, *lines[:LAST_LINES]]
    return [StyledLine("faint", f"{INDENT}{line[:LONGEST_LINE]}") for line in shown]


def _ended(item: JsonObject, passed: float) -> Iterator[str]:
    if item["status"] != "completed":
        yield item["status"]
    if terminal := item.get("terminal"):
        code = terminal.get("exitCode")
        yield f"exit code {code}" if code is not None else terminal.get("signal") or "no exit code"
        yield f"{passed:.1f} s"
    if changes := item.get("changes"):
        patches = [_shown(change) for change in changes]
        if any(patch.endswith(f"\n{CUT}\n") for patch in patches):
            yield "more than can be shown"
            return
        hunks = [hunk for patch in patches for hunk in read_patch(patch)]
        yield f"+{sum(len(hunk.new) for hunk in hunks)} -{sum(len(hunk.old) for hunk in hunks)}"


def _last_lines(output: str, coloured: str) -> Iterator[StyledLine]:
    """The end of what a failed command wrote, which usually says why; in its colours, where it had any."""
    lines = [line for line in (coloured or output).splitlines() if line.strip()]
    if lines and lines[-1].startswith("[") and lines[-1].endswith(" s]"):
        lines.pop()  # how it ended, which the line above says
    if len(lines) > LAST_LINES:
        yield StyledLine("faint", f"{INDENT}… {len(lines) - LAST_LINES} lines before")
    for line in lines[-LAST_LINES:]:
        plain = without_colours(line)
        shown = f"{INDENT}{line}" if line != plain and len(plain) <= LONGEST_LINE else ""
        yield StyledLine("faint", f"{INDENT}{plain[:LONGEST_LINE]}", coloured=shown)


def _diff(item: JsonObject) -> Iterator[StyledLine]:
    changes = item.get("changes", ())
    rows = [row for change in changes for row in _rows(_shown(change), named=len(changes) > 1)]
    for row in rows[:LONGEST_DIFF]:
        yield StyledLine(STYLES.get(row[:1], ""), INDENT + row)
    if len(rows) > LONGEST_DIFF:
        yield StyledLine("faint", f"{INDENT}… {len(rows) - LONGEST_DIFF} more lines")


def _shown(change: JsonObject) -> str:
    """Return the patch to show: of a notebook, of its cells, not of the lines of its file."""
    return change.get("cells") or change["patch"]


def _rows(patch: str, *, named: bool) -> list[str]:
    """Return the rows of a patch; its head only where there are several files: a title names a single one."""
    rows = patch.splitlines()
    shown = rows if named else [row for row in rows if not row.startswith(("--- ", "+++ "))]
    return list(_cut(shown)) if len(patch) > WIDEST else shown


def _cut(rows: list[str]) -> Iterator[str]:
    """Yield the rows, those that are very long only around where a line that went and its new form differ."""
    for sign, group in groupby(rows, lambda row: row[:1] in {"-", "+"}):
        block = [*group]
        gone, came = ([row for row in block if row[:1] == each] for each in "-+") if sign else (block, [])
        for one, other in (gone, came), (came, gone):
            for row, beside in zip_longest(one, other[: len(one)], fillvalue=""):
                yield row[:1] + cut_around(row[1:], beside[1:], WIDEST)


def _why(item: JsonObject) -> str:
    """Return why a call failed or was rejected; what follows the first line of a refusal is for the model."""
    output = item.get("output", "")
    if item["status"] == "rejected":
        output = output.partition("\n")[0].removeprefix("Not run: ")
    why = brief(output, LONGEST_REASON)
    return f"({why})" if why else ""
