"""Unified diffs, as read: with `---` and `+++`, or what git writes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from agls.regex import regex

from .patch_parts import FilePatch, PatchError, PatchHunk, PatchRow

NOTHING = "/dev/null"
FORM = (
    "Write `--- a/path`, `+++ b/path`, and for each place `@@ -1,3 +1,4 @@` followed by its lines, each with "
    "a blank, - or + in front. `/dev/null` stands for no file."
)
_RANGE = regex(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NAMES = regex(r"rename (from|to) (.*)")
_GIT = regex(r"diff --git \"?[aciow]/(.+?)\"? \"?[bciow]/(.+?)\"?$")
_OCTAL = regex(r"(?:\\[0-3][0-7]{2})+")  # bytes of a name, as git writes them in quotes
_TIME = regex(r"\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$")
_SIGNATURE = regex(r"-- ?$")  # of a mail
COPIES = (".orig", ".old", ".bak", "~")  # ends of the names of a file as it was, kept beside it
MODES = {"100755": "+x", "100644": "-x"}  # as chmod is told
UNABLE: tuple[tuple[str, str], ...] = (
    ("GIT binary patch", "Bytes that are no text are not changed by a patch."),
    ("Binary files ", "Bytes that are no text are not changed by a patch."),
    ("copy from ", "A patch does not copy files: add the new one with all its lines, or use a command."),
    ("new file mode 120000", "A patch does not make links: a command (ln -s) does."),
    ("new mode 120000", "A patch does not make links: a command (ln -s) does."),
    ("new file mode 160000", "A patch does not change submodules: a command of git does."),
)
COMBINED = (
    "This is the combined diff of a merge (@@@), which compares several files at once: give one that "
    "compares two, with @@."
)
MODE = "The mode of a file is changed by a command (chmod), not by a patch."


def first_head(lines: Sequence[str]) -> int | None:
    """Return the index of the first line with which a file begins, `None` when there is none."""
    heads = (line.startswith("diff --git ") or _is_head(lines, at) for at, line in enumerate(lines))
    return next((at for at, is_head in enumerate(heads) if is_head), None)


def read_unified(lines: Sequence[str]) -> tuple[FilePatch, ...]:
    """Return what the patch says. **Raises** `PatchError`."""
    lines = [*_without_mails(lines)]
    return tuple(_section(lines[start:end]) for start, end in pairwise([*_starts(lines), len(lines)]))


def _without_mails(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines without what git writes below the patch of a mail, and above the next one."""
    is_mail = False
    for at, line in enumerate(lines):
        is_mail = (is_mail and not line.startswith("diff --git ")) or _is_signature(lines, at)
        if not is_mail:
            yield line


def _is_signature(lines: Sequence[str], at: int) -> bool:
    """Return whether a mail ends here, with `-- ` and git's version; another one may follow."""
    if not _SIGNATURE.match(lines[at]) or not lines[at + 1 : at + 2] or not lines[at + 1][:1].isdigit():
        return False
    return next((line for line in lines[at + 2 :] if line.strip()), "From ").startswith("From ")


def _is_head(lines: Sequence[str], at: int, *, sure: bool = False) -> bool:
    """Return whether a file begins here; to be `sure` its first hunk must follow."""
    head = [line[:4] for line in lines[at : at + 3]]
    return head[:2] == ["--- ", "+++ "] and (not sure or head[2:] == ["@@ -"])


def _starts(lines: Sequence[str]) -> Iterator[int]:
    """Yield where the files begin: rows of a hunk may look like heads as long as its counts last."""
    old = new = 0
    git = ""  # the line by which git announced the file
    for at, line in enumerate(lines):
        if (old > 0 or new > 0) and not (_is_head(lines, at, sure=True) and (old, new) != (1, 1)):
            old -= line[:1] != "+"
            new -= line[:1] != "-"
        elif line.startswith("diff --git "):
            git = _unquoted(line)
            yield at
        elif _is_head(lines, at):
            if not any(_path(named[4:], "") in git for named in lines[at : at + 2]):
                yield at
            git = ""
        elif found := _RANGE.match(line):
            git = ""
            old, new = int(found[2] or 1), int(found[4] or 1)


