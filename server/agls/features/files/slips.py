"""Known mistakes in a new text: what would stand in the file although nobody means it."""

from collections.abc import Sequence, Set

from agls.engine.ports import WorkspaceError
from agls.regex import regex
from agls.room.notebook_ports import is_notebook
from agls.room.notebook_text import check_written

from .entities import line_with_entities
from .left_out import lines_left_out
from .lines import split_lines

_LITERAL_END = regex(
    r"\\n(?: {2,}|\t|\\t|\\n|$"
    r"|(?:import|from|def|class|return|const|let|var|func|fn|public|private|export|using|package)\s)"
)
_NUMBER = regex(r"^ *(\d+)(?:\t|→|: ?| ?\| ?)")
_LISTED = regex(r"^ *(\d+)(?:\t|→| ?\| )")
_SIGN = regex(r"^\+(.*)$")
_SENTENCE = regex(r"[A-Z][^;{}()=<>]* [^;{}()=<>]*[:.!]")
_QUOTES = ("'", '"', "`")
_CODE = (
    *(".py", ".go", ".rs", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".swift", ".scala"),
    *(".rb", ".sh", ".lua", ".sql", ".zig", ".dart", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs"),
)
PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc", ".markdown")
FEWEST = 3  # lines of a whole text whose numbers or signs are no accident
AROUND = 3  # lines of an answer before and behind the code in it
SIGNS = (
    "{shown}: the new text has the signs of a patch (+) in front, which are no part of the file; nothing was "
    "changed. Leave them out."
)
LEFT_OUT = (
    "{shown}: the new text has `{line}`, which would stand in the file instead of the code that it is meant "
    "for; nothing was changed. Give every line, or change only the lines that differ."
)
LITERAL = (
    "{shown}: the new text has a backslash and n where a line end seems meant: `{line}`. Nothing was "
    "changed. Send real line ends."
)
FENCED = (
    "{shown}: the text has marks around it (```), which would stand in the file; nothing was changed. "
    "Leave them out."
)
ANSWER = (
    "{shown}: the text is an answer with code in it, between marks (```), not the code alone; nothing was "
    "changed. Leave out the marks and what stands around them."
)
NUMBERS = (
    "{shown}: the new text has line numbers in front, which are no part of the file; nothing was changed. "
    "Leave them out."
)
ENTITIES = (
    "{shown}: the new text has HTML entities where the characters themselves are meant: `{line}`. Nothing "
    "was changed. Send the characters."
)
NUL = (
    "{shown}: the new text has a NUL character, with which the file would be no text any more; nothing was "
    "changed. Write the escape that the language has for it, such as \\0."
)


def check_file(path: str, text: str) -> None:
    """Check the name and the text of a file that is to be made. **Raises** `WorkspaceError`."""
    _check_name(path)
    if "\0" in text:
        raise WorkspaceError(NUL.format(shown=path))
    if is_notebook(path):
        check_written(path, text)
    if _is_fenced(text) and not path.lower().endswith(PROSE):
        raise WorkspaceError(FENCED.format(shown=path))
    if path.lower().endswith(_CODE):
        _check_code(path, split_lines(text))


def _check_name(path: str) -> None:
    if path != path.strip():
        raise WorkspaceError(f"`{path}` begins or ends with a blank; nothing was changed. Leave it out.")
    if path.endswith("/"):
        raise WorkspaceError(f"{path} names a folder: give the name of the file as well.")
    if path.startswith("~"):
        raise WorkspaceError(
            f"{path}: ~ is not expanded here. Give the path relative to the workspace, or from / on."
        )


def _check_code(path: str, lines: Sequence[str]) -> None:
    if _is_answer(lines):
        raise WorkspaceError(ANSWER.format(shown=path))
    if _is_numbered(lines, 0):
        raise WorkspaceError(NUMBERS.format(shown=path))
    if len(lines) >= FEWEST and all(line.startswith("+") for line in lines if line.strip()):
        raise WorkspaceError(SIGNS.format(shown=path))
    if each := line_with_entities(path, "", "", lines):
        raise WorkspaceError(ENTITIES.format(shown=path, line=each.strip()[:100]))
    if len(lines) == 1 and _has_literal_end(lines[0]):
        raise WorkspaceError(LITERAL.format(shown=path, line=lines[0].strip()[:100]))


def check_new(shown: str, text: str, old: str, new: str, line: int = 0) -> None:
    """Check what shall stand in the place of `old` in a text, from this `line` on (0: in place of all of it).

    What the text has already is no mistake. **Raises** `WorkspaceError`.
    """
    if "\0" in new and "\0" not in text:
        raise WorkspaceError(NUL.format(shown=shown))
    there = {each.strip() for each in split_lines(text)}
    lines = [each for each in split_lines(new) if each.strip() and each.strip() not in there]
    is_prose, is_code = shown.lower().endswith(PROSE), shown.lower().endswith(_CODE)
    for each in () if is_prose else lines_left_out(split_lines(old), split_lines(new), is_code=is_code):
        if each.strip() not in there:
            raise WorkspaceError(LEFT_OUT.format(shown=shown, line=each.strip()[:100]))
    for each in () if is_prose else lines:
        if _has_literal_end(each):
            raise WorkspaceError(LITERAL.format(shown=shown, line=each.strip()[:100]))
    if is_code and (each := line_with_entities(shown, text, old, lines)):
        raise WorkspaceError(ENTITIES.format(shown=shown, line=each.strip()[:100]))
    if is_code and (marked := _marked(new)) and not _marked(old):
        raise WorkspaceError(marked.format(shown=shown))
    is_listing = is_code and _is_listing(split_lines(new)) and not _is_listing(split_lines(old))
    if is_listing or (_is_numbered(split_lines(new), line) and not _is_numbered(split_lines(old), line)):
        raise WorkspaceError(NUMBERS.format(shown=shown))
    if is_code and _is_signed(lines, there):
        raise WorkspaceError(SIGNS.format(shown=shown))


def _is_fenced(text: str) -> bool:
    lines = split_lines(text.strip())
    return len(lines) > 1 and lines[0].startswith("```") and lines[-1].strip() == "```"


def _marked(text: str) -> str:
    """Return what is wrong with code that has marks around it, "" if it has none."""
    if _is_fenced(text):
        return FENCED
    return ANSWER if _is_answer(split_lines(text)) else ""


def _is_answer(lines: Sequence[str]) -> bool:
    """Return whether code stands between marks, with sentences before it."""
    said = [line.strip() for line in lines if line.strip()]
    begin = next((at for at, line in enumerate(said) if line.startswith("```")), 0)
    end = next((at for at in range(len(said) - 1, begin, -1) if said[at] == "```"), 0)
    is_around = 0 < begin <= AROUND and len(said) - 1 - end <= AROUND
    return end > 0 and is_around and all(map(_SENTENCE.fullmatch, said[:begin]))


def _has_literal_end(line: str) -> bool:
    """Return whether a line end is written as an escape, outside of quotes."""
    found = _LITERAL_END.search(line)
    return found is not None and not any(line.count(quote, 0, found.start()) % 2 for quote in _QUOTES)


def _is_listing(lines: Sequence[str]) -> bool:
    """Return whether several lines begin with numbers in a row, as a listing has them and no code."""
    found = [_LISTED.match(line) for line in lines]
    if len(lines) < 2 or not found[0]:
        return False
    return all(match and int(match[1]) == at for at, match in enumerate(found, int(found[0][1])))


def _is_signed(lines: Sequence[str], there: Set[str]) -> bool:
    """Return whether several new lines all have a + in front, and one stands in the file without."""
    found = [_SIGN.match(line) for line in lines]
    bare = {match[1].strip() for match in found if match}
    return len(lines) > 1 and all(found) and any(len(each) > 1 for each in bare & there)


def _is_numbered(lines: Sequence[str], first: int) -> bool:
    """Return whether each line begins with its number, from `first` on (0: all lines of a file)."""
    found = [_NUMBER.match(line) for line in lines]
    if not lines or (not first and len(lines) < FEWEST):
        return False
    return all(match and int(match[1]) == at for at, match in enumerate(found, first or 1))
