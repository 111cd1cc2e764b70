"""`agls demo`: a whole run of the real program, from a red test to a green one."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from doors.headless.test_terminal import FakeTerminal, terminal
from support.patience import PATIENCE
from support.processes import PROGRAM, LoadedProcess, run
from support.terminal_rows import rows_of

__all__ = ["terminal"]

SCRIPTS = Path(__file__).parents[3] / "scripts"


def variables(folder: Path) -> dict[str, str]:
    mine = {k: v for k, v in os.environ.items() if not k.startswith(("AGLS_", "OPENAI_"))}
    return {**mine, "HOME": str(folder), "TMPDIR": str(folder), "GIT_CONFIG_GLOBAL": os.devnull}


def demo(tmp_path: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    command, env = [*PROGRAM, "demo", *arguments], variables(tmp_path) | more
    return run(command, timeout=PATIENCE, env=env, stdin=subprocess.DEVNULL)


def git(repository: Path, *words: str) -> str:
    return subprocess.run(("git", *words), cwd=repository, capture_output=True, text=True, check=True).stdout


def test_it_shows_reading_editing_and_testing_and_leaves_a_repaired_repository(tmp_path: Path) -> None:
    repository = tmp_path / "made" / "shop"
    done = demo(tmp_path, "--dir", str(repository))
    assert (done.returncode, done.stderr) == (0, "")
    order = [
        "scripted model",
        "It asks nothing here: everything is allowed.",
        "(red)",
        "I run the tests first",
        "→ shell",
        "[exit code 1,",
        "FAILED (failures=1)",
        "→ read_file prices.py",
        "→ edit_file prices.py",
        "+    return round(sum(prices) * (100 - discount) / 100, 2)",
        "[exit code 0,",
        "Repaired:",
        "(green)",
        str(repository),
    ]
    order.insert(0, order.pop(2))  # the test is red before the model says anything
    at = 0
    for text in order:
        at = done.stdout.index(text, at)
    assert done.stdout.rstrip().endswith(str(repository))
    assert git(repository, "status", "--porcelain") == " M prices.py\n"
    assert git(repository, "log", "--format=%s") == "A shop\n"


def test_it_makes_a_folder_of_its_own_when_none_is_named_and_leaves_a_repository_around_it_alone(
    tmp_path: Path,
) -> None:
    subprocess.run(("git", "init", "-q", str(tmp_path / "mine")), check=True)
    done = demo(tmp_path, "--yes", GIT_DIR=str(tmp_path / "mine/.git"))
    assert done.returncode == 0
    (repository,) = tmp_path.glob("agls-shop-*")
    assert str(repository) in done.stdout
    assert not list(tmp_path.glob("agls-demo-*"))  # what was needed behind the stage is gone
    assert git(repository, "log", "--format=%s") == "A shop\n"
    assert not list((tmp_path / "mine/.git/refs/heads").iterdir())


@contextmanager
def demo_at(terminal: FakeTerminal, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start the demo with somebody in front of it, in a session of its own as a terminal has one."""
    ends: Any = {"stdin": terminal.theirs, "stdout": terminal.theirs, "stderr": terminal.theirs}
    program = [*PROGRAM, "demo", "--dir", str(folder / "shop")]
    with LoadedProcess(program, env=variables(folder), start_new_session=True, **ends) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(("answers", "code"), [("yyy", 0), ("yn", 1), ("y\x04", 1)])
def test_demo_at_a_terminal_asks_as_a_run_does(
    terminal: FakeTerminal, tmp_path: Path, answers: str, code: int
) -> None:
    with demo_at(terminal, tmp_path) as process:
        seen = ""
        for answer in answers:
            terminal.wait_for("n): ")
            seen, terminal.screen = seen + terminal.screen, ""
            terminal.type(answer if answer == "\x04" else f"{answer}\n")
        assert process.wait(PATIENCE) == code
    rows = "\n".join(rows_of(seen + terminal.rest(), 1000))  # no long line is broken
    assert rows.count("[y] Allow once") == rows.count("n):") == len(answers)
    assert "as in: n use the other parser" in rows
    assert "everything is allowed" not in rows
    assert "→ shell" in rows and "[exit code 1," in rows
    assert ("(green)" in rows) == ("Repaired:" in rows) == (code == 0)
    assert ("I stop here and change nothing more." in rows) == (code != 0)
    assert git(tmp_path / "shop", "status", "--porcelain") == ("" if code else " M prices.py\n")


def test_control_c_ends_the_demo_with_its_run(terminal: FakeTerminal, tmp_path: Path) -> None:
    with demo_at(terminal, tmp_path) as process:
        terminal.wait_for("n): ")
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    assert "Cancelled.\r\n" in terminal.rest()
    assert "The tests once more" not in terminal.screen
    assert git(tmp_path / "shop", "status", "--porcelain") == ""
    assert not list(tmp_path.glob("agls-demo-*"))


def test_a_reader_that_goes_away_ends_it_quietly(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run([*PROGRAM, "demo", "--yes"], timeout=PATIENCE, env=variables(tmp_path), stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("script", ["setup", "demo"])
def test_the_scripts_are_valid_bash(script: str) -> None:
    file = SCRIPTS / script
    assert os.access(file, os.X_OK)
    subprocess.run(["bash", "-n", str(file)], check=True)


def test_setup_says_what_it_can_set_up() -> None:
    done = subprocess.run([SCRIPTS / "setup", "nonsense"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "usage: scripts/setup [runtime|python|dev]\n")


def test_setup_says_which_python_it_needs(tmp_path: Path) -> None:
    absent = {**os.environ, "PYTHON": str(tmp_path / "absent")}
    done = subprocess.run([SCRIPTS / "setup"], env=absent, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Install Python 3.11 or newer" in done.stderr
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\necho Python 3.9.1\nexit 1\n")
    old.chmod(0o755)
    done = subprocess.run(
        [SCRIPTS / "setup"],
        env={**os.environ, "PYTHON": str(old)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Python 3.9.1" in done.stderr
