"""A test that fails says what the server did meanwhile."""

import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
FAILING = """
from support.wire import Wire, script, turns


def test_nothing(tmp_path):
    serve = "echo words on standard error >&2; exec agls serve --stdio"
    command = ["env", "AGLS_LOG=debug", "sh", "-c", serve]
    with Wire(tmp_path, script(tmp_path, turns("hello")), command) as wire:
        wire.initialize()
        wire.session()
        assert not "this fails"
"""


def test_failing_test_prints_the_logs_of_its_server(tmp_path: Path) -> None:
    (tmp_path / "test_failing.py").write_text(FAILING)
    pytest = [sys.executable, "-m", "pytest", "-p", "support.server_logs", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*pytest, "-q", "-c", "/dev/null", "--rootdir", tmp_path, "test_failing.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(TESTS), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=220,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "log of the server: stderr.log" in done.stdout
    assert "words on standard error" in done.stdout
    assert "log of the server: state/agls.log" in done.stdout
    assert "agent/session/new" in done.stdout
