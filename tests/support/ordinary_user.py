"""Programs that run as an ordinary user, also when the tests run as root."""

import os
import shutil
import subprocess

import pytest


def ordinary_user() -> list[str]:
    """What to put before a command line so that it runs without the powers of root."""
    if os.geteuid():
        return []
    prefix = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    if not shutil.which("unshare") or subprocess.run([*prefix, "true"], check=False).returncode:
        pytest.skip("root may read everything, and this machine has no user namespaces to get rid of it")
    return prefix
