"""What is loaded when: the program starts fast and loads only the door that is opened."""

import json
import subprocess
import sys

import pytest

from doors.headless.conftest import Agls

EDITOR_ONLY = {"lsprotocol", "pygls"}
HEAVY = {*EDITOR_ONLY, "pydantic", "httpx", "asyncio", "attrs", "cattrs"}

PROBE = """
import json, sys
from agls.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("\\n" + json.dumps(sorted(name for name in sys.modules if "." not in name)))
"""


def loaded_by(agls: Agls, *arguments: str) -> set[str]:
    """The top-level modules in a process after these arguments."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{PROBE}", *arguments],
        cwd=agls.workspace,
        env={k: v for k, v in agls.variables.items() if not k.startswith("COVERAGE")},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_version_needs_nothing_heavy(agls: Agls) -> None:
    assert not loaded_by(agls, "--version") & HEAVY


CONTROLLED = ("run", "go", "--input", "jsonl", "--output", "jsonl")


@pytest.mark.parametrize("arguments", [("run", "go"), CONTROLLED, ("sessions",), ("config", "explain")])
def test_the_headless_door_does_not_load_what_only_editors_need(
    agls: Agls, arguments: tuple[str, ...]
) -> None:
    agls.script({"text": "ok"})
    loaded = loaded_by(agls, *arguments)
    assert "pydantic" in loaded
    assert not loaded & EDITOR_ONLY


def test_a_run_with_a_scripted_model_does_not_load_the_http_library(agls: Agls) -> None:
    agls.script({"text": "ok"})
    assert "httpx" not in loaded_by(agls, "run", "go")
