"""Find references to what does not exist: `.venv/bin/python scripts/references.py` lists them and fails.

Looked at are all texts of the repository. A reference is

- a link of a Markdown file to a file or a section of one;
- `protocol#section` and `protocol/README.md#section`, and further `#sections` behind it;
- the id of a promise, as in "SECURITY.md, P7", and of a rule of any other page, of which there are none;
- a document that is named (`page.md`) and a decision ("decision 112", `docs/decisions/112`);
- a numbered part of a protocol ("protocol 4.9", "part 6"), of which there are none either.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXTS = ("*.py", "*.md", "*.ts", "*.mts", "*.mjs", "*.lua", "*.toml", "*.yaml", "scripts/*", ".ci/*")
LEFT_OUT = (
    "CHANGELOG.md",
    "changelog.d/README.md",
    "protocol/agls_protocol/golden/",
    "tests/protocol/older/",
)
OWN = ("scripts/references.py", "tests/repo/test_references.py")  # they show what is refused
EXAMPLES = ("tests/", "clients/", "server/agls/features/")  # here `page.md` may be a name in a made-up folder
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
SECTION = re.compile(r"\bprotocol(?:/README\.md)?((?:,? ?#[a-z][\w-]*)+)")
PROMISE = re.compile(r"\bSECURITY\.md`?,? \(?((?:P\d+(?:, | and )?)+)")
RULE = re.compile(r"(?<![\w/.-])R\d{1,2}\b(?![\w.])")
NUMBERED = re.compile(r"\b[Pp]rotocol,? (?:part )?\d+(?:\.\d+)*|\bpart \d+\b(?! of)")
DOCUMENT = re.compile(
    r"`((?:[\w.-]+/)*[A-Za-z][\w.-]*\.md)`|\b(promises|house|product|extending|executor|craft|inventory)\.md"
)
DECISION = re.compile(r"docs/decisions/(\d{3,4})|\b[Dd]ecision (\d{3,4})\b")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def sections_of(text: str) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", CODE.sub("", text), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-"))
    return found


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page that exists."""
    return frozenset(sections_of(page.read_text(encoding="utf-8")))


@cache
def known() -> tuple[frozenset[str], str, frozenset[str], frozenset[str]]:
    """Return the sections of the protocol, the promises, the documents, and the numbers of all decisions."""
    pages = [Path(name) for name in listed("*.md")]
    numbers = {page.name.partition("-")[0] for page in pages if page.parent.name == "decisions"}
    protocol, security = anchors(ROOT / "protocol/README.md"), (ROOT / "SECURITY.md").read_text("utf-8")
    return protocol, security, frozenset(page.name for page in pages), frozenset(numbers)


def listed(*patterns: str) -> list[str]:
    """Return the files of the repository that fit, new ones too."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [name for name in dict.fromkeys(names) if name and (ROOT / name).is_file()]


def found_by(pattern: re.Pattern[str], text: str, *words: str) -> Iterator[re.Match[str]]:
    """Return what fits in a text. One that holds none of the words is not looked at, which takes no time."""
    return pattern.finditer(text) if any(word in text for word in words) else iter(())


def broken_in(name: str, text: str) -> Iterator[str]:
    """Return what a text refers to and does not exist; `name` is its path in the repository."""
    protocol, security, documents, decisions = known()
    for found in found_by(SECTION, text, "protocol"):
        yield from (f"protocol{one}" for one in re.findall(r"#[\w-]+", found[1]) if one[1:] not in protocol)
    for found in found_by(PROMISE, text, "SECURITY.md"):
        yield from (one for one in re.findall(r"P\d+", found[1]) if f"| {one} |" not in security)
    yield from (found[0] for found in RULE.finditer(text))
    yield from (found[0] for found in found_by(NUMBERED, text, "rotocol", "part "))
    for found in found_by(DECISION, text, "ecision"):
        if (number := found[1] or found[2]) not in decisions:
            yield f"decision {number}"
    for found in found_by(DOCUMENT, text, ".md"):
        page = (found[1] or f"{found[2]}.md").rpartition("/")[2]
        if page not in documents and not (found[1] and name.startswith(EXAMPLES)):
            yield page
    if name.endswith(".md"):
        yield from _broken_links(ROOT / name, CODE.sub("", text))


def _broken_links(page: Path, text: str) -> Iterator[str]:
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, section = target.partition("#")
        place = (page.parent / file).resolve() if file else page
        if not (place.exists() and (not section or place.suffix != ".md" or section in anchors(place))):
            yield target


def broken(names: Iterable[str]) -> list[str]:
    """Return one line for each broken reference in these files."""
    lines: list[str] = []
    for name in names:
        if not name.startswith((*LEFT_OUT, *OWN)):
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
            lines += [f"{name}: {one}" for one in dict.fromkeys(broken_in(name, text))]
    return lines


if __name__ == "__main__":
    problems = broken(listed(*TEXTS))
    print("\n".join(problems) or "Every reference names something that exists.")
    sys.exit(bool(problems))