def _with_marks(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines with an `@@` before those of a file that has none at all."""
    if any(line.startswith("@@") for line in lines):
        return lines
    body = next((at + 2 for at in range(len(lines)) if _is_head(lines, at)), len(lines))
    has_changes = any(line[:1] in {"+", "-"} for line in lines[body:])
    return [*lines[:body], "@@", *lines[body:]] if has_changes else lines


def _section(lines: Sequence[str]) -> FilePatch:
    lines = _with_marks(lines)
    head = next((at for at in range(len(lines)) if lines[at].startswith("@@")), len(lines))
    for begin, reason in UNABLE:
        if found := next((line for line in lines[:head] if line.startswith(begin)), None):
            raise PatchError(f"`{lines[0]}`, `{found}`: {reason} Nothing was changed.")
    if lines[head:] and lines[head].startswith("@@@"):
        raise PatchError(f"{COMBINED} Nothing was changed.")
    old, new = _names(lines[:head])
    hunks = tuple(_hunks(lines[head:]))
    mode = next((line for line in lines[:head] if line.startswith(("new mode ", "new file mode "))), "")
    asked = MODES.get(mode.rpartition(" ")[2], "")
    if old == NOTHING:
        whole = _whole(new, hunks)
        return FilePatch("add", new, whole, mode=asked.removeprefix("-x"), must_be_new=True)
    if new == NOTHING:
        if not hunks and not any(line.startswith("deleted file ") for line in lines[:head]):
            raise PatchError(f"{old}: the lines that the patch deletes are missing. Nothing was changed.")
        return FilePatch("delete", old, hunks=hunks)
    moved = new if new != old else ""
    if not hunks and not moved:
        problem = f"`{mode}`: {MODE} Nothing was changed." if mode else f"the patch has no changes. {FORM}"
        raise PatchError(f"{old}: {problem}")
    return FilePatch("update", old, hunks=hunks, to=moved, mode=asked)


def _names(head: Sequence[str]) -> tuple[str, str]:
    names = {"from": "", "to": ""}
    git = _GIT.match(head[0] if head else "")
    plain = [line[4:] for line in head if line.startswith(("--- ", "+++ "))]
    is_bare = len(plain) == 2 and plain[0] == plain[1]  # git's own prefixes differ
    for line in head:
        if found := _NAMES.match(line):
            names[found[1]] = _unquoted(found[2])
        elif line.startswith(("--- ", "+++ ")):
            side = "from" if line[0] == "-" else "to"
            names[side] = names[side] or _path(line[4:], "" if is_bare else "a/" if side == "from" else "b/")
    for side, named in zip(names, git.groups() if git else (), strict=False):
        if names[side][1:] == f"/{_unquoted(named)}":  # behind one of git's other prefixes: i/ w/ c/ o/
            names[side] = _unquoted(named)
    if git and not any(names.values()):
        kinds = [line.partition(" file mode ")[0] for line in head]
        names["from"] = NOTHING if "new" in kinds else _unquoted(git[1])
        names["to"] = NOTHING if "deleted" in kinds else _unquoted(git[2])
    if names["from"] in {names["to"] + end for end in COPIES}:
        names["from"] = names["to"]
    if not names["from"] or not names["to"]:
        raise PatchError(f"The patch does not name its file. {FORM}")
    return names["from"], names["to"]


def _path(text: str, prefix: str) -> str:
    name = _unquoted(_TIME.sub("", text.partition("\t")[0]).strip())
    return name if name == NOTHING else name.removeprefix(prefix)


def _unquoted(name: str) -> str:
    """Return a name without git's quotes, and with the characters that git writes as bytes in octal."""
    bare = name.strip('"')
    return _OCTAL.sub(lambda found: _decoded(found[0]), bare)


def _decoded(octal: str) -> str:
    data = bytes(int(digits, 8) for digits in octal.split("\\")[1:])
    try:
        return data.decode()
    except UnicodeDecodeError:
        return octal


def _whole(path: str, hunks: Sequence[PatchHunk]) -> str:
    """Return the text of a new file."""
    if any(hunk.old for hunk in hunks):
        raise PatchError(f"{path}: a new file has only lines with a + in front.")
    lines = [line for hunk in hunks for line in hunk.new]
    text = "".join(f"{line}\n" for line in lines)
    return text.removesuffix("\n") if hunks and hunks[-1].final_end is False else text


def _hunks(lines: Sequence[str]) -> Iterator[PatchHunk]:
    starts = [at for at, line in enumerate(lines) if line.startswith("@@")]
    for number, (start, end) in enumerate(pairwise([*starts, len(lines)]), 1):
        found = _RANGE.match(lines[start])
        rows: list[PatchRow] = []
        ended: dict[str, bool] = {}
        for line in lines[start + 1 : end]:
            if line.startswith("\\"):
                ended.update(dict.fromkeys(rows[-1].sign.replace(" ", "-+") if rows else "", False))
            elif line[:1] in {"+", "-", " ", ""}:
                rows.append(PatchRow("+" if line[:1] == "+" else "-" if line[:1] == "-" else " ", line[1:]))
        while rows and rows[-1] == PatchRow(" ", "") and _is_over(rows, found):
            rows.pop()  # behind the hunk, by its own count
        final = ended.get("+", None if "-" not in ended else True)
        line_number = int(found[1]) + (found[2] == "0") if found else None
        section = lines[start][found.end() :].strip() if found else ""
        is_bare = found and found[2] == "0" and rows and int(found[4] or 1) == len(rows)
        new_line = int(found[3]) + (found[4] == "0") if found else 0
        comes_at = new_line if is_bare else 0
        hunk = PatchHunk(number, tuple(rows), line=line_number, final_end=final, section=section)
        yield replace(hunk, comes_at=comes_at, new_line=new_line)


def _is_over(rows: Sequence[PatchRow], found: re.Match[str] | None) -> bool:
    """Return whether a hunk has more lines than it says."""
    return bool(found and sum(row.sign != "+" for row in rows) > int(found[2] or 1))
