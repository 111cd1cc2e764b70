"""Keepers that are forked from a process which has loaded what they need.

They need a process that adopts what is below it, so each test runs `adopting_process.py`.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).with_name("adopting_process.py")


def ran(*steps: Any, cwd: Path) -> list[dict[str, Any]]:
    """Run the steps in a process that adopts. **Returns** what is known of each command."""
    done = subprocess.run(
        [sys.executable, PROGRAM, json.dumps(steps)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_third_command_is_forked_and_ends_as_any_other(tmp_path: Path) -> None:
    found = ran("true", "WARM", "exit 7", "kill -9 $$", "no-such-program-here", cwd=tmp_path)
    assert [each["forked"] for each in found] == [False, True, True, True]
    assert [(each["exit_code"], each["signal"]) for each in found[:3]] == [
        (0, ""),
        (7, ""),
        (None, "SIGKILL"),
    ]
    assert found[3]["exit_code"] == 127
    assert "not found" in found[3]["output"]


def test_forked_keeper_gives_the_program_exactly_what_it_shall_have(tmp_path: Path) -> None:
    of_shell = "ps -o sid= -p $$ | tr -d ' '; echo $$"
    script = f"env | grep -v '^_=\\|SHLVL'; pwd; ls /proc/self/fd | wc -l; cat; {of_shell}"
    cold, warm = ran({"run": script}, "WARM", {"run": script}, cwd=tmp_path)
    assert (cold["forked"], warm["forked"]) == (False, True)
    *cold_lines, cold_session, cold_shell = cold["output"].split("\n")[:-1]
    *warm_lines, warm_session, warm_shell = warm["output"].split("\n")[:-1]
    assert warm_lines == cold_lines
    assert str(tmp_path) in warm_lines
    assert "what it reads" in warm_lines
    assert (cold_session, warm_session) == (cold_shell, warm_shell)


def test_forked_keeper_hands_descriptors_on_by_their_numbers(tmp_path: Path) -> None:
    _, found = ran("true", "WARM", {"run": 'echo "for the server" > "$0"', "reports": True}, cwd=tmp_path)
    assert found["forked"]
    assert found["report"] == "for the server\n"


def test_long_words_and_names_that_are_no_text_reach_a_forked_program(tmp_path: Path) -> None:
    long = "x" * 100_000
    _, found = ran("true", "WARM", {"run": f"printf %s {long} | wc -c; echo \udcff | od -c"}, cwd=tmp_path)
    assert found["forked"]
    assert "100000" in found["output"]
    assert "377" in found["output"]


def test_what_a_forked_keeper_watches_over_ends_with_it(tmp_path: Path) -> None:
    leave = "setsid sleep 1000 & disown; (setsid sh -c 'trap \"\" TERM; sleep 1000' &); echo left"
    _, found = ran("true", "WARM", leave, cwd=tmp_path)
    assert found["forked"]
    assert found["left_over"] >= 2
    assert found["alive"] == 0


@pytest.mark.parametrize("trouble", ["KILL", "STOP"])
def test_command_runs_once_when_the_process_that_forks_is_out_of_order(tmp_path: Path, trouble: str) -> None:
    """Stopped, it might go on later: what it was asked for then starts nothing."""
    _, found, later = ran(
        "true", "WARM", trouble, "echo once >> times", "CONTINUE", "sleep 0.3; cat times", cwd=tmp_path
    )
    assert (found["forked"], found["exit_code"]) == (False, 0)
    assert later["output"] == "once\n"


def test_process_that_forks_ends_with_the_server(tmp_path: Path) -> None:
    assert ran("true", "WARM", "LEAVE", cwd=tmp_path)[-1]["host"] > 0
