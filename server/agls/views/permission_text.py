"""The text of a permission question: everything that a yes would allow, with nothing a reader could overlook.

What is asked about is quoted with a margin (`│ `), so that no line of it can pass for one of agls. Hidden
characters are spelled out where the question is made (`features/permissions/visible.py`), and long runs of
blanks and line ends are written as counts here (`⟨5000 spaces⟩`): the text can be read back to the letter.
"""

import json
import re
from collections.abc import Iterator
from itertools import groupby
from urllib.parse import unquote, urlsplit

from agls.diff import CUT
from agls.engine.vocabulary import JsonObject, Question
from agls.frozen import frozen
from agls.regex import regex
from agls.views.escape import escape_controls

MOST_CHARACTERS = 250_000  # of the text of one question
MOST_IN_MESSAGE = 1_000  # of the same as one message: some editors cut longer ones in silence
MARGIN = "│ "
ONE_RULE = "Allowing it for longer than once adds the rule:"
UNSAVED = "These files have changes of your own that are not saved:"
SAVING = (
    "A yes saves them now, and such changes before each later command of this session.",
    "A no leaves them as they are: commands see what is on disk, and the agent is told so.",
)
FEW_GROUPS = 8  # in a long run: up to here only the long groups are written as counts
LONG_BLANKS, LONG_LINES = 40, 4  # from so many on they are counted
_LONG_RUN = regex(rf"[ \t\n]{{60,}}|\n{{{LONG_LINES},}}| {{{LONG_BLANKS},}}|\t{{8,}}|[ \t]+(?=\n|\Z)")
_NAMES = {" ": "space", "\t": "tab", "\n": "line end"}
# What an editor may take for a link or a tag in a message that is plain text (LSP says that it is).
_HEAD = regex(r"(---|\+\+\+) ")
_NAME = regex(r"\A--- [^\n]*\n\+\+\+ b/([^\n]+)\n@@ -")
_MARKUP = regex(r"(?<=\])\(|<(?=[A-Za-z/!?])|&(?=#?\w+;)")


@frozen
class PermissionText:
    """The text to show beside a question's title and reason; not `whole` when some of it is left out."""

    text: str
    whole: bool = True


def permission_text(question: Question) -> PermissionText:
    """Return the exact command and its folder, the changes or the input, and what a lasting yes allows."""
    lines = [*_subject(question.subject), *_rules(question)]
    if not lines:
        lines = _quoted(counted(question.title))
    text = escape_controls("\n".join(lines))
    cut = any(line.startswith(f"{MARGIN}{CUT}") for line in lines)
    if len(text) <= MOST_CHARACTERS:
        return PermissionText(text, not cut)
    left = len(text) - MOST_CHARACTERS
    return PermissionText(f"{text[:MOST_CHARACTERS]}\n[… {left} more characters]", whole=False)


def message_text(question: Question) -> PermissionText:
    """Return title, reason and text as one message, for clients that know only LSP.

    The beginning of a text that is too long for a message; then no answer that allows may stand beside it.
    """
    shown = permission_text(question)
    parts = [question.title, question.reason, shown.text]
    text = _MARKUP.sub(_spelled, escape_controls("\n".join(part for part in parts if part)))
    if shown.whole and len(text) <= MOST_IN_MESSAGE:
        return PermissionText(text)
    how = "Too long to be allowed from here: agls.transcript shows all of it, then agls.approve allows it."
    return PermissionText(f"{text[: MOST_IN_MESSAGE // 2]}\n[…]\n{how}", whole=False)


def counted(text: str) -> str:
    """The text with long runs of blanks and line ends, and blanks at the end of a line, as counts."""
    return _LONG_RUN.sub(_counts, text.replace("\r", _code_point("\r")))


