"""Changes of files as rows: for programs with the patch, for people as one text."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from agls.engine.vocabulary import JsonObject
from agls.redaction import without_keys
from agls.room import OnUse
from agls.room.process_ports import HeldKeys
from agls.toolkit import fenced, shorten

from .git_patch import FileInPatch, git_patch, top_of
from .recorder import SnapshotStore
from .states import FileState
from .timeline import OwnStretch, Timeline

LONGEST = 50_000  # characters of diffs that are shown to a person at once
COMMANDS = (
    "Commands ran, too. Of what they changed, only files that were open, or touched before in this "
    "session, are known."
)
NOT_SAVED = "It was changed in the editor and not saved: save the notebook, and git has its changes."
NOTEBOOK = ".ipynb"
ONLY_CELLS = OnUse("agls.room.notebook_text", "is_only_cells")
Pair = tuple[FileState, FileState]
TAKEN_BACK = "takenBack"
WITH_KEY = "The patch would show one of your keys, and without it git would write a mark in its place."
OUTSIDE = "It is not in the repository or folder that the patch is for."


def kind_of(before: object, after: object) -> str:
    """Return the kind of a change between two states (`None`: no file)."""
    return "added" if before is None else "deleted" if after is None else "modified"


def net(before: FileState, after: FileState) -> JsonObject:
    """Return the change of a file, without its lines."""
    return {"uri": after.uri, "change": _kind(before, after)}


def pairs_of(stretches: Sequence[OwnStretch]) -> list[Pair]:
    """Return the states between which only we changed the file."""
    return [(one.before, one.after) for one in stretches if not one.before.same(one.after)]


async def row(keeper: SnapshotStore, pairs: Sequence[Pair]) -> JsonObject:
    """Return a file's changes with their patch; `problem` says why there is none."""
    first, last = pairs[0][0], pairs[-1][1]
    insertions = 0
    deletions = 0
    patches = list[str]()
    problem = ""
    for before, after in pairs:
        try:
            old, new = await keeper.content(before), await keeper.content(after)
        except OSError as missing:
            problem = str(missing)
            continue
        patch = await keeper.files.diff(last.path, old, new)
        insertions, deletions = insertions + patch.insertions, deletions + patch.deletions
        patches.append(patch.text)
    counted = {
        **net(first, last),
        "insertions": insertions,
        "deletions": deletions,
        "patch": "".join(patches),
    }
    return {**counted, "problem": problem} if problem else counted


async def patch_of(
    keeper: SnapshotStore, pairs: Sequence[Pair], cwd: str, keys: HeldKeys
) -> tuple[str, list[JsonObject]]:
    """Return changes as one patch for git, and the files that cannot be in it, each with the reason."""
    top = await asyncio.to_thread(top_of, cwd)
    files: list[FileInPatch] = []
    left_out: list[JsonObject] = []
    for old, new in pairs:
        path = Path(new.path)
        try:
            contents = await keeper.content(old), await keeper.content(new)
        except OSError as missing:
            left_out.append({"uri": new.uri, "reason": str(missing)})
            continue
        if any(ONLY_CELLS(data) for data in contents if data and path.suffix.casefold() == NOTEBOOK):
            left_out.append({"uri": new.uri, "reason": NOT_SAVED})
        elif path.is_relative_to(top):
            name = path.relative_to(top).as_posix()
            file = FileInPatch(*contents, name, name, old.mode, new.mode)
            alone = await asyncio.to_thread(git_patch, [file])
            if without_keys(keys(), alone) == alone:
                files.append(file)
            else:
                left_out.append({"uri": new.uri, "reason": WITH_KEY})
        else:
            left_out.append({"uri": new.uri, "reason": OUTSIDE})
    return await asyncio.to_thread(git_patch, files), left_out


def standing(stretches: Sequence[OwnStretch], known: Timeline, now: FileState) -> str:
    """Return whether our change still stands: `applied`, `takenBack`, or `changedSince` by somebody."""
    if now.same(stretches[-1].after):
        return "applied"
    last = known.last(now.path)
    if now.same(stretches[0].before) and (last is None or last.same(now)):
        return TAKEN_BACK
    return "changedSince"


STANDING = {TAKEN_BACK: ": undone", "changedSince": ": changed since by somebody else"}


def shown(rows: Sequence[JsonObject], *, ran: bool) -> str:
    """Return the rows and their patches for a person."""
    lines = [
        change_line(row)
        + STANDING.get(row.get("standing", ""), "")
        + (f": {row['problem']}" if "problem" in row else "")
        for row in rows
    ]
    patches = "".join(str(row["patch"]) for row in rows if row.get("standing") != TAKEN_BACK)
    parts = ["\n".join(lines) or "No file was changed."]
    if patches:
        cut, _ = shorten(patches, LONGEST, "Ask for one file to see the rest.")
        parts.append(fenced(cut, "diff"))
    return "\n\n".join([*parts, COMMANDS] if ran else parts)


def change_line(row: JsonObject) -> str:
    """Return one file on one line; without counts where its lines are not known."""
    counted = row["insertions"] or row["deletions"] or not row.get("problem")
    counts = f" (+{row['insertions']} -{row['deletions']})" if counted else ""
    return f"- {row['change']} `{path_in(row['uri'])}`{counts}"


def path_in(uri: str) -> str:
    """Return the path as people write it; an address of no file stays one."""
    return unquote(uri.removeprefix("file://")) if uri.startswith("file:///") else uri


def _kind(before: FileState, after: FileState) -> str:
    return kind_of(before.hash or None, after.hash or None)
