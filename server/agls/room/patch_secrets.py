"""Patches, as git prints them, without what they say of files that usually hold secrets.

Which files a commit holds is known only when git runs, so what it printed is looked at: the lines behind the
header of such a file are left out, as many as its hunks have. Where that is not certain, as with
`--word-diff`, everything is left out up to the next header.
"""

from agls.frozen import frozen
from agls.regex import regex
from agls.secret_names import may_hold_secrets

LEFT_OUT = (
    "[{} lines about {} left out: it may hold keys. `git show COMMIT:{}` shows it, and asks the user.]\n"
)
_CODES = regex(r"\x1b\[[0-9;]*[A-Za-z]")
_HEADER = regex(
    r"(?P<before>[ |*/\\_]*)diff --(?:git|cc|combined) (?P<names>.+)"
)  # behind the lines of a graph
_BETWEEN = regex(r'"?[ ]"?(?=[a-z]/)')
_PREFIX = regex(r'"?(?:[a-z]/)?')
_HUNK = regex(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@.*")
_ABOUT = regex(
    r"(?:index|old|new|deleted|similarity|dissimilarity|rename|copy|mode|---|\+\+\+|Binary files) ?.*"
)
_COMMIT = regex(r"commit [0-9a-f]{7,64}\b.*")


@frozen
class _Part:
    """Where in the part of a file with secrets a line stands: how many lines of its hunk are to come."""

    name: str
    before: int  # characters that a graph has before each line
    old: int = 0
    new: int = 0
    is_certain: bool = True


def without_secret_patches(text: str) -> str:
    """Return the text with a remark in the place of what patches say of files that may hold secrets."""
    if "diff --" not in text:
        return text
    kept = list[str]()
    part, dropped = None, 0
    for line in text.splitlines(keepends=True):
        plain = _CODES.sub("", line).rstrip("\r\n")
        header = _HEADER.fullmatch(plain)
        after = _after(part, plain) if part and not header else None
        if after:
            part, dropped = after, dropped + 1
            continue
        if part and dropped:
            kept.append(LEFT_OUT.format(dropped, part.name, part.name))
        name = _secret_in(header["names"]) if header else ""
        part, dropped = _Part(name, len(header["before"])) if header and name else None, 0
        kept.append(line)
    if part and dropped:
        kept.append(LEFT_OUT.format(dropped, part.name, part.name))
    return "".join(kept)


def _after(part: _Part, line: str) -> _Part | None:
    """Return where the next line stands, `None` when this one belongs no longer to the file."""
    if _COMMIT.fullmatch(line):
        return None
    text = line[part.before :]
    if not part.is_certain:
        return part
    if part.old or part.new:
        return _in_hunk(part, text)
    if hunk := _HUNK.fullmatch(text):
        old, new = (int(count) if count else 1 for count in hunk.groups())
        return _Part(part.name, part.before, old, new)
    if _ABOUT.fullmatch(text) or text.startswith("\\"):
        return part
    is_other_form = text.startswith(("@@@", "GIT binary"))
    return _Part(part.name, part.before, is_certain=False) if is_other_form else None


def _in_hunk(part: _Part, text: str) -> _Part:
    sign = text[:1]
    old, new = part.old - (sign in {" ", "-", ""}), part.new - (sign in {" ", "+", ""})
    is_certain = sign in {" ", "+", "-", "\\", ""} and min(old, new) >= 0
    return _Part(part.name, part.before, max(old, 0), max(new, 0), is_certain=is_certain)


def _secret_in(names: str) -> str:
    """Return the name of a file in a header that may hold secrets, "" where there is none."""
    half = names[: len(names) // 2]  # with `--no-prefix` it is there twice
    found = (_PREFIX.sub("", each, count=1).strip('"') for each in (*_BETWEEN.split(names), half, names))
    return next((each for each in found if may_hold_secrets(each)), "")
