"""Calls as weaker models write them: a mistake is understood where it means one thing, else it is told.

`habit_cases.jsonl` has each call, and what the files are behind it or what its refusal says. {ROOT} is the
folder.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import support
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.file_tools import file_tools
from support.toolbox import Toolbox

pytestmark = [pytest.mark.row(31), pytest.mark.row(32)]
CASES = [
    json.loads(line)
    for line in Path(support.__file__).with_name("habit_cases.jsonl").read_text("utf-8").splitlines()
]
CELL: dict[str, Any] = {
    "cell_type": "code",
    "id": "c1",
    "metadata": {},
    "execution_count": None,
    "outputs": [],
    "source": ["x = 1\n"],
}
FILES = {
    "a.py": "import os\n\n\ndef total(items):\n    result = 0\n    for item in items:\n"
    "        result += item\n    return result\n\n\nclass A:\n\tdef f(self):\n\t\treturn 1\n",
    "m.go": "package main\n\nfunc main() {\n\tx := 1\n\ty := 2\n\tprintln(x, y)\n}\n",
    "sub/b.py": "x = 1\n",
    "e.py": 'print("x")\n',
    "n.ipynb": json.dumps({"cells": [CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}),
}


@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{case['tool']}" for n, case in enumerate(CASES)])
async def test_call_does_what_it_means_or_nothing_and_says_why(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "proj"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    box = Toolbox(file_tools(), OpenWorkspace(str(root), (), NoEditor(), Processes({})))
    for name in FILES:
        await box.call("read_file", path=name)
    given = json.dumps(case["call"]).replace("{ROOT}", str(root)).replace("{BASE}", root.name)
    outcome = await box.call(case["tool"], **json.loads(given))
    after = {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}
    changed = {name: after.get(name) for name in {*FILES, *after} if after.get(name) != FILES.get(name)}
    assert changed == case["want"].get("files", {}), outcome.text
    if said := case["want"].get("says"):
        assert outcome.status == "failed"
        assert said in outcome.text.replace(str(root), "{ROOT}").replace(str(tmp_path), "{HOME}")
