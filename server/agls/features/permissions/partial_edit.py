"""An edit of which the user took only some of the changes (`edits.confirm` of the protocol)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from agls.diff import Hunk, made, numbered
from agls.engine.feature import Invocation
from agls.engine.ports import Preview, Stale, ToolContext, ToolSpec, WantedFile, Workspace, WorkspaceError
from agls.engine.vocabulary import Answer, Effects, JsonObject, ToolCall, ToolOutcome
from agls.frozen import frozen

MOVED = "{} is not as it was when the user looked at it."
REPORT = (
    "The user looked at each change and took {} of {}. These were left out; do not make them again unless "
    "the user asks for it:\n{}\nThe file is not as you wrote it: read it before you change it again."
)


def select_hunks(invocation: Invocation, preview: Preview, answer: Answer) -> Invocation | None:
    """The call with only the changes that the answer names; `None` when it takes none of them.

    An answer that names none (no `hunks` in its content) means all of them.
    """
    named = answer.content.get("hunks")
    if named is None:
        return invocation
    changes: Sequence[JsonObject] = preview.subject.get("changes", ())
    shown = numbered(changes)
    taken = {hunk_id for hunk_id in shown if hunk_id in named}
    if not taken:
        return None
    if len(taken) == len(shown):
        return invocation
    files = tuple(_file(place, change, shown, taken) for place, change in enumerate(changes))
    left = [hunk for hunk_id, (_, hunk) in shown.items() if hunk_id not in taken]
    report = REPORT.format(len(taken), len(shown), _listed(left))
    return replace(invocation, tool=PartialEdit(invocation.tool.spec, preview, files, report))


@frozen
class File:
    """A file (its URI, and the SHA-256 it had, "" for none) and what of its changes is made.

    It is `gone` afterwards when all of it was to be deleted, and the user took all of that.
    """

    uri: str
    base: str
    hunks: tuple[Hunk, ...]
    gone: bool


@frozen
class PartialEdit:
    """Stands in for the tool: makes these changes and names the others to the model."""

    spec: ToolSpec
    shown: Preview
    files: tuple[File, ...]
    report: str

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        """What the user saw."""
        return self.shown

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Change the files, all of them or none, as long as they are as the user saw them."""
        workspace = context.workspace
        try:
            wanted = [await _wanted(file, workspace) for file in self.files if file.hunks]
            done = await workspace.change(wanted, label=self.shown.title)
        except WorkspaceError as problem:
            effects: Effects = problem.effects if isinstance(problem, Stale) else "none"
            text = f"{problem} Read it again, then repeat what is still right."
            return ToolOutcome(text, "failed", effects)
        return ToolOutcome(self.report, effects="applied", changes=tuple(done))


def _file(
    place: int, change: JsonObject, shown: Mapping[str, tuple[int, Hunk]], taken: Collection[str]
) -> File:
    """Return what is made of one file of those that were shown."""
    mine = {hunk_id: hunk for hunk_id, (file, hunk) in shown.items() if file == place}
    gone = change["change"] == "deleted" and mine.keys() <= set(taken)
    hunks = tuple(hunk for hunk_id, hunk in mine.items() if hunk_id in taken)
    return File(change["uri"], change["base"]["hash"], hunks, gone)


async def _wanted(file: File, workspace: Workspace) -> WantedFile:
    if not file.base:
        return WantedFile(file.uri, made("", file.hunks), None)
    now = await workspace.read(file.uri)
    if now.version.hash != file.base:
        raise Stale(MOVED.format(now.place.shown))
    return WantedFile(file.uri, None if file.gone else made(now.text, file.hunks), now.version)


def _listed(hunks: Iterable[Hunk]) -> str:
    rows = [
        f"{sign}{line}"
        for hunk in hunks
        for sign, lines in (("-", hunk.old), ("+", hunk.new))
        for line in lines
    ]
    return "".join(row if row.endswith("\n") else f"{row}\n" for row in rows).rstrip("\n")
