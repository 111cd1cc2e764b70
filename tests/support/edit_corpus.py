"""Edits as models attempt them: a file, a call, and what a careful person would want to come of it.

A case is a line of JSON: `id`, `kind` (the mistake), `tool` (the shape of the call), `file`, `before` (its
text; for patches texts by path), `call`, and `want`: `applied` (the text afterwards) or `refused` (words of
which a useful answer has one); `hints` are such words where an edit should apply.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from agls.engine.vocabulary import ToolOutcome
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.file_tools import file_tools
from support.toolbox import Toolbox

OWN = Path(__file__).parent / "edit_cases.jsonl"
RECORDED = Path(__file__).parents[3] / "shared" / "edits" / "cases.jsonl"
Case = dict[str, Any]


def load(file: Path) -> list[Case]:
    """Return the cases of a file."""
    with file.open(encoding="utf-8", newline="\n") as lines:
        return [json.loads(line) for line in lines]


def files_of(value: object, case: Case) -> Mapping[str, str]:
    """Return texts by path, of `before` or of `want.applied`."""
    return cast("dict[str, str]", value) if isinstance(value, dict) else {case["file"]: str(value)}


async def attempt(case: Case, root: Path) -> str:
    """Make the case's call by the real tool in a real folder. **Returns** the verdict about what came of it.

    It is `right`, `useful` (refused where it should apply, with an answer that helps), `useless` (nothing
    changed, and the answer does not help) or `wrong` (changed otherwise than wanted).
    """
    before = files_of(case["before"], case)
    for name, text in before.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    workspace = OpenWorkspace(str(root), (), NoEditor(), Processes({}))
    tools = Toolbox(file_tools(), workspace)
    for name in before:
        await tools.call("read_file", path=name)
    return judge(case, await _call(tools, case), contents(root))


async def _call(tools: Toolbox, case: Case) -> ToolOutcome:
    if case["tool"] == "apply_patch":
        return await tools.call("apply_patch", **case["call"])
    return await tools.call("edit_file", path=case["file"], **case["call"])


def contents(root: Path) -> dict[str, str]:
    """Return the texts of all files below a folder."""
    found = (file for file in root.rglob("*") if file.is_file())
    return {file.relative_to(root).as_posix(): file.read_bytes().decode() for file in found}


def judge(case: Case, outcome: ToolOutcome, after: Mapping[str, str]) -> str:
    """Return the verdict about an outcome and the files after it."""
    want: Mapping[str, Any] = case["want"]
    untouched = after == files_of(case["before"], case)
    if "applied" in want and after == files_of(want["applied"], case):
        return "right"
    if not untouched:
        return "wrong"
    words = want.get("refused") or want.get("hints", ())
    helps = any(_bare(word) in _bare(outcome.text) for word in words)
    return ("useful" if "applied" in want else "right") if helps else "useless"


def figures(verdicts: Iterable[tuple[Case, str]]) -> Counter[tuple[str, str]]:
    """Return how often each verdict was reached, by the shape of the call."""
    return Counter((case["tool"], verdict) for case, verdict in verdicts)


def _bare(text: str) -> str:
    return "".join(text.lower().split())
