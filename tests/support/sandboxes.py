"""Whether this machine can have the sandbox: tests that need it are skipped with the reason.

Where CI=true they fail for want of bubblewrap, which CI installs.

A plugin of pytest (`conftest.py` names it), which knows what the mark `needs_bubblewrap` means.
"""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from shutil import which

import pytest

from agls.workspace.sandbox.mounts import TEMPORARY

IN_CI = "{}: a probe of the sandbox that is skipped in CI proves nothing"


@cache
def missing() -> str:
    """Why bubblewrap makes no sandbox here, "" when it does."""
    if sys.platform != "linux":
        return "the sandbox is for Linux"
    if f"{Path.home().resolve()}/".startswith(TEMPORARY):
        return f"the home {Path.home()} lies where commands in the sandbox have a folder of their own"
    if which("bwrap") is None:
        return "bubblewrap is not installed: scripts/sandbox installs it"
    bounds = ("--unshare-user", "--unshare-pid", "--unshare-net", "--disable-userns")
    view = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
    done = subprocess.run(["bwrap", *bounds, *view, "true"], capture_output=True, text=True, check=False)
    return f"bubblewrap does not work here: {done.stderr.strip()}" if done.returncode else ""


needs_bubblewrap = pytest.mark.needs_bubblewrap


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs bubblewrap where it makes no sandbox; in CI, fail where it is not installed."""
    if not item.get_closest_marker("needs_bubblewrap") or not missing():
        return
    if sys.platform == "linux" and os.environ.get("CI") == "true" and which("bwrap") is None:
        pytest.fail(IN_CI.format(missing()), pytrace=False)
    pytest.skip(missing())
