"""What tests must not see of the machine they run on, and how slow that is."""

import sys
import time

# A model server that runs here, at its usual port, is nobody whom a test may ask.
# Nor may it matter whether this machine can make sandboxes: the tests of the sandbox switch it on.
NO_LOCAL_SERVERS = {"AGLS_LOCAL_SERVERS": "false", "AGLS_SANDBOX": "off"}


_USUAL = 0.07  # seconds of processor time for the work of `_work` on the machine the limits are meant for
_TRACED = 3  # what measuring the coverage makes of the time that the product takes


def slowness() -> float:
    """How many times as long as usual this machine takes now; at least 1.

    A limit of processor time is multiplied by it: what is promised is work, and a machine that is shared
    with others does the same work in three times the time, as one does that measures the coverage.
    """
    machine = max(1.0, min(_work() for _ in range(3)) / _USUAL)
    return machine * _TRACED if sys.gettrace() else machine


def _work() -> float:
    begun = time.process_time()
    total = 0
    for number in range(1_000_000):
        total += number
    return time.process_time() - begun
