"""What `agls sessions verify` says of the file of records."""

from collections.abc import Sequence
from pathlib import Path

from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.streams import write, write_json
from agls.engine.vocabulary import JsonObject
from agls.stores.record_check import Checked, check

MOST = 20  # faults that are named one by one
NONE = "There are no records in {}. With `[audit] file = true` in config.toml, each run that ends adds one."
KEEP = "Keep the digest elsewhere. As long as nothing changed, this finds it: agls sessions verify --head {}"


def write_check(path: Path, head: str, *, as_json: bool) -> None:
    """Write whether the records are as they were written.

    **Raises** `CannotBegin` when they are not, `OSError`.
    """
    found = check(path, head)
    problems = [f"{fault.file}, line {fault.line}: {fault.what}" for fault in found.faults]
    if head and not found.is_after:
        problems.append(f"No record has the digest {head}: it, or one before it, was changed or taken out.")
    if as_json:
        write_json(_as_json(path, found, problems))
    elif not found.lines:
        write(f"{NONE.format(path)}\n")
    elif not problems:
        write(f"{_sound(path, found)}\n{KEEP.format(found.head)}\n")
    if problems:
        more = [f"… and {len(problems) - MOST} more"] if len(problems) > MOST else []
        raise CannotBegin("\n".join([*problems[:MOST], *more]), "changedRecords", Exit.FAILED)


def _sound(path: Path, found: Checked) -> str:
    count = "1 record" if found.lines == 1 else f"{found.lines} records, each following the one before"
    older = f" The first {found.older} are of an older agls, without links." if found.older else ""
    cut = " Those before them were put aside and removed, or taken out." if found.is_cut else ""
    return f"{path}: {count}.{older}{cut} Last digest: {found.head}"


def _as_json(path: Path, found: Checked, problems: Sequence[str]) -> JsonObject:
    return {
        "file": str(path),
        "records": found.lines,
        "head": found.head or None,
        "unlinked": found.older,
        "beginsInBetween": found.is_cut,
        "problems": list(problems),
    }
