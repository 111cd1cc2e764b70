"""Markdown as a terminal shows it: block by block, as soon as one is complete."""

from io import StringIO
from shutil import get_terminal_size
from typing import ClassVar, cast

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, TableElement
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from agls.regex import regex
from agls.views.escape import escape_controls

UNLIMITED = 100_000  # columns
WIDEST = 110  # columns; longer lines are hard to read
FENCE = regex(r"\s{0,3}(```+|~~~+)")
GOES_ON = regex(r"\s|[-*+]|\d+[.)]")  # a line that may belong to the list before it
PLAIN = {
    "markdown.code": "cyan",
    "markdown.code_block": "cyan",
    "markdown.h1": "bold underline",
    "markdown.h2": "bold",
}


class LeftHeading(Heading):
    """A heading that stands where the text stands."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the text."""
        self.text.justify = "left"
        yield self.text


class CodeAsWritten(CodeBlock):
    """Code with all its empty lines, and no others around it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the code, indented by a column."""
        yield Syntax(
            str(self.text).rstrip(), self.lexer_name, theme=self.theme, word_wrap=True, padding=(0, 1)
        )


class WholeTable(TableElement):
    """A table of which no word is cut: where the terminal is too narrow for it, its rows are lists."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the cells below each other, or one after the other."""
        (found,) = super().__rich_console__(console, options)
        table, unlimited = cast("Table", found), options.update(max_width=UNLIMITED)
        table.show_edge = False
        for column in table.columns:
            column.min_width = max(console.measure(cell, options=unlimited).minimum for cell in column.cells)
        needed = console.measure(table, options=unlimited).minimum
        if needed <= options.max_width or not (self.header and self.header.row and self.body):
            yield table
            return
        names = [cell.content for cell in self.header.row.cells]
        for row in self.body.rows:
            first, *others = [cell.content for cell in row.cells]
            yield Text.assemble("• ", first or names[0], style="bold")
            for name, content in zip(names[1:], others, strict=False):
                if content:
                    yield Padding(Text.assemble(name, ": " if name else "", content), (0, 0, 0, 2))
        yield ""


OWN = {
    "heading_open": LeftHeading,
    "table_open": WholeTable,
    "fence": CodeAsWritten,
    "code_block": CodeAsWritten,
}


class QuietMarkdown(Markdown):
    """Markdown with quiet headings; HTML and link definitions stay as they are, so nothing is left out."""

    elements: ClassVar = Markdown.elements | OWN

    def __init__(self, text: str) -> None:
        super().__init__(text, hyperlinks=False, code_theme="ansi_dark")
        parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
        self.parsed = parser.disable("reference").parse(text)


class Rendered:
    """Takes a text piece by piece, and returns the part that can be shown."""

    def __init__(self, *, colours: bool) -> None:
        self._colours = colours
        self._waiting = ""
        self._shown = False

    @property
    def unwritten(self) -> str:
        """The beginning of a block that is not complete."""
        return self._waiting

    def feed(self, text: str) -> str:
        """Take more of the text. **Returns** the blocks that are complete now, as the terminal takes them."""
        self._waiting += text
        end = _end_of_blocks(self._waiting)
        blocks, self._waiting = self._waiting[:end], self._waiting[end:]
        return self._show(blocks)

    def finish(self) -> str:
        """Return the rest: nothing more comes."""
        rest, self._waiting = self._waiting, ""
        return self._show(rest)

    def whole(self, text: str) -> str:
        """Return this text; the one that comes piece by piece goes on behind it."""
        return self._show(text)

    def _show(self, blocks: str) -> str:
        if not blocks.strip():
            return ""
        out = StringIO()
        console = Console(
            file=out,
            width=min(get_terminal_size().columns, WIDEST),
            force_terminal=True,
            no_color=not self._colours,
            theme=Theme(PLAIN),
            highlight=False,
            emoji=False,
        )
        console.print(QuietMarkdown(escape_controls(blocks)))
        lines = "\n".join(line.rstrip() for line in out.getvalue().strip("\n").split("\n"))
        before, self._shown = "\n" if self._shown else "", True
        return f"{before}{lines}\n"


def _end_of_blocks(text: str) -> int:
    """Return where the finished blocks end: at a blank line behind which others begin."""
    end = at = 0
    fence, blank = "", False
    for line in text.splitlines(keepends=True):
        is_whole, words = line.endswith("\n"), line.strip()
        if blank and words and not GOES_ON.match(line) and not fence:
            end = at
        if is_whole and (found := FENCE.match(line)):
            if not fence:
                fence = found[1]
            elif words.startswith(fence) and not words.strip(fence[0]):
                fence = ""
        blank = is_whole and not words
        at += len(line)
    return end
