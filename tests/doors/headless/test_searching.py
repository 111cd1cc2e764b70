"""What a model finds with `grep` and `glob` in the real program, with ripgrep installed and without it."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls

MANY = 1_300  # files: ripgrep looks at those after the first


def plant(root: Path) -> None:
    for number in range(MANY):
        (root / f"many/{number // 100:02}").mkdir(parents=True, exist_ok=True)
        (root / f"many/{number // 100:02}/{number:04}.py").write_text("hay\n")
    for name, text in {
        "many/12/z.py": "def total(\n    items,\n):\n    return sum(items)\n",
        "many/12/z.ts": "total(\n    1,\n);\n",
        "app.py": "import os\n\n\nprint(total([1]))\n",
        "made/out.py": "total = 1\n",
        "kept/notes.md": "the total\n",
        ".gitignore": "kept/\n",
        ".aglsignore": "made/\n!kept/\n",
    }.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    for number in range(5):
        (root / f"many/12/{number}.bin").write_bytes(
            b"\0\1\xff\n" + b"a needle\0b needles\n"[: 10 + 2 * number]
        )


CALLS: list[tuple[str, dict[str, Any], str]] = [
    (
        "grep",
        {"pattern": "total", "context": 1},
        "app.py\n3-\n4:print(total([1]))\n\nkept/notes.md\n1:the total\n\n"
        "many/12/z.py\n1:def total(\n2-    items,\n\nmany/12/z.ts\n1:total(\n2-    1,",
    ),
    ("grep", {"pattern": "total", "type": "python", "output": "files"}, "app.py\nmany/12/z.py"),
    ("grep", {"pattern": "total", "type": "md", "output": "count"}, "kept/notes.md:1"),
    (
        "grep",
        {"pattern": r"total\(\n.*?items", "multiline": True},
        "many/12/z.py\n1:def total(\n2:    items,",
    ),
    (
        "grep",
        {"pattern": r"total\(\n"},
        f"No match in {MANY + 11} files. The pattern has a line end: set multiline.",
    ),
    (
        "grep",
        {"pattern": "total", "limit": 2},
        "app.py\n4:print(total([1]))\n\nkept/notes.md\n1:the total\n[There are more than these 2 matching "
        "lines. Go on with offset=2, or narrow the pattern, path, glob or type.]",
    ),
    (
        "grep",
        {"pattern": "total", "limit": 2, "offset": 2},
        "many/12/z.py\n1:def total(\n\nmany/12/z.ts\n1:total(",
    ),
    ("grep", {"pattern": "total", "offset": 9}, f"No more matches behind offset 9, in {MANY + 11} files."),
    (
        "glob",
        {"pattern": "*.py", "limit": 2, "offset": 1},
        "many/00/0000.py\nmany/00/0001.py\n"
        f"[{MANY - 1} more files. Go on with offset=3, or narrow the pattern.]",
    ),
    ("glob", {"pattern": "*.md"}, "kept/notes.md"),
    ("glob", {"pattern": "*.{py,ts}", "exclude": "many/**"}, "app.py"),
    ("glob", {"pattern": "z.*", "exclude": "*.ts"}, "many/12/z.py"),
    ("glob", {"pattern": "*.py", "path": "many", "exclude": "{0?,1?}"}, "No file is called *.py."),
    ("grep", {"pattern": "total", "output": "files", "exclude": "12"}, "app.py\nkept/notes.md"),
    ("grep", {"pattern": "total", "output": "files", "exclude": "{kept,*.py}"}, "many/12/z.ts"),
    ("grep", {"pattern": "hay", "output": "files", "exclude": "many"}, "No match in 4 files."),
    (
        "grep",
        {"pattern": r"total\(\n.*?items", "multiline": True, "exclude": "/many/12/*.ts", "output": "files"},
        "many/12/z.py",
    ),
    (
        "grep",
        {"pattern": "needle"},
        f"No match in {MANY + 11} files.\n"
        "[5 binary files match and are not shown: many/12/0.bin, many/12/1.bin, many/12/2.bin and 2 more.]",
    ),
    (
        "grep",
        {"pattern": "^b NEED.*s$", "ignore_case": True},
        f"No match in {MANY + 11} files.\n[A binary file matches and is not shown: many/12/4.bin.]",
    ),
    ("grep", {"pattern": "needle", "path": "many/12/3.bin"}, "many/12/3.bin: binary file matches."),
    (
        "glob",
        {"pattern": "*.md", "offset": 5},
        "No more files behind offset 5.",
    ),
]


@pytest.mark.row(31)
@pytest.mark.parametrize("ripgrep", [True, False], ids=["ripgrep", "alone"])
def test_searches_of_a_model_are_answered_the_same_with_ripgrep_and_without(
    agls: Agls, tmp_path: Path, ripgrep: bool
) -> None:
    """Context, types, several lines, counts, pages, ignore files."""
    plant(agls.workspace)
    programs = tmp_path / "programs"
    programs.mkdir()
    if ripgrep:
        (programs / "rg").symlink_to(shutil.which("rg") or "rg must be installed")
    agls.environment["PATH"] = str(programs)
    turns = [{"calls": [{"name": name, "arguments": given}]} for name, given, _ in CALLS]
    agls.script(*turns, {"text": "Found."})
    events = agls.run("run", "go", "--output", "jsonl").events
    items = [event["data"]["item"] for event in events if event["type"] == "itemCompleted"]
    calls = [item for item in items if item["kind"] == "toolCall"]
    assert [item["output"] for item in calls] == [wanted for _, _, wanted in CALLS]
