"""Probes of the sandbox are skipped where bubblewrap is missing, and fail there in CI."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROBE = """
import pytest
from support.sandboxes import needs_bubblewrap

@needs_bubblewrap
def test_probe(): ...
"""


def run(root: Path, ci: str) -> str:
    """The last line of pytest about a probe, on a machine without bubblewrap."""
    (root / "pytest.ini").write_text("[pytest]\nmarkers = needs_bubblewrap: needs it\n")
    (root / "test_probe.py").write_text(PROBE)
    program = [sys.executable, "-m", "pytest", "-q", "-p", "support.sandboxes", "-p", "no:cacheprovider"]
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [*program, "-n", "0"],
        cwd=root,
        env={**os.environ, "CI": ci, "PATH": str(root), "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip().splitlines()[-1]


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is for Linux")
@pytest.mark.parametrize(("ci", "outcome"), [("", "1 skipped"), ("true", "1 error")])
def test_probe_without_bubblewrap_is_skipped_but_not_in_ci(tmp_path: Path, ci: str, outcome: str) -> None:
    assert run(tmp_path, ci).startswith(outcome)
