"""The agents whose files are understood: each by a name, and a function that looks through its files."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from agls.frozen import frozen
from agls.other_agents import claude, codex, cursor, gemini, opencode
from agls.other_agents.findings import Finding
from agls.other_agents.foreign_files import ForeignFiles


@frozen
class Product:
    """An agent: its name for people, whether it is there, and what it keeps."""

    title: str
    home: Callable[[ForeignFiles], Path]
    look: Callable[[ForeignFiles], Iterator[Finding]]

    def is_there(self, files: ForeignFiles) -> bool:
        """**Returns** whether its folder exists."""
        return self.home(files).is_dir()

    def findings(self, files: ForeignFiles) -> list[Finding]:
        """**Returns** all that it keeps, with the files that cannot be read."""
        return [*self.look(files), *files.problems]


PRODUCTS: Mapping[str, Product] = {
    "claude": Product("Claude Code", claude.home, claude.look),
    "codex": Product("Codex", codex.home, codex.look),
    "cursor": Product("Cursor", cursor.home, cursor.look),
    "gemini": Product("Gemini CLI", gemini.home, gemini.look),
    "opencode": Product("OpenCode", opencode.home, opencode.look),
}
