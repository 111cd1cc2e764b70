"""What is loaded when: an editor waits for a session, not for libraries (decision 091)."""

import subprocess
import sys

LATER = """
import sys, agls.doors.lsp.server
print([name for name in ("lsprotocol", "pygls", "httpx") if name in sys.modules])
"""


def test_the_door_is_ready_without_the_types_of_lsp_and_without_http() -> None:
    found = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
