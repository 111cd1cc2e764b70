"""Hooks see the end of a session, and do not hold it up."""

from time import monotonic

import pytest

from doors.headless.conftest import Agls
from doors.headless.hooked import Hooked

EVENT = "SessionEnd"


@pytest.fixture
def hooked(agls: Agls) -> Hooked:
    return Hooked(agls)


def test_each_process_that_works_in_a_session_ends_it_once(hooked: Hooked) -> None:
    hooked.on(EVENT, "pass", matcher="other")
    hooked.agls.script({"text": "done"}, {"text": "done"})
    hooked.run("go")
    (given,) = hooked.given(EVENT)
    assert given["reason"] == "exit"
    hooked.agls.run("resume", "/hooks")
    assert len(hooked.given(EVENT)) == 1, "nothing was worked on"
    hooked.agls.run("resume", "again")
    assert [d["session_id"] for d in hooked.given(EVENT)] == [given["session_id"]] * 2


def test_hook_that_takes_long_does_not_hold_the_end_up(hooked: Hooked) -> None:
    hooked.on(EVENT, "time.sleep(600)", timeout=600)
    hooked.agls.script({"text": "done"})
    began = monotonic()
    assert hooked.run("go").code == 0
    assert monotonic() - began < 300
    assert len(hooked.given(EVENT)) == 1


def test_failure_changes_no_end(hooked: Hooked) -> None:
    hooked.on(EVENT, "sys.exit(2)", on_failure="closed")
    hooked.agls.script({"text": "done"})
    assert hooked.run("go").code == 0