def _subject(subject: JsonObject) -> Iterator[str]:
    match subject.get("type"):
        case "command":
            yield from _quoted(counted(str(subject.get("command", ""))))
            yield f"in {_one_line(str(subject.get('cwd', '')))}"
            yield from _json(subject, "type", "command", "cwd")
        case "edit":
            for change in subject.get("changes", ()):
                patch, ends = _line_ends(_without_names(str(change.get("patch", ""))))
                yield f"{change.get('change', 'changed')}: {_one_line(_path(change))}{ends}"
                yield from (f"{MARGIN}{line}" for line in _diff(patch))
            yield from _json(subject, "type", "changes")
        case "plan":
            yield from _quoted(counted(str(subject.get("plan", ""))))
        case "save":
            yield UNSAVED
            for name in subject.get("files", ()):
                yield from _quoted(_one_line(str(name)))
            yield from SAVING
            yield from _json(subject, "type", "files")
        case _:
            yield from _json(subject, "type")


def _rules(question: Question) -> Iterator[str]:
    """The rule that a lasting yes adds; where the answers add different ones, each beside its answer."""
    lasting = {option.rule: option.label for option in question.options if option.rule}
    for rule, label in lasting.items():
        yield f"“{label}” adds the rule:" if len(lasting) > 1 else ONE_RULE
        yield from _quoted(counted(rule))


def _json(subject: JsonObject, *without: str) -> list[str]:
    rest = {name: value for name, value in subject.items() if name not in without}
    return _quoted(counted(json.dumps(rest, ensure_ascii=False, indent=1))) if rest else []


def _quoted(text: str) -> list[str]:
    return [f"{MARGIN}{line}" for line in text.split("\n")]


def _one_line(text: str) -> str:
    return counted(text.replace("\n", _code_point("\n")))


def _line_ends(patch: str) -> tuple[str, str]:
    """The diff without its CRs when all its lines have one, and a note of that; else each CR spelled out."""
    content = [
        line for line in patch.split("\n") if line.startswith(("+", "-", " ")) and not _HEAD.match(line)
    ]
    if content and all(line.endswith("\r") for line in content):
        return patch.replace("\r\n", "\n"), ", where lines end in CR LF"
    return patch.replace("\r", _code_point("\r")), ""


def _path(change: JsonObject) -> str:
    """Return the whole path of the file; its address where the patch names another one.

    The path within the workspace would be the same in the worktree of a helper.
    """
    uri, named = str(change.get("uri", "")), _NAME.search(str(change.get("patch", "")))
    path = unquote(urlsplit(uri).path)
    is_named = named is not None and f"/{path}".endswith(f"/{named[1]}")  # with nothing hidden in its name
    return path if is_named and uri.startswith("file:///") and path.isprintable() else uri


def _without_names(patch: str) -> str:
    """Return the patch without the two lines that name its file: the line above it does."""
    lines = patch.split("\n", 2)
    named = [line[:4] for line in lines] == ["--- ", "+++ ", "@@ -"]
    return lines[2] if named else patch


def _diff(patch: str) -> Iterator[str]:
    """The lines of a diff. The first character of each says what happens to the rest of it."""
    for line, same in groupby(patch.removesuffix("\n").split("\n") if patch else ()):
        count = sum(1 for _ in same)
        if line in ("+", "-") and count >= LONG_LINES:
            yield f"{line}{_count(count, chr(10))}"
        else:
            yield from [line[:1] + counted(line[1:])] * count


def _counts(run: re.Match[str]) -> str:
    groups = [(character, sum(1 for _ in same)) for character, same in groupby(run[0])]
    at_end = "\n" not in run[0] and run.string[run.end() : run.end() + 1] in ("", "\n")
    return "".join(_group(*group, always=at_end or len(groups) > FEW_GROUPS) for group in groups)


def _group(character: str, count: int, *, always: bool) -> str:
    long = LONG_LINES if character == "\n" else 8
    if not always and count < long:
        return character * count
    return _count(count, character) + ("\n" if character == "\n" else "")


def _count(count: int, character: str) -> str:
    return f"⟨{count} {_NAMES[character]}{'' if count == 1 else 's'}⟩"


def _spelled(found: re.Match[str]) -> str:
    return _code_point(found[0])


def _code_point(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"
