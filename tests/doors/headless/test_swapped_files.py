"""A patch whose files take each other's places, in a whole run, and taken back."""

import pytest

from doors.headless.conftest import SCRIPTED, Agls

PATCH = """\
*** Begin Patch
*** Update File: a.py
*** Move to: b.py
*** Update File: b.py
*** Move to: a.py
@@
-b = 1
+b = 2
*** Update File: c.py
*** Move to: d.py
*** End Patch
"""


@pytest.mark.row(31)
def test_files_that_took_each_others_places_are_put_back_by_an_undo(agls: Agls) -> None:
    before = {f"{name}.py": f"{name} = 1\n" for name in "abc"}
    for name, text in before.items():
        (agls.workspace / name).write_text(text)
    agls.configure(SCRIPTED + '[permissions]\nmode = "acceptEdits"\n')
    agls.run("trust")
    agls.script({"calls": [{"name": "apply_patch", "arguments": {"patch": PATCH}}]}, {"text": "Done."})
    assert agls.run("run", "go").code == 0
    after = {file.name: file.read_text() for file in agls.workspace.glob("*.py")}
    assert after == {"a.py": "b = 2\n", "b.py": "a = 1\n", "d.py": "c = 1\n"}
    assert agls.run("undo", "--files").code == 0
    assert {file.name: file.read_text() for file in agls.workspace.glob("*.py")} == before
