"""The names of instruction files, as the products that read them have them."""

MAIN = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md")  # of a folder the first counts
LOCAL = "CLAUDE.local.md"
OTHER = (
    ".github/copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
    ".roorules",
    "GEMINI.md",
    "QWEN.md",
    ".junie/AGENTS.md",
    ".junie/guidelines.md",
)
# the last ones count where there is nothing else
FILES = (*MAIN, LOCAL, *OTHER)
LISTS = ("opencode.json", "opencode.jsonc", ".opencode/opencode.json")  # their `instructions` name texts


class RulePlace:
    """A place of rules: a folder, or one file where `alone`, with the ends of their names.

    `globs` are the members of the front matter that say for which files a rule is. Its folders of the names
    `others` have no rules.
    """

    def __init__(
        self,
        folder: str,
        ends: tuple[str, ...],
        *globs: str,
        alone: bool = False,
        others: tuple[str, ...] = (),
    ) -> None:
        self.folder, self.ends = folder, ends
        self.globs, self.alone = globs, alone
        self.others = others


RULES = (
    RulePlace(".claude/rules", (".md",), "paths", "globs"),
    RulePlace(".cursor/rules", (".mdc", ".md"), "globs"),
    RulePlace(".github/instructions", (".instructions.md",), "applyTo"),
    RulePlace(
        ".clinerules", (".md", ".txt"), "paths", "globs", alone=True, others=("workflows", "hooks", "skills")
    ),
    RulePlace(".windsurf/rules", (".md",), "globs"),
    RulePlace(".roo/rules", (".md", ".txt")),
    RulePlace(".kilocode/rules", (".md", ".txt")),
    RulePlace(".kiro/steering", (".md",), "fileMatchPattern"),
    RulePlace(".agent/rules", (".md",), "globs"),
)
PLACES = (*FILES, *(rules.folder for rules in RULES))
