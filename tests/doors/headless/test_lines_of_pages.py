"""Every `agls …` that a page of the documentation shows can be typed: the command and its options exist."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from agls.doors.headless.options.parser import Misused
from agls.doors.headless.options.shorthand import spelled_out
from agls.doors.headless.options.table import build_parser

ROOT = Path(__file__).parents[3]
PAGES = sorted({
    *ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("server/agls/**/README.md"),
    *ROOT.glob("clients/*/README.md"), ROOT / "protocol/README.md", ROOT / "tests/README.md",
} - {ROOT / "CHANGELOG.md"})  # fmt: skip
FENCED = re.compile(r"^```(?:sh|bash|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`([^`\n]+)`")
COMMAND = re.compile(
    r"(?:^|[|;&$(] ?|[A-Z_]+=\S+ )agls(?= )"
)  # at the beginning, in a pipe, behind variables
ENDS = {"|", "||", "&&", ";", "#", ">", ">>", "<", "2>", "&", ")"}
UNKNOWN = ("there is no ", "one argument too many")  # a page may name a command without its arguments
LEFT_OUT = re.compile(r"\[(?:OPTIONS|COMMAND|-h)|…$|COMMAND|\{")  # a form of commands rather than one


def written(page: str) -> Iterator[str]:
    """Yield the lines of blocks, and the texts between backquotes, that are commands."""
    for block in FENCED.findall(page):
        yield from block.replace("\\\n", " ").splitlines()
    yield from INLINE.findall(FENCED.sub("", page))


def commands(page: str) -> Iterator[list[str]]:
    """Yield the arguments of each `agls …`."""
    for line in written(page):
        if not (found := COMMAND.search(line)) or LEFT_OUT.search(line):
            continue
        lexer = shlex.shlex(line[found.end() :], posix=True, punctuation_chars="|;&<>()")
        lexer.whitespace_split, lexer.commenters = True, "#"
        try:
            words = [*lexer]
        except ValueError:  # the rest of a quoted text is on another line
            continue
        end = next((at for at, word in enumerate(words) if word in ENDS), len(words))
        if words[:end]:
            yield words[:end]


LINES = sorted({
    (str(page.relative_to(ROOT)), shlex.join(words))
    for page in PAGES
    for words in commands(page.read_text("utf-8"))
})  # fmt: skip


def fault(line: str) -> str:
    """**Returns** what a command line names that does not exist, "" where all of it does."""
    try:
        build_parser().parse_args(spelled_out(shlex.split(line)))
    except Misused as wrong:
        return wrong.message if any(words in wrong.message for words in UNKNOWN) else ""
    except SystemExit:  # --help, --version
        return ""
    return ""


def test_pages_show_command_lines() -> None:
    assert len(LINES) > 150


@pytest.mark.parametrize(("page", "line"), LINES)
def test_command_line_of_a_page_is_understood(page: str, line: str) -> None:
    assert fault(line) == ""


@pytest.mark.parametrize("line", ["nosuch", "run go --nosuch", "mcp lst"])
def test_command_line_that_does_not_exist_is_found(line: str) -> None:
    assert fault(line)
