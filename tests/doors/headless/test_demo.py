"""`agls demo`: a whole session of the real server, from a red test to a green one."""

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agls.doors.headless.demo.client import DemoClient, ServerError

SCRIPTS = Path(__file__).parents[3] / "scripts"


def variables(folder: Path) -> dict[str, str]:
    mine = {k: v for k, v in os.environ.items() if not k.startswith(("AGLS_", "OPENAI_"))}
    return {**mine, "HOME": str(folder), "TMPDIR": str(folder), "GIT_CONFIG_GLOBAL": os.devnull}


def demo(tmp_path: Path, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agls", "demo", *arguments],
        env=variables(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        **{"stdin": subprocess.DEVNULL, **options},
    )


def git(repository: Path, *words: str) -> str:
    return subprocess.run(("git", *words), cwd=repository, capture_output=True, text=True, check=True).stdout


def test_it_shows_reading_editing_and_testing_and_leaves_a_repaired_repository(tmp_path: Path) -> None:
    repository = tmp_path / "made" / "shop"
    done = demo(tmp_path, "--dir", str(repository))
    assert (done.returncode, done.stderr) == (0, "")
    order = [
        "scripted model",
        "Its questions are answered with yes.",
        "(red)",
        "→ shell",
        "→ read_file prices.py",
        "→ edit_file prices.py",
        "+    return round(sum(prices) * (100 - discount) / 100, 2)",
        "OK",
        "Repaired:",
        "(green)",
        str(repository),
    ]
    order.insert(0, order.pop(2))  # the test is red before the model says anything
    places = [done.stdout.index(text) for text in order[:-1]]
    assert places == sorted(places)
    assert done.stdout.rstrip().endswith(str(repository))
    assert git(repository, "status", "--porcelain") == " M prices.py\n"
    assert git(repository, "log", "--format=%s") == "A shop\n"


def test_it_makes_a_folder_of_its_own_when_none_is_named(tmp_path: Path) -> None:
    done = demo(tmp_path, "--yes")
    assert done.returncode == 0
    (repository,) = tmp_path.glob("agls-shop-*")
    assert str(repository) in done.stdout
    assert not list(tmp_path.glob("agls-demo-*"))  # what was needed behind the stage is gone


def test_a_repository_around_it_is_left_alone(tmp_path: Path) -> None:
    subprocess.run(("git", "init", "-q", str(tmp_path / "mine")), check=True)
    mine = {**variables(tmp_path), "GIT_DIR": str(tmp_path / "mine/.git")}
    subprocess.run(
        [sys.executable, "-m", "agls", "demo", "--yes", "--dir", str(tmp_path / "shop")],
        env=mine,
        check=True,
        capture_output=True,
    )
    assert git(tmp_path / "shop", "log", "--format=%s") == "A shop\n"
    assert not list((tmp_path / "mine/.git/refs/heads").iterdir())


@pytest.mark.parametrize(("answers", "code"), [(b"y\n\ny\n", 0), (b"y\nn\ny\n", 1), (b"y\n\x04y\n", 1)])
def test_at_a_terminal_it_asks_before_anything_is_done(tmp_path: Path, answers: bytes, code: int) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, answers)
    done = demo(tmp_path, "--dir", str(tmp_path / "shop"), stdin=theirs)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == code
    assert done.stdout.count("Allow it? [Y/n]") == (2 if code else 3)
    assert "Its questions are answered" not in done.stdout
    assert ("(green)" in done.stdout) == (code == 0)
    assert ("Repaired:" in done.stdout) == (code == 0)
    assert ("I stop here and change nothing more." in done.stdout) == (code != 0)
    assert git(tmp_path / "shop", "status", "--porcelain") == ("" if code else " M prices.py\n")


def test_a_reader_that_goes_away_ends_it_quietly(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "agls", "demo", "--yes"],
        env=variables(tmp_path),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def _one_request(client: DemoClient) -> None:
    client.call("initialize", {})


def _writes_until_it_fails(client: DemoClient) -> None:
    while True:
        client.notify("initialized", {"left in the buffer": "x" * 5_000})


@pytest.mark.parametrize("speak", [_one_request, _writes_until_it_fails])
def test_a_server_that_goes_away_is_told(tmp_path: Path, speak: Callable[[DemoClient], None]) -> None:
    broken = variables(tmp_path) | {"PYTHONPATH": "", "PYTHONHOME": "/absent"}
    with (
        pytest.raises(ServerError, match="the server went away"),
        DemoClient(broken, str(tmp_path), {}) as client,
    ):
        speak(client)


def test_an_error_of_the_server_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(ServerError, match="nonsense"),
        DemoClient(variables(tmp_path), str(tmp_path), {}) as client,
    ):
        client.call("initialize", {"capabilities": {}})
        client.call("agent/nonsense", {})


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
