"""The names of instruction files, as the products that read them have them."""

MAIN = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md")  # of a folder the first counts
LOCAL = "CLAUDE.local.md"
OTHER = (".github/copilot-instructions.md", ".cursorrules", "GEMINI.md")  # where there is nothing else
FILES = (*MAIN, LOCAL, *OTHER)


class RulePlace:
    """A place of rules: a folder, or one file where `alone`, with the ends of their names.

    `globs` is the member of the front matter that says for which files a rule is.
    """

    def __init__(self, folder: str, ends: tuple[str, ...], *globs: str, alone: bool = False) -> None:
        self.folder, self.ends = folder, ends
        self.globs, self.alone = globs, alone


RULES = (
    RulePlace(".claude/rules", (".md",), "paths"),
    RulePlace(".cursor/rules", (".mdc",), "globs"),
    RulePlace(".github/instructions", (".instructions.md",), "applyTo"),
    RulePlace(".clinerules", (".md", ".txt"), "paths", "globs", alone=True),
    RulePlace(".windsurf/rules", (".md",), "globs"),
)
PLACES = (*FILES, *(rules.folder for rules in RULES))
